"""Pods: from no node to ready."""

from svcsim.dialect import Dialect
from svcsim.meta.mistakes import INVALID_REASON
from svcsim.meta.objects import condition, condition_is, name_of
from svcsim.meta.pods import is_finished, is_ready, node_of, phase_of
from svcsim.meta.taints import NO_EXECUTE, taints_of, tolerated_s, tolerations_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.nodes.annotation_mistakes import annotation_mistakes
from svcsim.printing.why.conditions import taken_away
from svcsim.printing.why.containers import troubles
from svcsim.printing.why.known import failure_of, lives_by_stages
from svcsim.printing.why.scheduling import explain_unscheduled, wanted_before_node
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, counted, sentence


def _wanted(pod: Object, _dialect: Dialect) -> list[Wanted]:
    if is_finished(pod):
        return []
    return [Wanted("node", f"/api/v1/nodes/{node_of(pod)}")] if node_of(pod) else wanted_before_node(pod)


def explain_pod(pod: Object, facts: Facts) -> Verdict:
    verdict = _explain(pod, facts)
    return verdict._replace(because=(*verdict.because, *_passed_over(pod, facts)))


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
        restarted = f", after {counted(restarts, 'restart')}" if restarts else ""
        return Verdict(f"is running and ready{restarted}", fine=True, then=(*_eviction(pod, facts.one("node")), *_deadline(pod)))
    return _unready(pod, facts)


def _failed_unnoticed(facts: Facts) -> Object | None:
    """The pod's node, where that has failed and still counts as ready."""
    node = facts.one("node")
    return node if node is not None and failure_of(facts) is not None and condition_is(node, "Ready") else None


def _failed(pod: Object, facts: Facts) -> Verdict:
    status = pod.get("status") or {}
    reason, message = status.get("reason", ""), status.get("message", "")
    because = [sentence(f"{reason}: {message}" if reason and message else reason or message)] if reason or message else []
    because += taken_away(pod)
    for trouble in troubles(pod, facts):
        because += trouble.because
    return Verdict("has failed", because=tuple(because))


def _unready(pod: Object, facts: Facts) -> Verdict:
    status = pod.get("status") or {}
    staged = lives_by_stages(facts)
    found = list(troubles(pod, facts)) if status.get("containerStatuses") or not staged else []
    because = [line for trouble in found for line in trouble.because]
    then = [coming for trouble in found for coming in trouble.then]
    state = found[0].state if found else "runs, but isn't ready"
    if not found:
        because += [sentence(str(one.get("message") or one.get("reason", ""))) for one in _gates_left(pod)]
    node = facts.one("node")
    if facts.is_missing("node"):
        state, because = "is on a node that isn't there any more", [f"Nobody knows how it is: its node {node_of(pod)} is gone."]
        return Verdict(state, because=tuple(because), then=(Coming("it is deleted, as pods of nodes that are gone are"),))
    if node is not None and not condition_is(node, "Ready"):
        state, because = "is on a node that isn't ready", [f"Nobody knows how it is: its node {name_of(node)} isn't ready.", *because]
        return Verdict(state, because=tuple(because), then=_eviction(pod, node), below=(node,))
    if staged:
        state = found[0].state if found else "runs, but isn't ready" if phase_of(pod) == "Running" else "hasn't begun to run yet"
    elif not status.get("startTime"):
        state, because = "waits for its node", [f"{node_of(pod)} has been given it and hasn't begun with it yet."]
    return Verdict(state, because=tuple(dict.fromkeys(because)), then=(*then, *_deadline(pod)))


def _eviction(pod: Object, node: Object | None) -> tuple[Coming, ...]:
    """When it has stayed on a node for as long as it tolerates the taints that are to drive it away; of those of users nobody says when."""
    if node is None:
        return ()
    taints = [taint for taint in taints_of(node) if taint.effect == NO_EXECUTE]
    stays_s = tolerated_s(taints, tolerations_of(pod.get("spec") or {}))
    added = [one["timeAdded"] for one in (node.get("spec") or {}).get("taints") or () if one.get("timeAdded")]
    if stays_s is None:
        return ()
    if len(added) < len(taints):
        named = " and ".join(taint.key for taint in taints)
        return (Coming(f"it is evicted once it has been there for {human_duration(stays_s)} since its node got the taint {named}"),)
    return (Coming("it is evicted, having stayed as long as it tolerates that", max(map(parse_time, added)) + stays_s),)


def _gates_left(pod: Object) -> list[Object]:
    """The conditions that keep it from being ready though all its containers are."""
    ready = condition(pod, "Ready")
    return [ready] if ready is not None and ready.get("reason") == "ReadinessGatesNotReady" else []


def _deadline(pod: Object) -> tuple[Coming, ...]:
    longest_s, started = (pod.get("spec") or {}).get("activeDeadlineSeconds"), (pod.get("status") or {}).get("startTime")
    if longest_s is None or not started:
        return ()
    return (Coming("it is ended, having run as long as it may", parse_time(started) + longest_s),)


POD = Explainer(explain_pod, _wanted)
