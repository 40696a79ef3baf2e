"""The ReplicaSet controller: looks at a set and its pods, and does what `svcsim.controllers.replicaset.plan` says.

Pods are matched to sets by their controller reference; those without one are adopted if they fit. What was just created or deleted is
expected to be seen before anything more is done, so a cache that lags behind never leads to too many pods.
"""

import asyncio
from collections.abc import Awaitable, Callable

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import Cache, ObjectKey, by_controller, differs, key_of, orphans_by_namespace
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import claim, take
from svcsim.clock import Chance, Clock
from svcsim.controllers.replicaset.plan import (
    available_in,
    is_active,
    make_plan,
    make_status,
    new_pod,
    status_patch,
)
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import controller_of, is_terminating, labels_of, name_of, namespace_of, owner_references, uid_of
from svcsim.meta.selectors import from_object
from svcsim.meta.types import Object

_CONDITION_FIELDS = ("type", "status", "lastTransitionTime")


class ReplicaSetController:
    """Keeps every ReplicaSet at its number of pods."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:
        self._clock = clock
        self._dialect = dialect
        self._events = events
        self._pods_api = client.resource("v1", "pods")
        self._sets_api = client.resource("apps/v1", "replicasets")
        self._sets = Cache(self._sets_api, clock, chance.fork("sets"), indexers={"controller": by_controller})
        indexers = {"controller": by_controller, "orphans": orphans_by_namespace}
        self._pods = Cache(self._pods_api, clock, chance.fork("pods"), indexers=indexers, trim=_trim)
        self._expectations = Expectations(clock)
        self._loop = ControlLoop("replicaset controller", clock, self._reconcile, (self._sets, self._pods))
        self._sets.add_handler(self._set_changed)
        self._pods.add_handler(self._pod_changed)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._loop.run()

    def _set_changed(self, change: str, replica_set: Object, _before: Object | None) -> None:
        if change == "DELETED":
            self._expectations.forget(key_of(replica_set))
        self._loop.enqueue(replica_set)

    def _pod_changed(self, change: str, pod: Object, before: Object | None) -> None:
        if change == "MODIFIED" and before is not None and not differs(before, pod):
            return
        if before is not None and _controller_uid(before) != _controller_uid(pod):
            self._enqueue_owner(before)
        owner = self._owner(pod)
        if owner is not None:
            key = key_of(owner)
            if change == "ADDED":
                self._expectations.creation_seen(key)
            if change == "DELETED" or not is_active(pod):
                self._expectations.deletion_seen(key, uid_of(pod))
                self._loop.queue.add(key)
            else:
                # One more pod, or a readier one, only changes what is reported; pods come in crowds, so that waits a moment.
                self._loop.queue.add_after(key, limits.STATUS_BATCH_S)
        elif change != "DELETED" and controller_of(pod) is None:
            for replica_set in self._sets.all(namespace_of(pod)):
                if from_object(replica_set["spec"].get("selector")).matches(labels_of(pod)):
                    self._loop.enqueue(replica_set)

    def _owner(self, pod: Object) -> Object | None:
        reference = controller_of(pod)
        if reference is None or reference["kind"] != "ReplicaSet":
            return None
        owner = self._sets.get(reference["name"], namespace_of(pod))
        return owner if owner is not None and uid_of(owner) == reference["uid"] else None

    def _enqueue_owner(self, pod: Object) -> None:
        owner = self._owner(pod)
        if owner is not None:
            self._loop.enqueue(owner)

    async def _reconcile(self, key: ObjectKey) -> None:
        replica_set = self._sets.get(key.name, key.namespace)
        if replica_set is None:
            return
        expectations_met = self._expectations.met(key)
        candidates = self._pods.find("controller", uid_of(replica_set)) + self._pods.find("orphans", key.namespace)
        claimed = claim(replica_set, from_object(replica_set["spec"].get("selector")), candidates)
        mine = await take(self._sets_api, replica_set, self._pods_api, claimed)
        pods = [pod for pod in mine if is_active(pod)]
        failure: Object | None = None
        if expectations_met and not is_terminating(replica_set):
            failure = await self._manage(key, replica_set, pods)
        await self._report(key, replica_set, pods, failure)
        if failure is not None:
            raise StatusError(500, "", failure["message"])

    async def _manage(self, key: ObjectKey, replica_set: Object, pods: list[Object]) -> Object | None:
        """Make or delete pods; gives a ReplicaFailure condition where that failed."""
        wanted = replica_set["spec"].get("replicas", 1)
        plan = make_plan(wanted, pods, self._related(replica_set), self._dialect, self._clock.now())
        error: StatusError | None = None
        if plan.create:
            self._expectations.expect_creations(key, plan.create)
            done, error = await _slow_start(plan.create, lambda: self._create(key, replica_set))
            self._expectations.creation_seen(key, plan.create - done)
        elif plan.delete:
            for pod in plan.delete:
                self._expectations.expect_deletion(key, uid_of(pod))
            failures = await asyncio.gather(*(self._delete(key, replica_set, pod) for pod in plan.delete))
            error = next((failure for failure in failures if failure is not None), None)
        if error is None:
            return None
        reason = "FailedCreate" if plan.create else "FailedDelete"
        return {"type": "ReplicaFailure", "status": "True", "reason": reason, "message": error.message}

    async def _create(self, key: ObjectKey, replica_set: Object) -> StatusError | None:
        try:
            pod = await self._pods_api.within(key.namespace).create(new_pod(replica_set))
        except StatusError as error:
            if not _namespace_is_going(error):
                self._events.warning(replica_set, "FailedCreate", f"Error creating: {error.message}")
            return error
        self._events.normal(replica_set, "SuccessfulCreate", f"Created pod: {name_of(pod)}")
        return None

    async def _delete(self, key: ObjectKey, replica_set: Object, pod: Object) -> StatusError | None:
        try:
            await self._pods_api.within(key.namespace).delete(name_of(pod), uid=uid_of(pod))
        except StatusError as error:
            self._expectations.deletion_seen(key, uid_of(pod))
            if error.code == 404:
                return None
            self._events.warning(replica_set, "FailedDelete", f"Error deleting: {error.message}")
            return error
        self._events.normal(replica_set, "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")
        return None

    async def _report(self, key: ObjectKey, replica_set: Object, pods: list[Object], failure: Object | None) -> None:
        now = self._clock.now()
        status = make_status(replica_set, pods, failure, now, self._clock.timestamp())
        patch = status_patch(replica_set.get("status") or {}, status)
        if patch is not None:
            # The uid keeps this from landing on another set of the same name.
            body = {"metadata": {"uid": uid_of(replica_set)}, "status": patch}
            await self._sets_api.within(key.namespace).patch(key.name, body, subresource="status")
        min_ready_s = replica_set["spec"].get("minReadySeconds", 0)
        if min_ready_s:
            waits = [wait for pod in pods if (wait := available_in(pod, min_ready_s, now)) is not None and wait > 0]
            if waits:
                self._loop.queue.add_after(key, min(waits))

    def _related(self, replica_set: Object) -> list[Object]:
        """Pods of all sets that have the same owner, such as the revisions of one deployment."""
        owner = _controller_uid(replica_set)
        siblings = self._sets.find("controller", owner) if owner else [replica_set]
        return [pod for sibling in siblings for pod in self._pods.find("controller", uid_of(sibling))]


async def _slow_start(count: int, action: Callable[[], Awaitable[StatusError | None]]) -> tuple[int, StatusError | None]:
    """Do something ``count`` times, in batches of 1, 2, 4, …, up to the first batch that fails: how often it worked, and why not."""
    done, batch = 0, 1
    while done < count:
        errors = await asyncio.gather(*(action() for _ in range(min(batch, count - done))))
        done += sum(error is None for error in errors)
        failure = next((error for error in errors if error is not None), None)
        if failure is not None:
            return done, failure
        batch *= 2
    return done, None


def _namespace_is_going(error: StatusError) -> bool:
    causes = (error.details or {}).get("causes") or []
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)


def _controller_uid(obj: Object) -> str:
    reference = controller_of(obj)
    return reference["uid"] if reference is not None else ""


def _trim(pod: Object) -> Object:
    """What the controller needs to know of a pod."""
    given, status = pod["metadata"], pod.get("status") or {}
    names = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "labels", "annotations")
    metadata: Object = {name: given[name] for name in names if name in given}
    if owner_references(pod):
        metadata["ownerReferences"] = owner_references(pod)
    trimmed: Object = {
        "metadata": metadata,
        "status": {
            "phase": status.get("phase"),
            "conditions": [
                {name: item.get(name) for name in _CONDITION_FIELDS}
                for item in status.get("conditions") or []
                if item.get("type") == "Ready"
            ],
            "containerStatuses": [{"restartCount": item.get("restartCount", 0)} for item in status.get("containerStatuses") or []],
        },
    }
    node = (pod.get("spec") or {}).get("nodeName")
    if node:
        trimmed["spec"] = {"nodeName": node}
    return trimmed
