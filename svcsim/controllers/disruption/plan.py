"""A budget's status, from the budget, its pods and the sizes of their controllers. Pure.

The number of pods that a budget is about depends on how it is written. If it has a number that must be available, it is the number of
existing pods; if it has a percentage, or a number that may be unavailable, it is the number that the controllers of the existing pods want.
The wanted number of pods without a controller isn't known, so such a budget leaves them out and says so.
"""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim.meta.disruption_budgets import SYNC_FAILED, status_of, with_condition, with_reason
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import controller_of, is_terminating, name_of, namespace_of
from svcsim.meta.pods import is_ready, with_kind
from svcsim.meta.shares import share
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

DELETION_WAIT_S = 120.0
"""How long a pod whose eviction was granted is taken for one that is going, before it counts again."""
_NOT_SIZED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB cannot be "
    'calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of '
    "the PDB to an integer value."
)


class Scale(NamedTuple):
    """What controls some of the pods, and how many it wants."""

    uid: str
    replicas: int


class BudgetSnapshot(NamedTuple):
    """What is seen of one budget. ``scales`` are those of the pods' controllers, by the UIDs in the pods' controller references."""

    budget: Object
    pods: list[Object]
    scales: Mapping[str, Scale]
    now: float
    timestamp: str


class Report(NamedTuple):
    """An event to be recorded."""

    about: Object
    type: str
    reason: str
    message: str


class DisruptionPlan(NamedTuple):
    """The status to write, None where it stands; what to tell; and in how many seconds to look again, if time alone changes something."""

    status: Object | None
    reports: list[Report]
    recheck_in_s: float | None


def wants_scales(budget: Object) -> bool:
    """Whether it takes the sizes of the pods' controllers to know how many pods there should be."""
    spec = budget["spec"]
    return spec.get("maxUnavailable") is not None or isinstance(spec.get("minAvailable"), str)


def make_plan(seen: BudgetSnapshot) -> DisruptionPlan:
    """What there is to do about a budget."""
    budget, pods = seen.budget, seen.pods
    reports: list[Report] = []
    if not pods:
        reports.append(Report(budget, "Normal", "NoPods", "No matching pods found"))
    expected, desired = _expected(seen)
    if wants_scales(budget) and any(controller_of(pod) is None for pod in pods):
        selector = from_object(budget["spec"].get("selector"))
        reports.append(Report(budget, "Warning", "UnmanagedPods", _NOT_SIZED.format(selector)))
    disrupted, overdue, recheck_in_s = _disrupted(seen)
    about = f"{namespace_of(budget)}/{name_of(budget)}"
    reports += [Report(pod, "Warning", "NotDeleted", f"Pod was expected by PDB {about} to be deleted but it wasn't") for pod in overdue]
    healthy = sum(is_ready(pod) and not is_terminating(pod) and name_of(pod) not in disrupted for pod in pods)
    before = status_of(budget)
    status: Object = {
        "observedGeneration": budget["metadata"].get("generation") or 0,
        "disruptionsAllowed": max(healthy - desired, 0) if expected > 0 else 0,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        **({"disruptedPods": disrupted} if disrupted else {}),
        **({"conditions": before["conditions"]} if before.get("conditions") else {}),
    }
    status = with_condition(status, seen.timestamp)
    return DisruptionPlan(status if status != before else None, reports, recheck_in_s)


def failed(budget: Object, why: str, timestamp: str) -> Object:
    """The status of a budget whose pods couldn't be counted: nothing may be evicted, since nobody knows whether it could."""
    return with_reason({**status_of(budget), "disruptionsAllowed": 0}, SYNC_FAILED, why, timestamp)


def _expected(seen: BudgetSnapshot) -> tuple[int, int]:
    """How many pods there should be, and how many of them have to be healthy."""
    spec = seen.budget["spec"]
    least, away = spec.get("minAvailable"), spec.get("maxUnavailable")
    wanted = sum({scale.uid: scale.replicas for scale in seen.scales.values()}.values())
    if away is not None:
        return wanted, max(wanted - share(away, wanted, up=True), 0)
    if isinstance(least, str):
        return wanted, share(least, wanted, up=True)
    return (len(seen.pods), least) if least is not None else (0, 0)


def _disrupted(seen: BudgetSnapshot) -> tuple[dict[str, str], list[Object], float | None]:
    """Pods whose eviction was granted and that aren't seen to go yet, and since when; those that should have gone; when to look again."""
    granted: dict[str, str] = status_of(seen.budget).get("disruptedPods") or {}
    still: dict[str, str] = {}
    overdue: list[Object] = []
    waits: list[float] = []
    for pod in seen.pods:
        since = granted.get(name_of(pod))
        if since is None or is_terminating(pod):
            continue
        left_s = parse_time(since) + DELETION_WAIT_S - seen.now
        if left_s <= 0:
            overdue.append(with_kind(pod))
        else:
            still[name_of(pod)] = since
            waits.append(left_s)
    return still, overdue, min(waits, default=None)
