"""Options of the reading verbs, from query parameters. What a revision means is the registry's business; here they are only read."""

from svcsim.meta.aside import aside
from svcsim.meta.errors import bad_request, forbidden_field, invalid
from svcsim.meta.field_selectors import FieldSelector, parse_fields
from svcsim.meta.label_selectors import LabelSelector, parse_labels
from svcsim.meta.types import GroupKind
from svcsim.registry.options import ListOptions, WatchOptions
from svcsim.server.requests.query import Query, flag, integer, optional_flag, text

_NO_OPTIONS = ListOptions()


async def list_options(query: Query, meta_group: str) -> ListOptions:
    """For list and deletecollection. Raises 400, 422."""
    if not query:
        return _NO_OPTIONS
    if "sendInitialEvents" in query:
        finding = forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list")
        raise invalid(GroupKind(meta_group, "ListOptions"), "", [finding])
    limit = max(integer(query, "limit") or 0, 0)
    integer(query, "timeoutSeconds")
    return ListOptions(
        label_selector=await _labels(query),
        field_selector=await _fields(query),
        resource_version=text(query, "resourceVersion"),
        resource_version_match=text(query, "resourceVersionMatch"),
        limit=limit,
        continue_token=text(query, "continue"),
    )


async def watch_options(query: Query) -> WatchOptions:
    """For watch. Raises 400."""
    timeout_s = integer(query, "timeoutSeconds")
    if text(query, "continue"):
        raise bad_request("a watch can't be continued: continue is for lists")
    return WatchOptions(
        label_selector=await _labels(query),
        field_selector=await _fields(query),
        resource_version=text(query, "resourceVersion"),
        resource_version_match=text(query, "resourceVersionMatch"),
        bookmarks=flag(query, "allowWatchBookmarks"),
        send_initial_events=optional_flag(query, "sendInitialEvents"),
        timeout_s=float(timeout_s) if timeout_s and timeout_s > 0 else None,
    )


async def _labels(query: Query) -> LabelSelector | None:
    selector = text(query, "labelSelector")
    return await aside(len(selector), parse_labels, selector) if selector else None


async def _fields(query: Query) -> FieldSelector | None:
    selector = text(query, "fieldSelector")
    return await aside(len(selector), parse_fields, selector) if selector else None
