"""What makes an Event right: its namespace, and what reporters of today must say."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.objects import get_path, namespace_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_SHORT_BYTES = 128
_MESSAGE_BYTES = 1024


def _namespaces_agree(obj: Object, *, lenient: tuple[str, ...]) -> Iterator[FieldError]:
    involved, own = get_path(obj, "involvedObject.namespace") or "", namespace_of(obj)
    if own not in lenient if not involved else own != involved:
        yield invalid_value("involvedObject.namespace", involved, "does not match event.namespace")


def _limited(obj: Object, name: str, limit: int) -> Iterator[FieldError]:
    if len((obj.get(name) or "").encode()) > limit:
        yield invalid_value(name, "", f"can have at most {limit} characters")


def event_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    if not obj.get("eventTime"):
        yield from _namespaces_agree(obj, lenient=("", "default"))
        return
    if not get_path(obj, "involvedObject.namespace"):
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
