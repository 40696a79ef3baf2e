"""What holds an object that is being deleted."""

import pytest

from svcsim.dialect import DIALECTS, KUBERNETES
from svcsim.printing.why.deletion import explain_deletion
from svcsim.printing.why.known import KNOWN
from svcsim.printing.why.verdict import Facts
from tests.printing.why.explaining import GOING, NOW, READY_NODE, SILENT, condition, explained, pod


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
    facts = Facts(NOW, words, [], {"pods": [user, without_node, ended, {"metadata": {"name": "other"}}]})
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
