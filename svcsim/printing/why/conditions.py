"""What conditions say of an object whatever kind it is: custom resources above all."""

from svcsim.meta.objects import condition, get_path, metadata_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, sentence

_BAD_WHEN_TRUE = (
    "failed", "failure", "failing", "degraded", "stalled", "error", "pressure", "unavailable", "conflict", "deadlock", "lost",
    "dangling", "denied", "expired", "limited", "nonstructuralschema", "terminating",
)  # fmt: skip
"""How the names of conditions end that tell of something bad when they are true; all others are good when they are."""
_NEUTRAL = ("progressing", "reconciling", "suspended", "paused")
_MAIN = ("ready", "available", "established", "succeeded", "complete", "healthy")


def is_bad(one: Object) -> bool:
    """Whether a condition tells of something that isn't as it should be."""
    kind, status = str(one.get("type", "")).lower(), str(one.get("status", ""))
    if kind in _NEUTRAL:
        return False
    return status == "True" if kind.endswith(_BAD_WHEN_TRUE) else status != "True"


def in_words(one: Object) -> str:
    """A sentence: ``Ready is False: NoSecret: there is no secret.``."""
    told = ": ".join(filter(None, (str(one.get("reason") or ""), str(one.get("message") or ""))))
    return sentence(f"{one.get('type', '')} is {one.get('status', '')}{f': {told}' if told else ''}")


def taken_away(pod: Object) -> list[str]:
    """By whom and what for a pod is made to go: preemption, eviction, a taint. Nothing of other objects."""
    target = condition(pod, "DisruptionTarget") if pod.get("kind") == "Pod" else None
    if target is None or target.get("status") != "True":
        return []
    return [sentence(f"It was taken away: {target.get('message') or target.get('reason', '')}")]


def explain_by_conditions(obj: Object, facts: Facts) -> Verdict:
    listed = get_path(obj, "status.conditions")
    conditions = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    phase = get_path(obj, "status.phase") or get_path(obj, "status.state")
    said = f" (it says: {phase})" if isinstance(phase, str) and phase else ""
    if not conditions:
        if said:
            return Verdict(f"is there{said}", fine=True)
        if any(event.get("type") == "Warning" for event in facts.events):
            return Verdict("is there; it has no conditions, but there were warnings about it")
        return Verdict("is there; it has no conditions, so nothing else is known of its state", fine=True)
    observed, generation = get_path(obj, "status.observedGeneration"), metadata_of(obj).get("generation", 0)
    behind = ("Its conditions are older than its last change.",) if isinstance(observed, int) and observed < generation else ()
    bad = [one for one in conditions if is_bad(one)]
    if bad or behind:
        main = next((one for one in bad if str(one.get("type", "")).lower() in _MAIN), None)
        state = f"isn't {str(main['type']).lower()}" if main else "isn't as it should be"
        return Verdict(f"{state}{said}", because=(*map(in_words, bad), *behind))
    good = next((one for one in conditions if str(one.get("type", "")).lower() in _MAIN), conditions[0])
    return Verdict(f"is as it should be: {good.get('type', '')} is {good.get('status', '')}{said}", fine=True)


BY_CONDITIONS = Explainer(explain_by_conditions)
