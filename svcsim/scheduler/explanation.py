"""Why a pod is where it is, or nowhere: node by node which filter refuses it and why, and what each score gives the others.

The same filters and scores are asked as for a real try, of all nodes and not only of enough of them, and nothing is changed by it. A pod
that has a place is looked at as if it had none yet.
"""

from collections.abc import Collection

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.clock import Clock, format_time
from svcsim.meta.types import Object
from svcsim.scheduler.cycle import Cycle, Known, Tallies
from svcsim.scheduler.explain import NO_NODES, NOT_NAMED
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.node_rules import NODE_AFFINITY_FILTER
from svcsim.scheduler.pod import PodInfo, read_pod
from svcsim.scheduler.questions import Questions
from svcsim.scheduler.queue import SchedulingQueue
from svcsim.scheduler.rules import Refusal, Rejection
from svcsim.scheduler.scoring import Points, all_points
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Steps, Turn, in_turns
from svcsim.scheduler.unplaced import unplaceable

_QUEUES = {"active": "about to be tried", "trying": "being placed", "backoff": "waiting out a back-off", "parked": "unschedulable"}


class Explainer:
    """Explains where pods could go, and why."""

    def __init__(
        self, snapshot: Snapshot, queue: SchedulingQueue, known: Known, client: Client, clock: Clock, names: Collection[str]
    ) -> None:
        self._snapshot = snapshot
        self._queue = queue
        self._known = known
        self._client = client
        self._clock = clock
        self._names = names

    async def explain(self, namespace: str, name: str) -> Object:
        """All there is to say about one pod. Raises `StatusError` 404 where it isn't there."""
        obj = await self._client.resource("v1", "pods", namespace).get(name)
        pod = read_pod(obj)
        nodes, message = await in_turns(self._nodes(pod), self._clock)
        gates = [gate["name"] for gate in (obj.get("spec") or {}).get("schedulingGates") or ()]
        told: Object = {
            "kind": "ScheduleExplanation",
            "apiVersion": "svcsim/v1",
            "pod": {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
            "schedulerName": pod.scheduler,
            "served": pod.scheduler in self._names,
            "state": _state(obj, pod),
            "priority": pod.needs.priority,
            "nodeName": pod.node_name,
            "nominatedNodeName": self._snapshot.nomination(pod.key) or pod.nominated,
            "schedulingGates": gates,
            "queue": self._in_queue(pod),
            "message": message,
            "nodes": nodes,
        }
        return {field: value for field, value in told.items() if value not in ("", None) or field == "message"}

    def _in_queue(self, pod: PodInfo) -> Object | None:
        waiting = self._queue.get(pod.key)
        if waiting is None or waiting.pod.uid != pod.uid:
            return None
        told: Object = {"state": _QUEUES[waiting.place], "attempts": waiting.attempts}
        if waiting.place == "backoff":
            told["until"] = format_time(waiting.ready_at)
        if waiting.place == "parked":
            told["refusedBy"] = [rule.name for rule in waiting.refused_by]
        return told

    def _nodes(self, pod: PodInfo) -> Steps[tuple[list[Object], str]]:
        """The verdict on each node; and, if none can take the pod, the message that says so."""
        snapshot = self._snapshot.without(pod.key)
        if not snapshot.nodes:
            return [], NO_NODES
        questions = Questions(Cycle(pod, snapshot, self._known, Tallies(), Turn()))
        cycle, named = questions.cycle, pod.needs.pinned_to
        yield from cycle.count()
        refused: list[tuple[NodeInfo, Refusal]] = []
        fitting: list[NodeInfo] = []
        for node in snapshot.nodes if named is None else [node for node in snapshot.nodes if node.name in named]:
            one = questions.refusal(node)
            if one is None:
                fitting.append(node)
            else:
                refused.append((node, one))
            if cycle.turn.is_over(questions.steps):
                yield
        told = {node.name: _refusing(node, one.filter.name, one.rejection) for node, one in refused}
        if fitting:
            points = yield from all_points(cycle, fitting)
            told |= {node.name: _fitting(node, at, points) for at, node in enumerate(fitting)}
            message = ""
        else:
            message = (yield from unplaceable(questions, refused, self._snapshot.nomination(pod.key), Chance(0))).message
        return [told.get(node.name) or _refusing(node, NODE_AFFINITY_FILTER.name, _NOT_NAMED) for node in snapshot.nodes], message


_NOT_NAMED = Rejection((NOT_NAMED,), preemption_may_help=False)


def _refusing(node: NodeInfo, rule: str, why: Rejection) -> Object:
    may_help = why.preemption_may_help
    return {"name": node.name, "fits": False, "filter": rule, "reasons": list(why.reasons), "preemptionMayHelp": may_help}


def _fitting(node: NodeInfo, at: int, points: list[Points]) -> Object:
    scores = {given.score.name: given.values[at] for given in points}
    return {"name": node.name, "fits": True, "score": sum(scores.values()), "scores": scores}


def _state(obj: Object, pod: PodInfo) -> str:
    if pod.finished:
        return "Finished"
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    if pod.node_name:
        return "Placed"
    return "Gated" if pod.needs.gated else "Pending"
