"""Which pod, and which of its containers, a command is about that names a pod, or a workload or service that has some."""

from typing import TextIO

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.arguments import parse_targets
from svcsim.cli.shared.following import LISTED, Collection, follow, revision_of
from svcsim.cli.shared.listing import typed_items
from svcsim.cli.shared.paused_clock import tell_if_paused
from svcsim.cli.shared.session import Session
from svcsim.meta.objects import annotations_of, condition, get_path, gvk_of, is_terminating, metadata_of, name_of, namespace_of
from svcsim.meta.pods import CONTAINERS, is_ready, node_of, phase_of
from svcsim.meta.types import Object

_SAYS_WHICH = ("get the logs from",)
"""What is said to be done with one of several pods."""


def pod_meant(session: Session, word: str, timeout_s: float, kind: str = "pods") -> tuple[Object, Object]:
    """The object that NAME or TYPE/NAME names, and the pod that is meant by it, for which it waits where there is none yet.

    Raises `CommandError` and `StatusError`.
    """
    target = parse_targets(session.discovery, [word] if "/" in word else [kind, word]).items[0]
    obj = session.get(target.resource.path(session.namespace, target.name))
    return obj, pod_of(session, obj, timeout_s)


def pod_of(session: Session, obj: Object, timeout_s: float) -> Object:
    """The pod that is meant by an object."""
    return obj if gvk_of(obj).kind == "Pod" else pods_of_workload(session, obj, "attach to", timeout_s)[0]


def _go_type(obj: Object) -> str:
    gvk = gvk_of(obj)
    return f"*{gvk.version}.{gvk.kind}"


def _no_selector(obj: Object) -> str:
    """Why an object selects no pods."""
    if gvk_of(obj).kind == "Service":
        return f"invalid service '{name_of(obj)}': Service is defined without a selector"
    return f"selector for {_go_type(obj)} not implemented"


def pods_of_workload(session: Session, workload: Object, doing: str, timeout_s: float, *, everyone: bool = False) -> list[Object]:
    """The pods of a workload or a service: the one that has most to tell, or everyone; where there is none, the first to come.

    Raises `CommandError`, also where none has come when the time is over.
    """
    selector = get_path(workload, "spec.selector") or {}
    from svcsim.printing.texts import selector_text

    shape = selector if "matchLabels" in selector or "matchExpressions" in selector else {"matchLabels": selector}
    if not selector:
        raise CommandError(f"cannot {doing} {_go_type(workload)}: {_no_selector(workload)}")
    selected = Collection(session.discovery.find("pods"), namespace_of(workload), selector_text(shape))
    pages = selected.pages(session)
    pods = [pod for page in pages for pod in typed_items(page)] or [_first_to_come(session, selected, revision_of(pages[-1]), timeout_s)]
    if everyone:
        return pods
    pods.sort(key=_least_telling)
    if len(pods) > 1 and doing in _SAYS_WHICH:
        session.err.write(f"Found {len(pods)} pods, using pod/{name_of(pods[0])}\n")
    return pods[:1]


def _first_to_come(session: Session, selected: Collection, since: str, timeout_s: float) -> Object:
    tell_if_paused(session)
    for change in follow(session, selected, since, seconds=timeout_s, patience_s=timeout_s):
        if change.type in ("ADDED", "MODIFIED"):
            return change.object
        for pod in typed_items(change.object) if change.type == LISTED else ():
            return pod
    raise CommandError("timed out waiting for the condition")


def _least_telling(pod: Object) -> tuple[bool, int, bool, bool, str, int, str]:
    """The order in which kubectl looks for a pod with something to tell: placed, running, ready and that for long, restarted often, old.

    Of those that are ready, what is on its way out comes last: after a rollout it was ready longest, and may be gone before it is asked.
    """
    ready = condition(pod, "Ready") or {}
    restarts = max((status.get("restartCount", 0) for status in get_path(pod, "status.containerStatuses") or []), default=0)
    return (
        not node_of(pod),
        {"Running": 0, "Unknown": 1, "Pending": 2}.get(phase_of(pod), 0),
        not is_ready(pod),
        is_terminating(pod),
        ready.get("lastTransitionTime", "") if is_ready(pod) else "",
        -restarts,
        metadata_of(pod).get("creationTimestamp", ""),
    )


def default_container(session: Session, pod: Object, *, quiet: bool = False, told: TextIO | None = None) -> str:
    """The container that is meant where none is named, which is said where there are others, on standard error without other word.

    Raises `CommandError`.
    """
    spec = pod.get("spec") or {}
    by_sort = {sort: [container["name"] for container in spec.get(sort) or []] for sort in CONTAINERS}
    marked: str = next(
        (value for key, value in annotations_of(pod).items() if key.startswith("kubectl.") and key.endswith("/default-container")), ""
    )
    if marked:
        return marked
    if not by_sort["containers"]:
        raise CommandError(f"pod {namespace_of(pod)}/{name_of(pod)} does not have any containers")
    first: str = by_sort["containers"][0]
    if not quiet and sum(map(len, by_sort.values())) > 1:
        listed = (
            by_sort["containers"]
            + [f"{name} (ephem)" for name in by_sort["ephemeralContainers"]]
            + [f"{name} (init)" for name in by_sort["initContainers"]]
        )
        (told or session.err).write(f'Defaulted container "{first}" out of: {", ".join(listed)}\n')
    return first
