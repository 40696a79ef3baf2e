"""The deployment controller: looks at a deployment and its ReplicaSets, and takes the step that `svcsim.controllers.deployment.plan` says.

Every change carries the revision it is based on, so a plan made from a cache that lags behind meets a conflict and is made again.
"""

from collections.abc import Iterable

from svcsim.client.cache import by_controller, orphans_by_namespace
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.client.ownership import claim, controller_in, take
from svcsim.controllers.deployment import keys
from svcsim.controllers.deployment import status as reporting
from svcsim.controllers.deployment.plan import (
    Action,
    ChangeSet,
    CreateSet,
    DeleteSet,
    DeploymentPlan,
    MarkRevision,
    Snapshot,
    make_plan,
    with_creation_noted,
    with_failure_noted,
)
from svcsim.controllers.deployment.sets import counted, find_new, wanted
from svcsim.controllers.deployment.status import Moment
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import controller_of, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_finished
from svcsim.meta.types import Object


class DeploymentController(Controller):
    """Rolls every deployment towards its template."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._events = context.events
        self._deployments_api = context.client.resource("apps/v1", "deployments")
        self._sets_api = context.client.resource("apps/v1", "replicasets")
        self._deployments = context.informers.cache("apps/v1", "deployments")
        self._sets = context.informers.cache("apps/v1", "replicasets", by_controller, orphans_by_namespace)
        self._pods = context.informers.cache("v1", "pods", by_controller)
        sources = (
            Source(self._deployments, itself),
            Source(self._sets, self._deployments_of_set),
            Source(self._pods, self._deployments_of_pod),
        )
        super().__init__("deployment controller", context.clock, sources)

    def _deployments_of_set(self, change: str, replica_set: Object, before: Object | None) -> Iterable[ObjectKey]:
        for state in (before, replica_set):
            owner = controller_in(self._deployments, "Deployment", state) if state is not None else None
            if owner is not None:
                yield object_key(owner)
        if change != "DELETED" and controller_of(replica_set) is None:
            for deployment in self._deployments.all(namespace_of(replica_set)):
                if from_object(deployment["spec"].get("selector")).matches(labels_of(replica_set)):
                    yield object_key(deployment)

    def _deployments_of_pod(self, change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """A Recreate waits for the last old pod to end; nothing else here depends on pods."""
        if change != "DELETED" and not is_finished(pod):
            return
        reference = controller_of(pod)
        replica_set = self._sets.get(reference["name"], namespace_of(pod)) if reference is not None else None
        owner = controller_in(self._deployments, "Deployment", replica_set) if replica_set is not None else None
        if owner is not None and _is_recreate(owner):
            yield object_key(owner)

    async def reconcile(self, key: ObjectKey) -> None:
        deployment = self._deployments.get(key.name, key.namespace)
        if deployment is None:
            return
        selector = from_object(deployment["spec"].get("selector"))
        if selector.empty:
            message = "This deployment is selecting all pods. A non-empty selector is required."
            self._events.warning(deployment, "SelectingAll", message)
            return
        candidates = self._sets.find(by_controller, uid_of(deployment)) + self._sets.find(orphans_by_namespace, key.namespace)
        sets = await take(self._deployments_api, deployment, self._sets_api, claim(deployment, selector, candidates))
        running = tuple(uid_of(item) for item in sets if self._runs(item)) if _is_recreate(deployment) else ()
        moment = Moment(self.clock.now(), self.clock.timestamp())
        plan = make_plan(Snapshot(deployment, sets, running), self._dialect, moment)
        status = await self._carry_out(deployment, plan, moment)
        await self._report(deployment, status)
        again_in = reporting.recheck_in_s(deployment, status, moment.seconds)
        if again_in is not None:
            self.queue.add_after(key, again_in)

    def _runs(self, replica_set: Object) -> bool:
        return any(not is_finished(pod) for pod in self._pods.find(by_controller, uid_of(replica_set)))

    async def _carry_out(self, deployment: Object, plan: DeploymentPlan, moment: Moment) -> Object:
        """Do what is planned; gives the status to report after that."""
        versions: dict[str, str] = {}
        for action in plan.actions:
            if isinstance(action, CreateSet):
                return await self._create(deployment, action, plan.status, moment)
            await self._change(deployment, action, versions)
        return plan.status

    async def _change(self, deployment: Object, action: Action, versions: dict[str, str]) -> None:
        namespace = namespace_of(deployment)
        sets = self._sets_api.within(namespace)
        if isinstance(action, MarkRevision):
            metadata = {"uid": uid_of(deployment), "annotations": {keys.revision(self._dialect): action.revision}}
            await self._deployments_api.within(namespace).patch(name_of(deployment), {"metadata": metadata})
        elif isinstance(action, ChangeSet):
            item = action.replica_set
            version = versions.get(uid_of(item), item["metadata"]["resourceVersion"])
            metadata = {**action.patch.get("metadata", {}), "resourceVersion": version}
            changed = await sets.patch(name_of(item), {**action.patch, "metadata": metadata})
            versions[uid_of(item)] = changed["metadata"]["resourceVersion"]
            if action.size is not None:
                self._record_scaling(deployment, name_of(item), wanted(item), action.size)
        elif isinstance(action, DeleteSet):
            item = action.replica_set
            await sets.delete(name_of(item), uid=uid_of(item), resource_version=item["metadata"]["resourceVersion"])

    async def _create(self, deployment: Object, action: CreateSet, status: Object, moment: Moment) -> Object:
        wish = action.replica_set
        try:
            made = await self._sets_api.within(namespace_of(deployment)).create(wish)
        except StatusError as error:
            if error.reason == "AlreadyExists":
                await self._settle_collision(deployment, wish)
                return status
            message = f'Failed to create new replica set "{name_of(wish)}": {error.message}'
            self._events.warning(deployment, "ReplicaSetCreateError", message)
            await self._report(deployment, with_failure_noted(status, deployment, error.message, moment))
            raise
        if wanted(made):
            self._record_scaling(deployment, name_of(made), 0, wanted(made))
        return with_creation_noted(status, deployment, name_of(made), moment)

    async def _settle_collision(self, deployment: Object, wish: Object) -> None:
        """The name is taken: by the very set we want, which the cache hasn't shown yet, or by another whose template hashes the same."""
        namespace = namespace_of(deployment)
        taken = await self._sets_api.within(namespace).get(name_of(wish))
        reference = controller_of(taken)
        if reference is not None and reference["uid"] == uid_of(deployment) and find_new(deployment, [taken]) is not None:
            return
        body = {"metadata": {"uid": uid_of(deployment)}, "status": {"collisionCount": counted(deployment, "collisionCount") + 1}}
        await self._deployments_api.within(namespace).patch(name_of(deployment), body, subresource="status")

    async def _report(self, deployment: Object, status: Object) -> None:
        patch = reporting.status_patch(deployment.get("status") or {}, status)
        if patch is not None:
            body = {"metadata": {"uid": uid_of(deployment)}, "status": patch}
            await self._deployments_api.within(namespace_of(deployment)).patch(name_of(deployment), body, subresource="status")

    def _record_scaling(self, deployment: Object, name: str, before: int, after: int) -> None:
        direction = "up" if after > before else "down"
        self._events.normal(deployment, "ScalingReplicaSet", f"Scaled {direction} replica set {name} from {before} to {after}")


def _is_recreate(deployment: Object) -> bool:
    return (deployment["spec"].get("strategy") or {}).get("type") == "Recreate"
