"""The thinking of the deployment controller, free of any input and output: from what is there to what is to be done next.

A plan is one step. What it sets off comes back as changes to ReplicaSets, and with them comes the next plan.
"""

from typing import NamedTuple, TypeAlias

from svcsim.controllers.deployment import keys, sizes
from svcsim.controllers.deployment import status as reporting
from svcsim.controllers.deployment.sets import (
    active,
    find_new,
    new_set,
    new_set_annotations,
    number_at,
    others,
    revision_of,
    size_annotations,
    to_clean_up,
    wanted,
)
from svcsim.controllers.deployment.status import Moment
from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of, condition, copy_json, is_terminating, name_of, uid_of
from svcsim.meta.types import Json, Object

_LAST_REVISION = 2**63 - 1


class CreateSet(NamedTuple):
    """Make the ReplicaSet for the present template."""

    replica_set: Object


class ChangeSet(NamedTuple):
    """Merge ``patch`` into a ReplicaSet; ``size`` is its new one, if that changes."""

    replica_set: Object
    patch: Object
    size: int | None = None


class DeleteSet(NamedTuple):
    replica_set: Object


class MarkRevision(NamedTuple):
    """Write the revision on the deployment."""

    revision: str


Action: TypeAlias = CreateSet | ChangeSet | DeleteSet | MarkRevision


class DeploymentPlan(NamedTuple):
    """What is to be done, in this order, and then the status to report."""

    actions: list[Action]
    status: Object


class Snapshot(NamedTuple):
    """A deployment, its ReplicaSets, and the UIDs of those whose pods haven't all ended yet."""

    deployment: Object
    sets: list[Object]
    running: tuple[str, ...]


def make_plan(snapshot: Snapshot, dialect: Dialect, moment: Moment) -> DeploymentPlan:
    deployment, sets, _ = snapshot
    if is_terminating(deployment):
        return DeploymentPlan([], reporting.make_status(deployment, sets, find_new(deployment, sets), moment, rollout=False))
    deployment = _with_pause_noted(deployment, moment)
    new = find_new(deployment, sets)
    paused = bool(deployment["spec"].get("paused"))
    if paused or _is_scaling(deployment, sets, dialect):
        actions = _recognize(deployment, sets, new, dialect) if new is not None else []
        actions += _resize(deployment, sets, sizes.scale(deployment, new, sets, dialect), dialect)
        if paused:
            actions += _clean_up(deployment, others(sets, new), dialect)
        return DeploymentPlan(actions, reporting.make_status(deployment, sets, new, moment, rollout=False))
    if (deployment["spec"].get("strategy") or {}).get("type") == "Recreate":
        actions = _recreate(deployment, sets, new, snapshot.running, dialect)
    else:
        actions = _roll(deployment, sets, new, dialect)
    if new is not None:
        deployment = _with_new_set_noted(deployment, new, moment)
        if reporting.is_complete(deployment, reporting.counts(deployment, sets, new)):
            actions += _clean_up(deployment, others(sets, new), dialect)
    return DeploymentPlan(actions, reporting.make_status(deployment, sets, new, moment, rollout=True))


def _roll(deployment: Object, sets: list[Object], new: Object | None, dialect: Dialect) -> list[Action]:
    if new is None:
        return [_create(deployment, sets, dialect)]
    actions = _recognize(deployment, sets, new, dialect)
    step = sizes.grow_new(deployment, new, sets) or sizes.shrink_old(deployment, new, sets)
    return actions + _resize(deployment, sets, step, dialect)


def _recreate(deployment: Object, sets: list[Object], new: Object | None, running: tuple[str, ...], dialect: Dialect) -> list[Action]:
    actions = _recognize(deployment, sets, new, dialect) if new is not None else []
    old = others(sets, new)
    stopping = _resize(deployment, sets, {name_of(item): 0 for item in active(old)}, dialect)
    if stopping or any(uid_of(item) in running for item in old):
        return actions + stopping
    if new is None:
        return [_create(deployment, sets, dialect)]
    return actions + _resize(deployment, sets, sizes.grow_new(deployment, new, sets), dialect)


def _create(deployment: Object, sets: list[Object], dialect: Dialect) -> Action:
    replicas = sizes.new_set_size(deployment, sets, 0)
    return CreateSet(new_set(deployment, replicas, _next_revision(sets, dialect), _maximum(deployment), dialect))


def _recognize(deployment: Object, sets: list[Object], new: Object, dialect: Dialect) -> list[Action]:
    """Make the set that fits the template the newest revision, in name too; it may be an old one that was rolled back to."""
    annotations = new_set_annotations(deployment, new, _next_revision(others(sets, new), dialect), dialect)
    patch: Object = {"metadata": {"annotations": annotations}} if annotations else {}
    min_ready_s = deployment["spec"].get("minReadySeconds") or 0
    if (new["spec"].get("minReadySeconds") or 0) != min_ready_s:
        patch["spec"] = {"minReadySeconds": min_ready_s}
    actions: list[Action] = [ChangeSet(new, patch)] if patch else []
    key = keys.revision(dialect)
    revision = annotations.get(key) or annotations_of(new).get(key, "")
    if revision and annotations_of(deployment).get(key) != revision:
        actions.append(MarkRevision(revision))
    return actions


def _resize(deployment: Object, sets: list[Object], step: sizes.Sizes, dialect: Dialect) -> list[Action]:
    actions: list[Action] = []
    marks = size_annotations(wanted(deployment), _maximum(deployment), dialect)
    for item in sets:
        size = step.get(name_of(item))
        if size is None:
            continue
        patch: dict[str, Json] = {}
        if any(annotations_of(item).get(name) != value for name, value in marks.items()):
            patch["metadata"] = {"annotations": marks}
        if size != wanted(item):
            patch["spec"] = {"replicas": size}
        if patch:
            actions.append(ChangeSet(item, patch, size if size != wanted(item) else None))
    return actions


def _clean_up(deployment: Object, old: list[Object], dialect: Dialect) -> list[Action]:
    return [DeleteSet(item) for item in to_clean_up(deployment, old, dialect)]


def _next_revision(old: list[Object], dialect: Dialect) -> int:
    """One more than the highest, as far as there are numbers."""
    return min(max((revision_of(item, dialect) for item in old), default=0), _LAST_REVISION - 1) + 1


def _maximum(deployment: Object) -> int:
    return wanted(deployment) + sizes.fences(deployment).surge


def _is_scaling(deployment: Object, sets: list[Object], dialect: Dialect) -> bool:
    marked = [number_at(item, keys.desired_replicas(dialect)) for item in active(sets)]
    return any(size is not None and size != wanted(deployment) for size in marked)


def _with_pause_noted(deployment: Object, moment: Moment) -> Object:
    """Pausing and resuming show in the Progressing condition, and stop and restart its deadline."""
    progressing = condition(deployment, "Progressing")
    if reporting.deadline(deployment) is None or (progressing or {}).get("reason") == "ProgressDeadlineExceeded":
        return deployment
    noted = progressing is not None and progressing.get("reason") == "DeploymentPaused"
    paused = bool(deployment["spec"].get("paused"))
    if paused == noted:
        return deployment
    if paused:
        return _with_condition(deployment, "Unknown", "DeploymentPaused", "Deployment is paused", moment)
    return _with_condition(deployment, "Unknown", "DeploymentResumed", "Deployment is resumed", moment)


def _with_new_set_noted(deployment: Object, new: Object, moment: Moment) -> Object:
    if reporting.deadline(deployment) is None or condition(deployment, "Progressing") is not None:
        return deployment
    return _with_condition(deployment, "True", "FoundNewReplicaSet", f'Found new replica set "{name_of(new)}"', moment)


def with_creation_noted(status: Object, deployment: Object, name: str, moment: Moment) -> Object:
    """The status once the new set has been made."""
    if reporting.deadline(deployment) is None:
        return status
    conditions = [copy_json(item) for item in status["conditions"]]
    reporting.put(conditions, "Progressing", "True", "NewReplicaSetCreated", f'Created new replica set "{name}"', moment)
    return {**status, "conditions": conditions}


def with_failure_noted(status: Object, deployment: Object, message: str, moment: Moment) -> Object:
    """The status where the new set could not be made."""
    if reporting.deadline(deployment) is None:
        return status
    conditions = [copy_json(item) for item in status["conditions"]]
    reporting.put(conditions, "Progressing", "False", "ReplicaSetCreateError", message, moment)
    return {**status, "conditions": conditions}


def _with_condition(deployment: Object, status: str, reason: str, message: str, moment: Moment) -> Object:
    conditions = [copy_json(item) for item in (deployment.get("status") or {}).get("conditions") or []]
    reporting.put(conditions, "Progressing", status, reason, message, moment)
    return {**deployment, "status": {**(deployment.get("status") or {}), "conditions": conditions}}
