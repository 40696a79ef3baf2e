"""DaemonSets: one pod for each node that fits."""

from svcsim.meta.objects import get_path
from svcsim.meta.pods import is_active, is_ready, node_of
from svcsim.meta.types import Object
from svcsim.printing.why.attended import unseen
from svcsim.printing.why.replicas import (
    becoming_available,
    being_deleted,
    has_template,
    leaving_of,
    not_yet_available,
    number_of,
    of_them_leaving,
    pods_wanted,
    so_many,
    waited_for,
    why_none_made,
)
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, controlled, counted, do


def _explain(one: Object, facts: Facts) -> Verdict:
    wanted, ready, updated = (number_of(one, field) for field in ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled"))
    if behind := unseen(one):
        return Verdict("waits for its controller", because=behind)
    leaving = leaving_of(one, facts)
    strays = _strays(one)
    if not wanted:
        return Verdict("has no pods: no node fits its selector and tolerations", fine=True, because=strays, below=tuple(leaving))
    still = sum(map(is_ready, leaving))
    how = f"has {so_many(ready, wanted, 'pod', 'ready')}, one for each node that fits{of_them_leaving(still)}"
    awaited = _in_the_way(one, leaving, facts)
    if ready >= wanted and updated >= wanted and not awaited:
        becoming = becoming_available(one, facts, wanted, number_of(one, "numberAvailable"))
        return becoming or Verdict(how, fine=True, because=strays, below=tuple(leaving))
    because = [*why_none_made(one, facts), *strays]
    if updated < wanted:
        because.append(has_template(updated, wanted, by_hand=get_path(one, "spec.updateStrategy.type") == "OnDelete"))
    if awaited:
        where = do(len(awaited), "its node", "their nodes")
        because.append(f"{being_deleted(awaited)}: no other is made on {where} before {do(len(awaited), 'it is', 'they are')} gone.")
    young, then = not_yet_available(one, facts)
    return Verdict(how, because=(*because, *young), then=then, below=tuple(waited_for(one, facts)))


def _strays(one: Object) -> tuple[str, ...]:
    """That pods are where none should be."""
    stray = number_of(one, "numberMisscheduled")
    where = do(stray, "is on a node", "are on nodes")
    return (f"{counted(stray, 'pod')} of it {where} where none would be started now.",) if stray else ()


def _in_the_way(one: Object, leaving: list[Object], facts: Facts) -> list[Object]:
    """The pods on their way out without another beside them on their node."""
    there = {node_of(pod) for pod in controlled(facts.all("pods"), one) if is_active(pod)}
    return [pod for pod in leaving if node_of(pod) not in there]


DAEMON_SET = Explainer(_explain, pods_wanted)
