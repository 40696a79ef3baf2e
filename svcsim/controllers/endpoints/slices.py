"""EndpointSlices: the addresses of a service in pieces of bearable size, as a plan from what there is to what there is to be."""

from typing import NamedTuple

from svcsim import limits
from svcsim.controllers.endpoints.ports import Port, hostname_of, serving_groups, target_of
from svcsim.meta.objects import is_terminating, name_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object


class SlicesPlan(NamedTuple):
    """What to do about a service's slices. Objects to create have no name yet."""

    create: list[Object]
    update: list[Object]
    delete: list[Object]


def make_plan(service: Object, pods: list[Object], present: list[Object], labels: dict[str, str]) -> SlicesPlan:
    """Bring the slices there are to what the service's pods make of it; slices keep their ports, and their names."""
    plan = SlicesPlan([], [], [])
    left = sorted(present, key=name_of)
    for ports, group in serving_groups(service, pods).items():
        endpoints = [_endpoint(service, pod) for pod in group]
        fitting = [item for item in left if tuple(_port_of(port) for port in item.get("ports") or ()) == ports]
        for start in range(0, len(endpoints), limits.SLICE_ENDPOINTS):
            chunk = endpoints[start : start + limits.SLICE_ENDPOINTS]
            if not fitting:
                plan.create.append(_slice(service, ports, chunk, labels))
                continue
            known = fitting.pop(0)
            left.remove(known)
            if known.get("endpoints") != chunk or known["metadata"].get("labels") != labels:
                plan.update.append({**known, "metadata": {**known["metadata"], "labels": labels}, "endpoints": chunk})
    plan.delete.extend(left)
    return plan


def _slice(service: Object, ports: tuple[Port, ...], endpoints: list[Object], labels: dict[str, str]) -> Object:
    metadata = service["metadata"]
    owner = {"apiVersion": "v1", "kind": "Service", "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "metadata": {
            "generateName": f"{metadata['name']}-",
            "namespace": metadata["namespace"],
            "labels": labels,
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "addressType": "IPv4",
        "endpoints": endpoints,
        "ports": [{**port.to_object(), "name": port.name} for port in ports],
    }


def _port_of(port: Object) -> Port:
    return Port(port.get("name") or "", port.get("port") or 0, port.get("protocol") or "TCP", port.get("appProtocol") or "")


def _endpoint(service: Object, pod: Object) -> Object:
    serving, terminating = is_ready(pod), is_terminating(pod)
    regardless = bool(service["spec"].get("publishNotReadyAddresses"))
    ready = regardless or (serving and not terminating)
    endpoint: Object = {
        "addresses": [pod["status"]["podIP"]],
        "conditions": {"ready": ready, "serving": serving or regardless, "terminating": terminating},
    }
    hostname = hostname_of(service, pod)
    if hostname:
        endpoint["hostname"] = hostname
    endpoint["targetRef"] = target_of(pod)
    if pod["spec"].get("nodeName"):
        endpoint["nodeName"] = pod["spec"]["nodeName"]
    return endpoint
