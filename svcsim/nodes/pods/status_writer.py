"""Writing what becomes of pods: their statuses, their events, and the final delete.

What is to be written is worked out from a pod's run at the moment of writing.
"""

from svcsim.client.cache import Cache
from svcsim.client.retry import retry_on_conflict
from svcsim.clock import Clock
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.types import Object
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.node_room import NodeRoom
from svcsim.nodes.pods.status_form import arranged
from svcsim.nodes.pods.tracked_pod import TrackedPod


class StatusWriter:
    """Writes to the API in the names of the pods' nodes."""

    def __init__(self, clock: Clock, namespaces: Cache, faults: Faults, room: NodeRoom) -> None:
        self._clock = clock
        self._namespaces = namespaces
        self._faults = faults
        self._room = room

    def is_overwritten(self, tracked: TrackedPod, pod: Object) -> bool:
        """Whether another client has put something in the place of what the pod's node last said of it."""
        run = tracked.run
        if not tracked.written or pod["metadata"]["resourceVersion"] == tracked.version or run.starting or run.termination.is_deleted:
            return False
        if self._faults.node_down(tracked.machine.name):
            return False
        told = pod.get("status") or {}
        if told == tracked.sent:
            return False
        return any(told.get(name) != value for name, value in tracked.status_of(pod, self._clock.timestamp()).items())

    def emit_events(self, tracked: TrackedPod) -> None:
        """Record what has happened to a pod; in a namespace that is going no event would be taken."""
        reports, events = tracked.run.events.take(), tracked.machine.events
        if not reports:
            return
        namespace = self._namespaces.get(tracked.run.identity.namespace)
        if namespace is None or not is_terminating(namespace):
            about = tracked.reference
            for report in reports:
                say = events.normal if report.kind == "Normal" else events.warning
                say(about, report.reason, report.message, report.field_path)

    async def write(self, tracked: TrackedPod) -> None:
        """Write the status, if it isn't what was written last."""
        run, pods = tracked.run, tracked.collection

        async def write() -> None:
            if tracked.pod is None:
                tracked.pod = await self.read(tracked)  # another has changed it
            if tracked.pod is None or uid_of(tracked.pod) != run.identity.uid:
                return
            pod = tracked.pod
            status = tracked.status_of(pod, self._clock.timestamp())
            digest = hash(encode(status))
            if digest == tracked.written:
                return
            whole = arranged({**(pod.get("status") or {}), **status})
            tracked.sent = whole
            patch = {"metadata": {"resourceVersion": pod["metadata"]["resourceVersion"]}, "status": whole}
            try:
                version = await pods.hand_over_patch(run.identity.name, patch, "status")
            except StatusError as error:
                if error.code == 409:
                    tracked.pod = None
                if error.code != 404:
                    raise
            else:
                tracked.written, tracked.version = digest, version
                tracked.pod = {**pod, "metadata": {**pod["metadata"], "resourceVersion": version}, "status": whole}
                if tracked.resized and not run.finished:
                    tracked.resized = run.allocation.resize is not None
                    self._room.take(tracked, tracked.pod)

        await retry_on_conflict(write)

    async def read(self, tracked: TrackedPod) -> Object | None:
        """The pod as it is stored now; None if it is gone."""
        run = tracked.run
        pod = await tracked.collection.find(run.identity.name)
        return pod if pod is not None and uid_of(pod) == run.identity.uid else None

    async def delete(self, tracked: TrackedPod) -> None:
        """Nothing of the pod is left on its node: the object may go."""
        tracked.deleted = True
        tracked.pod = None
        run = tracked.run
        try:
            await tracked.collection.remove(run.identity.name, grace_period_s=0, uid=run.identity.uid)
        except StatusError as error:
            if error.code not in {404, 409}:
                tracked.deleted = False
                raise
