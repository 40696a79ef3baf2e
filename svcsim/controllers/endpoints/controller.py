"""The endpoints controller: keeps an Endpoints object and EndpointSlices beside every service that selects pods."""

from collections.abc import Awaitable, Iterable

from svcsim import limits
from svcsim.client.cache import by_label, by_node
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.controllers.endpoints.families import families_of
from svcsim.controllers.endpoints.hints import hints_wanted, wants_shares
from svcsim.controllers.endpoints.ports import Groups, serving_groups
from svcsim.controllers.endpoints.sharing import Sharing
from svcsim.controllers.endpoints.slices import Surroundings, make_plan, slice_metadata, slices_of_service
from svcsim.controllers.endpoints.subsets import make_subsets, truncated
from svcsim.controllers.endpoints.trigger_time import last_change
from svcsim.controllers.endpoints.words import endpoint_words
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import annotations_of, labels_of, name_of, namespace_of
from svcsim.meta.selector_index import SelectorIndex
from svcsim.meta.types import Object

_MANAGED_BY = "endpoint-controller"
_TRUNCATED = "truncated"


class EndpointsController(Controller):
    """Writes down, in both forms, where the services that have a selector lead."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._words = endpoint_words(context.dialect)
        slices = f"{context.dialect.group('discovery')}/v1"
        self._endpoints_api = context.client.resource("v1", "endpoints")
        self._slices_api = context.client.resource(slices, "endpointslices")
        self._services = context.informers.cache("v1", "services")
        self._pods = context.informers.cache("v1", "pods", by_label, by_node)
        self._nodes = context.informers.cache("v1", "nodes")
        self._events = context.events
        self._sharing = Sharing(self._nodes, context.events, self._words)
        self._zones: dict[str, str] = {}
        """The zones of the nodes that have one."""
        self._selectors = SelectorIndex()
        """The selectors of the services that lead to pods."""
        self._deleted: set[ObjectKey] = set()
        """Services that are in the queue because they were deleted."""
        self._never_deleted = ObjectKey("default", context.dialect.default_service)
        """Whose Endpoints are the API server's own."""
        self._endpoints = context.informers.cache("v1", "endpoints")
        self._slices = context.informers.cache(slices, "endpointslices", self._service_of_slice)
        sources = (
            Source(self._services, self._service_changed),
            Source(self._endpoints, itself),
            Source(self._slices, self._services_of_slice),
            # Pods come in crowds; one write for what happens within a moment.
            Source(self._pods, self._services_of_pod, after_s=limits.ENDPOINTS_BATCH_S),
            Source(self._nodes, self._services_of_node, after_s=limits.ENDPOINTS_BATCH_S),
        )
        super().__init__("endpoints controller", context.clock, sources)

    def _service_changed(self, change: str, service: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key, selector = object_key(service), service["spec"].get("selector")
        if selector and change != "DELETED":
            self._selectors.put(key, from_object({"matchLabels": selector}))
        else:
            self._selectors.remove(key)
        if change == "DELETED" and key != self._never_deleted:
            self._deleted.add(key)
        return (key,)

    def _services_of_pod(self, _change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        states = [labels_of(state) for state in (pod, before) if state is not None]
        return self._selectors.selecting(namespace_of(pod), *states)

    def _services_of_node(self, change: str, node: Object, before: Object | None) -> Iterable[ObjectKey]:
        """The services that are affected by the change of a node; nearly all changes affect none."""
        return (*self._services_at_node(change, node), *self._sharing.node_changed(change, node, before))

    def _services_at_node(self, change: str, node: Object) -> Iterable[ObjectKey]:
        """The services that lead to a node's pods, if its zone has changed."""
        name = name_of(node)
        zone = "" if change == "DELETED" else labels_of(node).get(self._words.zone, "")
        if self._zones.get(name, "") == zone:
            return ()
        if zone:
            self._zones[name] = zone
        else:
            del self._zones[name]
        pods = self._pods.find(by_node, name)
        return dict.fromkeys(key for pod in pods for key in self._selectors.selecting(namespace_of(pod), labels_of(pod)))

    def _services_of_slice(self, _change: str, item: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return [ObjectKey(*service.split("/")) for service in self._service_of_slice(item)]

    def _service_of_slice(self, item: Object) -> list[str]:
        """An indexer: the service of a slice of ours."""
        labels = labels_of(item)
        mine = labels.get(self._words.slices_managed_by) == self._words.slice_manager
        return [f"{namespace_of(item)}/{labels.get(self._words.service_name, '')}"] if mine else []

    async def reconcile(self, key: ObjectKey) -> None:
        service = self._services.get(key.name, key.namespace)
        present = self._endpoints.get(key.name, key.namespace)
        if service is None:
            self._sharing.forget(key)
            await self._delete_endpoints(key, present)
            return
        self._deleted.discard(key)
        selector = self._selectors.get(key)
        if selector is None or service["spec"].get("type") == "ExternalName":
            self._sharing.forget(key)
            return
        pods = self._pods.selected(selector, key.namespace)
        labels = self._labels(service)
        annotations = {self._words.trigger_time: last_change(service, pods)}
        families = families_of(service)
        serving = {family: serving_groups(service, pods, family) for family in families}
        slices_refused = await self._write_slices(service, serving, labels, annotations)  # but Endpoints may be taken
        found = make_subsets(service, serving[families[0]])
        subsets = truncated(found)
        if subsets is not found:
            annotations[self._words.over_capacity] = _TRUNCATED
        marked = {**labels, self._words.endpoints_managed_by: _MANAGED_BY}
        refused = await self._write_endpoints(key, subsets, present, marked, annotations) or slices_refused
        if refused is not None:
            raise refused

    def _labels(self, service: Object) -> dict[str, str]:
        """The service's labels, with the one for headless services set correctly: clients that follow slices ignore headless ones."""
        headless = self._dialect.key("headless", "service")
        others = {key: value for key, value in labels_of(service).items() if key != headless}
        return {**others, headless: ""} if service["spec"].get("clusterIP") == "None" else others

    async def _delete_endpoints(self, key: ObjectKey, present: Object | None) -> None:
        """Delete the Endpoints of a deleted service, whatever wrote them.

        Those written for a service that never existed stay: they may wait for it, or be a lock by which a leader is elected.
        """
        if present is not None:
            mine = labels_of(present).get(self._words.endpoints_managed_by) == _MANAGED_BY
            if mine or key in self._deleted:
                await self._endpoints_api.within(key.namespace).delete(key.name, uid=present["metadata"]["uid"])
        self._deleted.discard(key)

    async def _write_endpoints(
        self, key: ObjectKey, subsets: list[Object], present: Object | None, labels: dict[str, str], annotations: dict[str, str]
    ) -> StatusError | None:
        """Gives why they weren't taken."""
        endpoints, whose = self._endpoints_api.within(key.namespace), f"{key.namespace}/{key.name}"
        wish: Object = {"apiVersion": "v1", "kind": "Endpoints", "subsets": subsets}
        if present is None:
            wish["metadata"] = {"name": key.name, "namespace": key.namespace, "labels": labels, "annotations": annotations}
            return await self._told(
                endpoints.create(wish), wish, "FailedToCreateEndpoint", f"Failed to create endpoint for service {whose}"
            )
        over, before = self._words.over_capacity, annotations_of(present)
        if (present.get("subsets") or []) == subsets and labels_of(present) == labels and before.get(over) == annotations.get(over):
            return None
        kept = {key: value for key, value in before.items() if key != over}
        wish["metadata"] = {**present["metadata"], "labels": labels, "annotations": {**kept, **annotations}}
        return await self._told(endpoints.update(wish), wish, "FailedToUpdateEndpoint", f"Failed to update endpoint {whose}")

    async def _write_slices(
        self, service: Object, serving: dict[str, Groups], labels: dict[str, str], annotations: dict[str, str]
    ) -> StatusError | None:
        """Gives why they weren't taken, at least one of them."""
        namespace, words = namespace_of(service), self._words
        marked = {**labels, words.slices_managed_by: words.slice_manager, words.service_name: name_of(service)}
        metadata = slice_metadata(service, "v1", "Service", marked, annotations)
        wanted = slices_of_service(service, serving, metadata, Surroundings(self._zones, hints_wanted(service, words)))
        if wants_shares(service, words):
            self._sharing.give(service, wanted)
        else:
            self._sharing.end(service)
        present = self._slices.find(self._service_of_slice, f"{namespace}/{name_of(service)}")
        plan = make_plan(wanted, present, trigger_key=words.trigger_time)
        whose = f"Service {namespace}/{name_of(service)}"
        written = plan.carry_out(self._slices_api.within(namespace), whose)
        return await self._told(written, service, "FailedToUpdateEndpointSlices", f"Error updating Endpoint Slices for {whose}")

    async def _told(self, written: Awaitable[object], about: Object, reason: str, what: str) -> StatusError | None:
        """Gives why what is being written wasn't taken, and tells it to people, unless it is that the cache was behind."""
        try:
            await written
        except StatusError as error:
            if error.code not in (404, 409) and not namespace_is_going(error):
                self._events.warning(about, reason, f"{what}: {error.message}")
            return error
        return None
