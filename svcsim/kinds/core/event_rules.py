"""What makes an Event right: its namespace, and what reporters of today must say."""

from collections.abc import Iterable, Iterator

from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.objects import namespace_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_SHORT_BYTES = 128
_MESSAGE_BYTES = 1024


def _namespaces_agree(obj: Object, *, lenient: tuple[str, ...]) -> list[FieldError]:
    involved, own = _involved_namespace(obj), namespace_of(obj)
    if own in lenient if not involved else own == involved:
        return []
    return [invalid_value("involvedObject.namespace", involved, "does not match event.namespace")]


def _involved_namespace(obj: Object) -> str:
    namespace: str = (obj.get("involvedObject") or {}).get("namespace") or ""
    return namespace


def _limited(obj: Object, name: str, limit: int) -> Iterator[FieldError]:
    if len((obj.get(name) or "").encode()) > limit:
        yield invalid_value(name, "", f"can have at most {limit} characters")


def event_rules(obj: Object, context: Context) -> Iterable[FieldError]:
    return _rules_of_today(obj, context) if obj.get("eventTime") else _namespaces_agree(obj, lenient=("", "default"))


def _rules_of_today(obj: Object, context: Context) -> Iterator[FieldError]:
    """What those must say who tell when it was to the microsecond."""
    if not _involved_namespace(obj):
        yield from _namespaces_agree(obj, lenient=("default", context.dialect.system_namespace))
    component = obj.get("reportingComponent") or ""
    if not component:
        yield required("reportingController")
    yield from (invalid_value("reportingController", component, finding) for finding in qualified_name(component))
    for name in ("reportingInstance", "action", "reason"):
        if not obj.get(name):
            yield required(name)
        yield from _limited(obj, name, _SHORT_BYTES)
    yield from _limited(obj, "message", _MESSAGE_BYTES)
