"""What bounds others: autoscalers, disruption budgets and quotas."""

from collections.abc import Mapping

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta import quantity
from svcsim.meta.disruption_budgets import lets_unhealthy_go
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import condition, get_path, is_terminating, labels_of, name_of, namespace_of
from svcsim.meta.pods import is_active, is_finished, is_ready, phase_of
from svcsim.meta.types import Object
from svcsim.printing.why.attended import nobody, unseen
from svcsim.printing.why.conditions import in_words
from svcsim.printing.why.replicas import named
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, Wanted, counted, do, listed, sentence

_BUDGETS = "budgets"
"""Under this name the facts have all budgets of the namespace."""
_LIMITS = {
    "TooManyReplicas": "Its metrics ask for more, and it may make no more than maxReplicas",
    "TooFewReplicas": "Its metrics ask for fewer, and it may have no fewer than minReplicas",
    "ScaleUpLimit": "Its metrics ask for more, and it may make no more at once",
    "ScaleDownLimit": "Its metrics ask for fewer, and it may take no more away at once",
}
"""What limits an autoscaler, by the reason that its condition ScalingLimited gives."""
_STEADIED = {
    "ScaleDownStabilized": "Its metrics ask for fewer; it waits until they have for a while (stabilizationWindowSeconds)",
    "ScaleUpStabilized": "Its metrics ask for more; it waits until they have for a while (stabilizationWindowSeconds)",
}
"""What steadies it, by the reason that its condition AbleToScale gives."""
_OF_LATE = (
    "Its metrics ask for fewer than of late; what they asked for then counts until stabilizationWindowSeconds are over, and is more than"
)
_OF_LATE_ABOVE = {"TooManyReplicas": f"{_OF_LATE} maxReplicas", "ScaleUpLimit": f"{_OF_LATE} it may make at once"}
"""What limits it during stabilization downwards: a number that its metrics no longer ask for."""


def _limit(autoscaler: Object, limited: Object, by_reason: Mapping[str, str] = _LIMITS) -> str:
    """What keeps it from the number that its metrics ask for, or asked for."""
    reason, spec = str(limited.get("reason", "")), autoscaler.get("spec") or {}
    direction = {"ScaleUpLimit": "scaleUp", "ScaleDownLimit": "scaleDown"}.get(reason, "")
    if direction and get_path(spec, f"behavior.{direction}.selectPolicy") == "Disabled":
        asked = "more" if direction == "scaleUp" else "fewer"
        return f"Its metrics ask for {asked}, and that is switched off (spec.behavior.{direction}.selectPolicy Disabled)."
    if reason not in by_reason:
        return in_words(limited)
    bound = {"TooManyReplicas": spec.get("maxReplicas"), "TooFewReplicas": spec.get("minReplicas", 1)}.get(reason)
    return f"{by_reason[reason]} ({bound if bound is not None else f'spec.behavior.{direction}'})."


def _held(autoscaler: Object) -> list[str]:
    """What keeps one that can scale from the number that its metrics ask for now: that it is steadied, that it is limited, or both."""
    able = str((condition(autoscaler, "AbleToScale") or {}).get("reason", ""))
    limited = condition(autoscaler, "ScalingLimited") or {}
    is_limited = limited.get("status") == "True"
    if is_limited and able == "ScaleDownStabilized" and limited.get("reason") in _OF_LATE_ABOVE:
        return [_limit(autoscaler, limited, _OF_LATE_ABOVE)]
    return [*([f"{_STEADIED[able]}."] if able in _STEADIED else []), *([_limit(autoscaler, limited)] if is_limited else [])]


def _explain_autoscaler(autoscaler: Object, _facts: Facts) -> Verdict:
    status = autoscaler.get("status") or {}
    target = get_path(autoscaler, "spec.scaleTargetRef") or {}
    whose = f"{target.get('kind', '')}/{target.get('name', '')}"
    if not status.get("conditions"):
        return Verdict("waits for its controller", because=(nobody("looked at its target", "HorizontalPodAutoscalers"),))
    needed = [condition(autoscaler, kind) for kind in ("AbleToScale", "ScalingActive")]
    refused = [one for one in needed if one is not None and one.get("status") != "True"]
    told = [sentence(f"{one.get('reason', '')}: {one.get('message', '')}") for one in refused]
    how = f"{counted(status.get('currentReplicas', 0), 'replica')}, {status.get('desiredReplicas', 0)} wanted"
    state = f"can't scale {whose}" if refused else f"scales {whose}: {how}"
    return Verdict(state, fine=not refused, because=tuple(told or _held(autoscaler)))


def _budget_wanted(budget: Object, _dialect: Dialect) -> list[Wanted]:
    selector, namespace = get_path(budget, "spec.selector"), namespace_of(budget)
    if selector is None:
        return []
    return [
        Wanted("pods", f"/api/v1/namespaces/{namespace}/pods", {"labelSelector": str(from_object(selector))}),
        Wanted(_BUDGETS, f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets", {"limit": limits.WHY_LISTED}),
    ]


def _explain_budget(budget: Object, facts: Facts) -> Verdict:
    """A budget, and the others that some of its pods have."""
    verdict = _explain_alone(budget, facts)
    pods = [pod for pod in facts.all("pods") if is_active(pod)]
    others = {name_of(one): from_object(get_path(one, "spec.selector")) for one in facts.all(_BUDGETS) if name_of(one) != name_of(budget)}
    shared = {name_of(pod): names for pod in pods if (names := [name for name, of in others.items() if of.matches(labels_of(pod))])}
    if not shared:
        return verdict
    count, names = len(shared), sorted({name for names in shared.values() for name in names})
    whose = f"{named(sorted(shared))} {do(count, 'is', 'are')} also watched over by {do(len(names), 'the budget', 'the budgets')}"
    because = f"{whose} {listed(names)}: a pod that has several budgets can't be evicted at all."
    state = "lets no pod be evicted" if count == len(pods) else verdict.state
    return verdict._replace(state=state, fine=False, because=(because, *verdict.because))


def _explain_alone(budget: Object, facts: Facts) -> Verdict:
    status = budget.get("status") or {}
    allowed, healthy, needed, total = (
        int(status.get(field) or 0) for field in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    )
    if allowed:
        return Verdict(f"lets {counted(allowed, 'pod')} be evicted now", fine=True)
    failed = condition(budget, "DisruptionAllowed") or {}
    if failed.get("reason") == "SyncFailed":
        return Verdict("lets no pod be evicted", because=(sentence(str(failed.get("message", ""))),))
    if behind := unseen(budget):
        return Verdict("waits for its controller", because=behind)
    selected = [pod for pod in facts.all("pods") if is_active(pod)]
    if not total and selected:
        by = next((field for field in ("maxUnavailable", "minAvailable") if field in (budget.get("spec") or {})), "minAvailable")
        whose = f"Its selector matches {counted(len(selected), 'pod')} of which no controller says how many there are to be"
        because = f"{whose}, so that {by} can't be reckoned: for such pods minAvailable has to be a number."
        return Verdict("lets no pod be evicted", because=(because,))
    if not total:
        return Verdict("has no pods to watch over", because=("Its selector matches none that count.",))
    because = (
        f"{healthy} of its {counted(total, 'pod')} {do(healthy, 'is', 'are')} healthy, and {needed} {do(needed, 'has', 'have')} to be."
    )
    unhealthy = [pod for pod in selected if not is_ready(pod)]
    free = _free_to_go(budget, unhealthy)
    leaving = [pod for pod in facts.all("pods") if is_terminating(pod) and not is_finished(pod)]
    state = "lets no healthy pod be evicted" if free else "lets no pod be evicted"
    return Verdict(state, because=(because, *free), below=(*unhealthy, *leaving))


def _free_to_go(budget: Object, unhealthy: list[Object]) -> list[str]:
    """Which of its pods may be evicted although it lets none be: they don't count among those that are healthy."""
    waiting = [name_of(pod) for pod in unhealthy if phase_of(pod) == "Pending"]
    unready = [name_of(pod) for pod in unhealthy if phase_of(pod) != "Pending"] if lets_unhealthy_go(budget) else []
    always = get_path(budget, "spec.unhealthyPodEvictionPolicy") == "AlwaysAllow"
    while_what = "at any time (unhealthyPodEvictionPolicy AlwaysAllow)" if always else "while enough others are healthy"
    return [
        *([f"{named(waiting)} may be evicted nevertheless, as pods that don't run yet may at any time."] if waiting else []),
        *([f"{named(unready)} may be evicted nevertheless, as pods that aren't ready may {while_what}."] if unready else []),
    ]


def _explain_quota(quota: Object, _facts: Facts) -> Verdict:
    hard, used = get_path(quota, "status.hard") or {}, get_path(quota, "status.used") or {}
    if not hard and not get_path(quota, "spec.hard"):
        return Verdict("limits nothing", fine=True, because=("Its spec.hard names nothing.",))
    if not hard:
        return Verdict("waits for its controller", because=(nobody("counted what is used of it", "ResourceQuotas"),))
    full = [name for name in sorted(hard) if quantity.of(used.get(name, "0")).number >= quantity.of(hard[name]).number]
    if not full:
        return Verdict("leaves something of everything", fine=True)
    told = tuple(f"All of {name} is used: {used.get(name, '0')} of {hard[name]}." for name in full)
    return Verdict("lets no more of something be made", because=told)


AUTOSCALER = Explainer(_explain_autoscaler)
BUDGET = Explainer(_explain_budget, _budget_wanted)
QUOTA = Explainer(_explain_quota)
