"""Whether anybody attends to an object: what is said where its controller doesn't run, or hasn't come to it yet.

Which controllers are switched off, a simulated cluster tells (`svcsim.printing.why.known`); of others it can't be known.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from svcsim.dialect import Dialect, plain_group
from svcsim.meta.attachments import attacher_finalizer
from svcsim.meta.device_claims import allocation_of, used_devices
from svcsim.meta.names import FOREGROUND, ORPHAN
from svcsim.meta.objects import condition_is, finalizers_of, get_path, gvk_of, is_terminating, metadata_of
from svcsim.meta.pods import is_finished, node_of, phase_of
from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import Object
from svcsim.printing.why.known import controllers_off, controllers_troubles, is_unmanned
from svcsim.printing.why.verdict import Facts, Verdict, sentence


class Attendant(NamedTuple):
    """A controller that attends to objects of a kind."""

    name: str
    """By which it is chosen."""
    without: str
    """What doesn't come to pass without it."""
    attends: Callable[[Object, Facts], bool] = lambda _obj, _facts: True
    """Whether an object, as it is, is one for it."""


def _is_unplaced(pod: Object, _facts: Facts) -> bool:
    return not node_of(pod) and not is_finished(pod)


def _needs_claims(pod: Object, facts: Facts) -> bool:
    return _is_unplaced(pod, facts) and any(volume.get("ephemeral") for volume in get_path(pod, "spec.volumes") or ())


def _needs_device_claims(pod: Object, facts: Facts) -> bool:
    return _is_unplaced(pod, facts) and any(used.is_awaited for used in used_devices(pod))


def _lacks_devices(claim: Object, _facts: Facts) -> bool:
    return allocation_of(claim) is None and not is_terminating(claim)


def _has_devices(claim: Object, _facts: Facts) -> bool:
    return allocation_of(claim) is not None


def _may_wait_for_disks(pod: Object, facts: Facts) -> bool:
    claims = any(volume.get("persistentVolumeClaim") or volume.get("ephemeral") for volume in get_path(pod, "spec.volumes") or ())
    return claims and _is_on_node(pod, facts) and phase_of(pod) == "Pending"


def _is_on_node(pod: Object, _facts: Facts) -> bool:
    return bool(node_of(pod)) and not is_finished(pod)


def _has_taint_that_evicts(node: Object, _facts: Facts) -> bool:
    return any(taint.get("effect") == "NoExecute" for taint in get_path(node, "spec.taints") or ())


def _is_unmanned(_node: Object, facts: Facts) -> bool:
    return is_unmanned(facts)


def _lacks_network(node: Object, _facts: Facts) -> bool:
    return not get_path(node, "spec.podCIDR")


def _is_approved(request: Object, _facts: Facts) -> bool:
    return condition_is(request, "Approved")


def _is_bound(claim: Object, _facts: Facts) -> bool:
    return bool(get_path(claim, "status.phase") == "Bound")


def _is_unbound(claim: Object, facts: Facts) -> bool:
    return not _is_bound(claim, facts)


def _is_deleted(obj: Object, _facts: Facts) -> bool:
    return is_terminating(obj)


def _selects(service: Object, _facts: Facts) -> bool:
    return bool(get_path(service, "spec.selector"))


def _leads_elsewhere(service: Object, facts: Facts) -> bool:
    return not _selects(service, facts)


def _has_lost_its_node(pod: Object, facts: Facts) -> bool:
    return bool(node_of(pod)) and facts.is_missing("node")


def _is_to_be_evicted(pod: Object, facts: Facts) -> bool:
    node = facts.one("node")
    return node is not None and not is_terminating(pod) and _has_taint_that_evicts(node, facts)


def _is_under_way(job: Object, _facts: Facts) -> bool:
    return not _has_ended(job)


def _is_to_be_removed(job: Object, _facts: Facts) -> bool:
    return _has_ended(job) and get_path(job, "spec.ttlSecondsAfterFinished") is not None


def _has_ended(job: Object) -> bool:
    return condition_is(job, "Complete") or condition_is(job, "Failed")


def _is_released(volume: Object, _facts: Facts) -> bool:
    return get_path(volume, "status.phase") in ("Released", "Failed")


_NO_PODS = "no pods are made or taken away for it"
ATTENDANTS: Mapping[tuple[str, str], tuple[Attendant, ...]] = {
    ("", "Namespace"): (Attendant("namespace-controller", "what is in it isn't deleted with it", _is_deleted),),
    ("", "Node"): (
        Attendant("nodes", "no simulated node is behind it", _is_unmanned),
        Attendant("node-controller", "nobody notices whether it answers"),
        Attendant("node-ipam-controller", "it is given no network for its pods", _lacks_network),
        Attendant("taint-eviction-controller", "no pod is evicted from it", _has_taint_that_evicts),
    ),
    ("", "PersistentVolume"): (
        Attendant("pv-binder-controller", "it is bound to no claim, and nothing becomes of it once its claim is gone"),
        Attendant("disk-provisioner-controller", "no simulated disk is deleted", _is_released),
    ),
    ("", "PersistentVolumeClaim"): (
        Attendant("pv-binder-controller", "it is bound to no volume", _is_unbound),
        Attendant("disk-provisioner-controller", "no simulated disk is made for it", _is_unbound),
        Attendant("expand-controller", "its volume isn't made larger", _is_bound),
        Attendant("disk-resizer-controller", "its simulated disk isn't made larger", _is_bound),
    ),
    ("", "Pod"): (
        Attendant("scheduler", "it is placed on no node", _is_unplaced),
        Attendant("ephemeral-volume-controller", "no claims are made for its ephemeral volumes", _needs_claims),
        Attendant("resource-claim-controller", "no claims on devices are made for it", _needs_device_claims),
        Attendant("nodes", "no simulated node runs it or ends it", _is_on_node),
        Attendant("attachdetach-controller", "the volumes of its claims aren't attached to its node", _may_wait_for_disks),
        Attendant("disk-attacher-controller", "no simulated disk is attached to its node", _may_wait_for_disks),
        Attendant("pod-garbage-collector", "it isn't deleted, as pods of nodes that are gone are", _has_lost_its_node),
        Attendant("taint-eviction-controller", "it isn't evicted from its node", _is_to_be_evicted),
    ),
    ("", "ReplicationController"): (Attendant("replication-controller", _NO_PODS),),
    ("", "ResourceQuota"): (Attendant("resourcequota-controller", "nobody tells what is used of it"),),
    ("", "Service"): (
        Attendant("endpoint-controller", "no EndpointSlices are written for it", _selects),
        Attendant("endpointslice-mirroring-controller", "its Endpoints are mirrored in no EndpointSlices", _leads_elsewhere),
    ),
    ("apps", "DaemonSet"): (Attendant("daemonset-controller", _NO_PODS),),
    ("apps", "Deployment"): (Attendant("deployment-controller", "its ReplicaSets are left as they are"),),
    ("apps", "ReplicaSet"): (Attendant("replicaset-controller", _NO_PODS),),
    ("apps", "StatefulSet"): (Attendant("statefulset-controller", _NO_PODS),),
    ("apiregistration", "APIService"): (Attendant("apiservice-availability-controller", "nobody asks whether it answers"),),
    ("autoscaling", "HorizontalPodAutoscaler"): (Attendant("horizontal-pod-autoscaler", "nothing is scaled by it"),),
    ("batch", "CronJob"): (Attendant("cronjob-controller", "no job is started by it"),),
    ("batch", "Job"): (
        Attendant("job-controller", _NO_PODS, _is_under_way),
        Attendant("ttl-after-finished-controller", "it isn't removed when its time is over", _is_to_be_removed),
    ),
    ("certificates", "CertificateSigningRequest"): (
        Attendant("certificatesigningrequest-signing-controller", "none of the cluster's own signers issues it", _is_approved),
    ),
    ("policy", "PodDisruptionBudget"): (Attendant("disruption-controller", "its pods aren't counted"),),
    ("resource", "ResourceClaim"): (
        Attendant("scheduler", "it is given no devices", _lacks_devices),
        Attendant("resource-claim-controller", "its devices aren't free again once nobody uses it", _has_devices),
    ),
    ("storage", "VolumeAttachment"): (Attendant("disk-attacher-controller", "no simulated disk is attached or detached"),),
}
"""By group and kind, groups without the dialect's suffix."""

_ENDED = ("Namespace", "Pod")
"""Kinds whose controllers bring their deletion to its end; others are let go by those whose finalizers they have."""


_NOT_COME_TO_IT = "runs, or it hasn't come to it"


def unattended(kinds: str) -> str:
    """Why something hasn't been done that a controller does, after a colon."""
    return f"no controller for {kinds} {_NOT_COME_TO_IT}"


def nobody(has: str, kinds: str) -> str:
    """That what a controller does hasn't been done yet: ``Nobody has begun with it yet: no controller for Jobs runs, …``."""
    return f"Nobody has {has} yet: {unattended(kinds)}."


def unseen(obj: Object) -> tuple[str, ...]:
    """What there is to say where nobody has acted on the last change of an object yet."""
    observed = get_path(obj, "status.observedGeneration", 0) or 0
    if observed >= metadata_of(obj).get("generation", 0):
        return ()
    return (nobody("acted on its last change", f"{obj.get('kind', '')}s"),)


def with_switched_off(verdict: Verdict, obj: Object, facts: Facts) -> Verdict:
    """A verdict, and which of those who attend to an object are switched off, where it isn't as it should be or something is to come.

    And what keeps those from it who try, where nothing else tells why nobody has come to it.
    """
    off, troubles = controllers_off(facts), controllers_troubles(facts)
    if (verdict.fine and not verdict.then) or not (off or troubles):
        return verdict
    attendants = _attendants(obj, facts)
    told = tuple(line for line in verdict.because if not line.endswith(f"{_NOT_COME_TO_IT}."))
    trying = [one for one in attendants if one.name in troubles] if len(told) < len(verdict.because) else []
    failing = [sentence(f"The controller {one.name} tries, and can't: {troubles[one.name]}") for one in trying]
    because = told if failing else verdict.because
    return verdict._replace(because=(*because, *failing, *(_is_off(one) for one in attendants if one.name in off)))


def _attendants(obj: Object, facts: Facts) -> list[Attendant]:
    gvk, letting_go = gvk_of(obj), by_finalizer(facts.dialect)
    found = [one for one in ATTENDANTS.get((plain_group(gvk.group), gvk.kind), ()) if one.attends(obj, facts)]
    if not is_terminating(obj):
        return found
    ending = found if gvk.kind in _ENDED else []
    return [*ending, *(letting_go[name] for name in finalizers_of(obj) if name in letting_go)]


def by_finalizer(dialect: Dialect) -> dict[str, Attendant]:
    """Who takes a finalizer off."""
    return {
        finalizer: Attendant(name, f"nobody takes off {finalizer}")
        for finalizer, name in (
            (FOREGROUND, "garbage-collector"),
            (ORPHAN, "garbage-collector"),
            (dialect.key("pvc-protection"), "pvc-protection-controller"),
            (dialect.key("pv-protection"), "pv-protection-controller"),
            (dialect.key("vac-protection"), "volumeattributesclass-protection-controller"),
            (dialect.key("finalizer", "external-provisioner.volume"), "disk-provisioner-controller"),
            (dialect.key("job-tracking", "batch"), "job-controller"),
            (attacher_finalizer(DRIVER), "disk-attacher-controller"),
            (f"{dialect.group('networking')}/service-cidr-finalizer", "service-cidr-controller"),
        )
    }


def _is_off(one: Attendant) -> str:
    what = (
        "The scheduler" if one.name == "scheduler" else "The simulation of nodes" if one.name == "nodes" else f"The controller {one.name}"
    )
    return f"{what} is switched off (--controllers): unless another does its work, {one.without}."
