"""Whether an object concerns a node: the ways that lead from one to the other.

A pod concerns the node it is on, and whatever it refers to concerns that node too; so does the volume of a claim, and what it takes to
mount that volume:

    node ← pod ← secret, config map, service account, resource claim, claim
    node ← pod ← claim ← volume ← secret
    node ← volume attachment, resource slice

What a single object tells is read from it when it is asked; what would take looking through many is kept.
"""

from collections.abc import Awaitable, Callable

from svcsim.auth.node_authorizer.pods_on_nodes import PODS, PodsOnNodes
from svcsim.auth.node_authorizer.volumes import VOLUMES, Volumes
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_json
from svcsim.meta.types import Key
from svcsim.storage.contract import CorruptError, Store

_Leads = Callable[[str, Key], Awaitable[bool]]


class Graph:
    """Asked about one node and one object at a time."""

    def __init__(self, store: Store, dialect: Dialect) -> None:
        self._store = store
        self._pods = PodsOnNodes(store, dialect)
        self._volumes = Volumes(store)
        self._ways: dict[str, _Leads] = {
            PODS: self._by_its_envelope,
            "secrets": self._by_pods_or_volumes,
            VOLUMES: self._by_its_claim,
            f"volumeattachments.{dialect.group('storage')}": self._by_itself,
            f"resourceslices.{dialect.group('resource')}": self._by_its_envelope,
        }

    async def leads(self, node: str, key: Key) -> bool:
        """Whether an object concerns the node."""
        way = self._ways.get(key.resource)
        return await (self._by_pods(node, key) if way is None else way(node, key))

    async def _by_pods(self, node: str, key: Key) -> bool:
        needs = self._pods.needs_known(node)
        return key in (await self._pods.needs(node) if needs is None else needs)

    async def _by_pods_or_volumes(self, node: str, key: Key) -> bool:
        if await self._by_pods(node, key):
            return True
        for claim in await self._volumes.claims_with(key):
            if await self._by_pods(node, claim):
                return True
        return False

    async def _by_its_claim(self, node: str, key: Key) -> bool:
        claim = await self._volumes.claim_of(key.name)
        return claim is not None and await self._by_pods(node, claim)

    async def _by_its_envelope(self, node: str, key: Key) -> bool:
        envelope = self._store.known(key)
        return envelope is not None and envelope.fields.get("spec.nodeName") == node

    async def _by_itself(self, node: str, key: Key) -> bool:
        try:
            record = self._store.get(key)
        except CorruptError:
            return False  # whoever may read it is told what is wrong with it; nothing says that this node may
        return record is not None and decode_json(record.body)["spec"].get("nodeName") == node
