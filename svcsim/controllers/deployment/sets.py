"""What a deployment's ReplicaSets are to it: which is the new one, which revision each is, and how a new one is made."""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client.ownership import controller_reference
from svcsim.controllers.deployment import keys
from svcsim.dialect import Dialect
from svcsim.meta.fingerprints import fingerprint
from svcsim.meta.go_integers import read_decimal
from svcsim.meta.objects import annotations_of, copy_json, is_terminating, name_of, namespace_of, uid_of
from svcsim.meta.pods import TEMPLATE_HASH_LABEL
from svcsim.meta.types import Object


def wanted(obj: Object) -> int:
    """``spec.replicas``."""
    replicas = obj["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def counted(obj: Object, field: str) -> int:
    """A number in ``status``; 0 where it isn't there."""
    return int((obj.get("status") or {}).get(field) or 0)


def oldest_first(sets: Iterable[Object]) -> list[Object]:
    """In order of creation, then name."""
    return sorted(sets, key=lambda item: (item["metadata"].get("creationTimestamp", ""), name_of(item)))


def active(sets: Iterable[Object]) -> list[Object]:
    """The sets that should have pods."""
    return [item for item in sets if wanted(item) > 0]


def revision_of(item: Object, dialect: Dialect) -> int:
    """A set's (or a deployment's) revision; 0 where it has none yet, or one that is no number of 64 bits."""
    try:
        return read_decimal(annotations_of(item).get(keys.revision(dialect), "0"), 64)
    except ValueError:
        return 0


def number_at(item: Object, annotation: str) -> int | None:
    """A number in an annotation; None where there is none."""
    try:
        return read_decimal(annotations_of(item)[annotation], 32)
    except (KeyError, ValueError):
        return None


def find_new(deployment: Object, sets: Iterable[Object]) -> Object | None:
    """The set whose template is the deployment's; the oldest, should there be several."""
    template = _without_hash(deployment["spec"]["template"])
    return next((item for item in oldest_first(sets) if _without_hash(item["spec"]["template"]) == template), None)


def new_set(deployment: Object, replicas: int, revision: int, maximum: int, dialect: Dialect) -> Object:
    """The ReplicaSet for a deployment's present template."""
    template = copy_json(deployment["spec"]["template"])
    short = fingerprint(template, counted(deployment, "collisionCount"))
    labels = {**((template.get("metadata") or {}).get("labels") or {}), TEMPLATE_HASH_LABEL: short}
    template["metadata"] = {**(template.get("metadata") or {}), "labels": labels}
    selector = copy_json(deployment["spec"].get("selector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), TEMPLATE_HASH_LABEL: short}
    annotations = {
        **copied_annotations(deployment, dialect),
        keys.revision(dialect): str(revision),
        **size_annotations(wanted(deployment), maximum, dialect),
    }
    spec: Object = {"replicas": replicas, "selector": selector, "template": template}
    if deployment["spec"].get("minReadySeconds"):
        spec["minReadySeconds"] = deployment["spec"]["minReadySeconds"]
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name_of(deployment)}-{short}",
            "namespace": namespace_of(deployment),
            "labels": dict(labels),
            "annotations": annotations,
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": spec,
    }


def copied_annotations(deployment: Object, dialect: Dialect) -> dict[str, str]:
    """The deployment's annotations that its sets carry too."""
    left_out = keys.not_copied(dialect)
    return {name: value for name, value in annotations_of(deployment).items() if name not in left_out}


def size_annotations(desired: int, maximum: int, dialect: Dialect) -> dict[str, str]:
    """What a set remembers of its deployment's size, to be scaled in proportion later."""
    return {keys.desired_replicas(dialect): str(desired), keys.max_replicas(dialect): str(maximum)}


def new_set_annotations(deployment: Object, item: Object, revision: int, dialect: Dialect) -> dict[str, str]:
    """What has to change in the annotations of the set that is the new one, perhaps again, as ``revision``."""
    have = annotations_of(item)
    changes = {name: value for name, value in copied_annotations(deployment, dialect).items() if have.get(name) != value}
    before = revision_of(item, dialect)
    if before < revision:
        changes[keys.revision(dialect)] = str(revision)
        if before:
            earlier = [number for number in have.get(keys.revision_history(dialect), "").split(",") if number]
            while earlier and len(",".join([*earlier, str(before)])) > limits.REVISION_HISTORY_CHARS:
                earlier.pop(0)
            changes[keys.revision_history(dialect)] = ",".join([*earlier, str(before)])
    return changes


def to_clean_up(deployment: Object, old: list[Object], dialect: Dialect) -> list[Object]:
    """Old sets beyond the revision history's limit that no longer have pods."""
    limit = deployment["spec"].get("revisionHistoryLimit")
    living = [item for item in old if not is_terminating(item)]
    surplus = len(living) - (10 if limit is None else limit)
    if surplus <= 0:
        return []
    candidates = sorted(oldest_first(living), key=lambda item: revision_of(item, dialect))[:surplus]
    return [
        item
        for item in candidates
        if wanted(item) == 0
        and counted(item, "replicas") == 0
        and item["metadata"].get("generation", 0) <= counted(item, "observedGeneration")
    ]


def others(sets: list[Object], new: Object | None) -> list[Object]:
    """All but the new one."""
    return [item for item in sets if new is None or uid_of(item) != uid_of(new)]


def _without_hash(template: Object) -> Object:
    metadata = template.get("metadata") or {}
    labels = {name: value for name, value in (metadata.get("labels") or {}).items() if name != TEMPLATE_HASH_LABEL}
    rest = {name: value for name, value in metadata.items() if name != "labels" and value}
    return {**template, "metadata": {**rest, "labels": labels}}
