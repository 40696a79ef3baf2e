"""Gives each node the networks from which its pods get their addresses, one of each IP family that the cluster has.

Networks of existing nodes are marked as used before anything is allocated, so no network is used twice, even after a restart; a deleted
node returns its own. If nothing is left for a node, an event says so, and the node is retried as soon as something is.
"""

from collections.abc import Iterable, Sequence

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.cidr_set import CidrSet
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.networks import Network, parse_networks
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.types import Object


class NodeIpam(Controller):
    """Range allocation for nodes."""

    def __init__(self, context: ControllerContext, *, ranges: Sequence[CidrSet]) -> None:
        """``ranges`` are given away from."""
        self._client = context.client.resource("v1", "nodes")
        self._events = context.events
        self._ranges = ranges
        self._held: dict[str, tuple[Network, ...]] = {}
        """What each node has, or is about to have."""
        self._waiting: dict[str, None] = {}
        """Nodes for which there was nothing left."""
        self._nodes = context.informers.cache("v1", "nodes")
        super().__init__("node ipam", context.clock, (Source(self._nodes, self._changed),))

    def _changed(self, change: str, node: Object, _before: Object | None) -> Iterable[ObjectKey]:
        name = name_of(node)
        if change == "DELETED":
            self._waiting.pop(name, None)
            return self._let_go(name)
        has = networks_of(node)
        if not has:
            return () if name in self._held and change != "ADDED" else (object_key(node),)
        if has != self._held.get(name):
            freed = self._let_go(name)
            self._occupy(has)
            self._held[name] = has
            return freed
        return ()

    def _let_go(self, name: str) -> Iterable[ObjectKey]:
        """Give back what a node has; who waits for that is looked at again."""
        networks = self._held.pop(name, ())
        for network in networks:
            for one in self._ranges:
                one.release(network)
        return [ObjectKey("", waiting) for waiting in self._waiting] if networks else ()

    def _occupy(self, networks: Iterable[Network]) -> None:
        for network in networks:
            for one in self._ranges:
                one.occupy(network)

    async def reconcile(self, key: ObjectKey) -> None:
        node = self._nodes.get(key.name)
        if node is None or networks_of(node):
            return
        given = self._held.get(key.name) or self._take(node)
        if not given:
            return
        texts = [str(network) for network in given]
        await self._client.change(key.name, {"metadata": {"uid": uid_of(node)}, "spec": {"podCIDR": texts[0], "podCIDRs": texts}})

    def _take(self, node: Object) -> tuple[Network, ...]:
        """One network of each range, or none at all."""
        name = name_of(node)
        taken: list[Network] = []
        for one in self._ranges:
            network = one.take()
            if network is None:
                for other in taken:
                    self._release(other)
                self._waiting[name] = None
                self._events.normal(node, "CIDRNotAvailable", f"Node {name} status is now: CIDRNotAvailable")
                return ()
            taken.append(network)
        self._waiting.pop(name, None)
        self._held[name] = tuple(taken)
        return self._held[name]

    def _release(self, network: Network) -> None:
        for one in self._ranges:
            one.release(network)


def networks_of(node: Object) -> tuple[Network, ...]:
    """The networks that a node has for its pods."""
    return parse_networks((node.get("spec") or {}).get("podCIDRs") or ())
