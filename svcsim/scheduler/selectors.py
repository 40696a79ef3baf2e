"""What selects a pod: its services and its controller. Pods that don't say how they are to be spread are spread with these others."""

from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.client.informers import Informers
from svcsim.meta.label_matching import Requirement
from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.types import Object
from svcsim.scheduler.pod import Group, Owner, PodInfo

if TYPE_CHECKING:
    from svcsim.client.cache import Cache

_OWNERS = (
    ("apps/v1", "ReplicaSet", "replicasets"),
    ("apps/v1", "StatefulSet", "statefulsets"),
    ("v1", "ReplicationController", "replicationcontrollers"),
)


class DefaultSelectors:
    """Finds those selectors. What was found is kept until one of the objects it may rest on changes in what it selects."""

    def __init__(self, informers: Informers) -> None:
        self._services = informers.cache("v1", "services")
        self._owners: dict[tuple[str, str], Cache] = {
            (api_version, kind): informers.cache(api_version, plural) for api_version, kind, plural in _OWNERS
        }
        self.sources = (
            ("v1", "services", self._services),
            *((api_version, plural, self._owners[api_version, kind]) for api_version, kind, plural in _OWNERS),
        )
        """What it follows, by version and plural."""
        self._found: dict[tuple[Group, Owner | None], LabelSelector] = {}
        for cache in (self._services, *self._owners.values()):
            cache.add_handler(self._changed)

    def of(self, pod: PodInfo) -> LabelSelector:
        """All that select the pod, together; an empty selector where nothing does."""
        key = (pod.group, pod.owner)
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= limits.SHARED_POD_PARTS:
                self._found.clear()
            found = self._found[key] = self._find(pod)
        return found

    def _find(self, pod: PodInfo) -> LabelSelector:
        labels = dict(pod.group.labels)
        wanted: dict[str, str] = {}
        for service in self._services.all(pod.namespace):
            selector: dict[str, str] = (service.get("spec") or {}).get("selector") or {}
            if selector and selector.items() <= labels.items():
                wanted.update(selector)
        requirements = [Requirement(key, "=", (value,)) for key, value in wanted.items()]
        if pod.owner is not None:
            requirements += self._of_owner(pod.owner, pod.namespace)
        return LabelSelector(dict.fromkeys(requirements))

    def _of_owner(self, owner: Owner, namespace: str) -> tuple[Requirement, ...]:
        cache = self._owners.get((owner.api_version, owner.kind))
        found = cache.get(owner.name, namespace) if cache is not None else None
        if found is None:
            return ()
        selector = (found.get("spec") or {}).get("selector") or {}
        return from_object({"matchLabels": selector} if owner.kind == "ReplicationController" else selector).requirements

    def _changed(self, _change: str, obj: Object, before: Object | None) -> None:
        if before is None or (before.get("spec") or {}).get("selector") != (obj.get("spec") or {}).get("selector"):
            self._found.clear()
