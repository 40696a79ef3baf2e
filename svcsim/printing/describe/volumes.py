"""Volumes of pods and of templates for pods: what kind each is, and where its content comes from."""

from svcsim.meta import quantity
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.writer import Writer

Rows = list[tuple[str, Json]]


def describe_volumes(writer: Writer, volumes: list[Object], indent: str = "") -> None:
    """All volumes. ``indent`` is two spaces inside a template."""
    if not volumes:
        writer.line(f"{indent}Volumes:\t<none>")
        return
    writer.line(f"{indent}Volumes:")
    for volume in volumes:
        writer.line(f"{' ' if indent else ''}{volume['name']}:", 1)
        describe_source(writer, volume)


def describe_source(writer: Writer, volume: Object) -> None:
    """Where a volume's content comes from."""
    kind = next((kind for kind in _SOURCES if volume.get(kind) is not None), "")
    if not kind:
        writer.line("<unknown>", 1)
    elif kind == "downwardAPI":
        _downward(writer, volume[kind])
    else:
        doc, rows = _SOURCES[kind](volume[kind])
        for name, value in [("Type", doc), *rows]:
            writer.field(name, value, 2)


def _downward(writer: Writer, source: Object) -> None:
    writer.field("Type", "DownwardAPI (a volume populated by information about the pod)", 2)
    writer.line("Items:", 2)
    for item in source.get("items") or []:
        reference = item.get("fieldRef") or item.get("resourceFieldRef") or {}
        writer.line(f"{reference.get('fieldPath') or reference.get('resource', '')} -> {item.get('path', '')}", 3)


def _host_path(source: Object) -> tuple[str, Rows]:
    return "HostPath (bare host directory volume)", [("Path", source.get("path", "")), ("HostPathType", source.get("type") or "")]


def _empty_dir(source: Object) -> tuple[str, Rows]:
    size = source.get("sizeLimit")
    shown = str(quantity.of(size)) if size is not None and quantity.of(size) else "<unset>"
    return "EmptyDir (a temporary directory that shares a pod's lifetime)", [("Medium", source.get("medium") or ""), ("SizeLimit", shown)]


def _secret(source: Object) -> tuple[str, Rows]:
    return "Secret (a volume populated by a Secret)", [("SecretName", source.get("secretName", "")), ("Optional", _flag(source))]


def _config_map(source: Object) -> tuple[str, Rows]:
    return "ConfigMap (a volume populated by a ConfigMap)", [("Name", source.get("name", "")), ("Optional", _flag(source))]


def _claim(source: Object) -> tuple[str, Rows]:
    rows: Rows = [("ClaimName", source.get("claimName", "")), ("ReadOnly", "true" if source.get("readOnly") else "false")]
    return "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)", rows


def _ephemeral(source: Object) -> tuple[str, Rows]:
    spec = (source.get("volumeClaimTemplate") or {}).get("spec") or {}
    rows: Rows = [("StorageClass", spec.get("storageClassName", "")), ("Volume", spec.get("volumeName", ""))]
    return "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)", rows


def _projected(source: Object) -> tuple[str, Rows]:
    rows: Rows = []
    for part in source.get("sources") or []:
        if (secret := part.get("secret")) is not None:
            rows += [("SecretName", secret.get("name", "")), ("SecretOptionalName", _optional(secret))]
        elif part.get("downwardAPI") is not None:
            rows.append(("DownwardAPI", "true"))
        elif (config_map := part.get("configMap")) is not None:
            rows += [("ConfigMapName", config_map.get("name", "")), ("ConfigMapOptional", _optional(config_map))]
        elif (token := part.get("serviceAccountToken")) is not None:
            rows.append(("TokenExpirationSeconds", token.get("expirationSeconds", 0)))
    return "Projected (a volume that contains injected data from multiple sources)", rows


def _nfs(source: Object) -> tuple[str, Rows]:
    rows: Rows = [
        ("Server", source.get("server", "")),
        ("Path", source.get("path", "")),
        ("ReadOnly", "true" if source.get("readOnly") else "false"),
    ]
    return "NFS (an NFS mount that lasts the lifetime of a pod)", rows


def _csi(source: Object) -> tuple[str, Rows]:
    rows: Rows = [
        ("Driver", source.get("driver", "")),
        ("FSType", source.get("fsType") or ""),
        ("ReadOnly", "true" if source.get("readOnly") else "false"),
    ]
    rows += [
        ("VolumeAttributes" if not index else "", f"{key}={value}")
        for index, (key, value) in enumerate(sorted((source.get("volumeAttributes") or {}).items()))
    ]
    return "CSI (a Container Storage Interface (CSI) volume source)", rows


def _flag(source: Object) -> str:
    return "true" if source.get("optional") else "false"


def _optional(source: Object) -> str:
    return "<nil>" if source.get("optional") is None else _flag(source)


_SOURCES = {
    "hostPath": _host_path,
    "emptyDir": _empty_dir,
    "secret": _secret,
    "configMap": _config_map,
    "persistentVolumeClaim": _claim,
    "ephemeral": _ephemeral,
    "downwardAPI": _host_path,
    "projected": _projected,
    "nfs": _nfs,
    "csi": _csi,
}
"""Kinds of volumes that are described. (`downwardAPI` is a list and has a writer of its own.)"""
