"""What bounds others: autoscalers, disruption budgets and quotas."""

from svcsim.dialect import Dialect
from svcsim.meta import quantity
from svcsim.meta.objects import condition, get_path, namespace_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object
from svcsim.printing.texts import selector_text
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, Wanted, counted, do, sentence


def _explain_autoscaler(autoscaler: Object, _facts: Facts) -> Verdict:
    status = autoscaler.get("status") or {}
    target = get_path(autoscaler, "spec.scaleTargetRef") or {}
    whose = f"{target.get('kind', '')}/{target.get('name', '')}"
    if not status.get("conditions"):
        return Verdict("waits for its controller", because=("Nobody has looked at its target yet.",))
    needed = [condition(autoscaler, kind) for kind in ("AbleToScale", "ScalingActive")]
    refused = [one for one in needed if one is not None and one.get("status") != "True"]
    limited = condition(autoscaler, "ScalingLimited") or {}
    told = [sentence(f"{one.get('reason', '')}: {one.get('message', '')}") for one in refused]
    if limited.get("status") == "True":
        told.append(sentence(str(limited.get("message", ""))))
    how = f"{status.get('currentReplicas', 0)} replicas, {status.get('desiredReplicas', 0)} wanted"
    state = f"can't scale {whose}" if refused else f"scales {whose}: {how}"
    return Verdict(state, fine=not refused, because=tuple(told))


def _budget_wanted(budget: Object, _dialect: Dialect) -> list[Wanted]:
    selector = get_path(budget, "spec.selector")
    if not selector:
        return []
    return [Wanted("pods", f"/api/v1/namespaces/{namespace_of(budget)}/pods", {"labelSelector": selector_text(selector)})]


def _explain_budget(budget: Object, facts: Facts) -> Verdict:
    status = budget.get("status") or {}
    allowed, healthy, needed, total = (
        int(status.get(field) or 0) for field in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    )
    if allowed:
        return Verdict(f"lets {counted(allowed, 'pod')} be evicted now", fine=True)
    failed = condition(budget, "DisruptionAllowed") or {}
    if failed.get("reason") == "SyncFailed":
        return Verdict("lets no pod be evicted", because=(sentence(str(failed.get("message", ""))),))
    if not total:
        return Verdict("has no pods to watch over", because=("Its selector matches none that count.",))
    because = f"{healthy} of its {counted(total, 'pod')} {do(healthy, 'is', 'are')} healthy, and {needed} have to be."
    return Verdict("lets no pod be evicted", because=(because,), below=tuple(pod for pod in facts.all("pods") if not is_ready(pod)))


def _explain_quota(quota: Object, _facts: Facts) -> Verdict:
    hard, used = get_path(quota, "status.hard") or {}, get_path(quota, "status.used") or {}
    if not hard:
        return Verdict("waits for its controller", because=("Nobody has counted what is used of it yet.",))
    full = [name for name in sorted(hard) if quantity.of(used.get(name, "0")).number >= quantity.of(hard[name]).number]
    if not full:
        return Verdict("leaves something of everything", fine=True)
    told = tuple(f"All of {name} is used: {used.get(name, '0')} of {hard[name]}." for name in full)
    return Verdict("lets no more of something be made", because=told)


AUTOSCALER = Explainer(_explain_autoscaler)
BUDGET = Explainer(_explain_budget, _budget_wanted)
QUOTA = Explainer(_explain_quota)
