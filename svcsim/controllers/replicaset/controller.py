"""The ReplicaSet controller: looks at a set and its pods, and does what `svcsim.controllers.replicaset.plan` says.

The controller of ReplicationControllers is the same one for another kind (`svcsim.controllers.replicaset.kind`).

Pods are matched to sets by their controller reference; those without one are adopted if they fit. What was just created or deleted is
expected to be seen before anything more is done, so a cache that lags behind never leads to too many pods.
"""

from collections.abc import Collection, Iterable

from svcsim import limits
from svcsim.client.cache import by_controller, orphans_by_namespace
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.expectations import Expectations
from svcsim.client.owned_pods import OwnedPods
from svcsim.client.ownership import claim, controller_in, take
from svcsim.controllers.replicaset.kind import REPLICA_SET, KeeperKind
from svcsim.controllers.replicaset.known_pods import KnownPods, SetPods, get_to_know
from svcsim.controllers.replicaset.plan import make_plan, make_status, status_patch
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import controller_of, is_terminating, labels_of, namespace_of, uid_of
from svcsim.meta.pods import available_in, is_active
from svcsim.meta.types import Object


class ReplicaSetController(Controller):
    """Keeps every ReplicaSet, or every object of another such kind, at its number of pods."""

    def __init__(self, context: ControllerContext, kind: KeeperKind = REPLICA_SET) -> None:
        self._kind = kind
        self._dialect = context.dialect
        self._pods_api = context.client.resource("v1", "pods")
        self._sets_api = context.client.resource(kind.api_version, kind.plural)
        self._sets = context.informers.cache(kind.api_version, kind.plural, by_controller)
        self._pods = context.informers.cache("v1", "pods", by_controller, orphans_by_namespace)
        self._known = KnownPods()
        self._expectations = Expectations(context.clock)
        self._owned = OwnedPods(self._pods_api, context.events, self._expectations)
        sources = (
            Source(self._sets, self._set_changed),
            # Pods go in crowds, too: at a moment at which hundreds went, one look at all that are left tells what is to be done.
            Source(self._pods, self._pods_to_replace, after_s=limits.REPLACED_AFTER_S),
            # One more pod, or a readier one, only changes what is reported; pods come in crowds, so that waits a moment.
            Source(self._pods, self._pods_to_report, after_s=limits.STATUS_BATCH_S),
        )
        super().__init__(kind.controller, context.clock, sources)

    def _set_changed(self, change: str, replica_set: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(replica_set)
        if change == "DELETED":
            self._expectations.forget(key)
        return (key,)

    def _pods_to_replace(self, change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        """Sets that may have a pod too few, or one too many: it ended, or changed hands."""
        if not self._sets:
            return
        self._known.seen(change, pod, before)
        if before is not None and _controller_uid(before) != _controller_uid(pod):
            yield from self._owners(before)
        if controller_of(pod) is not None:
            is_one_less = change == "DELETED" or not is_active(pod)
            for key in self._owners(pod) if is_one_less or change == "ADDED" else ():
                if change == "ADDED":
                    self._expectations.creation_seen(key)
                if is_one_less:
                    self._expectations.deletion_seen(key, uid_of(pod))
                    yield key
        elif change != "DELETED":
            for replica_set in self._sets.all(namespace_of(pod)):
                if self._kind.selector(replica_set).matches(labels_of(pod)):
                    yield object_key(replica_set)

    def _pods_to_report(self, change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
        if not self._sets or change == "DELETED" or not is_active(pod):
            return ()
        return self._owners(pod)

    def _owners(self, pod: Object) -> tuple[ObjectKey, ...]:
        """The set that controls the pod, if it is there."""
        owner = controller_in(self._sets, self._kind.kind, pod)
        return () if owner is None else (object_key(owner),)

    async def reconcile(self, key: ObjectKey) -> None:
        replica_set = self._sets.get(key.name, key.namespace)
        if replica_set is None:
            self._known.forget(key)
            return
        expectations_met = self._expectations.met(key)
        pods = await self._find_pods(key, replica_set)
        failure: Object | None = None
        if expectations_met and not is_terminating(replica_set):
            failure = await self._manage(key, replica_set, pods)
        # A deployment goes by what is reported: what was deleted must not count as available until it is seen to be going.
        await self._report(key, replica_set, pods, self._expectations.deletions(key), failure)
        if failure is not None:
            raise StatusError(500, "", failure["message"])

    async def _find_pods(self, key: ObjectKey, replica_set: Object) -> SetPods:
        """The set's active pods, after adopting and releasing pods. Pods that have ended, or are terminating, are left as they are."""
        known = self._known.of(key, replica_set, self._pods)
        changed = known.changed()
        candidates = [*changed.values(), *self._pods.find(orphans_by_namespace, key.namespace)]
        active = [pod for pod in candidates if pod is not None and is_active(pod)]
        claimed = claim(replica_set, self._kind.selector(replica_set), active)
        mine = await take(self._sets_api, replica_set, self._pods_api, claimed)
        known.learn(changed, get_to_know(replica_set, mine))
        return known

    async def _manage(self, key: ObjectKey, replica_set: Object, pods: SetPods) -> Object | None:
        """Make or delete pods; gives a ReplicaFailure condition where that failed."""
        wanted = replica_set["spec"].get("replicas", 1)
        if len(pods) == wanted:
            return None
        related = self._related(replica_set) if len(pods) > wanted else []
        plan = make_plan(wanted, pods.pods(), related, self._dialect, self.clock.now())
        if plan.create:
            error = await self._owned.create(key, replica_set, [replica_set["spec"]["template"]] * plan.create, as_stored=True)
        else:
            error = await self._owned.delete(key, replica_set, plan.delete)
        if error is None:
            return None
        reason = "FailedCreate" if plan.create else "FailedDelete"
        return {"type": "ReplicaFailure", "status": "True", "reason": reason, "message": error.message}

    async def _report(self, key: ObjectKey, replica_set: Object, pods: SetPods, going: Collection[str], failure: Object | None) -> None:
        """Write down how many pods there are, not counting those that are ``going``."""
        now = self.clock.now()
        min_ready_s = replica_set["spec"].get("minReadySeconds", 0)
        waits = [wait for pod in pods.pods(going) if (wait := available_in(pod, min_ready_s, now)) is not None] if min_ready_s else None
        status = make_status(replica_set, pods.counts(going), waits, failure, self.clock.timestamp())
        patch = status_patch(replica_set.get("status") or {}, status)
        if patch is not None:
            # The uid keeps this from landing on another set of the same name.
            body = {"metadata": {"uid": uid_of(replica_set)}, "status": patch}
            await self._sets_api.within(key.namespace).patch(key.name, body, subresource="status")
        later = [wait for wait in waits or () if wait > 0]
        if later:
            self.queue.add_after(key, min(later))

    def _related(self, replica_set: Object) -> list[Object]:
        """Pods of all sets that have the same owner, such as the revisions of one deployment."""
        owner = _controller_uid(replica_set)
        siblings = self._sets.find(by_controller, owner) if owner else [replica_set]
        return [pod for sibling in siblings for pod in self._pods.find(by_controller, uid_of(sibling))]


def _controller_uid(obj: Object) -> str:
    reference = controller_of(obj)
    return reference["uid"] if reference is not None else ""
