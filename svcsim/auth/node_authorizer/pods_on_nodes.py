"""Which pods are on which node, and what they need: kept by following the store's commits, and only once a node has asked.

Of every pod that is bound its name is kept under its node's, which its envelope tells: nothing is decoded for that. What the pods of a
node refer to is read when that node first asks, and from then on kept up with each commit; of how many nodes, `limits` says. So a
cluster whose nodes fetch nothing holds nothing here, and a decision is a look into a dict.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable

from svcsim import limits
from svcsim.auth.node_authorizer.references import needs_of
from svcsim.clock import turn
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_json
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import Key
from svcsim.storage.contract import CompactedError, CorruptError, Envelope, Event, EventType, Record, Selection, Store

logger = logging.getLogger(__name__)

PODS = "pods"


class Needs:
    """The objects that the pods of one node need, with counts, which show when an object is no longer needed."""

    __slots__ = ("_counts", "_of")

    def __init__(self) -> None:
        self._counts: dict[Key, int] = {}
        self._of: dict[ObjectKey, tuple[Key, ...]] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._counts

    def knows(self, pod: ObjectKey) -> bool:
        """Whether what this pod needs has been taken in."""
        return pod in self._of

    def put(self, pod: ObjectKey, needs: tuple[Key, ...]) -> None:
        """A pod is there, or needs other things than before."""
        self.remove(pod)
        self._of[pod] = needs
        for key in needs:
            self._counts[key] = self._counts.get(key, 0) + 1

    def remove(self, pod: ObjectKey) -> None:
        """A pod was deleted."""
        for key in self._of.pop(pod, ()):
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]


class PodsOnNodes:
    """The pods of each node, and what those of a node need that has asked."""

    def __init__(self, store: Store, dialect: Dialect) -> None:
        self._store = store
        self._dialect = dialect
        self._pods: dict[str, dict[ObjectKey, None]] = {}
        self._needs: OrderedDict[str, Needs] = OrderedDict()
        """The needs of nodes that have sent requests, the latest last."""
        self._incomplete = Needs()
        self._reading = ""
        """The node whose pods are being read into what is incomplete."""
        self._begun = self._filled = False
        self._changed: dict[ObjectKey, None] = {}
        """While names are being read: what has changed since, and so stays as it is."""
        self._lock = asyncio.Lock()
        store.on_commit(PODS, self._follow)

    def needs_known(self, node: str) -> Needs | None:
        """What the pods of a node need, if that has been read."""
        needs = self._needs.get(node)
        if needs is not None:
            self._needs.move_to_end(node)
        return needs

    async def needs(self, node: str) -> Needs:
        """The needs of a node, read if necessary; empty for a node without pods."""
        async with self._lock:
            if not self._filled:
                await self._fill()
            known = self.needs_known(node)
            if known is not None:
                return known
            if node not in self._pods:
                return Needs()  # whoever asks in the name of nodes that have no pods takes no room here
            needs = self._incomplete = Needs()
            self._reading = node
            try:
                await self._read(node, needs)
            finally:
                self._reading, self._incomplete = "", Needs()
            self._needs[node] = needs
            if len(self._needs) > limits.NODES_WHOSE_NEEDS_ARE_KNOWN:
                self._needs.popitem(last=False)
            return needs

    async def _fill(self) -> None:
        """Take in where all pods are, by their envelopes alone."""
        self._begun = True

        def note(key: Key, envelope: Envelope) -> bool:
            pod = ObjectKey(key.namespace, key.name)
            if pod not in self._changed:
                self._place(pod, _node_in(envelope))
            return False  # the envelope has said it all

        while not self._filled:
            try:
                await self._store.list(PODS, selection=Selection(note, {}, {}))
            except CompactedError:
                continue  # the history is shorter than this took: once more, from a newer state
            self._filled = True
        self._changed.clear()

    async def _read(self, node: str, needs: Needs) -> None:
        """Read the pods of a node, a few at a time; those that are written meanwhile come in by themselves."""
        for number, pod in enumerate(tuple(self._pods[node]), start=1):
            if number % limits.PODS_OF_A_NODE_A_TURN == 0:
                await turn()
            if pod in self._pods.get(node, ()) and not needs.knows(pod):
                needs.put(pod, self._needs_of(pod))

    def _needs_of(self, pod: ObjectKey) -> tuple[Key, ...]:
        try:
            record = self._store.get(Key(PODS, pod.namespace, pod.name))
        except CorruptError:
            logger.exception("what a damaged pod needs can't be told")
            return ()
        return () if record is None else self._read_needs(record)

    def _read_needs(self, record: Record) -> tuple[Key, ...]:
        return needs_of(decode_json(record.body), self._dialect)

    def _follow(self, event: Event) -> None:
        if not self._begun:
            return
        pod = ObjectKey(event.record.key.namespace, event.record.key.name)
        if not self._filled:
            self._changed[pod] = None
        node = "" if event.type is EventType.DELETED else _node_in(event.record.envelope)
        for before in _nodes_before(event):
            if before != node:
                self._take_away(pod, before)
        self._place(pod, node)
        needs = self._incomplete if node == self._reading else self._needs.get(node)
        if node and needs is not None:
            needs.put(pod, self._read_needs(event.record))

    def _place(self, pod: ObjectKey, node: str) -> None:
        if node:
            self._pods.setdefault(node, {})[pod] = None

    def _take_away(self, pod: ObjectKey, node: str) -> None:
        there = self._pods.get(node)
        if there is not None:
            there.pop(pod, None)
            if not there:
                del self._pods[node]
        needs = self._incomplete if node == self._reading else self._needs.get(node)
        if needs is not None:
            needs.remove(pod)


def _nodes_before(event: Event) -> Iterable[str]:
    """Where a pod was; for one that is deleted, its last state tells it too."""
    records = (event.previous, event.record) if event.type is EventType.DELETED else (event.previous,)
    return dict.fromkeys(node for record in records if record is not None and (node := _node_in(record.envelope)))


def _node_in(envelope: Envelope) -> str:
    return envelope.fields.get("spec.nodeName", "")
