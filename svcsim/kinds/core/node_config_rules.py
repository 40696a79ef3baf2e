"""What makes the sources of a node agent's configuration right, which nodes no longer have, and which updates look at all the same."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import named
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import config_map_key, dns_label, dns_subdomain
from svcsim.meta.types import Object

_VERSION = ("uid", "resourceVersion")
_NAMES = (("namespace", named(dns_label)), ("name", named(dns_subdomain)), ("kubeletConfigKey", named(config_map_key)))


def config_rules(node: Object) -> Iterator[FieldError]:
    """The wanted one is a ConfigMap in whatever version, those in use are in a certain one."""
    wanted = (node.get("spec") or {}).get("configSource")
    if wanted is not None:
        yield from _source(wanted, "spec.configSource", versioned=False)
    used = (node.get("status") or {}).get("config") or {}
    for name in ("assigned", "active", "lastKnownGood"):
        if used.get(name) is not None:
            yield from _source(used[name], f"status.config.{name}", versioned=True)


def _source(source: Object, path: str, *, versioned: bool) -> Iterator[FieldError]:
    config_map, where = source.get("configMap"), f"{path}.configMap"
    if config_map is None:
        yield invalid_value(path, source, "exactly one reference subfield must be non-nil")
        return
    for name in _VERSION:
        if versioned and not config_map.get(name):
            yield required(f"{where}.{name}", f"{name} must be set in status")
        elif not versioned and config_map.get(name):
            yield forbidden_field(f"{where}.{name}", f"{name} must not be set in spec")
    for name, well_formed in _NAMES:
        yield from well_formed(config_map.get(name), f"{where}.{name}")
