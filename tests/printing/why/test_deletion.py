"""What holds an object that is being deleted."""

import pytest

from svcsim.dialect import DIALECTS, KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.deletion import explain_deletion
from svcsim.printing.why.finalizers import wanted_for
from svcsim.printing.why.known import KNOWN
from svcsim.printing.why.verdict import Facts
from tests.printing.why.explaining import GOING, NOW, READY_NODE, SILENT, condition, explained, owned_pod, pod


@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
def test_finalizers_are_told_in_the_words_of_the_dialect(dialect: str) -> None:
    words = DIALECTS[dialect]
    protected = words.key("pvc-protection")
    metadata = {
        "name": "it",
        "uid": "u1",
        "deletionTimestamp": "2026-01-01T00:59:00Z",
        "finalizers": [protected, "foregroundDeletion", "x/y"],
    }
    using = {"nodeName": "node-1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "it"}}]}
    user = {"metadata": {"name": "p", "namespace": "default"}, "spec": using}
    without_node = {**user, "spec": {"volumes": using["volumes"]}}
    ended = {**user, "status": {"phase": "Succeeded"}}
    facts = Facts(NOW, words, [], {"held by": [user, without_node, ended, {"metadata": {"name": "other"}}]})
    claim = {"kind": "PersistentVolumeClaim", "metadata": {**metadata, "namespace": "default"}}
    assert explain_deletion({**claim, "metadata": {**claim["metadata"], "finalizers": ["x/y"]}}, facts).below == ()
    verdict = explain_deletion(claim, facts)
    assert verdict.state == "is being deleted, since 60s"
    assert verdict.because[0] == f"The finalizer {protected} holds it: it waits until no pod uses it any more."
    assert verdict.because[2] == "The finalizer x/y holds it: whoever that is for has to do its work and take it off."
    assert verdict.below == (user,)


def test_a_namespace_that_nobody_empties_says_who_would_have_to() -> None:
    metadata = {"name": "shop", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    namespace = {"kind": "Namespace", "metadata": metadata, "spec": {"finalizers": ["kubernetes"]}}
    (because,) = explain_deletion(namespace, Facts(NOW, KUBERNETES, [], {})).because
    assert because == "The namespace controller, if there is one, has to take the finalizer kubernetes off it."


def test_a_namespace_names_the_finalizers_in_its_spec_that_others_set() -> None:
    metadata = {"name": "shop", "uid": "u1", "deletionTimestamp": "2026-01-01T00:59:00Z"}
    namespace = {"kind": "Namespace", "metadata": metadata, "spec": {"finalizers": ["kubernetes", "example.com/hold"]}}
    (because,) = explain_deletion(namespace, Facts(NOW, KUBERNETES, [], {})).because
    assert because.startswith("The finalizer example.com/hold in spec.finalizers holds it")
    assert "/api/v1/namespaces/shop/finalize" in because


def test_grace_beyond_the_calendar_is_told() -> None:
    metadata = {"name": "it", "deletionTimestamp": "9999-12-31T23:59:59Z", "deletionGracePeriodSeconds": 2**63 - 1}
    ending = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}
    verdict = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {}))
    assert (verdict.state, verdict.because) == ("is being deleted", (f"Its containers have {2**63 - 1}s to end.",))


def test_a_pod_that_ends_has_its_grace_and_a_lost_node_says_nothing() -> None:
    metadata = {"name": "it", "deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 30}
    ending = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}
    verdict = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {}))
    assert (verdict.state, [coming.at for coming in verdict.then]) == ("is being deleted, since 10s", [NOW + 20])
    late = {**ending, "metadata": {**metadata, "deletionTimestamp": "2026-01-01T00:58:00Z"}}
    verdict = explain_deletion(late, Facts(NOW, KUBERNETES, [], {}))
    assert verdict.because[-1] == "That was over 2m ago: its node node-1 hasn't said that it is gone."
    heard_late = explain_deletion(late, Facts(NOW, KUBERNETES, [], {KNOWN: [{"graceOver": "2026-01-01T01:00:10Z"}]}))
    assert (heard_late.because, [coming.at for coming in heard_late.then]) == (("Its containers have 30s to end.",), [NOW + 10])
    unheard = explain_deletion(late, Facts(NOW, KUBERNETES, [], {KNOWN: [{"graceOver": ""}]}))
    assert unheard.because == ("Its node node-1 hasn't come to it yet; from then on, its containers have 30s to end.",)
    assert unheard.then == ()


def test_a_pod_that_is_deleted_on_a_node_that_has_failed_leads_to_it() -> None:
    silent = {"metadata": {"name": "node-1"}, "status": {"conditions": [condition("Ready", "Unknown")]}}
    whole = {"apiVersion": "v1", "kind": "Pod", **GOING, "metadata": {"name": "it", "uid": "u1", **GOING["metadata"]}}
    assert explain_deletion(whole, Facts(NOW, KUBERNETES, [], {"node": [silent]})).below == (silent,)
    unnoticed = {"node": [READY_NODE], KNOWN: [{"failed": {}}]}
    assert explain_deletion(whole, Facts(NOW, KUBERNETES, [], unnoticed)).below == (READY_NODE,)
    assert explain_deletion(whole, Facts(NOW, KUBERNETES, [], {"node": [READY_NODE]})).below == ()
    running = pod({"running": {}}, ready=True)
    verdict = explained("", "Pod", running, node=[READY_NODE], **{KNOWN: [{"failed": {}}]})
    assert (verdict.state, verdict.fine, verdict.below) == ("is on a node that has failed", False, (READY_NODE,))


def test_a_pod_that_can_not_be_ended_by_its_node_says_what_can() -> None:
    metadata = {"name": "it", "namespace": "default", "deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 30}
    ending = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}
    verdict = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {"node": [SILENT]}, " --cluster lab"))
    assert verdict.because == ("Its node node-1 doesn't answer: nobody there ends its containers, nor says that they have ended.",)
    (then,) = verdict.then
    assert then.text.startswith("it goes once its node is back, or the Node is deleted, or has the taint node.kubernetes.io/out-of-service")
    assert then.text.endswith("or by force: svcsim delete pod it -n default --grace-period=0 --force --cluster lab")
    gone = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {"node": []}))
    assert gone.then == (("the pod garbage collector takes it away, as it does with pods of nodes that are gone", None),)
    unready = {**SILENT, "status": {"conditions": [condition("Ready", "False")]}}
    heard_of = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {"node": [unready]}))
    assert heard_of.then == (("if they are still there, they are killed", NOW + 20),)


def going(kind: str, *finalizers: str, **more: object) -> Object:
    """An object that has been being deleted for a minute."""
    metadata = {"name": "it", "namespace": "default", "uid": "u1", "deletionTimestamp": "2026-01-01T00:59:00Z"}
    return {"apiVersion": "v1", "kind": kind, "metadata": {**metadata, "finalizers": list(finalizers)}, **more}


NOBODY = "no controller that takes it off runs, or it hasn't come to it."
VERSIONS = {"spec": {"group": "ex.com", "versions": [{"name": "v1", "served": True}], "names": {"plural": "foos"}}}


@pytest.mark.parametrize(
    ("obj", "path", "held", "over"),
    [
        (
            going("PersistentVolumeClaim", "kubernetes.io/pvc-protection"),
            "/api/v1/namespaces/default/pods",
            {**owned_pod("p"), "spec": {"nodeName": "node-1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "it"}}]}},
            "no pod uses it any more",
        ),
        (
            going("PersistentVolume", "kubernetes.io/pv-protection", spec={"claimRef": {"namespace": "a", "name": "b", "uid": "c"}}),
            "/api/v1/namespaces/a/persistentvolumeclaims/b",
            {"metadata": {"name": "b", "uid": "c"}},
            "its claim is gone",
        ),
        (
            going(
                "CustomResourceDefinition",
                "customresourcecleanup.apiextensions.k8s.io",
                **VERSIONS,
                status={"conditions": [condition("Established", "True")]},
            ),
            "/apis/ex.com/v1/foos",
            {"metadata": {"name": "f"}},
            "no custom resource of it is left",
        ),
    ],
)
def test_what_a_finalizer_waits_for_is_looked_up_or_nobody_takes_it_off(obj: Object, path: str, held: Object, over: str) -> None:
    (wanted,) = wanted_for(obj, KUBERNETES)
    assert wanted.path == path
    verdict = explain_deletion(obj, Facts(NOW, KUBERNETES, [], {wanted.name: [held]}))
    assert verdict.below == (held,)
    (finalizer,) = obj["metadata"]["finalizers"]
    because = explain_deletion(obj, Facts(NOW, KUBERNETES, [], {wanted.name: []})).because
    assert because[0] == f"The finalizer {finalizer} holds it, though {over}: {NOBODY}"
    unread = explain_deletion(obj, Facts(NOW, KUBERNETES, [], {})).because
    assert "though" not in unread[0], "what may not be read may be there"


def test_claims_and_volumes_keep_a_class_of_attributes() -> None:
    attributes = going("VolumeAttributesClass", "kubernetes.io/vac-protection")
    claims, volumes = wanted_for(attributes, KUBERNETES)
    assert [claims.path, volumes.path] == ["/api/v1/persistentvolumeclaims", "/api/v1/persistentvolumes"]
    has: Object = {"metadata": {"name": "c"}, "spec": {}, "status": {"currentVolumeAttributesClassName": "it"}}
    asks: Object = {"metadata": {"name": "v"}, "spec": {"volumeAttributesClassName": "it"}}
    other: Object = {"metadata": {"name": "o"}, "spec": {"volumeAttributesClassName": "other"}}
    verdict = explain_deletion(attributes, Facts(NOW, KUBERNETES, [], {claims.name: [has, other], volumes.name: [asks, other]}))
    assert verdict.below == (has, asks)
    until = "it waits until no claim and no volume names it any more."
    assert verdict.because == (f"The finalizer kubernetes.io/vac-protection holds it: {until}",)
    (in_vain,) = explain_deletion(attributes, Facts(NOW, KUBERNETES, [], {claims.name: [other], volumes.name: []})).because
    assert in_vain.endswith(f"though no claim and no volume names it any more: {NOBODY}")
    (unread,) = explain_deletion(attributes, Facts(NOW, KUBERNETES, [], {claims.name: []})).because
    assert "though" not in unread, "what may not be read may be there"


def test_a_pod_whose_job_is_gone_is_held_in_vain() -> None:
    counted = going("Pod", "batch.kubernetes.io/job-tracking")
    counted["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "j", "uid": "j1", "controller": True}]
    (wanted,) = wanted_for(counted, KUBERNETES)
    for jobs, over in (([{"metadata": {"uid": "j1"}}], False), ([{"metadata": {"uid": "another"}}], True), ([], True)):
        because = explain_deletion(counted, Facts(NOW, KUBERNETES, [], {wanted.name: jobs})).because
        assert ("though its Job is gone" in because[0]) == over


def test_addresses_of_services_keep_a_service_cidr_that_says_so() -> None:
    conditions = [condition("Ready", "False", "Terminating", "There are still IPAddresses")]
    cidr = going(
        "ServiceCIDR", "networking.k8s.io/service-cidr-finalizer", spec={"cidrs": ["10.0.0.0/24"]}, status={"conditions": conditions}
    )
    labels = {"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}
    inside, outside = ({"metadata": {"name": name, "labels": labels}} for name in ("10.0.0.1", "10.0.1.1"))
    own = {"metadata": {"name": "10.0.0.2"}}
    (wanted,) = wanted_for(cidr, KUBERNETES)
    verdict = explain_deletion(cidr, Facts(NOW, KUBERNETES, [], {wanted.name: [inside, outside, own]}))
    assert verdict.below == (inside,)
    assert verdict.because[1] == "Ready is False: Terminating: There are still IPAddresses."


def test_what_a_custom_resource_says_of_its_deletion_is_told() -> None:
    bucket = going("Bucket", "ex.com/empty", status={"conditions": [condition("Ready", "False", "NotEmpty"), condition("Synced", "True")]})
    assert explain_deletion(bucket, Facts(NOW, KUBERNETES, [], {})).because[1:] == ("Ready is False: NotEmpty.",)


def test_an_attachment_says_that_detaching_it_failed() -> None:
    attachment = going("VolumeAttachment", "external-attacher/x", status={"detachError": {"message": "busy"}})
    assert explain_deletion(attachment, Facts(NOW, KUBERNETES, [], {})).because[1:] == ("Detaching it failed: busy.",)
