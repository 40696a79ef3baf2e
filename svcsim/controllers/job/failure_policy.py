"""A job's pod failure policy: what the way in which a pod failed means for the job."""

from typing import NamedTuple

from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object


class Ruling(NamedTuple):
    """What the first rule says that fits: an action, empty where none does, and why, where the job fails by it."""

    action: str = ""
    why: str = ""

    @property
    def counts(self) -> bool:
        """Whether the failure goes into the count."""
        return self.action != "Ignore"


def ruling(job: Object, pod: Object) -> Ruling:
    """What the job's policy says about a pod that has failed."""
    for number, rule in enumerate((job["spec"].get("podFailurePolicy") or {}).get("rules") or ()):
        if rule.get("onExitCodes") is not None:
            found = _ended_so(pod, rule["onExitCodes"])
        else:
            found = _has_condition(pod, rule.get("onPodConditions") or [])
        if found:
            return Ruling(rule["action"], f"{found} matching {rule['action']} rule at index {number}")
    return Ruling()


def _ended_so(pod: Object, wanted: Object) -> str:
    """The container that ended as a rule wants it, in words; empty if there is none."""
    status = pod.get("status") or {}
    for one in [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]:
        terminated = (one.get("state") or {}).get("terminated")
        if terminated is None or wanted.get("containerName") not in {None, one["name"]}:
            continue
        code = terminated.get("exitCode") or 0
        if code != 0 and (code in (wanted.get("values") or ())) == (wanted["operator"] == "In"):
            return f"Container {one['name']} for pod {namespace_of(pod)}/{name_of(pod)} failed with exit code {code}"
    return ""


def _has_condition(pod: Object, patterns: list[Object]) -> str:
    """The condition of a pod that a rule wants, in words; empty if there is none."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        for pattern in patterns:
            if condition["type"] == pattern["type"] and condition.get("status") == pattern.get("status", "True"):
                return f"Pod {namespace_of(pod)}/{name_of(pod)} has condition {condition['type']}"
    return ""
