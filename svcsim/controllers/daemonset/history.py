"""A DaemonSet's revisions: there is one of its present template, with the largest number, and as many earlier ones as it wants kept."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client import revisions
from svcsim.client.api import Collection
from svcsim.meta.objects import labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class DaemonSetHistory(NamedTuple):
    """The revision of the present template, those of earlier ones, and how often a name was taken."""

    current: Object
    old: list[Object]
    collisions: int


class DaemonSetRevisions:
    """Writes the history of DaemonSets."""

    def __init__(self, revisions_api: Collection, pods_api: Collection) -> None:
        self._revisions = revisions_api
        self._pods = pods_api

    async def settle(self, daemon_set: Object, kept: list[Object], pods: Iterable[Object]) -> DaemonSetHistory:
        """See to it that the present template has its revision. ``kept`` are those there are."""
        data = revisions.template_data(daemon_set)
        collisions = int((daemon_set.get("status") or {}).get("collisionCount") or 0)
        same = revisions.with_data(kept, data)
        old = [item for item in kept if not any(item is one for one in same)]
        number = revisions.next_number(old)
        if not same:
            made = await revisions.create(self._revisions, daemon_set, data, number, collisions)
            return DaemonSetHistory(made.revision, old, made.collisions)
        *doubles, current = same
        for double in doubles:
            await self._merge(double, current, pods)
        if revisions.number_of(current) < number:
            current = await revisions.renumber(self._revisions, current, number)
        return DaemonSetHistory(current, old, collisions)

    async def clean_up(self, daemon_set: Object, old: list[Object], pods: Iterable[Object]) -> None:
        """Delete what is beyond the limit; a revision that a pod is of stays."""
        limit = daemon_set["spec"].get("revisionHistoryLimit")
        in_use = [labels_of(pod).get(revisions.HASH_LABEL, "") for pod in pods]
        for item in revisions.surplus(old, 10 if limit is None else limit, in_use):
            await revisions.remove(self._revisions, item)

    async def _merge(self, double: Object, current: Object, pods: Iterable[Object]) -> None:
        """Two revisions of one template, which two controllers may have made: the pods of the one become those of the other."""
        for pod in pods:
            if labels_of(pod).get(revisions.HASH_LABEL) == revisions.hash_of(double):
                metadata = {"uid": uid_of(pod), "labels": {revisions.HASH_LABEL: revisions.hash_of(current)}}
                await self._pods.within(namespace_of(pod)).patch(name_of(pod), {"metadata": metadata})
        await revisions.remove(self._revisions, double)
