"""The StatefulSet controller: looks at a set, its pods, claims and revisions, and does what `svcsim.controllers.statefulset.plan` says.

A pod is its set's if it is controlled by it and has a name of the set's. What was just created or deleted is expected to be seen before
anything more is done, so a cache that lags behind has nothing done twice.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client import revisions
from svcsim.client.cache import Cache, by_controller, orphans_by_namespace
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import Claim, claim, take
from svcsim.client.owning_sets import OwningSets
from svcsim.controllers.statefulset.claim_control import ClaimControl, being_deleted
from svcsim.controllers.statefulset.claims import pods_of_claim
from svcsim.controllers.statefulset.history import StatefulSetHistory, StatefulSetRevisions, collisions_of
from svcsim.controllers.statefulset.identity import member, ordinal_of, pod_name, stateful_pod
from svcsim.controllers.statefulset.plan import StatefulSetPlan, make_plan
from svcsim.controllers.statefulset.pod_control import StatefulPods
from svcsim.controllers.statefulset.rolling import is_current
from svcsim.controllers.statefulset.snapshot import StatefulSetSnapshot, take_snapshot
from svcsim.controllers.statefulset.status import available_next_s, make_status, status_patch
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import controller_of, is_terminating, name_of, namespace_of, owner_references, uid_of
from svcsim.meta.types import Object


class StatefulSetController(Controller):
    """Keeps the pods of every StatefulSet, each with its name and its claims."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._pods_api = context.client.resource("v1", "pods")
        self._sets_api = context.client.resource("apps/v1", "statefulsets")
        self._revisions_api = context.client.resource("apps/v1", "controllerrevisions")
        self._sets = context.informers.cache("apps/v1", "statefulsets")
        self._pods = context.informers.cache("v1", "pods", by_controller, orphans_by_namespace)
        self._claims = context.informers.cache("v1", "persistentvolumeclaims")
        self._kept = context.informers.cache("apps/v1", "controllerrevisions", by_controller, orphans_by_namespace)
        self._expectations = Expectations(context.clock)
        self._owners = OwningSets(self._sets, "StatefulSet", self._expectations)
        self._claim_control = ClaimControl(self._claims, context.client.resource("v1", "persistentvolumeclaims"), context.events)
        self._owned = StatefulPods(self._pods_api, self._claim_control, context.events, self._expectations, context.dialect)
        self._revisions = StatefulSetRevisions(self._revisions_api, context.dialect.key("hash", "controller"))
        sources = (
            Source(self._sets, self._set_changed),
            # What a set has comes and goes in crowds, so what follows from that waits a moment.
            Source(self._claims, self._claim_changed, after_s=limits.STATUS_BATCH_S),
            Source(self._kept, self._owners.revision_changed, after_s=limits.STATUS_BATCH_S),
            Source(self._pods, self._pod_changed, after_s=limits.STATUS_BATCH_S),
        )
        super().__init__("statefulset controller", context.clock, sources)

    # --- what has a set looked at ---

    def _set_changed(self, change: str, stateful_set: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(stateful_set)
        if change == "DELETED":
            self._expectations.forget(key)
        return (key,)

    def _claim_changed(self, change: str, claim: Object, before: Object | None) -> Iterable[ObjectKey]:
        """A claim that is gone may be waited for, or be missed; one whose owners changed may need others."""
        if self._sets and (change == "DELETED" or (before is not None and owner_references(before) != owner_references(claim))):
            for pod in pods_of_claim(name_of(claim)):
                yield from self._by_name(pod, namespace_of(claim))

    def _pod_changed(self, change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        if not self._sets or not (_may_be_a_member(pod) or (before is not None and _may_be_a_member(before))):
            return
        yield from self._owners.pod_seen(change, pod, before)
        if controller_of(pod) is None or change == "DELETED":
            # It may be adopted, or a name is free again.
            yield from self._by_name(name_of(pod), namespace_of(pod))

    def _by_name(self, name: str, namespace: str) -> tuple[ObjectKey, ...]:
        """The set that has pods of such names, if it is there."""
        found = member(name)
        return () if found is None or self._sets.get(found.set_name, namespace) is None else (ObjectKey(namespace, found.set_name),)

    # --- what is done for one ---

    async def reconcile(self, key: ObjectKey) -> None:
        stateful_set = self._sets.get(key.name, key.namespace)
        if stateful_set is None or not self._expectations.met(key):
            return
        kept = await take(self._sets_api, stateful_set, self._revisions_api, self._claimed(stateful_set, self._kept))
        pods = await take(self._sets_api, stateful_set, self._pods_api, self._claimed(stateful_set, self._pods, members=True))
        if is_terminating(stateful_set):
            status = stateful_set.get("status") or {}
            names = (status.get("currentRevision", ""), status.get("updateRevision", ""))
            await self._report(key, self._look(stateful_set, names, pods), collisions_of(stateful_set))
            return
        history = await self._revisions.settle(stateful_set, kept, pods)
        snapshot = self._look(stateful_set, (name_of(history.current), name_of(history.update)), pods)
        error = await self._carry_out(key, snapshot, history, make_plan(snapshot, self._dialect))
        await self._report(key, snapshot, history.collisions)
        if error is not None and not namespace_is_going(error):
            raise error

    def _look(self, stateful_set: Object, revision_names: tuple[str, str], pods: list[Object]) -> StatefulSetSnapshot:
        namespace = namespace_of(stateful_set)
        return take_snapshot(stateful_set, revision_names, pods, lambda name: self._claims.get(name, namespace), self.clock.now())

    def _claimed(self, stateful_set: Object, cache: Cache, *, members: bool = False) -> Claim:
        """What of a cache is the set's; with ``members``, of pods those with a name of the set's."""
        candidates = cache.find(by_controller, uid_of(stateful_set)) + cache.find(orphans_by_namespace, namespace_of(stateful_set))

        def is_a_member(pod: Object) -> bool:
            found = member(name_of(pod))
            return found is not None and found.set_name == name_of(stateful_set)

        selector = from_object(stateful_set["spec"].get("selector"))
        return claim(stateful_set, selector, candidates, is_a_member if members else None)

    async def _carry_out(
        self, key: ObjectKey, snapshot: StatefulSetSnapshot, history: StatefulSetHistory, plan: StatefulSetPlan
    ) -> StatusError | None:
        """Do what is planned, up to what goes wrong, and give that."""
        stateful_set = snapshot.stateful_set
        for pod in plan.mend:
            error = await self._owned.mend(stateful_set, pod)
            if error is not None:
                return error
        try:
            for pod in plan.tend:
                wanted = ordinal_of(pod) in snapshot.wanted
                if wanted:
                    await self._claim_control.make_missing(stateful_set, name_of(pod))
                await self._claim_control.hand_over(stateful_set, pod, wanted=wanted)
        except StatusError as error:
            return error
        for ordinal, claims in plan.held_up.items():
            self._owned.tell("create", stateful_set, pod_name(stateful_set, ordinal), being_deleted(claims))
        new = [self._new_pod(stateful_set, history, ordinal) for ordinal in plan.create]
        return (
            await self._owned.delete(key, stateful_set, plan.replace)
            or await self._owned.create(key, stateful_set, new)
            or await self._owned.delete(key, stateful_set, plan.delete)
        )

    def _new_pod(self, stateful_set: Object, history: StatefulSetHistory, ordinal: int) -> Object:
        revision = history.current if is_current(stateful_set, ordinal) else history.update
        template = revisions.template_of(revision, stateful_set)
        return stateful_pod(stateful_set, template, name_of(revision), ordinal, self._dialect)

    async def _report(self, key: ObjectKey, snapshot: StatefulSetSnapshot, collisions: int) -> None:
        stateful_set = snapshot.stateful_set
        patch = status_patch(stateful_set.get("status") or {}, make_status(snapshot, collisions))
        if patch is not None:
            # What comes next rests on the status, so that is written by nobody who hasn't seen what it is now.
            metadata = {"uid": uid_of(stateful_set), "resourceVersion": stateful_set["metadata"]["resourceVersion"]}
            body = {"metadata": metadata, "status": patch}
            await self._sets_api.within(key.namespace).patch(key.name, body, subresource="status")
        again_in = available_next_s(snapshot)
        if again_in is not None:
            self.queue.add_after(key, again_in)


def _may_be_a_member(pod: Object) -> bool:
    """Whether a pod may belong to a StatefulSet, or be adopted. Most pods of a large cluster have other owners."""
    reference = controller_of(pod)
    return reference is None or reference["kind"] == "StatefulSet"
