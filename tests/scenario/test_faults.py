"""Faults and selectors that come to nothing fail the run, unless the scenario lets that pass."""

import pytest

POD = "{apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}"
READY = "{eventually: {kind: Pod, name: web, where: \"condition('Ready')\"}, within: 5m}"
NEVER_STRIKING = [
    (
        "{type: node-down, target: {name: node-99}, at: 5s%s}",
        'node-down on {"name":"node-99"} struck nothing: the run ended',
    ),
    ("{type: node-down, target: {name: node-1}, at: 1h%s}", "struck nothing: the run ended before its time came (at: 1h)"),
    ("{type: image-pull-failure, target: {image: 'nope*'}%s}", 'image-pull-failure on {"image":"nope*"} struck nothing; if it may'),
    ("{type: slow-start, target: {namespace: nope}, for: 1s%s}", 'slow-start on {"namespace":"nope"} struck nothing; if it may'),
]


def lived(fault: str) -> str:
    return f"  steps: [{{id: a, faults: [{fault}], do: [{{create: {{object: {POD}}}}}], expect: [{READY}]}}]"


@pytest.mark.parametrize(("fault", "why"), [(fault.replace("at: 5s", "at: 5m"), why) for fault, why in NEVER_STRIKING])
def test_a_fault_that_strikes_nothing_by_the_end_fails_the_run(replay, fault, why):
    outcome = replay(lived(fault % ""))
    assert outcome.code == 1
    assert why in outcome.out
    last = outcome.of_type("step")[-1]
    assert (last["id"], last["outcome"], last["line"]) == ("faults", "failed", 5)
    assert replay(lived(fault % ", missing: ignore")).code == 0


def test_all_faults_that_struck_nothing_are_told(replay):
    outcome = replay(lived(", ".join(fault % "" for fault, _ in NEVER_STRIKING[1:3])))
    assert all(why in outcome.out for _, why in NEVER_STRIKING[1:3])


def test_a_run_that_failed_anyway_is_not_blamed_on_its_faults(replay):
    never = "{type: node-down, target: {name: node-1}, at: 1h}"
    outcome = replay(f"  steps: [{{id: a, faults: [{never}], expect: [{{eventually: {{kind: Pod}}, within: 1s}}]}}]")
    assert [step["id"] for step in outcome.of_type("step")] == ["a"]


@pytest.mark.parametrize(
    "fault",
    [
        "{type: image-pull-failure, target: {image: 'nginx*'}, for: 20s}",
        "{type: slow-start, target: {namespace: default, labels: {app: web}}}",
        "{type: slow-start, target: {kind: Pod, selector: app in (web)}, factor: 2, for: 1m}",
        "{type: node-down, target: {kind: Node, name: 'node-*'}, percent: 30, at: 1s, for: 2s}",
    ],
)
def test_a_fault_that_strikes_lets_the_run_hold(replay, fault):
    outcome = replay(lived(fault))
    assert outcome.code == 0, outcome.out


def test_a_percentage_of_the_nodes_goes_down(replay):
    gone = "where: \"!condition('Ready')\""
    outcome = replay(
        "  cluster: {nodes: 4}\n"
        "  steps: [{id: a, faults: [{type: node-down, target: {name: 'node-*'}, percent: 50}],"
        f" expect: [{{eventually: {{count: {{kind: Node, {gone}, eq: 2}}}}, within: 2m}},"
        f" {{always: {{count: {{kind: Node, {gone}, eq: 2}}}}, for: 2m}}]}}]"
    )
    assert outcome.code == 0, outcome.out


@pytest.mark.parametrize(
    "action", ["delete: {kind: ConfigMap, selector: a=nope%s}", "label: {kind: ConfigMap, selector: a=nope, labels: {x: y}%s}"]
)
def test_a_selector_that_selects_nothing_fails(replay, action):
    outcome = replay(f"  steps: [{{id: a, do: [{{{action % ''}}}]}}]")
    assert outcome.code == 1
    assert "there is no ConfigMap in default that a=nope selects; if there may be none, say missing: ignore" in outcome.out
    assert replay(f"  steps: [{{id: a, do: [{{{action % ', missing: ignore'}}}]}}]").code == 0


@pytest.mark.parametrize("action", ["delete: {kind: Pod, all: true%s}", "label: {kind: Pod, all: true, labels: {x: y}%s}"])
def test_all_of_none_is_none_unless_that_is_a_failure(replay, action):
    assert replay(f"  steps: [{{id: a, do: [{{{action % ''}}}]}}]").code == 0
    assert "there is no Pod in default at all" in replay(f"  steps: [{{id: a, do: [{{{action % ', missing: fail'}}}]}}]").out


def test_by_name_too_missing_says_whether_it_matters(replay):
    for action in ("delete: {kind: Pod, name: none%s}", "label: {kind: Pod, name: none, labels: {x: y}%s}"):
        assert "refused: 404 NotFound" in replay(f"  steps: [{{id: a, do: [{{{action % ''}}}]}}]").out
        assert replay(f"  steps: [{{id: a, do: [{{{action % ', missing: ignore'}}}]}}]").code == 0


def test_a_report_does_not_take_the_file_of_another_or_of_the_scenario(replay, capsys):
    from svcsim.scenario.runner import main

    path = replay.write("  steps: [{id: a, do: [{sleep: 0s}]}]")
    report = str(path.parent / "r")
    text = path.read_text()
    assert main([str(path)], junit=report, json=f"{path.parent}/./r") == 3
    assert f"--json {path.parent}/./r is that of --junit too; choose another file" in capsys.readouterr().err
    assert main([str(path)], json=str(path)) == 3
    assert "is the scenario too; choose another file" in capsys.readouterr().err
    assert path.read_text() == text
    assert main([str(path)], junit="/dev/null", json="/dev/null") == 0


@pytest.mark.parametrize("beside", ["", ", sleep: 1s"], ids=["right", "wrong"])
@pytest.mark.parametrize("action", ["apply: {file: '${vars.name}.yaml'}", "load: {template: web.yaml, count: 1}"])
def test_a_report_does_not_take_a_file_that_a_scenario_reads(replay, capsys, action, beside):
    from svcsim.scenario.runner import main

    manifest = replay.directory / "web.yaml"
    manifest.write_text(POD)
    path = replay.write(f"  vars: {{name: web}}\n  steps: [{{id: a, do: [{{{action}{beside}}}]}}]")
    (replay.directory / "also.yaml").symlink_to(manifest)
    assert main([str(path)], json=str(replay.directory / "also.yaml")) == 3
    assert f"also.yaml is a file that {path} reads too; choose another file" in capsys.readouterr().err
    assert manifest.read_text() == POD
