"""What a simulated node says of itself: its Node object, its conditions and its Lease.

They look like those of real machines, because people and tools read them: capacity, addresses, versions, labels of place and kind. Node
numbers are 1, 2, 3, …; everything else follows from the number.
"""

import hashlib
import ipaddress
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.extended_resources import is_extended
from svcsim.meta.networks import Network
from svcsim.meta.types import Object
from svcsim.nodes.images.images import size_bytes
from svcsim.nodes.machines.template import USUAL, Template, agent_labels, permitted_labels

KUBELET_VERSION = "v1.34.0+svcsim"
KUBELET_PORT = 10250
LEASE_DURATION_S = 40
_HOSTS: Mapping[int, Network] = {4: ipaddress.IPv4Network("10.0.0.0/8"), 6: ipaddress.IPv6Network("fd00:10::/64")}
"""Where machines have their addresses, by the version of IP."""
_FIRST_POD_RANGE = ipaddress.IPv4Address("10.224.0.0")
POD_RANGE_BITS = 24


class Shape(NamedTuple):
    """How large a node is."""

    cpu: str = "8"
    allocatable_cpu: str = "7800m"
    memory: str = "32Gi"
    allocatable_memory: str = "30Gi"
    storage: str = "100Gi"
    allocatable_storage: str = "90Gi"
    pods: str = "110"
    instance_type: str = "sim.2xlarge"


REGION = "sim-1"
ZONES = tuple(f"{REGION}{letter}" for letter in "abc")
"""Where simulated nodes stand, one after the other."""


class Place(NamedTuple):
    """A node's name and addresses, and where it stands."""

    name: str
    ips: tuple[str, ...]
    """One of each IP family of the cluster, in the order of its networks."""
    pod_range: str
    """From which its pods get their addresses where nobody gives the node a range."""
    zone: str
    region: str

    @property
    def ip(self) -> str:
        """At which it is reached."""
        return self.ips[0]


def node_name(number: int) -> str:
    """What the node of that number is called, where nobody says otherwise."""
    return f"node-{number}"


def place(number: int, name: str = "", versions: Sequence[int] = (4,)) -> Place:
    """Where the node of that number stands, in a cluster of these versions of IP."""
    pod_range = _FIRST_POD_RANGE + ((number - 1) << (32 - POD_RANGE_BITS))
    zone = ZONES[(number - 1) % len(ZONES)]
    ips = tuple(str(_HOSTS[version][number + 1]) for version in versions)
    return Place(name or node_name(number), ips, f"{pod_range}/{POD_RANGE_BITS}", zone, REGION)


def resolvers(where: Place) -> list[str]:
    """The DNS servers that the node asks: one for each of its networks, at the first address there."""
    return [str(_HOSTS[ipaddress.ip_address(ip).version][1]) for ip in where.ips]


class Make(NamedTuple):
    """What a node is like: where it stands, how large it is, and how it differs from the usual one."""

    where: Place
    shape: Shape
    template: Template = USUAL


def node_object(make: Make, dialect: Dialect, now: str, *, network: bool = False, by_itself: bool = True) -> Object:
    """The Node as it registers itself, or as somebody registers it who may give it any label.

    It isn't ready until there is a ``network`` for its pods.
    """
    where, template = make.where, make.template
    own = labels(make, dialect)
    spec: Object = {"providerID": _provider_id(where.name)}
    if template.taints:
        spec["taints"] = list(template.taints)
    if template.unschedulable:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": where.name,
            **({"finalizers": list(template.finalizers)} if template.finalizers else {}),
            "labels": {**own, **(permitted_labels(template, dialect) if by_itself else template.labels), **agent_labels(template, own)},
            "annotations": {
                dialect.key("ttl", "node.alpha"): "0",
                dialect.key("controller-managed-attach-detach", "volumes"): "true",
                **template.annotations,
            },
        },
        "spec": spec,
        "status": node_status(make, conditions(now, now, network=network), []),
    }


def is_simulated(node: Object) -> bool:
    """Whether a Node was registered by a simulated node."""
    return bool((node.get("spec") or {}).get("providerID") == _provider_id(node["metadata"]["name"]))


def _provider_id(name: str) -> str:
    return f"svcsim://{REGION}/{name}"


def labels(make: Make, dialect: Dialect) -> dict[str, str]:
    """Labels of place and kind."""
    where, info = make.where, node_info(make)
    return {
        dialect.key("arch", "beta"): info["architecture"],
        dialect.key("os", "beta"): info["operatingSystem"],
        dialect.key("arch"): info["architecture"],
        dialect.key("hostname"): where.name,
        dialect.key("os"): info["operatingSystem"],
        dialect.key("instance-type", "node"): make.shape.instance_type,
        dialect.key("region", "topology"): where.region,
        dialect.key("zone", "topology"): where.zone,
    }


_RUNTIME_FEATURES = {"supplementalGroupsPolicy": True}
_RUNTIME_HANDLERS = ("", "runc")
"""The default one, and by its name; what containerd has where nothing else is configured."""
_HANDLER_FEATURES = {"recursiveReadOnlyMounts": True, "userNamespaces": True}


def node_status(make: Make, reported: list[Object], images: list[str]) -> Object:
    """The status a node reports. ``reported`` are its conditions, ``images`` full names of those that have come to it."""
    where, template = make.where, make.template
    return {
        "addresses": [*({"type": "InternalIP", "address": ip} for ip in where.ips), {"type": "Hostname", "address": where.name}],
        **amounts(make),
        "conditions": reported,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
        "features": _RUNTIME_FEATURES,
        "images": _all_images(template, images),
        "nodeInfo": node_info(make),
        "runtimeHandlers": [{"name": name, "features": _HANDLER_FEATURES} for name in _RUNTIME_HANDLERS],
        **template.status,
    }


def amounts(make: Make) -> dict[str, dict[str, str]]:
    """How much there is of what a node has, and how much of it may be asked for."""
    _, shape, template = make
    huge = {"hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    return {
        "allocatable": {
            "cpu": shape.allocatable_cpu, "ephemeral-storage": shape.allocatable_storage, **huge,
            "memory": shape.allocatable_memory, "pods": shape.pods, **template.allocatable,
        },
        "capacity": {
            "cpu": shape.cpu, "ephemeral-storage": shape.storage, **huge, "memory": shape.memory, "pods": shape.pods, **template.capacity,
        },
    }  # fmt: skip


def devices(make: Make, node: Object, dialect: Dialect) -> dict[str, str | None]:
    """What is to be changed in how much of others' devices may be asked for: all that somebody has written to be there, and no others."""
    status = node.get("status") or {}
    there, given = status.get("capacity") or {}, status.get("allocatable") or {}
    others = [name for name in {**there, **given} if is_extended(name, dialect) and name not in make.template.capacity]
    return {name: there.get(name) for name in others if there.get(name) != given.get(name)}


def _all_images(template: Template, come: list[str]) -> list[Object]:
    """What is on a node, the largest first, at most so many as a node reports."""
    there: list[Object] = [{"sizeBytes": size_bytes(image["names"][0]), **image} for image in template.images]
    there += [{"names": [name], "sizeBytes": size_bytes(name)} for name in come]
    return sorted(there, key=lambda image: -int(image["sizeBytes"]))[: limits.NODE_IMAGES]


class Vital(NamedTuple):
    """What a node says of one of its resources: (reason, message) while there is enough of it, and while there isn't."""

    condition: str
    fine: tuple[str, str]
    short: tuple[str, str]
    event: str


VITALS = {
    "memory": Vital(
        "MemoryPressure",
        ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
        "NodeHasInsufficientMemory",
    ),
    "disk": Vital(
        "DiskPressure",
        ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("KubeletHasDiskPressure", "kubelet has disk pressure"),
        "NodeHasDiskPressure",
    ),
    "pid": Vital(
        "PIDPressure",
        ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
        "NodeHasInsufficientPID",
    ),
}
"""By the name that faults give the resource."""
CONDITIONS = (*(vital.condition for vital in VITALS.values()), "Ready")
"""All that a node says of itself."""


_READY = ("KubeletReady", "kubelet is posting ready status")
_NO_NETWORK = (
    "KubeletNotReady",
    (
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        "message:Network plugin returns error: cni plugin not initialized"
    ),
)


def conditions(now: str, since: str, short_of: Sequence[str] = (), *, network: bool = True) -> list[Object]:
    """The conditions a node reports. They replace what others wrote over them. ``since`` is when they became so.

    ``network`` says whether pods can get addresses.
    """
    reported = [(vital.condition, name in short_of, *(vital.short if name in short_of else vital.fine)) for name, vital in VITALS.items()]
    reported.append(("Ready", network, *(_READY if network else _NO_NETWORK)))
    return [
        {
            "type": kind,
            "status": "True" if holds else "False",
            "lastHeartbeatTime": now,
            "lastTransitionTime": since,
            "reason": reason,
            "message": message,
        }
        for kind, holds, reason, message in reported
    ]


def node_info(make: Make) -> Object:
    """Versions and ids of the machine."""
    digest = hashlib.sha256(make.where.name.encode()).hexdigest()
    uuid = f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
    return {
        "architecture": "amd64",
        "bootID": f"{digest[32:40]}-{digest[40:44]}-{digest[44:48]}-{digest[48:52]}-{digest[52:64]}",
        "containerRuntimeVersion": "containerd://2.1.4",
        "kernelVersion": "6.12.0-svcsim",
        "kubeProxyVersion": "",
        "kubeletVersion": KUBELET_VERSION,
        "machineID": digest[:32],
        "operatingSystem": "linux",
        "osImage": "svcsim Linux 1.0",
        "systemUUID": uuid,
        **make.template.info,
    }


def lease_object(node: Object, dialect: Dialect, now: str) -> Object:
    """The Lease by which a node says every few seconds that it is alive."""
    meta = node["metadata"]
    return {
        "kind": "Lease",
        "apiVersion": f"{dialect.group('coordination')}/v1",
        "metadata": {
            "name": meta["name"],
            "namespace": dialect.node_lease_namespace,
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": meta["name"], "uid": meta["uid"]}],
        },
        "spec": {"holderIdentity": meta["name"], "leaseDurationSeconds": LEASE_DURATION_S, "renewTime": now},
    }
