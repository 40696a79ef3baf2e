"""The endpoints controller: keeps an Endpoints object and EndpointSlices beside every service that selects pods."""

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import Cache, ObjectKey, differs, key_of
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.clock import Chance, Clock
from svcsim.controllers.endpoints.ports import selects
from svcsim.controllers.endpoints.slices import make_plan
from svcsim.controllers.endpoints.subsets import make_subsets
from svcsim.dialect import Dialect
from svcsim.meta.objects import labels_of, name_of, namespace_of
from svcsim.meta.types import Object

_MANAGED_BY = "endpoint-controller"
_SLICES_MANAGED_BY = "endpointslice-controller"


class EndpointsController:
    """Writes down, in both forms, where the services that have a selector lead."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:  # noqa: ARG002 - every controller is made alike
        self._dialect = dialect
        self._endpoints_api = client.resource("v1", "endpoints")
        self._services = Cache(client.resource("v1", "services"), clock, chance.fork("services"))
        self._pods = Cache(client.resource("v1", "pods"), clock, chance.fork("pods"), trim=_trim)
        self._endpoints = Cache(self._endpoints_api, clock, chance.fork("endpoints"))
        self._slices_api = client.resource(f"{dialect.group('discovery')}/v1", "endpointslices")
        mine = f"{self._slices_managed_by}={_SLICES_MANAGED_BY}"
        self._slices = Cache(self._slices_api, clock, chance.fork("slices"), label_selector=mine, indexers={"service": self._service_of})
        caches = (self._services, self._pods, self._endpoints, self._slices)
        self._loop = ControlLoop("endpoints controller", clock, self._reconcile, caches)
        self._services.add_handler(self._loop.enqueuing())
        self._endpoints.add_handler(self._loop.enqueuing())
        self._slices.add_handler(self._slice_changed)
        self._pods.add_handler(self._pod_changed)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._loop.run()

    def _pod_changed(self, change: str, pod: Object, before: Object | None) -> None:
        if change == "MODIFIED" and before is not None and not differs(before, pod):
            return
        for service in self._services.all(namespace_of(pod)):
            if selects(service, pod) or (before is not None and selects(service, before)):
                # Pods come in crowds; one write for what happens within a moment.
                self._loop.queue.add_after(key_of(service), limits.ENDPOINTS_BATCH_S)

    async def _reconcile(self, key: ObjectKey) -> None:
        service = self._services.get(key.name, key.namespace)
        present = self._endpoints.get(key.name, key.namespace)
        endpoints = self._endpoints_api.within(key.namespace)
        if service is None:
            if present is not None and labels_of(present).get(self._managed_by) == _MANAGED_BY:
                await endpoints.delete(key.name, uid=present["metadata"]["uid"])
            return
        if not service["spec"].get("selector"):
            return
        pods = [pod for pod in self._pods.all(key.namespace) if selects(service, pod)]
        headless = {self._dialect.key("headless", "service"): ""} if service["spec"].get("clusterIP") == "None" else {}
        labels = {**labels_of(service), **headless}
        await self._write_slices(service, pods, labels)
        await self._write_endpoints(key, service, pods, present, {**labels, self._managed_by: _MANAGED_BY})

    async def _write_endpoints(
        self, key: ObjectKey, service: Object, pods: list[Object], present: Object | None, labels: dict[str, str]
    ) -> None:
        endpoints, subsets = self._endpoints_api.within(key.namespace), make_subsets(service, pods)
        if present is None:
            metadata = {"name": key.name, "namespace": key.namespace, "labels": labels}
            await endpoints.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": subsets})
        elif (present.get("subsets") or []) != subsets or labels_of(present) != labels:
            await endpoints.update({**present, "metadata": {**present["metadata"], "labels": labels}, "subsets": subsets})

    async def _write_slices(self, service: Object, pods: list[Object], labels: dict[str, str]) -> None:
        namespace = namespace_of(service)
        api = self._slices_api.within(namespace)
        marked = {**labels, self._slices_managed_by: _SLICES_MANAGED_BY, self._service_name: name_of(service)}
        plan = make_plan(service, pods, self._slices.find("service", f"{namespace}/{name_of(service)}"), marked)
        for item in plan.create:
            await api.create(item)
        for item in plan.update:
            await api.update(item)
        for item in plan.delete:
            await api.delete(name_of(item), uid=item["metadata"]["uid"])

    def _service_of(self, item: Object) -> list[str]:
        return [f"{namespace_of(item)}/{labels_of(item).get(self._service_name, '')}"]

    def _slice_changed(self, _change: str, item: Object, _before: Object | None) -> None:
        self._loop.queue.add(ObjectKey(namespace_of(item), labels_of(item).get(self._service_name, "")))

    @property
    def _managed_by(self) -> str:
        return self._dialect.key("managed-by", "endpoints")

    @property
    def _slices_managed_by(self) -> str:
        return self._dialect.key("managed-by", "endpointslice")

    @property
    def _service_name(self) -> str:
        return self._dialect.key("service-name")


def _trim(pod: Object) -> Object:
    """What is needed of a pod."""
    given, spec, status = pod["metadata"], pod.get("spec") or {}, pod.get("status") or {}
    containers = [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]
    metadata = ("name", "namespace", "uid", "resourceVersion", "labels", "deletionTimestamp")
    ready = [{"type": "Ready", "status": item["status"]} for item in status.get("conditions") or [] if item["type"] == "Ready"]
    return {
        "metadata": {name: given[name] for name in metadata if name in given},
        "spec": {
            **{name: spec[name] for name in ("nodeName", "hostname", "subdomain") if name in spec},
            "ports": [port for container in containers for port in container.get("ports") or [] if port.get("name")],
        },
        "status": {**{name: status[name] for name in ("phase", "podIP") if name in status}, "conditions": ready},
    }
