"""Views: which table is looked at and how; the way from one to the next, and back.

Going into an object follows what objects say of themselves, not a list of kinds: whatever selects pods has its pods behind it. The few
exceptions stand in one table.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.client.discovery import ApiResource
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import get_path, name_of, namespace_of, uid_of
from svcsim.meta.types import Object
from svcsim.tui.model.resource_types import EVENTS, PODS, ResourceTypes
from svcsim.tui.model.rows import Column, RowKey
from svcsim.tui.model.table import Sort


class View(NamedTuple):
    """A table as it is looked at. ``subject`` says whose objects these are where they aren't all of a namespace."""

    resource: ApiResource
    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""
    subject: str = ""
    filter_text: str = ""
    sort: Sort | None = None
    """None for what is usual."""
    cursor: RowKey | None = None

    @property
    def across_namespaces(self) -> bool:
        """Whether rows come from several namespaces."""
        return self.resource.namespaced and not self.namespace


def default_sort(columns: Sequence[Column]) -> Sort:
    """How a table is ordered unless one says otherwise: by name, but what happened last comes first."""
    return next((Sort(index) for index, column in enumerate(columns) if column.name == "Last Seen"), Sort())


def next_sort(sort: Sort, columns: Sequence[Column], shown: Sequence[int]) -> Sort:
    """The order by the next column that is shown; by names after the last."""
    stops = [None, *(index for index in shown if not columns[index].is_name)]
    position = stops.index(sort.column) if sort.column in stops else -1
    return Sort(stops[(position + 1) % len(stops)])


class History:
    """The views one came through; the oldest are forgotten."""

    def __init__(self) -> None:
        self._views: list[View] = []

    def __len__(self) -> int:
        return len(self._views)

    def push(self, view: View) -> None:
        """Remember a view that is being left."""
        self._views.append(view)
        del self._views[: -limits.DASHBOARD_VIEWS]

    def pop(self) -> View | None:
        """The view to go back to."""
        return self._views.pop() if self._views else None


def drill_down(resource: ApiResource, obj: Object, types: ResourceTypes) -> View | None:
    """What is behind an object; None if there is nothing but itself."""
    special = _SPECIAL.get((resource.group, resource.kind))
    if special is not None:
        return special(obj, types)
    if resource.plural == "customresourcedefinitions":
        return _instances(obj, types)
    selector = get_path(obj, "spec.selector")
    if not isinstance(selector, dict) or not selector or not resource.namespaced:
        return None
    if "matchLabels" not in selector and "matchExpressions" not in selector:
        selector = {"matchLabels": selector}
    return View(PODS, namespace_of(obj), label_selector=str(from_object(selector)), subject=_subject(resource, obj))


def events_of(resource: ApiResource, key: RowKey, uid: str) -> View:
    """What the pager can show of an object."""
    fields = {"involvedObject.kind": resource.kind, "involvedObject.name": key.name, "involvedObject.uid": uid}
    selector = ",".join(f"{field}={value}" for field, value in fields.items() if value)
    return View(EVENTS, key.namespace, field_selector=selector, subject=f"{resource.singular}/{key.name}")


def _subject(resource: ApiResource, obj: Object) -> str:
    return f"{resource.singular}/{name_of(obj)}"


def _of_node(obj: Object, _types: ResourceTypes) -> View | None:
    return View(PODS, field_selector=f"spec.nodeName={name_of(obj)}", subject=f"node/{name_of(obj)}")


def _of_namespace(obj: Object, _types: ResourceTypes) -> View | None:
    return View(PODS, name_of(obj))


def _of_event(obj: Object, types: ResourceTypes) -> View | None:
    involved = obj.get("involvedObject") or {}
    resource = types.kind(involved.get("apiVersion", ""), involved.get("kind", ""))
    if resource is None:
        return None
    name = involved.get("name", "")
    return View(resource, involved.get("namespace", ""), field_selector=f"metadata.name={name}", subject=f"event/{name_of(obj)}")


def _of_schedule(obj: Object, types: ResourceTypes) -> View | None:
    jobs = types.find("jobs")
    if jobs is None or not uid_of(obj):
        return None
    return View(jobs, namespace_of(obj), subject=f"cronjob/{name_of(obj)}", filter_text=f"{name_of(obj)}-")


def _instances(obj: Object, types: ResourceTypes) -> View | None:
    names = get_path(obj, "spec.names.plural") or ""
    resource = types.find(f"{names}.{get_path(obj, 'spec.group')}")
    return None if resource is None else View(resource)


_SPECIAL: dict[tuple[str, str], Callable[[Object, ResourceTypes], View | None]] = {
    ("", "Node"): _of_node,
    ("", "Namespace"): _of_namespace,
    ("", "Event"): _of_event,
    ("batch", "CronJob"): _of_schedule,
}
