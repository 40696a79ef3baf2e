"""What a table shows of Events, of those counted one by one and of series."""

from svcsim.kinds.shared.columns import since
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def first_seen(obj: Object, context: Context) -> Json:
    return since(obj.get("firstTimestamp") or obj.get("eventTime"), context)


def last_seen(obj: Object, context: Context) -> Json:
    series = obj.get("series")
    if series is not None:
        return since(series.get("lastObservedTime"), context)
    return since(obj["lastTimestamp"], context) if obj.get("lastTimestamp") else first_seen(obj, context)


def count(obj: Object, context: Context) -> Json:
    series = obj.get("series")
    return obj.get("count") or 1 if series is None else series.get("count") or 0


def involved_object(obj: Object, context: Context) -> Json:
    involved = obj.get("involvedObject") or {}
    kind, name = (involved.get("kind") or "").lower(), involved.get("name")
    return f"{kind}/{name}" if name else kind


def source(obj: Object, context: Context) -> Json:
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    host = source.get("host") or obj.get("reportingInstance")
    return f"{component}, {host}" if host else component


def message(obj: Object, context: Context) -> Json:
    return (obj.get("message") or "").strip()
