"""What a job reads from its pods, and the pods it makes."""

from typing import NamedTuple

from svcsim.client.pod_control import new_pod
from svcsim.controllers.job.words import Words
from svcsim.meta.objects import annotations_of, condition, finalizers_of, is_terminating, name_of
from svcsim.meta.pods import containers_of, deletion_asked_at, phase_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX = 58
"""Characters of a name that the server completes with five more."""


class Creation(NamedTuple):
    """A pod to be made. The counts are given where failures are counted by index."""

    completion_index: int | None = None
    failures: int | None = None
    ignored: int = 0


def is_indexed(job: Object) -> bool:
    return bool(job["spec"].get("completionMode") == "Indexed")


def replaces_failed_only(job: Object) -> bool:
    """Whether a pod that terminates is replaced, and counted, once it has come to its end."""
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or spec.get("podFailurePolicy") is not None


def is_tracked(pod: Object, words: Words) -> bool:
    return words.tracking in finalizers_of(pod)


def is_succeeded(pod: Object) -> bool:
    return phase_of(pod) == "Succeeded"


def is_failed(pod: Object, job: Object) -> bool:
    """Whether it counts as failed. A deleted pod does: it may never report how it ended."""
    if phase_of(pod) == "Failed":
        return True
    return is_terminating(pod) and not is_succeeded(pod) and not replaces_failed_only(job)


def index_of(pod: Object, words: Words) -> int | None:
    """The completion index; None where there is none that can be read."""
    text = annotations_of(pod).get(words.completion_index, "")
    return int(text) if text.isdecimal() else None


def failures_before(pod: Object, words: Words) -> int:
    """How often its index has failed before."""
    return _count(pod, words.failures)


def ignored_before(pod: Object, words: Words) -> int:
    """How often its index has failed in a way that doesn't count."""
    return _count(pod, words.ignored)


def _count(pod: Object, key: str) -> int:
    text = annotations_of(pod).get(key, "")
    return int(text) if text.isdecimal() else 0


def restarts_of(pod: Object) -> int:
    """How often its containers were restarted, all together."""
    status = pod.get("status") or {}
    statuses = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return sum(one.get("restartCount") or 0 for one in statuses)


def finished_at(pod: Object) -> float:
    """When it ended, as exactly as it is known."""
    metadata, status = pod["metadata"], pod.get("status") or {}
    ends: list[str] = [_end_of(container) for container in status.get("containerStatuses") or ()]
    if ends and all(ends):
        return max(map(parse_time, ends))
    if is_terminating(pod) and (asked := deletion_asked_at(pod)) is not None:
        return asked
    ready = condition(pod, "Ready")
    if ready is not None and ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return parse_time(ready["lastTransitionTime"])
    return parse_time(metadata["creationTimestamp"])


def _end_of(container: Object) -> str:
    """When it ended; empty where it hasn't, or that isn't known."""
    return ((container.get("state") or {}).get("terminated") or {}).get("finishedAt") or ""


def pod_of(job: Object, creation: Creation, words: Words) -> Object:
    """A pod as the job's template describes it, kept by the finalizer until it is counted."""
    pod = new_pod(job, job["spec"]["template"])
    metadata = pod["metadata"]
    metadata["finalizers"] = [*(name for name in metadata.get("finalizers") or () if name != words.tracking), words.tracking]
    if creation.completion_index is not None:
        _give_index(pod, name_of(job), creation.completion_index, words)
    if creation.failures is not None:
        metadata.setdefault("annotations", {})[words.failures] = str(creation.failures)
        if creation.ignored:
            metadata["annotations"][words.ignored] = str(creation.ignored)
    return pod


def _give_index(pod: Object, job_name: str, index: int, words: Words) -> None:
    """Name the index to the pod: in its name, its host's name, an annotation, a label and a variable of its containers."""
    metadata, suffix = pod["metadata"], f"-{index}-"
    metadata["generateName"] = f"{job_name[: _LONGEST_PREFIX - len(suffix)]}{suffix}"
    metadata.setdefault("annotations", {})[words.completion_index] = str(index)
    metadata.setdefault("labels", {})[words.completion_index] = str(index)
    pod["spec"]["hostname"] = f"{job_name}-{index}"
    variable = {"name": INDEX_VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{words.completion_index}']"}}}
    for container in containers_of(pod["spec"], ("initContainers", "containers")):
        if all(given.get("name") != INDEX_VARIABLE for given in container.get("env") or ()):
            container.setdefault("env", []).append(variable)
