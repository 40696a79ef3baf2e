"""The thinking of the StatefulSet controller, free of any input and output: which pods and claims to make, to mend and to give up.

A plan is one step. Where pods come and go in order (OrderedReady) that is the first one that has to be done, from the lowest ordinal up; a
pod that isn't there, or doesn't do its work, keeps all that follow from their turn. Where they don't (Parallel), it is all at once. Only
when every pod has its place, and those that have none are gone or going, are pods of an old template replaced
(`svcsim.controllers.statefulset.rolling`).
"""

from typing import NamedTuple

from svcsim import limits
from svcsim.controllers.statefulset.claims import claim_name, claim_templates, storage_matches
from svcsim.controllers.statefulset.identity import identity_matches, ordinal_of, pod_name
from svcsim.controllers.statefulset.retention import goes_when_scaled, is_of_another_pod, new_owners
from svcsim.controllers.statefulset.rolling import outdated
from svcsim.controllers.statefulset.snapshot import StatefulSetSnapshot, is_running_and_ready
from svcsim.dialect import Dialect
from svcsim.meta.objects import is_terminating, name_of
from svcsim.meta.pods import is_finished, phase_of
from svcsim.meta.types import Object


class StatefulSetPlan(NamedTuple):
    """What is to be done for one StatefulSet, in this order."""

    mend: list[Object]
    """Pods that lack their name's label, their volumes, or the right owners of their claims."""
    tend: list[Object]
    """Pods whose claims alone are to be looked after: those that lack one, and those that are to go."""
    held_up: dict[int, list[str]]
    """Ordinals whose pods can't be made yet, and the claims of theirs that are on their way out."""
    replace: list[Object]
    """Pods that ended, to be deleted."""
    create: list[int]
    """The ordinals to make a pod for."""
    delete: list[Object]


def make_plan(snapshot: StatefulSetSnapshot, dialect: Dialect) -> StatefulSetPlan:
    plan = StatefulSetPlan([], [], {}, [], [], [])
    if _keep(snapshot, plan, dialect) and _give_up(snapshot, plan):
        plan.delete.extend(outdated(snapshot))
    most = limits.CREATIONS_AT_ONCE
    return plan._replace(replace=plan.replace[:most], delete=plan.delete[:most])


def _keep(snapshot: StatefulSetSnapshot, plan: StatefulSetPlan, dialect: Dialect) -> bool:
    """Every ordinal its pod; tells whether what else there is to do may be done."""
    for ordinal, pod in snapshot.replicas.items():
        if not (_absent(snapshot, plan, ordinal) if pod is None else _present(snapshot, plan, pod, dialect)) and snapshot.ordered:
            return False
    return True


def _absent(snapshot: StatefulSetSnapshot, plan: StatefulSetPlan, ordinal: int) -> bool:
    """An ordinal without a pod. One whose claims belong to an earlier pod, or are being deleted, has to wait until they are gone."""
    stateful_set, name = snapshot.stateful_set, pod_name(snapshot.stateful_set, ordinal)
    claims = _claims(snapshot, name)
    if goes_when_scaled(stateful_set) and any(is_of_another_pod(claim, {"metadata": {"name": name}}) for claim in claims):
        return False
    going = [name_of(claim) for claim in claims if is_terminating(claim)]
    if going:
        plan.held_up[ordinal] = going
    else:
        plan.create.append(ordinal)
    return False


def _present(snapshot: StatefulSetSnapshot, plan: StatefulSetPlan, pod: Object, dialect: Dialect) -> bool:
    """An ordinal's pod; tells whether the next one has its turn."""
    if is_finished(pod):
        if not is_terminating(pod):
            plan.replace.append(pod)
        return False
    pending = phase_of(pod) == "Pending"
    if not is_terminating(pod) and (_lacks_a_claim(snapshot, pod) or (pending and not _owners_match(snapshot, pod))):
        plan.tend.append(pod)
    if snapshot.ordered and not (snapshot.serves(pod) and is_running_and_ready(pod)):
        return False
    whole = identity_matches(pod, dialect) and storage_matches(snapshot.stateful_set, pod)
    if not whole or not _owners_match(snapshot, pod):
        plan.mend.append(pod)
    return True


def _give_up(snapshot: StatefulSetSnapshot, plan: StatefulSetPlan) -> bool:
    """Pods that are too many, the last one first; tells whether there is none in the way of an update."""
    plan.tend.extend(pod for pod in snapshot.condemned if not _owners_match(snapshot, pod))
    if not snapshot.ordered:
        plan.delete.extend(pod for pod in snapshot.condemned if not is_terminating(pod))
        return True
    if not snapshot.condemned:
        return True
    last = snapshot.condemned[0]
    first_in_trouble = next((pod for pod in reversed(snapshot.condemned) if not snapshot.serves(pod)), None)
    works = is_running_and_ready(last) and snapshot.is_available(last)
    if not is_terminating(last) and (works or last is first_in_trouble):
        plan.delete.append(last)
    return False


def _claims(snapshot: StatefulSetSnapshot, name: str) -> list[Object]:
    """The claims of a pod that are there."""
    names = (claim_name(template, name) for template in claim_templates(snapshot.stateful_set))
    return [snapshot.claims[name] for name in names if name in snapshot.claims]


def _lacks_a_claim(snapshot: StatefulSetSnapshot, pod: Object) -> bool:
    return len(_claims(snapshot, name_of(pod))) < len(claim_templates(snapshot.stateful_set))


def _owners_match(snapshot: StatefulSetSnapshot, pod: Object) -> bool:
    """Whether a pod's claims have the owners that the set's policy wants them to have."""
    wanted = ordinal_of(pod) in snapshot.wanted
    return all(new_owners(claim, snapshot.stateful_set, pod, wanted=wanted) is None for claim in _claims(snapshot, name_of(pod)))
