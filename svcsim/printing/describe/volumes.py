"""Volumes of pods and of templates for pods: what kind each is, and where its content comes from."""

from collections.abc import Callable

from svcsim.dialect import DIALECTS
from svcsim.meta import quantity
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.volume_sources import SOURCES, rows_of
from svcsim.printing.describe.writer import ANNOTATION_CHARS, Writer

_CLASS_ANNOTATIONS = tuple(dialect.key("storage-class", "volume.beta") for dialect in DIALECTS.values())

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


def describe_source(writer: Writer, volume: Object, *, persistent: bool = False) -> None:
    """Where a volume's content comes from: that of a pod, or a ``persistent`` one."""
    kind = next((kind for kind in (*_SOURCES, *_WRITERS, *SOURCES) if volume.get(kind) is not None), "")
    if not kind:
        writer.line("<unknown>", 1)
    elif kind in _WRITERS:
        _WRITERS[kind](writer, volume[kind])
    elif found := rows_of(kind, volume[kind], persistent=persistent):
        title, rows = found
        writer.field("Type", title, 2)
        for name, value in rows:
            writer.line(f"{name}\t{value}", 2)
    else:
        doc, others = _SOURCES[kind](volume[kind])
        for name, value in [("Type", doc), *others]:
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


def _ephemeral(writer: Writer, source: Object) -> None:
    """The claim that is made for the pod: what is said of it already."""
    template = source.get("volumeClaimTemplate") or {}
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    writer.field("Type", "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)", 2)
    claim_class(writer, metadata, spec, 2)
    writer.field("Volume", spec.get("volumeName", ""), 2)
    _nested(writer, "Labels", [f"{key}={value}" for key, value in sorted((metadata.get("labels") or {}).items())])
    _nested(writer, "Annotations", [f"{key}: {value}" for key, value in sorted((metadata.get("annotations") or {}).items())])
    writer.field("Capacity", "", 2)
    writer.field("Access Modes", "", 2)
    claim_source(writer, spec, 2)


def _nested(writer: Writer, title: str, texts: list[str]) -> None:
    """Lines under one title; kubectl indents each of their parts."""
    for index, text in enumerate(texts or ["<none>"]):
        writer.line((f"{title}:" if not index else "  ") + f"\t    {text}", 2)


def claim_class(writer: Writer, metadata: Object, spec: Object, level: int = 0) -> None:
    """The StorageClass of a claim or a volume: as the annotation says that once did, or the field."""
    notes = metadata.get("annotations") or {}
    named = next((notes[key] for key in _CLASS_ANNOTATIONS if key in notes), spec.get("storageClassName") or "")
    writer.field("StorageClass", named, level)


def claim_source(writer: Writer, spec: Object, level: int = 0) -> None:
    """The form of a claimed volume, and the data it begins with."""
    if spec.get("volumeMode"):
        writer.field("VolumeMode", spec["volumeMode"], level)
    source = spec.get("dataSource")
    if source:
        writer.line("DataSource:", level)
        for title, field in (("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name")):
            if field in source:
                writer.field(title, source[field], level + 1)


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


def _csi(writer: Writer, source: Object) -> None:
    writer.field("Type", "CSI (a Container Storage Interface (CSI) volume source)", 2)
    writer.field("Driver", source.get("driver", ""), 2)
    writer.field("FSType", source.get("fsType") or "", 2)
    if "volumeHandle" in source:
        writer.field("VolumeHandle", source["volumeHandle"], 2)
    writer.field("ReadOnly", "true" if source.get("readOnly") else "false", 2)
    attributes = [_cut(f"{key}={value}") for key, value in sorted((source.get("volumeAttributes") or {}).items())]
    for index, text in enumerate(attributes or ["<none>"]):
        writer.line(("VolumeAttributes:" if not index else "    ") + f"\t{'    ' if attributes else ''}{text}", 2)


def _cut(text: str) -> str:
    return f"{text[:ANNOTATION_CHARS]}..." if len(text) > ANNOTATION_CHARS else text


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
    "projected": _projected,
}
_WRITERS: dict[str, Callable[[Writer, Object], None]] = {"csi": _csi, "downwardAPI": _downward, "ephemeral": _ephemeral}
"""Sources that are more than a few lines."""
