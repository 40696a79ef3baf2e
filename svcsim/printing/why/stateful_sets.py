"""StatefulSets: pods with names of their own, that come, go and are replaced one after the other."""

from svcsim.controllers.statefulset.identity import member
from svcsim.controllers.statefulset.snapshot import revision_of_pod
from svcsim.dialect import Dialect
from svcsim.meta.objects import get_path, name_of, namespace_of
from svcsim.meta.pods import available_in, is_active, is_ready
from svcsim.meta.types import Object
from svcsim.printing.why.attended import unseen
from svcsim.printing.why.replicas import (
    becoming_available,
    being_deleted,
    has_template,
    leaving_of,
    named,
    number_of,
    of_them_leaving,
    pods_wanted,
    so_many,
    too_many,
    waited_for,
    wanted_replicas,
    why_none_made,
)
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, controlled, do

_IN_ORDER = "Its pods come one after the other: the next waits until the last has been ready for minReadySeconds."


def _wanted(one: Object, dialect: Dialect) -> list[Wanted]:
    """Its pods; where it lacks some, all of its namespace, as one may have the name of one that it lacks."""
    if number_of(one, "replicas") >= wanted_replicas(one):
        return pods_wanted(one, dialect)
    return [Wanted("pods", f"/api/v1/namespaces/{namespace_of(one)}/pods")]


def _explain(one: Object, facts: Facts) -> Verdict:
    wanted = wanted_replicas(one)
    present, ready, updated = (number_of(one, field) for field in ("replicas", "readyReplicas", "updatedReplicas"))
    leaving = sorted(leaving_of(one, facts), key=_ordinal)
    still = sum(map(is_ready, leaving))
    how = f"has {so_many(ready, wanted, 'pod', 'ready')}{of_them_leaving(still)}"
    if behind := unseen(one):
        return Verdict(f"waits for its controller, and {how}", because=behind)
    because = [*why_none_made(one, facts), *_names_taken(one, facts)]
    updating = _updating(one, wanted, updated)
    held_back = get_path(one, "spec.updateStrategy.type") == "OnDelete" or bool(_partition(one))
    if ready >= wanted == present and not leaving and not because and (not updating or held_back):
        available = number_of(one, "availableReplicas")
        coming = becoming_available(one, facts, wanted, available) if not updating else None
        return coming or Verdict(how if wanted else "is scaled to zero", fine=True, because=updating)
    because += [*updating, *too_many(present, wanted), *_on_their_way(one, leaving)]
    unready = sorted(waited_for(one, facts), key=_ordinal)
    then: tuple[Coming, ...] = ()
    if _is_ordered(one):
        if unready and not leaving and max(wanted, present) > 1:
            because.append(f"Its pods come one after the other: no other is made or replaced before {name_of(unready[0])} is ready.")
        elif not unready and present < wanted:
            then = _next_in_order(one, facts)
            because += [_IN_ORDER] if then else []
        unready = [*leaving, *(pod for pod in unready if pod not in leaving)][:1]
        because += _stuck(one, unready, facts)
    return Verdict(how, because=tuple(because), then=then, below=tuple(unready))


def _is_ordered(one: Object) -> bool:
    return bool(get_path(one, "spec.podManagementPolicy", "OrderedReady") == "OrderedReady")


def _partition(one: Object) -> int:
    return int(get_path(one, "spec.updateStrategy.rollingUpdate.partition", 0) or 0)


def _first(one: Object) -> int:
    """The number of its first pod."""
    return int(get_path(one, "spec.ordinals.start", 0) or 0)


def _updating(one: Object, wanted: int, updated: int) -> tuple[str, ...]:
    """How far it has got with its present template, if there has been another before."""
    current, latest = get_path(one, "status.currentRevision"), get_path(one, "status.updateRevision")
    if not latest or current == latest or updated >= wanted:
        return ()
    if get_path(one, "spec.updateStrategy.type") == "OnDelete":
        return (has_template(updated, wanted, by_hand=True),)
    partition = _partition(one)
    if partition and updated >= wanted - partition:
        return (f"Pods below number {partition + _first(one)} keep their earlier template (partition).",)
    return (has_template(updated, wanted),)


def _on_their_way(one: Object, leaving: list[Object]) -> list[str]:
    """What waits until pods of it that are being deleted are gone."""
    end = _first(one) + wanted_replicas(one)
    in_place = [pod for pod in leaving if _ordinal(pod) < end]
    too_many_of_them = [pod for pod in leaving if _ordinal(pod) >= end]
    told = []
    if in_place:
        then = do(len(in_place), "another is made in its place once it is gone", "others are made in their place once they are gone")
        order = ", and nothing becomes of the others before" if _is_ordered(one) and wanted_replicas(one) > 1 else ""
        told.append(f"{being_deleted(in_place)}: {then}{order}.")
    if too_many_of_them:
        order = "Those that are too many go one after the other, the highest number first: " if _is_ordered(one) else ""
        told.append(f"{order}{being_deleted(too_many_of_them)}.")
    return told


def _names_taken(one: Object, facts: Facts) -> list[str]:
    """That there are pods of others that have the names of pods that it lacks."""
    first = _first(one)
    numbers = range(first, first + wanted_replicas(one))
    own = {name_of(pod) for pod in controlled(facts.all("pods"), one)}
    taken = [
        name_of(pod)
        for pod in facts.all("pods")
        if (found := member(name_of(pod))) and found.set_name == name_of(one) and found.ordinal in numbers and name_of(pod) not in own
    ]
    if not taken:
        return []
    if len(taken) == 1:
        return [f"A pod that isn't its own has the name {taken[0]}: none can be made by that name before it goes."]
    return [f"Pods that aren't its own have the names {named(taken)}: none can be made by those names before they go."]


def _next_in_order(one: Object, facts: Facts) -> tuple[Coming, ...]:
    """When the last of its pods counts as available, so that the next is made."""
    needs_s = get_path(one, "spec.minReadySeconds", 0)
    waits_s = [available_in(pod, needs_s, facts.now) for pod in controlled(facts.all("pods"), one)]
    longest_s = max((wait_s for wait_s in waits_s if wait_s is not None), default=0.0)
    return (Coming("the next pod is made", facts.now + longest_s),) if longest_s > 0 else ()


def _stuck(one: Object, unready: list[Object], facts: Facts) -> list[str]:
    """That a pod of an earlier template, which isn't ready, keeps the present one from getting anywhere, as pods are replaced in order."""
    latest = get_path(one, "status.updateRevision")
    first = _partition(one) + _first(one)
    earlier = [pod for pod in unready if is_active(pod) and _ordinal(pod) >= first and revision_of_pod(pod) != latest]
    if not latest or get_path(one, "spec.updateStrategy.type") == "OnDelete" or not earlier:
        return []
    name = name_of(earlier[0])
    stays = f"The template has been changed since {name} was made, and {name} isn't replaced before it is ready"
    by_hand = f"svcsim delete pod {name} -n {namespace_of(one)}{facts.way}"
    return [f"{stays}: unless it comes to be, it has to be deleted by hand for the present template to be used ({by_hand})."]


def _ordinal(pod: Object) -> int:
    number = name_of(pod).rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


STATEFUL_SET = Explainer(_explain, _wanted)
