"""The volume by which a pod's containers have what it takes to ask the API server: a token, the authority to trust, their namespace.

Its name ends in a few letters, so that it's nobody else's. All pods of an account have the same ones: so those of one template are alike,
and what is found out about one of them is true of the others.
"""

from hashlib import blake2b

from svcsim.chance import NAME_ALPHABET
from svcsim.dialect import Dialect
from svcsim.meta.objects import uid_of
from svcsim.meta.types import Object

_LIFETIME_S = 3607
"""By this very number, requests for tokens know the ones that nobody chose."""
_MODE = 0o644
_SUFFIX_CHARS = 5


class TokenVolume:
    """Puts it into pods, for the containers that have nothing in its place."""

    def __init__(self, dialect: Dialect) -> None:
        self._prefix = f"{dialect.api_access_volume}-"
        self._path = f"/var/run/secrets/{dialect.domain}/serviceaccount"
        self._authority = dialect.root_ca_config_map

    def mount(self, spec: Object, account: Object) -> None:
        """Doing it again changes nothing."""
        volumes = spec.get("volumes") or []
        present = next((volume["name"] for volume in volumes if "projected" in volume and volume["name"].startswith(self._prefix)), None)
        without = [container for container in _containers(spec) if not self._is_mounted(container)]
        if not without:
            return
        name = present or f"{self._prefix}{_suffix(uid_of(account))}"
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


def _suffix(uid: str) -> str:
    return "".join(NAME_ALPHABET[byte % len(NAME_ALPHABET)] for byte in blake2b(uid.encode(), digest_size=_SUFFIX_CHARS).digest())


def _containers(spec: Object) -> list[Object]:
    return [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
