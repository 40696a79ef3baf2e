"""What is said of objects whose controllers are switched off, or haven't come to them."""

import pytest

from svcsim.cluster.parts import CONTROLLER_NAMES
from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.attended import ATTENDANTS, by_finalizer, unseen, with_switched_off
from svcsim.printing.why.known import KNOWN
from svcsim.printing.why.verdict import Coming, Facts, Verdict
from tests.printing.why.explaining import NOW, READY_NODE, condition

LEAVING = {"deletionTimestamp": "2026-01-01T00:59:00Z"}


DISK: Object = {
    "kind": "Pod",
    "spec": {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]},
    "status": {"phase": "Pending"},
}


def switched_off(api_version: str, obj: Object, *off: str, fine: bool = False, **found: list[Object]) -> list[str]:
    """What is said of the controllers of an object."""
    facts = Facts(NOW, KUBERNETES, [], {KNOWN: [{"controllersOff": list(off)}], **found})
    return list(with_switched_off(Verdict("is", fine=fine), {"apiVersion": api_version, **obj}, facts).because)


@pytest.mark.parametrize(
    ("api_version", "obj", "off", "told"),
    [
        ("batch/v1", {"kind": "CronJob"}, "cronjob-controller", "no job is started by it"),
        (
            "batch/v1",
            {"kind": "Job", "spec": {"ttlSecondsAfterFinished": 10}, "status": {"conditions": [condition("Complete", "True")]}},
            "ttl-after-finished-controller",
            "it isn't removed when its time is over",
        ),
        (
            "v1",
            {"kind": "Pod", "spec": {"volumes": [{"name": "e", "ephemeral": {}}, {"name": "f", "ephemeral": {"x": 1}}]}},
            "ephemeral-volume-controller",
            "no claims are made for its ephemeral volumes",
        ),
        (
            "v1",
            {**DISK, "spec": {**DISK["spec"], "nodeName": "node-1"}},
            "attachdetach-controller",
            "the volumes of its claims aren't attached to its node",
        ),
        (
            "v1",
            {**DISK, "spec": {**DISK["spec"], "nodeName": "node-1"}},
            "disk-attacher-controller",
            "no simulated disk is attached to its node",
        ),
        (
            "storage.k8s.io/v1",
            {"kind": "VolumeAttachment", "metadata": {**LEAVING, "finalizers": ["external-attacher/disk-csi-svcsim-dev"]}},
            "disk-attacher-controller",
            "nobody takes off external-attacher/disk-csi-svcsim-dev",
        ),
        ("v1", {"kind": "PersistentVolumeClaim"}, "pv-binder-controller", "it is bound to no volume"),
        ("v1", {"kind": "Node"}, "node-controller", "nobody notices whether it answers"),
        ("autoscaling/v2", {"kind": "HorizontalPodAutoscaler"}, "horizontal-pod-autoscaler", "nothing is scaled by it"),
        ("policy/v1", {"kind": "PodDisruptionBudget"}, "disruption-controller", "its pods aren't counted"),
        ("v1", {"kind": "Service", "spec": {"selector": {"a": "b"}}}, "endpoint-controller", "no EndpointSlices are written for it"),
        ("v1", {"kind": "Service"}, "endpointslice-mirroring-controller", "its Endpoints are mirrored in no EndpointSlices"),
        ("v1", {"kind": "Namespace", "metadata": LEAVING}, "namespace-controller", "what is in it isn't deleted with it"),
        (
            "certificates.k8s.io/v1",
            {"kind": "CertificateSigningRequest", "status": {"conditions": [condition("Approved", "True")]}},
            "certificatesigningrequest-signing-controller",
            "none of the cluster's own signers issues it",
        ),
        (
            "v1",
            {"kind": "PersistentVolumeClaim", "metadata": {**LEAVING, "finalizers": ["kubernetes.io/pvc-protection"]}},
            "pvc-protection-controller",
            "nobody takes off kubernetes.io/pvc-protection",
        ),
        (
            "apps/v1",
            {"kind": "Deployment", "metadata": {**LEAVING, "finalizers": ["foregroundDeletion"]}},
            "garbage-collector",
            "nobody takes off foregroundDeletion",
        ),
    ],
)
def test_a_controller_that_is_switched_off_is_named_with_what_it_would_do(api_version: str, obj: Object, off: str, told: str) -> None:
    sentence = f"The controller {off} is switched off (--controllers): unless another does its work, {told}."
    assert switched_off(api_version, obj, off, "job-controller") == [sentence]
    assert switched_off(api_version, obj, off, fine=True) == [], "another does its work"
    assert switched_off(api_version, obj) == []


def test_the_scheduler_and_the_nodes_are_no_controllers() -> None:
    (of_scheduler,) = switched_off("v1", {"kind": "Pod"}, "scheduler", "nodes")
    assert of_scheduler.startswith("The scheduler is switched off")
    (of_nodes,) = switched_off("v1", {"kind": "Pod", "spec": {"nodeName": "node-1"}}, "scheduler", "nodes")
    assert of_nodes.startswith("The simulation of nodes is switched off")


def test_all_that_attend_to_objects_are_controllers_that_there_are() -> None:
    attendants = [*(one for several in ATTENDANTS.values() for one in several), *by_finalizer(KUBERNETES).values()]
    assert {one.name for one in attendants} <= set(CONTROLLER_NAMES)


def test_a_pod_names_who_would_take_it_away() -> None:
    placed = {"kind": "Pod", "spec": {"nodeName": "node-1"}}
    off = ("pod-garbage-collector", "taint-eviction-controller")
    (collected,) = switched_off("v1", placed, *off, node=[])
    assert collected.endswith("it isn't deleted, as pods of nodes that are gone are.")
    (evicted,) = switched_off("v1", placed, *off, node=[{"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}}])
    assert evicted.endswith("it isn't evicted from its node.")
    assert switched_off("v1", placed, *off, node=[READY_NODE]) == []


def test_what_is_fine_and_waits_for_something_is_told_who_would_bring_it_about() -> None:
    facts = Facts(NOW, KUBERNETES, [], {KNOWN: [{"controllersOff": ["cronjob-controller"]}]})
    verdict = Verdict("waits for its time", fine=True, then=(Coming("the next job is due"),))
    (told,) = with_switched_off(verdict, {"apiVersion": "batch/v1", "kind": "CronJob"}, facts).because
    assert (
        told == "The controller cronjob-controller is switched off (--controllers): unless another does its work, no job is started by it."
    )


def test_who_has_done_with_an_object_is_not_named() -> None:
    done: Object = {"kind": "Job", "status": {"conditions": [condition("Failed", "True")]}}
    assert switched_off("batch/v1", done, "job-controller", "ttl-after-finished-controller") == []
    running: Object = {**DISK, "spec": {**DISK["spec"], "nodeName": "node-1"}, "status": {"phase": "Running"}}
    assert switched_off("v1", running, "attachdetach-controller", "ephemeral-volume-controller") == []


def test_a_controller_that_tries_in_vain_says_why_instead_of_not_having_come() -> None:
    known = {KNOWN: [{"troubles": {"daemonset-controller": "exceeded quota: q", "deployment-controller": "another's"}}]}
    facts = Facts(NOW, KUBERNETES, [], known)
    one = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"generation": 1}}
    verdict = with_switched_off(Verdict("waits", because=(*unseen(one), "And so on.")), one, facts)
    assert verdict.because == ("And so on.", "The controller daemonset-controller tries, and can't: exceeded quota: q.")
    assert with_switched_off(Verdict("is", fine=True), one, facts).because == ()
    assert with_switched_off(Verdict("waits", because=("An event tells.",)), one, facts).because == ("An event tells.",)
