"""What makes a RuntimeClass right: a handler that stays, and what its pods take and tolerate."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.kinds.shared.deprecated import LABELS_OF_NODES
from svcsim.kinds.shared.pod_spec.resources import resource_rules
from svcsim.meta.errors import FieldError, duplicate, invalid_value
from svcsim.meta.names import dns_label
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def handler_rules(value: Json, path: str) -> Iterator[FieldError]:
    """A DNS label."""
    yield from (invalid_value(path, value, finding) for finding in dns_label(value))


def overhead_rules(overhead: Json, path: str) -> Iterator[FieldError]:
    """Amounts such as containers may have as limits."""
    yield from resource_rules({"limits": overhead.get("podFixed") or {}}, path)


def each_toleration_once(tolerations: Json, path: str) -> Iterator[FieldError]:
    """However long it lasts."""
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerations):
        identity = tuple(toleration.get(name) or "" for name in ("key", "operator", "value", "effect"))
        if identity in seen:
            named = dict(zip(("Key", "Operator", "Value", "Effect"), identity, strict=True))
            yield duplicate(f"{path}[{index}]", {**named, "TolerationSeconds": toleration.get("tolerationSeconds")})
        seen.add(identity)


def runtime_class_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The handler stays."""
    if new.get("handler") != old.get("handler"):
        yield invalid_value("handler", new.get("handler"), IMMUTABLE)


def runtime_class_warnings(runtime_class: Object) -> Iterator[str]:
    for key in get_path(runtime_class, "scheduling.nodeSelector") or ():
        if instead := LABELS_OF_NODES.get(key):
            yield f"scheduling.nodeSelector: {instead}"
