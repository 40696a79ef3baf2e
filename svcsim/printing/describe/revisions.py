"""What is kept of a workload's earlier templates, and which is the present one: what ``rollout`` and ``describe`` need to know.

A Deployment keeps its ReplicaSets, which have their numbers in an annotation; DaemonSets and StatefulSets keep ControllerRevisions.
"""

from svcsim.meta.go_integers import read_decimal
from svcsim.meta.objects import annotations_of, controller_of, copy_json, get_path, metadata_of, namespace_of, uid_of
from svcsim.meta.pods import TEMPLATE_HASH_LABEL
from svcsim.meta.types import Object
from svcsim.printing.describe.reader import Reader
from svcsim.printing.texts import selector_text


def owned_replica_sets(reader: Reader, deployment: Object) -> list[Object]:
    """The ReplicaSets that belong to a Deployment, oldest first."""
    return sorted(_owned(reader, deployment, "replicasets"), key=lambda item: str(metadata_of(item).get("creationTimestamp", "")))


def _owned(reader: Reader, workload: Object, plural: str) -> list[Object]:
    path = f"/apis/apps/v1/namespaces/{namespace_of(workload)}/{plural}"
    found: list[Object] = reader.get(path, {"labelSelector": selector_text(workload["spec"]["selector"])}).get("items") or []
    return [item for item in found if (controller_of(item) or {}).get("uid") == uid_of(workload)]


def kept_revisions(reader: Reader, workload: Object, kept_as: str) -> dict[int, Object]:
    """The objects that stand for a workload's revisions, by their numbers, in order; ``kept_as`` is their kind."""
    if kept_as == "ReplicaSet":
        found = {revision(one): one for one in owned_replica_sets(reader, workload) if revision(one)}
    else:
        found = {one.get("revision") or 0: one for one in _owned(reader, workload, "controllerrevisions")}
    return dict(sorted(found.items()))


def kept_template(kept: Object) -> Object:
    """The template of pods as an object that stands for a revision has it."""
    if "data" not in kept:
        template: Object = kept["spec"]["template"]
        return template
    return {name: value for name, value in (get_path(kept, "data.spec.template") or {}).items() if name != "$patch"}


def new_replica_set(deployment: Object, replica_sets: list[Object]) -> Object | None:
    """The one whose template is the Deployment's own."""
    wanted = deployment["spec"]["template"]
    return next((item for item in replica_sets if template_of(item) == wanted), None)


def template_of(replica_set: Object) -> Object:
    """A ReplicaSet's template, as the Deployment had it."""
    template: Object = copy_json(replica_set["spec"]["template"])
    labels = (template.get("metadata") or {}).get("labels") or {}
    labels.pop(TEMPLATE_HASH_LABEL, None)
    return template


def revision(obj: Object) -> int:
    """The number of a Deployment's or ReplicaSet's revision; 0 where it has none, or one that is no number of 64 bits."""
    value = next((value for key, value in annotations_of(obj).items() if key.startswith("deployment.") and key.endswith("/revision")), "")
    try:
        return max(read_decimal(value, 64), 0)
    except ValueError:
        return 0
