"""At which ports a pod serves a service."""

from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from svcsim.meta.networks import family_of
from svcsim.meta.pods import addresses_of, is_finished
from svcsim.meta.types import Object


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


def ports_of(service: Object, pod: Object) -> Iterator[Port]:
    """Ports of the service as this pod serves them; one whose target the pod doesn't name is left out."""
    for port in service["spec"].get("ports") or []:
        target = port.get("targetPort", port["port"])
        protocol = port.get("protocol", "TCP")
        number = target if isinstance(target, int) else _named_port(pod, target, protocol)
        if number is not None:
            yield Port(port.get("name", ""), number, protocol, port.get("appProtocol", ""))


def _named_port(pod: Object, name: str, protocol: str) -> int | None:
    spec = pod["spec"]
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        for port in container.get("ports") or ():
            if port.get("name") == name and port.get("protocol", "TCP") == protocol:
                number: int = port["containerPort"]
                return number
    return None


class Serving(NamedTuple):
    """A pod at one of its addresses."""

    address: str
    name: str
    pod: Object


Groups: TypeAlias = dict[tuple[Port, ...], list[Serving]]
"""Pods by the ports at which they serve."""


def serving_groups(service: Object, pods: list[Object], family: str) -> Groups:
    """The service's pods that have an address of an IP family, in a fixed order, so that the same is equal."""
    serving = []
    for pod in pods:
        address = next((one for one in addresses_of(pod) if family_of(one) == family), "")
        if address and not is_finished(pod):
            serving.append(Serving(address, pod["metadata"]["name"], pod))
    serving.sort(key=itemgetter(0, 1))
    groups: Groups = {}
    for one in serving:
        ports = tuple(ports_of(service, one.pod))
        if ports or not service["spec"].get("ports"):
            groups.setdefault(ports, []).append(one)
    return {ports: groups[ports] for ports in sorted(groups)}


def target_of(pod: Object) -> Object:
    """A reference to the pod behind an address."""
    metadata = pod["metadata"]
    return {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}


def hostname_of(service: Object, pod: Object) -> str:
    """The pod's own name in DNS, where it has one below this service."""
    spec = pod["spec"]
    return str(spec["hostname"]) if spec.get("hostname") and spec.get("subdomain") == service["metadata"]["name"] else ""
