"""The claims of a pod's volumes, which have to be bound before it is placed, and attached to its node before its containers are made."""

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.claims import pod_claims
from svcsim.meta.objects import get_path, namespace_of
from svcsim.meta.pods import is_ready, node_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Facts, Wanted

_ATTACHMENTS = "attachments"


def wanted_claims(pod: Object) -> list[Wanted]:
    """The claims that it uses, each under a name of its own."""
    if not (pod.get("spec") or {}).get("volumes"):
        return []
    claims = f"/api/v1/namespaces/{namespace_of(pod)}/persistentvolumeclaims"
    return [Wanted(f"claim {claim.name}", f"{claims}/{claim.name}") for claim in pod_claims(pod)]


def wanted_for_volumes(pod: Object, dialect: Dialect) -> list[Wanted]:
    """What tells where the volumes of its claims are attached; nothing for a pod that is ready."""
    claims = wanted_claims(pod)
    if not claims or is_ready(pod):
        return []
    return [*claims, Wanted(_ATTACHMENTS, f"/apis/{dialect.group('storage')}/v1/volumeattachments", {"limit": limits.WHY_LISTED})]


def unattached(pod: Object, facts: Facts) -> list[Object]:
    """The VolumeAttachments of its volumes to its node that have yet to be done."""
    volumes = {get_path(claim, "spec.volumeName") for wanted in wanted_claims(pod) for claim in facts.all(wanted.name)}
    return [
        one
        for one in facts.all(_ATTACHMENTS)
        if get_path(one, "spec.nodeName") == node_of(pod)
        and get_path(one, "spec.source.persistentVolumeName") in volumes
        and not get_path(one, "status.attached")
    ]
