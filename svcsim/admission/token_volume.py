"""The volume by which a pod's containers have what it takes to ask the API server: a token, the authority to trust, their namespace."""

from svcsim.clock import Chance
from svcsim.dialect import Dialect
from svcsim.meta.types import Object

_LIFETIME_S = 3607
"""By this very number, requests for tokens know the ones that nobody chose."""
_MODE = 0o644


class TokenVolume:
    """Puts it into pods, for the containers that have nothing in its place."""

    def __init__(self, dialect: Dialect, chance: Chance) -> None:
        self._prefix = f"{dialect.api_access_volume}-"
        self._path = f"/var/run/secrets/{dialect.domain}/serviceaccount"
        self._authority = dialect.root_ca_config_map
        self._chance = chance

    def mount(self, spec: Object) -> None:
        """Doing it again changes nothing."""
        volumes = spec.get("volumes") or []
        present = next((volume["name"] for volume in volumes if "projected" in volume and volume["name"].startswith(self._prefix)), None)
        without = [container for container in _containers(spec) if not self._is_mounted(container)]
        if not without:
            return
        name = present or f"{self._prefix}{self._chance.suffix()}"
        for container in without:
            mount = {"name": name, "readOnly": True, "mountPath": self._path}
            container["volumeMounts"] = [*(container.get("volumeMounts") or ()), mount]
        if present is None:
            spec["volumes"] = [*volumes, {"name": name, "projected": {"sources": self._sources(), "defaultMode": _MODE}}]

    def _is_mounted(self, container: Object) -> bool:
        return any(mount.get("mountPath") == self._path for mount in container.get("volumeMounts") or ())

    def _sources(self) -> list[Object]:
        namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
        return [
            {"serviceAccountToken": {"expirationSeconds": _LIFETIME_S, "path": "token"}},
            {"configMap": {"name": self._authority, "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [namespace]}},
        ]


def _containers(spec: Object) -> list[Object]:
    return [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
