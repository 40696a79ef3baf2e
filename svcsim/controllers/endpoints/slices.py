"""EndpointSlices: the addresses of a service in pieces of bearable size, and a plan from what there is to what there is to be."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.controllers.endpoints.hints import hints_for
from svcsim.controllers.endpoints.ports import Groups, Port, Serving, hostname_of, target_of
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, is_terminating, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_ready, node_of
from svcsim.meta.types import Object


class SlicesPlan(NamedTuple):
    """What to do about a service's slices. Objects to create have no name yet."""

    create: list[Object]
    update: list[Object]
    delete: list[Object]

    async def carry_out(self, slices: Collection, whose: str) -> None:
        """Do it, in the namespace that ``slices`` is about. ``whose`` slices they are, ``Service default/web``, a refusal tells."""
        for item in self.create:
            with _telling(f"failed to create EndpointSlice for {whose}"):
                await slices.create(item)
        for item in self.update:
            with _telling(f"failed to update {name_of(item)} EndpointSlice for {whose}"):
                await slices.update(item)
        for item in self.delete:
            with _telling(f"failed to delete {name_of(item)} EndpointSlice for {whose}"):
                await slices.delete(name_of(item), uid=item["metadata"]["uid"])


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """A refusal says what it was that failed."""
    try:
        yield
    except StatusError as error:
        raise StatusError(error.code, error.reason, f"{what}: {error.message}", error.details) from error


def make_plan(wanted: list[Object], present: list[Object], *, trigger_key: str = "", mirrors: bool = False) -> SlicesPlan:
    """Bring the slices there are to what is wanted. Those with the same ports are kept first, then any others, before new ones are made.

    ``trigger_key`` is an annotation that is written with other changes and is none by itself. Slices that mirror something have its
    annotations and no others; those of a service keep what others wrote there.
    """
    plan = SlicesPlan([], [], [])
    left = sorted(present, key=name_of)
    unplaced: list[Object] = []
    for item in wanted:
        fitting = next((known for known in left if _shape(known) == _shape(item)), None)
        if fitting is None:
            unplaced.append(item)
            continue
        left.remove(fitting)
        changed = _changed(fitting, item, mirrors=mirrors)
        if _differs(fitting, changed, trigger_key):
            plan.update.append(changed)
    for item in unplaced:
        other = next((known for known in left if known["addressType"] == item["addressType"]), None)
        if other is None:
            plan.create.append(item)
        else:
            left.remove(other)
            plan.update.append(_changed(other, item, mirrors=mirrors))
    plan.delete.extend(left)
    return plan


class Surroundings(NamedTuple):
    """What the endpoints of a service tell of where they are."""

    zones: Mapping[str, str]
    """The zones of nodes, where they have one."""
    hints: tuple[str, ...]
    """The hints that endpoints are to have."""


def slices_of_service(service: Object, serving: Mapping[str, Groups], metadata: Object, around: Surroundings) -> list[Object]:
    """The slices that a service is to have, by what serves it in each IP family.

    Where nothing does, there is an empty one of that family, which says that this is known.
    """
    wanted: list[Object] = []
    for family, groups in serving.items():
        found: list[Object] = []
        for ports, group in groups.items():
            endpoints = [_endpoint(service, one, around) for one in group]
            found += [make_slice(metadata, family, chunk, ports) for chunk in chunks(endpoints)]
        wanted += found or [make_slice(metadata, family, [], ())]
    return wanted


def chunks(endpoints: list[Object]) -> list[list[Object]]:
    """Endpoints in pieces of the size that a slice may have."""
    return [endpoints[start : start + limits.SLICE_ENDPOINTS] for start in range(0, len(endpoints), limits.SLICE_ENDPOINTS)]


def slice_metadata(owner: Object, api_version: str, kind: str, labels: dict[str, str], annotations: dict[str, str]) -> Object:
    """Metadata of the slices that belong to a service, or to an Endpoints object."""
    reference = {"apiVersion": api_version, "kind": kind, "name": name_of(owner), "uid": uid_of(owner)}
    return {
        "generateName": f"{name_of(owner)}-",
        "namespace": namespace_of(owner),
        "labels": labels,
        "annotations": annotations,
        "ownerReferences": [{**reference, "controller": True, "blockOwnerDeletion": True}],
    }


def make_slice(metadata: Object, address_type: str, endpoints: list[Object], ports: tuple[Port, ...]) -> Object:
    shown = [{**port.to_object(), "name": port.name} for port in ports]
    return {"metadata": metadata, "addressType": address_type, "endpoints": endpoints, "ports": shown}


def port_of(port: Object) -> Port:
    """A port of a slice, or of a subset of Endpoints."""
    return Port(port.get("name") or "", port.get("port") or 0, port.get("protocol") or "TCP", port.get("appProtocol") or "")


def _shape(item: Object) -> tuple[str, tuple[Port, ...]]:
    return item["addressType"], tuple(port_of(port) for port in item.get("ports") or ())


def _differs(known: Object, changed: Object, trigger_key: str) -> bool:
    if (known.get("endpoints") or []) != changed["endpoints"] or labels_of(known) != labels_of(changed):
        return True
    held, wanted = annotations_of(known), annotations_of(changed)
    return any(held.get(key) != wanted.get(key) for key in {**held, **wanted} if key != trigger_key)


def _changed(known: Object, item: Object, *, mirrors: bool) -> Object:
    annotations = {**({} if mirrors else annotations_of(known)), **item["metadata"]["annotations"]}
    metadata = {**known["metadata"], "labels": item["metadata"]["labels"], "annotations": annotations}
    return {**known, "metadata": metadata, "endpoints": item["endpoints"], "ports": item["ports"]}


def _endpoint(service: Object, at: Serving, around: Surroundings) -> Object:
    pod = at.pod
    serving, terminating = is_ready(pod), is_terminating(pod)
    ready = bool(service["spec"].get("publishNotReadyAddresses")) or (serving and not terminating)
    endpoint: Object = {"addresses": [at.address], "conditions": {"ready": ready, "serving": serving, "terminating": terminating}}
    hostname = hostname_of(service, pod)
    if hostname:
        endpoint["hostname"] = hostname
    endpoint["targetRef"] = target_of(pod)
    node = node_of(pod)
    if node:
        endpoint["nodeName"] = node
        if zone := around.zones.get(node):
            endpoint["zone"] = zone
    if ready and around.hints and (hints := hints_for(endpoint, around.hints)):
        endpoint["hints"] = hints
    return endpoint
