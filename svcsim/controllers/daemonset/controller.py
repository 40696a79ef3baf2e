"""The DaemonSet controller: looks at a set, the nodes and its pods, and does what `svcsim.controllers.daemonset.plan` says.

Each pod is made for one node, to which its affinity pins it; the scheduler puts it there. What was just created or deleted is expected to
be seen before anything more is done, so a cache that lags behind never leads to two pods on a node.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim import limits
from svcsim.client.cache import Cache, by_controller, orphans_by_namespace
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.expectations import Expectations
from svcsim.client.owned_pods import OwnedPods
from svcsim.client.ownership import Claim, claim, take
from svcsim.client.owning_sets import OwningSets
from svcsim.client.revisions import hash_of
from svcsim.controllers.daemonset.failures import FailedDaemons
from svcsim.controllers.daemonset.history import DaemonSetRevisions
from svcsim.controllers.daemonset.placement import DaemonPlacement, Verdict, target_of
from svcsim.controllers.daemonset.plan import DaemonSetPlan, make_plan
from svcsim.controllers.daemonset.snapshot import DaemonSetSnapshot, by_node, verdicts
from svcsim.controllers.daemonset.status import available_next_s, make_status, status_patch
from svcsim.controllers.daemonset.template import template_for
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.objects import controller_of, is_terminating, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class _Judged(NamedTuple):
    of: tuple[str, int]
    """Which set, in which generation."""
    nodes: dict[str, Verdict]


class DaemonSetController(Controller):
    """Keeps a pod of every DaemonSet on every node that should have one."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._events = context.events
        self._pods_api = context.client.resource("v1", "pods")
        self._sets_api = context.client.resource("apps/v1", "daemonsets")
        self._revisions_api = context.client.resource("apps/v1", "controllerrevisions")
        self._sets = context.informers.cache("apps/v1", "daemonsets")
        self._nodes = context.informers.cache("v1", "nodes")
        self._pods = context.informers.cache("v1", "pods", by_controller, orphans_by_namespace)
        self._kept = context.informers.cache("apps/v1", "controllerrevisions", by_controller, orphans_by_namespace)
        self._verdicts: dict[ObjectKey, _Judged] = {}
        self._expectations = Expectations(context.clock)
        self._owners = OwningSets(self._sets, "DaemonSet", self._expectations)
        self._failed = FailedDaemons(context.clock)
        self._owned = OwnedPods(self._pods_api, context.events, self._expectations)
        self._revisions = DaemonSetRevisions(self._revisions_api, self._pods_api)
        sources = (
            Source(self._sets, self._set_changed),
            Source(self._nodes, self._node_changed),
            Source(self._kept, self._owners.revision_changed),
            # Pods come and go in crowds, so what follows from that waits a moment.
            Source(self._pods, self._pod_changed, after_s=limits.STATUS_BATCH_S),
        )
        super().__init__("daemonset controller", context.clock, sources)

    # --- what has a set looked at ---

    def _set_changed(self, change: str, daemon_set: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(daemon_set)
        if change == "DELETED":
            self._expectations.forget(key)
            self._failed.forget(key)
            self._verdicts.pop(key, None)
        return (key,)

    def _node_changed(self, _change: str, node: Object, before: Object | None) -> Iterable[ObjectKey]:
        """Sets to which the node is something else than before. Its heartbeats change nothing of that."""
        if before is not None and labels_of(before) == labels_of(node) and before.get("spec") == node.get("spec"):
            return
        self._verdicts.clear()
        for daemon_set in self._sets.all():
            placement = DaemonPlacement(daemon_set, self._dialect)
            verdict = placement.verdict(node)
            if (placement.verdict(before) != verdict) if before is not None else verdict.may_stay:
                yield object_key(daemon_set)

    def _pod_changed(self, change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        if not self._sets or not (_may_be_a_daemon(pod) or (before is not None and _may_be_a_daemon(before))):
            return
        yield from self._owners.pod_seen(change, pod, before)
        if controller_of(pod) is None and change != "DELETED":
            yield from self._owners.adopters(pod)

    # --- what is done for one ---

    async def reconcile(self, key: ObjectKey) -> None:
        daemon_set = self._sets.get(key.name, key.namespace)
        if daemon_set is None:
            return
        selector = from_object(daemon_set["spec"].get("selector"))
        if selector.empty:
            self._events.warning(daemon_set, "SelectingAll", "This daemon set is selecting all pods. A non-empty selector is required.")
            return
        if is_terminating(daemon_set):
            return
        expectations_met = self._expectations.met(key)
        pods = await take(self._sets_api, daemon_set, self._pods_api, self._claimed(daemon_set, selector, self._pods))
        kept = await take(self._sets_api, daemon_set, self._revisions_api, self._claimed(daemon_set, selector, self._kept))
        history = await self._revisions.settle(daemon_set, kept, pods)
        snapshot = DaemonSetSnapshot(
            daemon_set=daemon_set,
            revision_hash=hash_of(history.current),
            nodes=self._judge(key, daemon_set),
            pods=by_node(pods),
            waiting=self._failed.waiting(key, daemon_set),
            now=self.clock.now(),
        )
        error: StatusError | None = None
        if expectations_met:
            plan = make_plan(snapshot)
            error = await self._carry_out(key, daemon_set, snapshot, plan)
            if error is None:
                await self._revisions.clean_up(daemon_set, history.old, pods)
            if plan.again_in is not None:
                self.queue.add_after(key, plan.again_in)
        await self._report(key, snapshot, history.collisions, acted=expectations_met)
        if error is not None:
            raise error

    def _claimed(self, daemon_set: Object, selector: LabelSelector, cache: Cache) -> Claim:
        candidates = cache.find(by_controller, uid_of(daemon_set)) + cache.find(orphans_by_namespace, namespace_of(daemon_set))
        return claim(daemon_set, selector, candidates)

    def _judge(self, key: ObjectKey, daemon_set: Object) -> dict[str, Verdict]:
        """What each node is to a set; found out again when nodes or the set's spec have changed."""
        which = (uid_of(daemon_set), daemon_set["metadata"].get("generation", 0))
        judged = self._verdicts.get(key)
        if judged is None or judged.of != which:
            judged = self._verdicts[key] = _Judged(which, verdicts(daemon_set, self._nodes.all(), self._dialect))
        return judged.nodes

    async def _carry_out(self, key: ObjectKey, daemon_set: Object, snapshot: DaemonSetSnapshot, plan: DaemonSetPlan) -> StatusError | None:
        """Create and delete pods; returns the errors, except those of a terminating namespace, in which nothing can be created."""
        for pod in plan.failed:
            self._failed.replaced(key, daemon_set, target_of(pod))
            self._events.warning(daemon_set, "FailedDaemonPod", f"Found failed daemon pod {_where(pod)}, will try to kill it")
        for pod in plan.succeeded:
            self._events.normal(daemon_set, "SucceededDaemonPod", f"Found succeeded daemon pod {_where(pod)}, will try to delete it")
        templates = [template_for(daemon_set, node, snapshot.revision_hash, self._dialect) for node in plan.create]
        not_made = await self._owned.create(key, daemon_set, templates)
        not_deleted = await self._owned.delete(key, daemon_set, plan.delete)
        return not_deleted if not_made is None or namespace_is_going(not_made) else not_made

    async def _report(self, key: ObjectKey, snapshot: DaemonSetSnapshot, collisions: int, *, acted: bool) -> None:
        daemon_set = snapshot.daemon_set
        before = daemon_set.get("status") or {}
        observed = daemon_set["metadata"].get("generation", 0) if acted else before.get("observedGeneration", 0)
        patch = status_patch(before, make_status(snapshot, collisions, observed))
        if patch is not None:
            # The uid keeps this from landing on another set of the same name.
            body = {"metadata": {"uid": uid_of(daemon_set)}, "status": patch}
            await self._sets_api.within(key.namespace).patch(key.name, body, subresource="status")
        again_in = available_next_s(snapshot)
        if again_in is not None:
            self.queue.add_after(key, again_in)


def _may_be_a_daemon(pod: Object) -> bool:
    """Whether a pod may belong to a DaemonSet, or be adopted. Most pods of a large cluster have other owners."""
    reference = controller_of(pod)
    return reference is None or reference["kind"] == "DaemonSet"


def _where(pod: Object) -> str:
    return f"{namespace_of(pod)}/{name_of(pod)} on node {target_of(pod)}"
