"""The availability controller: sets the condition Available of APIServices, by whether their servers can be reached.

It checks when an APIService, or the service it names, or that one's endpoints have changed, and again from time to time: soon if the server
didn't answer, seldom if it did.
"""

from collections.abc import Awaitable, Callable, Iterable

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import get_path, labels_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.outbound.remote import Reached

Check = Callable[[Object], Awaitable[Reached]]
"""Asks the server behind an APIService."""

_REMOTE = "remote"
_LOCAL = Reached(True, "Local", "Local APIServices are always available")


class ApiServiceAvailability(Controller):
    """Keeps the conditions."""

    def __init__(self, context: ControllerContext, *, check: Check) -> None:
        group, slices = context.dialect.group("apiregistration"), context.dialect.group("discovery")
        self._check = check
        self._service_name = context.dialect.key("service-name")
        self._api = context.client.resource(f"{group}/v1", "apiservices")
        self._known = context.informers.cache(f"{group}/v1", "apiservices", _remote)
        sources = (
            Source(self._known, _told_anew),
            Source(context.informers.cache("v1", "services"), self._of_service),
            Source(context.informers.cache(f"{slices}/v1", "endpointslices"), self._of_slice),
        )
        super().__init__("APIService availability", context.clock, sources)

    def _of_service(self, _change: str, service: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return self._behind(namespace_of(service), name_of(service))

    def _of_slice(self, _change: str, one: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return self._behind(namespace_of(one), labels_of(one).get(self._service_name, ""))

    def _behind(self, namespace: str, name: str) -> list[ObjectKey]:
        """The APIServices that name a service."""
        about = {"namespace": namespace, "name": name}
        remote = ((object_key(one), get_path(one, "spec.service")) for one in self._known.find(_remote, _REMOTE))
        return [key for key, service in remote if {**service, **about} == service]

    async def reconcile(self, key: ObjectKey) -> None:
        api_service = self._known.get(key.name)
        if api_service is None:
            return
        found = await self._check(api_service) if get_path(api_service, "spec.service") else _LOCAL
        if get_path(api_service, "spec.service"):
            self.queue.add_after(key, limits.AVAILABLE_ASKED_AGAIN_S if found.available else limits.UNAVAILABLE_ASKED_AGAIN_S)
        before = _available(api_service)
        condition = {"type": "Available", "status": str(found.available), "reason": found.reason, "message": found.message}
        if before is not None and {**before, **condition} == before:
            return
        same = before is not None and before["status"] == condition["status"]
        since = before.get("lastTransitionTime") if same and before is not None else None
        condition["lastTransitionTime"] = since or self.clock.timestamp()
        others = [one for one in get_path(api_service, "status.conditions") or () if one["type"] != "Available"]
        await self._api.update({**api_service, "status": {"conditions": [*others, condition]}}, "status")


def _remote(api_service: Object) -> Iterable[str]:
    """An indexer: whether an aggregated server serves it. The cluster itself serves nearly all."""
    return (_REMOTE,) if get_path(api_service, "spec.service") else ()


def _available(api_service: Object) -> Object | None:
    return next((one for one in get_path(api_service, "status.conditions") or () if one["type"] == "Available"), None)


def _told_anew(_change: str, obj: Object, before: Object | None) -> Iterable[ObjectKey]:
    """One that is new, or says something else: what this controller writes itself is no news."""
    return () if before is not None and before.get("spec") == obj.get("spec") else (object_key(obj),)
