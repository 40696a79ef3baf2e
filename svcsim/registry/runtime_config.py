"""Which groups, versions and resources a cluster serves: ``--runtime-config``, as for kube-apiserver.

Stable versions are served unless switched off, alpha and beta ones only if switched on, or if their kind says so. What names a thing more
exactly wins: a resource over its version, a version over ``api/beta`` and its like, those over ``api/all``.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from svcsim.meta.api_versions import stability
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupVersion

_LEVELS = ("api/ga", "api/beta", "api/alpha")
_TRUE = ("", "true", "1")
_FALSE = ("false", "0")


class RuntimeConfigError(ConfigurationError):
    """What was asked for means nothing; the message says why in one line."""


class RuntimeConfig(NamedTuple):
    """What was switched on and off, by key."""

    switches: Mapping[str, bool] = MappingProxyType({})

    @classmethod
    def parse(cls, texts: Iterable[str], known: Iterable[tuple[GroupVersion, str]]) -> "RuntimeConfig":
        """Read ``key[=value],…``. Raises `RuntimeConfigError` for what names nothing there is."""
        keys = {"api/all", *_LEVELS}
        for group_version, plural in known:
            keys |= {_key(group_version), f"{_key(group_version)}/{plural}"}
        switches: dict[str, bool] = {}
        for item in (item.strip() for text in texts for item in text.split(",")):
            if not item:
                continue
            key, _, value = item.partition("=")
            key = key.strip()
            if key not in keys and f"api/{key}" not in keys:
                raise RuntimeConfigError(f"--runtime-config: {quoted(key)} is no version or resource this server has")
            if value.strip().lower() not in (*_TRUE, *_FALSE):
                raise RuntimeConfigError(f"--runtime-config: {quoted(item)} says neither true nor false")
            switches[key if key in keys else f"api/{key}"] = value.strip().lower() in _TRUE
        return cls(switches)

    def serves(self, group_version: GroupVersion, plural: str, *, anyway: bool = False) -> bool:
        """Whether that resource is served in that version; ``anyway`` says that it is, if nothing is said of it, stable or not."""
        version = _key(group_version)
        level = stability(group_version.version)
        for key in (f"{version}/{plural}", version, f"api/{level}", "api/all"):
            if key in self.switches:
                return self.switches[key]
        return anyway or level == "ga"


def _key(group_version: GroupVersion) -> str:
    return str(group_version) if group_version.group else f"api/{group_version.version}"
