"""What makes an IPAddress valid: it has an owner, which can't change."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import named, unchanged
from svcsim.meta.errors import FieldError
from svcsim.meta.names import dns_subdomain, path_segment
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def parent_rules(reference: Json, path: str) -> Iterator[FieldError]:
    yield from named(dns_subdomain)(reference.get("group"), f"{path}.group")
    for name in ("resource", "name", "namespace"):
        yield from named(path_segment)(reference.get(name), f"{path}.{name}")


def ip_address_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    yield from unchanged(new, old, "parentRef")
