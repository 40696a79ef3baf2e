"""Volumes: of which types, and of the node's directories and of drivers, which."""

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final

from svcsim.admission.pod_security_policy.case import ALL, Case
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Object

_PROJECTED, _SECRET = "projected", "secret"
_POLICIES_WORDS: Final = MappingProxyType({"cephfs": "cephFS"})
"""Types that policies call by another name than pods do."""


def check_pod(case: Case) -> Iterator[FieldError]:
    allowed = case.rules.get("volumes") or ()
    for index, volume in enumerate(case.spec.get("volumes") or ()):
        path, source = f"spec.volumes[{index}]", next((name for name in volume if name != "name"), "")
        kind = _POLICIES_WORDS.get(source, source)
        if ALL in allowed or kind in allowed or (kind == _PROJECTED and _SECRET in allowed and _is_token(case, volume[source])):
            if source in _CHECKS:
                yield from _CHECKS[source](case, volume, path)
        else:
            yield invalid_value(path, kind, f"{kind} volumes are not allowed to be used")


def _is_token(case: Case, projected: Object) -> bool:
    """Whether the volume only has what every pod is given to access the API server, which was a secret once."""
    return all(_is_of_token(case, source) for source in projected.get("sources") or ())


def _is_of_token(case: Case, source: Object) -> bool:
    token, authority, downward = (source.get(name) for name in ("serviceAccountToken", "configMap", "downwardAPI"))
    if token is not None and (token.get("path") != "token" or token.get("audience")):
        return False
    if authority is not None and authority.get("name") != case.dialect.root_ca_config_map:
        return False
    namespace = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    items = (downward or {}).get("items") or ()
    if any(one.get("path") != "namespace" or one.get("fieldRef") != namespace for one in items):
        return False
    return any(one is not None for one in (token, authority, downward))


def _host_path(case: Case, volume: Object, path: str) -> Iterator[FieldError]:
    allowed, wanted = case.rules.get("allowedHostPaths") or (), volume["hostPath"].get("path") or ""
    fitting = [one for one in allowed if _is_below(wanted, one.get("pathPrefix") or "")]
    if allowed and not fitting:
        yield invalid_value(f"{path}.hostPath.pathPrefix", wanted, "is not allowed to be used")
    elif allowed and all(one.get("readOnly") for one in fitting):
        for where, container in case.containers():
            for index, mount in enumerate(container.get("volumeMounts") or ()):
                if mount.get("name") == volume.get("name") and not mount.get("readOnly"):
                    yield invalid_value(f"{where}.volumeMounts[{index}].readOnly", False, "must be read-only")


def _is_below(path: str, prefix: str) -> bool:
    return f"{path.removesuffix('/')}/".startswith(f"{prefix.removesuffix('/')}/")


def _flex(case: Case, volume: Object, path: str) -> Iterator[FieldError]:
    driver, allowed = volume["flexVolume"].get("driver") or "", case.rules.get("allowedFlexVolumes") or ()
    if allowed and all(one.get("driver") != driver for one in allowed):
        yield invalid_value(f"{path}.driver", driver, "Flexvolume driver is not allowed to be used")


def _csi(case: Case, volume: Object, path: str) -> Iterator[FieldError]:
    driver, allowed = volume["csi"].get("driver") or "", case.rules.get("allowedCSIDrivers") or ()
    if allowed and all(one.get("name") != driver for one in allowed):
        yield invalid_value(f"{path}.csi.driver", driver, "Inline CSI driver is not allowed to be used")


_CHECKS: Final[MappingProxyType[str, Callable[[Case, Object, str], Iterator[FieldError]]]] = MappingProxyType(
    {"hostPath": _host_path, "flexVolume": _flex, "csi": _csi}
)
"""What more there is to say of volumes of types that are allowed."""
