"""The ReplicaSets of a Deployment, and which of them is the present one: what ``rollout`` and ``describe`` need to know."""

from svcsim.meta.objects import annotations_of, controller_of, copy_json, metadata_of, namespace_of, uid_of
from svcsim.meta.types import Object
from svcsim.printing.describe.reader import Reader
from svcsim.printing.texts import selector_text

HASH_LABEL = "pod-template-hash"


def owned_replica_sets(reader: Reader, deployment: Object) -> list[Object]:
    """The ReplicaSets that belong to a Deployment, oldest first."""
    path = f"/apis/apps/v1/namespaces/{namespace_of(deployment)}/replicasets"
    found: list[Object] = reader.get(path, {"labelSelector": selector_text(deployment["spec"]["selector"])}).get("items") or []
    mine = [item for item in found if (controller_of(item) or {}).get("uid") == uid_of(deployment)]
    return sorted(mine, key=lambda item: str(metadata_of(item).get("creationTimestamp", "")))


def new_replica_set(deployment: Object, replica_sets: list[Object]) -> Object | None:
    """The one whose template is the Deployment's own."""
    wanted = deployment["spec"]["template"]
    return next((item for item in replica_sets if template_of(item) == wanted), None)


def template_of(replica_set: Object) -> Object:
    """A ReplicaSet's template, as the Deployment had it."""
    template: Object = copy_json(replica_set["spec"]["template"])
    labels = (template.get("metadata") or {}).get("labels") or {}
    labels.pop(HASH_LABEL, None)
    return template


def revision(obj: Object) -> int:
    """The number of a Deployment's or ReplicaSet's revision; 0 where it has none."""
    for key, value in annotations_of(obj).items():
        if key.startswith("deployment.") and key.endswith("/revision") and value.isdigit():
            return int(value)
    return 0
