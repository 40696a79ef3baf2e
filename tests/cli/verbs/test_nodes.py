"""``svcsim nodes``: machines added, removed and failed from the command line."""

import json

import pytest
import yaml

from tests.process import served

BIG = """
apiVersion: v1
kind: Node
metadata: {labels: {size: big, node-role.kubernetes.io/worker: ""}}
spec: {taints: [{key: dedicated, effect: NoSchedule}]}
status: {capacity: {cpu: "64"}}
"""


@pytest.fixture(scope="module", params=["svcapi", "kubernetes"])
def cluster(request, tmp_path_factory):
    with served(tmp_path_factory.mktemp("cluster"), request.param, "--nodes", "2", "--seed", "1", "--ephemeral") as server:
        yield server


@pytest.fixture
def ours(cluster, run):
    return lambda line: run(f"--kubeconfig {cluster.kubeconfig} {line}")


def test_nodes_come_fail_recover_and_go(ours, work_among):
    work_among({"big.yaml": BIG, "pod.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: x}}"})
    assert ours("nodes add --count 2 --prefix big --template big.yaml") == (0, "node/big-1 added\nnode/big-2 added\n", "")
    assert ours("wait node/big-1 node/big-2 --for=condition=Ready --timeout=60s").status == 0
    assert (
        ours("get node big-2 -o jsonpath='{.status.capacity.cpu} {.metadata.labels.size} {.spec.taints[0].key}'").out == "64 big dedicated"
    )
    assert ours("nodes add") == (0, "node/node-3 added\n", "")
    assert ours("nodes add a.b c") == (0, "node/a.b added\nnode/c added\n", "")
    assert ours("nodes fail big-1 --for 10m") == (0, "node/big-1 failed\n", "")
    assert ours("nodes fail node/big-2") == (0, "node/big-2 failed\n", "")
    rows = [line.split() for line in ours("nodes list").out.splitlines()]
    assert ["node/" + row[0] for row in rows[1:]] == ours("get nodes -o name").out.split() == ours("nodes list -o name").out.split()
    assert [row[:2] + row[3:] for row in (rows[2], rows[5])] == [["big-1", "Failed", "yes"], ["node-1", "Running", "no"]]
    assert rows[2][2] in ("10m", "9m59s", "9m58s")
    assert rows[3] == ["big-2", "Failed", "<never>", "yes"]
    assert ours("nodes recover -l size=big") == (0, "node/big-1 recovered\nnode/big-2 recovered\n", "")
    assert ours("nodes recover big-1") == (0, "node/big-1 had not failed\n", "")
    assert ours("nodes cordon c") == (0, "node/c cordoned\n", "")
    assert ours("nodes drain a.b") == (0, "node/a.b cordoned\nnode/a.b drained\n", "")
    assert ours("nodes remove a.b c node-3") == (0, "node/a.b removed\nnode/c removed\nnode/node-3 removed\n", "")
    assert ours("nodes remove -l size=big").status == 0
    assert ours("wait node/big-1 node/a.b --for=delete --timeout=60s").status == 0


def test_a_template_with_a_field_that_nodes_do_not_have_is_refused(ours, work_among):
    wrong = BIG.replace("status: {capacity: {cpu", "status: {alocatable: {}, capacity: {cpu").replace("[{key", "[{colour: red, key")
    work_among({"wrong.yaml": wrong})
    said = ours("nodes add wrong --template wrong.yaml")
    assert (said.status, said.out) == (1, "")
    assert said.err == (
        'Error from server (BadRequest): Node in version "v1" cannot be handled as a Node: strict decoding error: '
        'unknown field "spec.taints[0].colour", unknown field "status.alocatable"\n'
    )
    assert ours("get node wrong").status == 1


def test_a_node_that_is_there_will_do_as_a_template(ours, work_among):
    work_among({"like.yaml": ours("get node node-1 -o yaml").out})
    labels = json.loads(ours("get node node-1 -o jsonpath='{.metadata.labels}'").out)
    hostname = next(key for key in labels if key.endswith("/hostname"))
    told = (
        f"Warning: not taken from the template, since each node has its own: metadata.labels[{hostname}], spec.podCIDR, spec.podCIDRs, "
        "spec.providerID, status.addresses, status.conditions, "
        "status.nodeInfo.bootID, status.nodeInfo.machineID, status.nodeInfo.systemUUID\n"
    )
    assert ours("nodes add like --template like.yaml") == (0, "node/like added\n", told)
    assert ours("nodes remove like").status == 0


FOR_HOW_LONG = (
    "error: --for must be a duration greater than 0, such as 30s or 10m; without it they stay down until they are told to recover\n"
)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nodes add --count 0", "error: --count must be 1 or more, not 0\n"),
        ("nodes add a --count 2", "error: name the nodes, or say how many there are to be with --count and --prefix\n"),
        ("nodes add --template pod.yaml", "error: pod.yaml must hold one object, a Node\n"),
        ("nodes add --template ''", "error: --template must name a file, and is empty\n"),
        ("nodes add --template none.yaml", 'error: the path "none.yaml" does not exist\n'),
        ("nodes add node-1", 'Error from server (AlreadyExists): nodes "node-1" already exists\n'),
        ("nodes remove", "error: name nodes, or give a --selector\n"),
        ("nodes remove x -l a=b", "error: name nodes or give a --selector, not both\n"),
        ("nodes remove -l a=b", 'error: no node has labels that match "a=b"\n'),
        ("nodes fail nothing", 'Error from server (NotFound): nodes "nothing" not found\n'),
        ("nodes fail node-1 --for=-5s", FOR_HOW_LONG),
        ("nodes fail node-1 --for 0s", FOR_HOW_LONG),
        ("nodes list x", "error: unexpected arguments: [x]\nSee 'svcsim nodes list -h' for help and examples\n"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_done(ours, work_among, line, told):
    work_among({"pod.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: x}}"})
    assert ours(line) == (1, "", told)


def test_machines_are_listed_as_get_lists_nodes(ours):
    assert ours("wait nodes --all --for=condition=Ready --timeout=60s").status == 0
    ours("label node node-2 size=big")
    assert ours("nodes list -o name") == (0, "node/node-1\nnode/node-2\n", "")
    assert ours("nodes list -l size=big -o name").out == "node/node-2\n"
    assert [line.split()[0] for line in ours("nodes list -l size!=big").out.splitlines()] == ["NAME", "node-1"]
    assert ours("nodes list -l size=small") == (0, "", "No machines found\n")
    machine = {"name": "node-2", "failed": False, "down": False, "added": False}
    assert json.loads(ours("nodes list -l size=big -o json").out) == {"nodes": [machine]}
    assert yaml.safe_load(ours("nodes list -l size=big -o yaml").out) == {"nodes": [machine]}
    assert ours("nodes list -o jsonpath='{.nodes[*].name}'").out == "node-1 node-2"
    ours("cordon node-2")
    ours("nodes fail node-2")
    header, *rows = [line.split() for line in ours("nodes list -o wide").out.splitlines()]
    assert header == ["NAME", "MACHINE", "RECOVERS-IN", "ADDED", "STATUS", "INTERNAL-IP", "POD-CIDR"]
    assert rows[0][:5] == ["node-1", "Running", "<none>", "no", "Ready"]
    assert rows[1][:5] == ["node-2", "Failed", "<never>", "no", "Ready,SchedulingDisabled"], "nobody has missed it yet"
    assert ours("get nodes -o jsonpath='{.items[*].spec.podCIDR}'").out.split() == [row[6] for row in rows]
    ours("nodes recover node-2")
    ours("uncordon node-2")
    assert ours("nodes list --no-headers").out.splitlines()[0].split() == ["node-1", "Running", "<none>", "no"]
    assert ours("nodes list -o wode") == (1, "", FORMATS)


def test_a_machine_that_a_scenario_holds_down_is_listed_as_down(ours, work_among):
    work_among({"fault.json": '{"type": "node-down", "target": {"name": "node-1"}}'})
    fault = json.loads(ours("create --raw /svcsim/v1/faults -f fault.json").out)["id"]
    assert ours("nodes list --no-headers").out.splitlines()[0].split() == ["node-1", "Down", "<none>", "no"]
    assert ours("nodes recover node-1").out == "node/node-1 had not failed: a fault of a scenario has it down, and ends with that\n"
    work_among({"mended.json": json.dumps({"remove": fault})})
    assert ours("create --raw /svcsim/v1/faults -f mended.json").status == 0
    assert ours("nodes list --no-headers").out.splitlines()[0].split() == ["node-1", "Running", "<none>", "no"]


FORMATS = (
    'error: unable to match a printer suitable for the output format "wode", allowed formats are: go-template,go-template-file,json,'
    "jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml\n"
)


def test_who_may_not_administer_the_cluster_adds_nothing(ours):
    assert ours("nodes add --as=jane --as-group=system:authenticated").err.startswith("Error from server (Forbidden): forbidden:")
    assert "node-3" not in ours("get nodes -o name").out
