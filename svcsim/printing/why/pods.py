"""Pods: from no node to ready."""

from collections.abc import Iterator

from svcsim.dialect import Dialect
from svcsim.meta.mistakes import INVALID_REASON
from svcsim.meta.objects import condition, condition_is, metadata_of, name_of
from svcsim.meta.pods import is_finished, is_ready, node_of, phase_of
from svcsim.meta.taints import NO_EXECUTE, Taint, taints_of, tolerated_s, tolerations_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.annotation_mistakes import annotation_mistakes
from svcsim.printing.why.conditions import in_words, taken_away
from svcsim.printing.why.containers import awaits_ephemeral, done_with, restarted, said_to_end, troubles, troubles_beside
from svcsim.printing.why.known import failure_of, may_live_by_stages
from svcsim.printing.why.places import is_unheard_of
from svcsim.printing.why.pod_volumes import unattached, wanted_for_volumes
from svcsim.printing.why.scheduling import explain_unscheduled, wanted_before_node
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, counted, do, listed, sentence

_PENDING = {
    "Deferred": "Its node has no room for the resize yet, and looks again (Deferred)",
    "Infeasible": "Its node can't give it what the resize asks for (Infeasible)",
}
"""What is said of a resize that hasn't begun, by its reason."""
_OF_READINESS = ("Initialized", "ContainersReady", "Ready")
_OF_CONTAINERS = ("ContainersNotInitialized", "ContainersNotReady", "ReadinessGatesNotReady", "PodCompleted")
"""Reasons by which such conditions only repeat what the containers show."""


def _wanted(pod: Object, dialect: Dialect) -> list[Wanted]:
    if is_finished(pod):
        return []
    if not node_of(pod):
        return wanted_before_node(pod, dialect)
    return [Wanted("node", f"/api/v1/nodes/{node_of(pod)}"), *wanted_for_volumes(pod, dialect)]


def explain_pod(pod: Object, facts: Facts) -> Verdict:
    verdict = _explain(pod, facts)
    resizing = tuple(_resizing(pod)) if node_of(pod) and not is_finished(pod) else ()
    return verdict._replace(
        fine=verdict.fine and not any(_is_held_up(one) for one in _resizes(pod)),
        because=(*verdict.because, *resizing, *_passed_over(pod, facts)),
    )


def _resizes(pod: Object) -> list[Object]:
    """The conditions that tell of a resize."""
    found = [condition(pod, kind) for kind in ("PodResizePending", "PodResizeInProgress")]
    return [one for one in found if one is not None and one.get("status") == "True" and not is_finished(pod)]


def _is_held_up(resize: Object) -> bool:
    return resize.get("type") == "PodResizePending" or resize.get("reason") == "Error"


def _resizing(pod: Object) -> Iterator[str]:
    """What is to be said of a change of the resources that its containers have."""
    for one in _resizes(pod):
        reason, told = str(one.get("reason") or ""), sentence(str(one.get("message") or ""))
        if one["type"] == "PodResizePending":
            said = _PENDING.get(reason, f"Its resize hasn't begun{f' ({reason})' if reason else ''}")
        else:
            said = "Its resize is under way, and has failed so far" if reason == "Error" else "Its resize is under way"
        yield f"{said}: {told}" if told else f"{said}."


def _passed_over(pod: Object, facts: Facts) -> list[str]:
    """What its node has told of annotations that count for nothing, and that it still has."""
    told = [str(event.get("message", "")) for event in facts.events if event.get("reason") == INVALID_REASON]
    return [sentence(text) for text in annotation_mistakes(pod) if any(text in message for message in told)] if told else []


def _explain(pod: Object, facts: Facts) -> Verdict:
    phase = phase_of(pod)
    if phase == "Succeeded":
        return Verdict("has run to its end", fine=True)
    if phase == "Failed":
        return _failed(pod, facts)
    if not node_of(pod):
        return explain_unscheduled(pod, facts)
    if (unnoticed := _failed_unnoticed(facts)) is not None:
        said = "what its own status says is of before"
        because = f"Its node {name_of(unnoticed)} has failed, and nobody has noticed yet: {said}."
        return Verdict("is on a node that has failed", because=(because,), below=(unnoticed,))
    if is_ready(pod) and not facts.is_missing("node"):
        restarts = sum(one.get("restartCount", 0) for one in (pod.get("status") or {}).get("containerStatuses") or ())
        state = f"is running and ready, after {counted(restarts, 'restart')}" if restarts else "is running and ready"
        beside = list(troubles_beside(pod, facts))
        told = (*restarted(pod, facts), *(line for trouble in beside for line in trouble.because))
        tried = (coming for trouble in beside for coming in trouble.then)
        then = (*tried, *said_to_end(pod, facts), *_eviction(pod, facts.one("node"), facts), *_deadline(pod))
        return Verdict(state, fine=not awaits_ephemeral(pod, facts), because=told, then=then)
    return _unready(pod, facts)


def _failed_unnoticed(facts: Facts) -> Object | None:
    """The pod's node, where that has failed and still counts as ready."""
    node = facts.one("node")
    return node if node is not None and failure_of(facts) is not None and condition_is(node, "Ready") else None


def _failed(pod: Object, facts: Facts) -> Verdict:
    status = pod.get("status") or {}
    reason, message = status.get("reason", ""), status.get("message", "")
    because = [sentence(f"{reason}: {message}" if reason and message else reason or message)] if reason or message else []
    because += [text for text in taken_away(pod) if not message or sentence(message) not in text]
    for trouble in troubles(pod, facts):
        because += trouble.because
    return Verdict("has failed", because=tuple(because))


def _unready(pod: Object, facts: Facts) -> Verdict:
    status = pod.get("status") or {}
    staged = may_live_by_stages(facts)
    found = list(troubles(pod, facts)) if status.get("containerStatuses") or not staged else []
    told = (*found, *troubles_beside(pod, facts))
    because = [line for trouble in told for line in trouble.because]
    then = [coming for trouble in told for coming in trouble.then]
    state = found[0].state if found else "runs, but isn't ready"
    if not found:
        because += [*_gates_left(pod), *done_with(pod)]
    because += _told_besides(pod)
    node = facts.one("node")
    if facts.is_missing("node"):
        state, because = "is on a node that isn't there any more", [f"Nobody knows how it is: its node {node_of(pod)} is gone."]
        return Verdict(state, because=tuple(because), then=(Coming("it is deleted, as pods of nodes that are gone are"),))
    if node is not None and not condition_is(node, "Ready"):
        state, because = "is on a node that isn't ready", _on_unready(node, because)
        return Verdict(state, because=tuple(because), then=_eviction(pod, node, facts), below=(node,))
    if staged:
        state = found[0].state if found else "runs, but isn't ready" if phase_of(pod) == "Running" else "hasn't begun to run yet"
    elif not status.get("startTime"):
        state, because = "waits for its node", [f"{node_of(pod)} has been given it and hasn't begun with it yet."]
    waiting, ends = unattached(pod, facts), said_to_end(pod, facts)
    if waiting:
        because.append(f"{counted(len(waiting), 'volume')} that it mounts {do(len(waiting), 'is', 'are')} yet to be attached to its node.")
    return Verdict(state, because=tuple(because), then=(*dict.fromkeys(then), *ends, *_deadline(pod)), below=tuple(waiting))


def _on_unready(node: Object, because: list[str]) -> list[str]:
    """What is to be said of a pod whose node isn't ready: where nobody hears of that, what was told of the pod is of before."""
    if not is_unheard_of(node):
        return [f"Its node {name_of(node)} isn't ready.", *because]
    return [f"Nobody knows how it is: its node {name_of(node)} isn't ready.", *(f"Last heard: {text}" for text in because)]


def _eviction(pod: Object, node: Object | None, facts: Facts) -> tuple[Coming, ...]:
    """When it has stayed on a node for as long as it tolerates the taints that are to drive it away; of those of users nobody says when."""
    if node is None:
        return ()
    tolerations = tolerations_of(pod.get("spec") or {})
    taints = [taint for taint in taints_of(node) if taint.effect == NO_EXECUTE]
    stays_s = tolerated_s(taints, tolerations)
    if stays_s is None:
        return ()
    driving = {taint: seconds for taint in taints if (seconds := tolerated_s([taint], tolerations)) is not None}
    named = listed([taint.key for taint, seconds in driving.items() if seconds == stays_s])
    if not stays_s:
        return (Coming(f"it is evicted, as it doesn't tolerate the taint {named} of its node"),)
    met = [_met_at(pod, node, taint, facts) for taint in driving]
    known = [at for at in met if at is not None]
    if len(known) < len(met):
        return (Coming(f"it is evicted once it and the taint {named} have been on its node together for {human_duration(stays_s)}"),)
    return (Coming("having stayed as long as it tolerates that, it is evicted", min(known) + stays_s),)  # counted from the first of them


def _met_at(pod: Object, node: Object, taint: Taint, facts: Facts) -> float | None:
    """Since when a pod has been on a node with a taint, where that is known."""
    taints = (node.get("spec") or {}).get("taints") or ()
    added = next((one.get("timeAdded") for one in taints if (one.get("key"), one.get("effect")) == (taint.key, taint.effect)), None)
    came = (condition(pod, "PodScheduled") or {}).get("lastTransitionTime") or metadata_of(pod).get("creationTimestamp")
    added_at, came_at = facts.past(added), facts.past(came)
    return None if added_at is None or (came and came_at is None) else max(added_at, came_at or 0.0)


def _gates_left(pod: Object) -> Iterator[str]:
    """The readiness gates that keep it from being ready though all its containers are."""
    for gate in (pod.get("spec") or {}).get("readinessGates") or ():
        kind = str(gate.get("conditionType", ""))
        found = condition(pod, kind)
        if found is None:
            yield f"Its readiness gate {kind} is closed: nobody has set that condition of it."
        elif found.get("status") != "True":
            yield f"Its readiness gate {kind} is closed: {in_words(found)}"


def _told_besides(pod: Object) -> Iterator[str]:
    """Why it isn't ready by its conditions, if they say more than its containers and gates, such as those written by stages."""
    told = {(one.get("reason"), one.get("message")): one for kind in _OF_READINESS if (one := condition(pod, kind)) is not None}
    for (reason, message), one in told.items():
        if one.get("status") != "True" and (reason or message) and reason not in _OF_CONTAINERS:
            yield in_words(one)


def _deadline(pod: Object) -> tuple[Coming, ...]:
    longest_s, started = (pod.get("spec") or {}).get("activeDeadlineSeconds"), (pod.get("status") or {}).get("startTime")
    if longest_s is None or not started:
        return ()
    return (Coming("having run as long as it may (activeDeadlineSeconds), it is ended", parse_time(started) + longest_s),)


POD = Explainer(explain_pod, _wanted)
