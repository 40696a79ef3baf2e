"""Pods that were to go and stayed: after a while they are no longer said to be the target of a disruption.

Who evicts a pod says so on it first and deletes it then; where the deletion didn't come about, what was said has become wrong. Of pods
that their own node ends nothing is taken back, for that may take any time, nor of those that have finished.
"""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition, is_terminating
from svcsim.meta.pods import is_finished
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

STALE_S = 120.0
"""How long a pod may be said to be a target without being deleted."""
_TARGET = "DisruptionTarget"
_BY_ITS_NODE = "TerminationByKubelet"


class StaleDisruptionController(Controller):
    """Takes back what is said of pods that stayed."""

    def __init__(self, context: ControllerContext) -> None:
        self._api = context.client.resource("v1", "pods")
        self._pods = context.informers.cache("v1", "pods")
        super().__init__("stale disruption controller", context.clock, (Source(self._pods, _targets),))

    async def reconcile(self, key: ObjectKey) -> None:
        cached = self._pods.get(key.name, key.namespace)
        since = None if cached is None else _said_since(cached)
        if since is None:
            return
        left_s = since + STALE_S - self.clock.now()
        if left_s > 0:
            self.queue.add_after(key, left_s)
            return
        pods = self._api.within(key.namespace)
        pod = await pods.get(key.name)
        if _said_since(pod) != since:
            return  # its change has this pod looked at again
        taken_back = {"type": _TARGET, "status": "False", "lastTransitionTime": self.clock.timestamp()}
        conditions = [taken_back if one["type"] == _TARGET else one for one in pod["status"]["conditions"]]
        version = {"resourceVersion": pod["metadata"]["resourceVersion"]}
        await pods.patch(key.name, {"metadata": version, "status": {"conditions": conditions}}, subresource="status")


def _targets(change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return () if change == "DELETED" or _said_since(pod) is None else (object_key(pod),)


def _said_since(pod: Object) -> float | None:
    """Since when a pod is said to be a target, though nothing deletes it; None of any other."""
    target = condition(pod, _TARGET)
    if target is None or target["status"] != "True" or target.get("reason") == _BY_ITS_NODE or is_terminating(pod) or is_finished(pod):
        return None
    since: str | None = target.get("lastTransitionTime")
    return parse_time(since) if since else 0.0
