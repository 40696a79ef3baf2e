"""The claims that each pod of a StatefulSet has: one for each of the set's templates, kept for later pods of the same name."""

from svcsim.meta.objects import labels_of, metadata_of, name_of, namespace_of
from svcsim.meta.types import Object


def claim_templates(stateful_set: Object) -> list[Object]:
    templates: list[Object] = stateful_set["spec"].get("volumeClaimTemplates") or []
    return templates


def claim_name(template: Object, pod_name: str) -> str:
    return f"{name_of(template)}-{pod_name}"


def pods_of_claim(name: str) -> list[str]:
    """The names of the pods that a claim of that name may be for: what it begins with is the name of some template."""
    parts = name.split("-")
    return ["-".join(parts[first:]) for first in range(1, len(parts) - 1)]


def new_claim(stateful_set: Object, template: Object, pod_name: str, owners: list[Object]) -> Object:
    """The claim of a pod, from one of its set's templates. Its labels are also those that the set selects by."""
    selected = (stateful_set["spec"].get("selector") or {}).get("matchLabels") or {}
    metadata = {
        **metadata_of(template),
        "name": claim_name(template, pod_name),
        "namespace": namespace_of(stateful_set),
        "labels": {**labels_of(template), **selected},
    }
    if owners:
        metadata["ownerReferences"] = owners
    return {**template, "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata}


def with_claims(stateful_set: Object, pod: Object) -> Object:
    """A pod with volumes from its claims, which take the place of volumes of the same names."""
    templates = claim_templates(stateful_set)
    if not templates:
        return pod
    names = [name_of(template) for template in templates]
    ours = [
        {"name": name_of(template), "persistentVolumeClaim": {"claimName": claim_name(template, name_of(pod))}} for template in templates
    ]
    others = [volume for volume in pod["spec"].get("volumes") or () if volume["name"] not in names]
    return {**pod, "spec": {**pod["spec"], "volumes": [*ours, *others]}}


def storage_matches(stateful_set: Object, pod: Object) -> bool:
    """Whether a pod has its volumes from its claims."""
    templates = claim_templates(stateful_set)
    if not templates:
        return True
    used = {
        volume["name"]: volume["persistentVolumeClaim"]["claimName"]
        for volume in pod["spec"].get("volumes") or ()
        if volume.get("persistentVolumeClaim")
    }
    return all(used.get(name_of(template)) == claim_name(template, name_of(pod)) for template in templates)
