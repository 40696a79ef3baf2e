"""What every cluster has from its first start: its system's namespaces, network, Service and priorities, and shares of the server."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from svcsim.client.api import Client, Collection
from svcsim.cluster.flow_control import flow_control, status_of
from svcsim.cluster.put_right import put_right
from svcsim.dialect import Dialect
from svcsim.kinds.scheduling.priority_class_rules import SYSTEM_VALUES
from svcsim.meta.errors import StatusError
from svcsim.meta.networks import Network, family, first_address
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.runtime_config import RuntimeConfigError
from svcsim.registry.scheme import Scheme

logger = logging.getLogger(__name__)

_CONTROL_PLANE_ADDRESSES: Final = {"IPv4": "192.168.255.1", "IPv6": "fd00:c0a8:ff::1"}
"""Where the API server is, as seen from inside the simulated cluster; a loopback address may not stand in Endpoints."""
_CONTROL_PLANE_PORT = 6443
_STATUSES: Final[dict[str, Callable[[Object], Object]]] = {"flowschemas": status_of}
"""What is known of new objects from the start, by plural."""


FirstObjects: TypeAlias = tuple[tuple[str, Object], ...]
"""The plural and the content of each."""


def first_objects(dialect: Dialect, networks: Sequence[Network]) -> FirstObjects:
    """All of them, in the order they are created. ``networks`` are where Services get their addresses."""
    of_family = family(networks[0])
    name = dialect.default_service
    meta: Object = {"name": name, "namespace": "default"}
    port: Object = {"name": "https", "port": _CONTROL_PLANE_PORT, "protocol": "TCP"}
    return (
        *(("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}) for space in dialect.system_namespaces),
        (
            "servicecidrs",
            {
                "apiVersion": f"{dialect.group('networking')}/v1",
                "kind": "ServiceCIDR",
                "metadata": {"name": name},
                "spec": {"cidrs": [str(network) for network in networks]},
            },
        ),
        (
            "services",
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {**meta, "labels": {"component": "apiserver", "provider": name}},
                "spec": {
                    "type": "ClusterIP",
                    "clusterIP": first_address(networks[0]),
                    "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": _CONTROL_PLANE_PORT}],
                },
            },
        ),
        (
            "endpoints",
            {
                "apiVersion": "v1",
                "kind": "Endpoints",
                "metadata": {**meta, "labels": {dialect.key("skip-mirror", "endpointslice"): "true"}},
                "subsets": [{"addresses": [{"ip": _CONTROL_PLANE_ADDRESSES[of_family]}], "ports": [port]}],
            },
        ),
        (
            "endpointslices",
            {
                "apiVersion": f"{dialect.group('discovery')}/v1",
                "kind": "EndpointSlice",
                "metadata": {**meta, "labels": {dialect.key("service-name"): name}},
                "addressType": of_family,
                "endpoints": [{"addresses": [_CONTROL_PLANE_ADDRESSES[of_family]], "conditions": {"ready": True}}],
                "ports": [port],
            },
        ),
        *(("priorityclasses", obj) for obj in _priority_classes(dialect)),
        *flow_control(dialect),
    )


def _priority_classes(dialect: Dialect) -> tuple[Object, ...]:
    """For the pods of the system itself."""
    about: Object = {"apiVersion": f"{dialect.group('scheduling')}/v1", "kind": "PriorityClass"}
    told = {
        "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
        "system-cluster-critical": (
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."
        ),
    }
    return tuple({**about, "metadata": {"name": name}, "value": value, "description": told[name]} for name, value in SYSTEM_VALUES.items())


def check_served(scheme: Scheme) -> None:
    """Refuse what no cluster can be: without namespaces, there is nowhere to put anything. Raises `RuntimeConfigError`."""
    if scheme.find(GroupVersion("", "v1"), "namespaces") is None:
        raise RuntimeConfigError(
            "--runtime-config: it switches v1/namespaces off, which every cluster needs; add v1=true, or v1/namespaces=true"
        )


async def make_first_objects(client: Client, scheme: Scheme, objects: FirstObjects, *, again: bool) -> None:
    """Create each of them, or put it right if it is there, unless its type isn't served: namespaces at once, then all others.

    ``again`` says that the cluster has been started before. Then one that can't be made, since what is stored of it is damaged, is named in
    the log, and doesn't keep everything else from being served.
    """
    served = [(plural, obj) for plural, obj in objects if scheme.find(GroupVersion.parse(obj["apiVersion"]), plural)]
    for of_namespaces in (True, False):
        part = [one for one in served if (one[0] == "namespaces") is of_namespaces]
        await asyncio.gather(*(_make(client, plural, obj, again=again) for plural, obj in part))


async def _make(client: Client, plural: str, obj: Object, *, again: bool) -> None:
    try:
        await make_or_put_right(client, plural, obj, starting=True, looks_first=again)
    except StatusError as error:
        if not again:
            raise
        logger.warning("%s %s can't be made again: %s", plural, obj["metadata"]["name"], error.message)


async def make_or_put_right(client: Client, plural: str, obj: Object, *, starting: bool = False, looks_first: bool = True) -> None:
    """Have one of them there, and as it should be. Raises `StatusError`."""
    api = _collection(client, plural, obj)
    present = await api.find(obj["metadata"]["name"]) if looks_first else None
    if present is None:
        await _create(api, plural, obj)
    elif (right := put_right(plural, present, obj, starting=starting)) is not None:
        await api.update(right)


async def _create(api: Collection, plural: str, obj: Object) -> None:
    """Create one of them, unless it is there. Raises `StatusError`."""
    try:
        created = await api.create(obj)
    except StatusError as error:
        if error.reason == "AlreadyExists":
            return
        raise
    if plural in _STATUSES:
        await api.update({**created, "status": _STATUSES[plural](created)}, "status")


def _collection(client: Client, plural: str, obj: Object) -> Collection:
    return client.resource(obj["apiVersion"], plural, obj["metadata"].get("namespace", ""))


async def brought_up_to_date(step: Awaitable[None], *, again: bool) -> None:
    """Wait for what brings objects of the cluster's own up to date.

    When the cluster is started again that may be refused, say by a webhook that is asked about all writes. Then it is named in the log, and
    tried at the next start: if nothing were served, nobody could mend it.
    """
    try:
        await step
    except StatusError as error:
        if not again:
            raise
        logger.warning("what the cluster says of itself can't be brought up to date: %s", error.message)
