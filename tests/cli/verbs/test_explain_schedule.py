"""``explain-schedule``: what people read of a pod's place, in both dialects, and with thousands of nodes."""

import json
import re

import pytest

from svcsim.cli.output.schedule import fitting, refusing, state
from svcsim.dialect import DIALECTS
from tests.process import on_demand

PODS = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 100m, memory: 1Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: big, namespace: default}
spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 64}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gated, namespace: default}
spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: foreign, namespace: default}
spec: {schedulerName: theirs, containers: [{name: web, image: nginx}]}
"""


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with on_demand(tmp_path_factory.mktemp("servers"), "--nodes", "3", "--seed", "1", "--ephemeral") as servers:
        yield servers


@pytest.fixture(params=list(DIALECTS))
def on(request, servers, run, tmp_path):
    server = servers(request.param)
    manifest = tmp_path / "pods.yaml"
    manifest.write_text(PODS)
    run(f"--kubeconfig {server.kubeconfig} wait --for=create node/node-3 --timeout=60s")
    run(f"--kubeconfig {server.kubeconfig} wait --for=condition=Ready node --all --timeout=60s")
    run(f"--kubeconfig {server.kubeconfig} apply -f {manifest}")
    run(f"--kubeconfig {server.kubeconfig} wait --for=condition=PodScheduled pod/web --timeout=60s")
    run(f"--kubeconfig {server.kubeconfig} wait --for=condition=PodScheduled=False pod/big --timeout=60s")
    return lambda command: run(f"--kubeconfig {server.kubeconfig} {command}")


def test_a_pod_that_fits_nowhere_is_told_of_in_the_words_of_its_event_and_node_by_node(on):
    shown = on("explain-schedule big").out.splitlines()
    # A node that became ready has lost its taint a moment later, which is worth another try.
    waits = r"unschedulable, .*, until something helps it past .*NodeResourcesFit|waiting out a back-off until .*|(about to be|being) .*"
    assert re.fullmatch(f"pod default/big: ({waits})", shown[0])
    assert shown[1].startswith(
        "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not"
    )
    assert shown[3:6] == [
        "3 of 3 nodes can't:",
        "NODES   FILTER             WHY                WHICH",
        "3       NodeResourcesFit   Insufficient cpu   node-1, node-2, node-3",
    ]
    each = on("explain-schedule pod/big --all").out.splitlines()
    assert each[4:6] == ["NODE     FILTER             WHY", "node-1   NodeResourcesFit   Insufficient cpu"]


def test_a_placed_pod_is_looked_at_as_if_it_had_no_place_yet(on):
    shown = on("explain-schedule pod web").out.splitlines()
    assert shown[0].startswith("pod default/web: on node node-")
    assert shown[2] == "3 of 3 nodes could take it:"
    assert shown[3].split() == ["NODE", "TOTAL", "TaintToleration", "NodeResourcesFit", "NodeResourcesBalancedAllocation"]
    assert len(shown) == 7
    one = on("explain-schedule web --limit 1").out.splitlines()
    assert one[5] == "… and 2 more, with lower scores or equal ones (--all shows them)"


def test_pods_that_wait_for_others_say_for_whom(on):
    gated = on("explain-schedule gated").out
    assert gated.startswith("pod default/gated: held back by its scheduling gates (example.com/wait). Without them:\n")
    assert "3 of 3 nodes could take it:" in gated
    assert on("explain-schedule foreign").out.startswith("pod default/foreign: waiting for a scheduler named theirs,")


def test_everything_is_there_as_json_and_yaml(on):
    told = json.loads(on("explain-schedule big -o json").out)
    assert (told["kind"], told["state"], told["served"]) == ("ScheduleExplanation", "Pending", True)
    why = {"filter": "NodeResourcesFit", "reasons": ["Insufficient cpu"], "preemptionMayHelp": False}
    assert told["nodes"][0] == {"name": "node-1", "fits": False, **why}
    web = json.loads(on("explain-schedule web -o json").out)["nodes"][0]
    assert web["score"] == sum(web["scores"].values())
    assert on("explain-schedule web -o yaml").out.startswith("apiVersion: svcsim/v1\nkind: ScheduleExplanation\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nowhere", 'Error from server (NotFound): pods "nowhere" not found\n'),
        ("web -n elsewhere", 'Error from server (NotFound): pods "web" not found\n'),
        ("web -o wide", 'error: -o is one of json, yaml, not "wide"\n'),
        ("web --all --limit 2", "error: --all shows every node: it can't be used with --limit\n"),
        ("web --limit 0", "error: --limit takes how many nodes to show, 1 or more; not 0\n"),
        ("", "error: name one pod: explain-schedule POD\nSee 'svcsim explain-schedule -h' for help and examples\n"),
        ("web big", "error: name one pod: explain-schedule POD\nSee 'svcsim explain-schedule -h' for help and examples\n"),
        ("service/web", "error: name one pod: explain-schedule POD\nSee 'svcsim explain-schedule -h' for help and examples\n"),
    ],
)
def test_what_can_t_be_explained_is_refused(on, words, said):
    outcome = on(f"explain-schedule {words}")
    assert (outcome.status, outcome.err) == (1, said)


def test_only_administrators_may_ask(on):
    refused = on("explain-schedule web --as=jane")
    assert refused.status == 1
    assert "forbidden" in refused.err.lower()


def many(fit: int, refused: int) -> dict[str, object]:
    fitting_ones = [{"name": f"n{number}", "fits": True, "score": number, "scores": {"NodeResourcesFit": number}} for number in range(fit)]
    why = {"filter": "TaintToleration", "reasons": ["node(s) had untolerated taint {k: }"], "preemptionMayHelp": False}
    return {"nodes": [*fitting_ones, *({"name": f"m{number}", "fits": False, **why} for number in range(refused))]}


def test_a_parked_pod_says_what_it_waits_for():
    queue = {"state": "unschedulable", "attempts": 3, "refusedBy": ["NodeAffinity", "NodeResourcesFit"]}
    told = {"pod": {"namespace": "default", "name": "web"}, "state": "Pending", "schedulerName": "x", "served": True, "message": "0/1."}
    assert state({**told, "queue": queue, "nominatedNodeName": "node-1"}) == [
        "pod default/web: unschedulable, after 3 tries, until something helps it past NodeAffinity, NodeResourcesFit",
        "node node-1 is being cleared for it",
        "0/1.",
    ]


def test_thousands_of_nodes_are_grouped_and_only_the_best_are_shown():
    told = many(3000, 2000)
    table, left_out = fitting(told, 2)
    assert (table.rows, left_out) == ([["n2999", "2999", "2999"], ["n2998", "2998", "2998"]], 2998)
    why = "node(s) had untolerated taint {k: }"
    assert refusing(told, each=False).rows == [["2000", "TaintToleration", why, "m0, m1, m2, … and 1997 more"]]
    assert len(refusing(told, each=True).rows) == 2000


def test_what_others_have_written_is_harmless_in_a_terminal():
    told = {"pod": {"namespace": "default", "name": "web"}, "state": "Gated", "schedulingGates": ["\x1b[2J"], "message": ""}
    assert "\x1b" not in "".join(state({**told, "schedulerName": "x", "served": True}))
