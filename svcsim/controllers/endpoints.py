"""The endpoints controller: for every service that selects pods, the addresses and ports at which they serve."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import Cache, ObjectKey, differs, key_of
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.objects import condition_is, is_terminating, labels_of, namespace_of
from svcsim.meta.types import Object

_MANAGED_BY = "endpoint-controller"


class Port(NamedTuple):
    """One port at which an address serves."""

    name: str
    port: int
    protocol: str
    app_protocol: str

    def to_object(self) -> Object:
        """As the API spells it."""
        fields = {"name": self.name, "port": self.port, "protocol": self.protocol, "appProtocol": self.app_protocol}
        return {name: value for name, value in fields.items() if value}


class EndpointsController:
    """Keeps an Endpoints object beside every service that has a selector."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:  # noqa: ARG002 - every controller is made alike
        self._dialect = dialect
        self._endpoints_api = client.resource("v1", "endpoints")
        self._services = Cache(client.resource("v1", "services"), clock, chance.fork("services"))
        self._pods = Cache(client.resource("v1", "pods"), clock, chance.fork("pods"), trim=_trim)
        self._endpoints = Cache(self._endpoints_api, clock, chance.fork("endpoints"))
        caches = (self._services, self._pods, self._endpoints)
        self._loop = ControlLoop("endpoints controller", clock, self._reconcile, caches)
        self._services.add_handler(self._loop.enqueuing())
        self._endpoints.add_handler(self._loop.enqueuing())
        self._pods.add_handler(self._pod_changed)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._loop.run()

    def _pod_changed(self, change: str, pod: Object, before: Object | None) -> None:
        if change == "MODIFIED" and before is not None and not differs(before, pod):
            return
        for service in self._services.all(namespace_of(pod)):
            if _selects(service, pod) or (before is not None and _selects(service, before)):
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
        pods = [pod for pod in self._pods.all(key.namespace) if _selects(service, pod)]
        subsets = make_subsets(service, pods)
        labels = {**labels_of(service), self._managed_by: _MANAGED_BY}
        if service["spec"].get("clusterIP") == "None":
            labels[self._dialect.key("headless", "service")] = ""
        if present is None:
            metadata = {"name": key.name, "namespace": key.namespace, "labels": labels}
            await endpoints.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": subsets})
        elif (present.get("subsets") or []) != subsets or labels_of(present) != labels:
            await endpoints.update({**present, "metadata": {**present["metadata"], "labels": labels}, "subsets": subsets})

    @property
    def _managed_by(self) -> str:
        return self._dialect.key("managed-by", "endpoints")


def make_subsets(service: Object, pods: list[Object]) -> list[Object]:
    """Addresses of the service's pods, grouped by the ports at which they serve; in a fixed order, so that the same is equal."""
    regardless = bool(service["spec"].get("publishNotReadyAddresses"))
    groups: dict[tuple[Port, ...], dict[str, list[Object]]] = {}
    for pod in sorted(pods, key=lambda item: (item["status"].get("podIP", ""), item["metadata"]["name"])):
        if not pod["status"].get("podIP") or pod["status"].get("phase") in {"Succeeded", "Failed"}:
            continue
        if is_terminating(pod) and not regardless:
            continue
        ports = tuple(_ports(service, pod))
        if not ports and service["spec"].get("ports"):
            continue
        field = "addresses" if regardless or condition_is(pod, "Ready") else "notReadyAddresses"
        group = groups.setdefault(ports, {"addresses": [], "notReadyAddresses": []})
        group[field].append(_address(service, pod))
    return [_subset(ports, groups[ports]) for ports in sorted(groups)]


def _subset(ports: tuple[Port, ...], addresses: dict[str, list[Object]]) -> Object:
    subset: Object = {}
    room = limits.ENDPOINTS_ADDRESSES
    for field in ("addresses", "notReadyAddresses"):
        if addresses[field][:room]:
            subset[field] = addresses[field][:room]
        room = max(room - len(addresses[field]), 0)
    if ports:
        subset["ports"] = [port.to_object() for port in ports]
    return subset


def _address(service: Object, pod: Object) -> Object:
    spec, metadata = pod["spec"], pod["metadata"]
    address: Object = {"ip": pod["status"]["podIP"]}
    if spec.get("hostname") and spec.get("subdomain") == service["metadata"]["name"]:
        address["hostname"] = spec["hostname"]
    if spec.get("nodeName"):
        address["nodeName"] = spec["nodeName"]
    address["targetRef"] = {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
    return address


def _ports(service: Object, pod: Object) -> Iterator[Port]:
    """Ports of the service as this pod serves them; one whose target the pod doesn't name is left out."""
    for port in service["spec"].get("ports") or []:
        target = port.get("targetPort", port["port"])
        protocol = port.get("protocol", "TCP")
        number = target if isinstance(target, int) else _named_port(pod, target, protocol)
        if number is not None:
            yield Port(port.get("name", ""), number, protocol, port.get("appProtocol", ""))


def _named_port(pod: Object, name: str, protocol: str) -> int | None:
    for port in pod["spec"]["ports"]:
        if port.get("name") == name and port.get("protocol", "TCP") == protocol:
            number: int = port["containerPort"]
            return number
    return None


def _selects(service: Object, pod: Object) -> bool:
    selector: dict[str, str] = service["spec"].get("selector") or {}
    return bool(selector) and selector.items() <= labels_of(pod).items()


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
