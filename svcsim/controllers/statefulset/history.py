"""A StatefulSet's revisions: the one of its present template, the one that its first pods have still, and earlier ones to go back to."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client import revisions
from svcsim.client.api import Collection
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.types import Object


class StatefulSetHistory(NamedTuple):
    """The revisions that pods are made of, and how often a name for one was taken."""

    current: Object
    """What all pods were of when the last rollout was over."""
    update: Object
    """The revision of the current template."""
    collisions: int


class StatefulSetRevisions:
    """Writes the history of StatefulSets. ``hash_label`` is what says the hash of a revision."""

    def __init__(self, revisions_api: Collection, hash_label: str) -> None:
        self._revisions = revisions_api
        self._hash_label = hash_label

    async def settle(self, stateful_set: Object, kept: list[Object], pods: Iterable[Object]) -> StatefulSetHistory:
        """Ensure that the current template has a revision, with the largest number, and that at most the configured number is kept."""
        data, collisions = revisions.template_data(stateful_set), collisions_of(stateful_set)
        same = revisions.with_data(kept, data)
        number = revisions.next_number(item for item in kept if not any(item is one for one in same))
        if not same:
            update, collisions = await revisions.create(self._revisions, stateful_set, data, number, collisions, self._hash_label)
        elif revisions.number_of(same[-1]) < number:
            update = await revisions.renumber(self._revisions, same[-1], number)
        else:
            update = same[-1]
        name = (stateful_set.get("status") or {}).get("currentRevision")
        history = StatefulSetHistory(next((item for item in kept if name_of(item) == name), update), update, collisions)
        for item in surplus(stateful_set, kept, history, pods):
            await revisions.remove(self._revisions, item)
        return history


def surplus(stateful_set: Object, kept: list[Object], history: StatefulSetHistory, pods: Iterable[Object]) -> list[Object]:
    """What is beyond the limit: the first of those that nothing is of. Those in use don't count; a negative limit is none."""
    limit = stateful_set["spec"].get("revisionHistoryLimit", 10)
    in_use = dict.fromkeys((name_of(history.current), name_of(history.update), *(labels_of(pod).get(revisions.HASH_LABEL) for pod in pods)))
    idle = [item for item in revisions.in_order(kept) if name_of(item) not in in_use]
    return idle[: max(len(idle) - limit, 0)] if limit >= 0 else []


def collisions_of(stateful_set: Object) -> int:
    """How often a name for a revision was taken, as the set's status has it."""
    return int((stateful_set.get("status") or {}).get("collisionCount") or 0)
