"""What stages have in store for an object."""

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.deletion import explain_deletion
from svcsim.printing.why.kinds import explainer_of
from svcsim.printing.why.known import KNOWN, with_stages
from svcsim.printing.why.verdict import Facts, Verdict
from tests.printing.why.explaining import GOING, NOW, READY_NODE, WAITS, pod


def staged(obj: Object, stages: Object) -> Verdict:
    """What is said of a pod under stages, be it on its way out or not."""
    whole = {"apiVersion": "v1", "kind": "Pod", **obj}
    whole["metadata"] = {"name": "it", "namespace": "default", "uid": "u1", **obj.get("metadata", {})}
    told: Object = {"lives": True, "deletes": False, "machine": True, **stages}
    facts = Facts(NOW, KUBERNETES, [], {"node": [READY_NODE], KNOWN: [{"stages": told}]}, " --cluster lab")
    explain = explain_deletion if "deletionTimestamp" in whole["metadata"] else explainer_of("", "Pod").explain
    return with_stages(explain(whole, facts), whole, facts)


def coming(name: str = "ready", **more: object) -> Object:
    return {"stage": name, "at": "2026-01-01T01:00:30Z", "deletes": False, "held": False, **more}


def test_the_stage_that_comes_next_is_told_and_when() -> None:
    verdict = staged(WAITS, {"next": coming()})
    assert (verdict.state, verdict.because) == ("hasn't begun to run yet", ())
    assert verdict.then == (("the stage ready is played on it", NOW + 30),)


def test_a_stage_that_failed_is_told_with_what_it_waits_for_even_where_all_seems_well() -> None:
    failure = "Stage ready can't be played: the template doesn't make a map"
    verdict = staged(WAITS, {"next": coming(), "failure": failure})
    assert verdict.because == (f"{failure}.",)
    again = "unless the pod changes before, or the stages do, that stage is tried again"
    assert verdict.then == ((again, NOW + 30),)
    held = staged(WAITS, {"next": coming(held=True), "failure": failure})
    assert held.because == (f"{failure}.", "Nothing becomes of it while its node is down.")
    assert held.then == ((f"{again} once its node is back", None),)
    assert not staged(pod({"running": {}}, ready=True), {"next": coming(), "failure": failure}).fine
    assert staged(pod({"running": {}}, ready=True), {"next": coming()}).fine


def test_where_stages_are_not_in_force_yet_nothing_is_said_of_what_they_do() -> None:
    verdict = staged(WAITS, {"lives": False, "unsettled": True})
    assert verdict.state == "hasn't begun to run yet"
    assert verdict.because[0].startswith("The cluster has just been started")
    assert verdict.then == (("they come in force", None),)


def test_what_a_node_that_is_down_holds_up_has_no_time() -> None:
    verdict = staged(WAITS, {"next": coming(held=True)})
    assert verdict.because == ("Nothing becomes of it while its node is down.",)
    assert verdict.then == (("the stage ready is played on it once its node is back", None),)


def test_a_deleted_pod_waits_for_the_stage_that_removes_it_or_is_told_that_none_does() -> None:
    assert staged(GOING, {"next": coming("end", deletes=True)}).then == (("the stage end removes it", NOW + 30),)
    assert staged(GOING, {"next": coming("end", deletes=True)}).because == ()
    assert staged(GOING, {"next": coming("mark")}).because == (
        "The stage mark comes next, and doesn't remove it; no stage for its kind does.",
    )
    lacks = [{"stage": "end", "needs": [".metadata.annotations.go"]}]
    none = {"lives": False, "deletes": True, "unmet": lacks, "about": 1, "unlike": [], "aboutOthers": 0}
    by_node = staged(GOING, none).because
    assert by_node[0] == "Its containers have 30s to end."
    assert by_node[-2:] == (
        "The one stage about it doesn't match it as it is, so that its node ends it as usual.",
        "The stage end needs .metadata.annotations.go.",
    )
    by_nobody = staged(GOING, {**none, "machine": False}).because
    assert by_nobody[0] == (
        "The one stage about it doesn't match it as it is, and there is no simulated node behind node-1 that would end it: "
        "it stays until it is taken away (svcsim delete pod it --grace-period=0 --force --cluster lab)."
    )


def test_a_stage_that_can_not_be_read_is_told_of_what_it_would_be_about() -> None:
    unreadable = [{"stage": "mine", "labels": {"a": "b"}, "why": "no such function"}, {"stage": "other", "labels": {"a": "c"}, "why": "x"}]
    facts = Facts(NOW, KUBERNETES, [], {KNOWN: [{"stages": {"unreadable": unreadable}}]})
    verdict = with_stages(Verdict("is there", fine=True), {"metadata": {"labels": {"a": "b"}}}, facts, in_passing=True)
    assert (verdict.fine, verdict.because) == (False, ("The stage mine would be about it, and isn't played: no such function.",))
    assert with_stages(Verdict("is there", fine=True), {}, facts).fine
    itself = with_stages(Verdict("is there", fine=True), {}, facts._replace(found={KNOWN: [{"stages": {"wrong": "spec: is missing"}}]}))
    assert itself == Verdict("is played on nothing", because=("spec: is missing.",))


def test_what_stages_need_is_told_and_those_about_others_are_told_apart() -> None:
    unmet = [{"stage": "warm", "needs": [".a", ".b == null"]}]
    unlike = [{"stage": "batch", "needs": ["the label app=batch"]}, {"stage": "shop", "needs": ["the namespace shop", ".x"]}]
    told = {"unmet": unmet, "about": 3, "unlike": unlike, "aboutOthers": 4}
    verdict = staged(pod({"running": {}}, ready=True), told)
    assert verdict.fine
    assert verdict.because == (
        "No stage comes next: none of the 3 stages about it matches it as it is.",
        "The stage warm needs .a and .b == null.",
        "And 2 others that need more.",
        "Stages are about others of its kind: batch (it needs the label app=batch), shop (it needs the namespace shop) and 2 more.",
    )
    verdict = staged(pod({"running": {}}, ready=True), {**told, "lives": False, "unmet": [], "about": 0})
    assert verdict.because[0] == "None of the 4 stages for its kind is about it, so that its node has it live as usual."
    facts = Facts(NOW, KUBERNETES, [], {KNOWN: [{"stages": {"lives": True, **told}}]})
    assert with_stages(Verdict("is well", fine=True), {}, facts, in_passing=True).because == ()
    assert len(with_stages(Verdict("isn't well"), {}, facts, in_passing=True).because) == 4
    played = staged(pod({"running": {}}, ready=True), {"played": ["warm"]}).because
    assert played == ("The stage warm has been played on it as it is; what comes next depends on how it changes.",)
