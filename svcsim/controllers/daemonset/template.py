"""What a DaemonSet's pod is made from: the template, what daemons tolerate, the node it is for, and of which revision it is."""

from svcsim.client.revisions import HASH_LABEL
from svcsim.dialect import Dialect
from svcsim.meta.node_affinity import NAME_FIELD
from svcsim.meta.objects import annotations_of, copy_json, labels_of
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE
from svcsim.meta.types import Object

GENERATION_LABEL = "pod-template-generation"
"""On a pod: how many templates its DaemonSet had had when it was made."""
_GENERATION = "deprecated.daemonset.template.generation"
"""Annotation of a DaemonSet: the same number; the server counts it."""
_TOLERATED = (
    ("not-ready", NO_EXECUTE),
    ("unreachable", NO_EXECUTE),
    ("disk-pressure", NO_SCHEDULE),
    ("memory-pressure", NO_SCHEDULE),
    ("pid-pressure", NO_SCHEDULE),
    ("unschedulable", NO_SCHEDULE),
)
_TOLERATED_ON_HOST_NETWORK = (("network-unavailable", NO_SCHEDULE),)


def template_generation(daemon_set: Object) -> str:
    """How many templates the DaemonSet has had, as the server says; empty where it doesn't."""
    return annotations_of(daemon_set).get(_GENERATION, "")


def is_updated(pod: Object, daemon_set: Object, revision_hash: str) -> bool:
    """Whether a pod is of the present template."""
    labels, generation = labels_of(pod), template_generation(daemon_set)
    return labels.get(HASH_LABEL) == revision_hash or bool(generation and labels.get(GENERATION_LABEL) == generation)


def tolerations(spec: Object, dialect: Dialect) -> list[Object]:
    """A template's tolerations, and those that all daemons have: a node in trouble needs them most."""
    names = (*_TOLERATED, *(_TOLERATED_ON_HOST_NETWORK if spec.get("hostNetwork") else ()))
    wanted = [{"key": dialect.key(name, "node"), "operator": "Exists", "effect": effect} for name, effect in names]
    identities = [_identity(toleration) for toleration in wanted]
    own = [toleration for toleration in spec.get("tolerations") or () if _identity(toleration) not in identities]
    return [*own, *wanted]


def pinned(affinity: Object | None, node_name: str) -> Object:
    """An affinity to one node, which takes the place of all that is required of nodes."""
    term = {"matchFields": [{"key": NAME_FIELD, "operator": "In", "values": [node_name]}]}
    node_affinity = {
        **((affinity or {}).get("nodeAffinity") or {}),
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
    }
    return {**(affinity or {}), "nodeAffinity": node_affinity}


def template_for(daemon_set: Object, node_name: str, revision_hash: str, dialect: Dialect) -> Object:
    """The template of the pod for one node."""
    template: Object = copy_json(daemon_set["spec"]["template"])
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    generation = template_generation(daemon_set)
    labels = {
        **(metadata.get("labels") or {}),
        **({GENERATION_LABEL: generation} if generation else {}),
        HASH_LABEL: revision_hash,
    }
    spec = {**spec, "tolerations": tolerations(spec, dialect), "affinity": pinned(spec.get("affinity"), node_name)}
    return {**template, "metadata": {**metadata, "labels": labels}, "spec": spec}


def _identity(toleration: Object) -> tuple[str, str, str, str]:
    """What two tolerations have to have in common to be one."""
    return (
        toleration.get("key") or "",
        toleration.get("effect") or "",
        toleration.get("operator") or "Equal",
        toleration.get("value") or "",
    )
