"""Replaying scenarios on throwaway clusters: what holds, what fails and how it is told."""

import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import orjson
import pytest

from svcsim.scenario.runner import main
from tests.scenario.replaying import HEAD, WIDGETS

ROOT = Path(__file__).parents[2]

INTERRUPTED = """
import signal, sys
from svcsim.scenario import actions
from svcsim.scenario.runner import main

async def sleep(actor, span):
    signal.raise_signal(getattr(signal, sys.argv[3]))
    await actions.sleep(actor, span)

actions.VERBS["sleep"] = sleep
sys.exit(main([sys.argv[1]], json=sys.argv[2]))
"""
"""A replay that is interrupted, as if from the keyboard, when it comes to sleep."""

CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}"


def test_a_scenario_that_holds_prints_one_line_with_seed_and_hash(replay):
    outcome = replay(f"  steps: [{{id: one, do: [{{create: {{object: {CONFIG}}}}}]}}]", seed=5)
    assert outcome.code == 0
    (line,) = outcome.out.splitlines()
    (told,) = outcome.of_type("scenario")
    assert line.startswith("held    test  seed 5  ")
    assert line.endswith(f"journal {told['journalHash']}")
    assert told["journalHash"].startswith("sha256:")


def test_no_nodes_are_waited_for_that_are_switched_off(replay):
    assert replay('  cluster: {controllers: ["-nodes"]}\n  steps: [{id: one, do: [{sleep: 1s}]}]').code == 0


def test_nodes_have_their_time_to_come_up_however_fast_the_clock_goes(replay):
    outcome = replay("  clock: {mode: real, speed: 1000}\n  cluster: {nodes: 20}\n  steps: [{id: one, do: [{sleep: 1s}]}]")
    assert (outcome.code, outcome.err) == (0, "")


def test_the_same_seed_gives_the_same_journal_and_another_one_another(replay):
    spec = f"  steps: [{{id: one, do: [{{create: {{object: {CONFIG}}}}}]}}]"
    first, again, other = (replay(spec, seed=seed).of_type("scenario")[0]["journalHash"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_nothing_that_a_scenario_or_an_object_says_steers_the_terminal(replay):
    outcome = replay(
        r"""
  steps:
  - id: "s\e[31m"
    do:
    - create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "x\x9b31m \u202e"}}}
    - create:
        object:
          apiVersion: v1
          kind: Event
          metadata: {name: told, namespace: default}
          involvedObject: {kind: Pod, name: p, namespace: default}
          reason: "R\e[32m"
          message: "m\e]0;owned\a\nsecond"
    expect: [{eventually: {kind: ConfigMap, name: a, match: {data: {k: other}}}, within: 1s}]
    catch: [{events: {}}, {describe: {kind: ConfigMap, name: a}}]
"""
    )
    assert outcome.code == 1
    assert [char for char in outcome.out if not char.isprintable() and char != "\n"] == []
    assert r"R^[[32m Pod/p: m^[]0;owned^G\nsecond" in outcome.out


def test_a_failed_expectation_shows_the_difference_the_timeline_and_how_to_run_it_again(replay):
    outcome = replay(
        f"""
  seed: 3
  vars: {{wanted: w}}
  steps:
  - id: one
    do: [{{create: {{object: {CONFIG}}}}}]
    expect:
    - eventually: {{kind: ConfigMap, name: a, match: {{data: {{k: "${{vars.wanted}}"}}}}}}
      within: 5s
    catch: [{{describe: {{kind: ConfigMap, name: a}}}}]
  - {{id: two, do: [{{sleep: 0s}}]}}
""",
        "wanted=x y",
    )
    assert outcome.code == 1
    assert 'default/a: data.k: wanted "x y", is "v"' in outcome.out
    assert "+ configmaps default/a" in outcome.out
    assert "POST /api/v1/namespaces/default/configmaps?fieldValidation=Strict → 201" in outcome.out
    assert "\n    data:\n      k: v\n" in outcome.out
    assert outcome.out.rstrip().endswith("--seed 3 --var 'wanted=x y'")
    assert [(step["id"], step["outcome"]) for step in outcome.of_type("step")] == [("one", "failed"), ("two", "skipped")]
    assert outcome.of_type("step")[0]["clusterSeconds"] == 5.0


def test_a_file_that_is_wrong_exits_2_and_nothing_runs(replay):
    outcome = replay("  steps: [{id: one, do: [{creat: {}}]}]")
    assert (outcome.code, outcome.of_type("file")[0]["outcome"]) == (2, "wrong")
    assert "test.yaml:5:27: an action has no field 'creat'; did you mean 'create'?" in outcome.err
    assert outcome.out == ""


def test_a_variable_no_scenario_has_exits_2(replay):
    assert replay("  steps: [{id: one, do: [{sleep: 0s}]}]", "m=3").code == 2


def test_a_failure_in_finally_fails_the_run_and_all_of_finally_is_done(replay):
    outcome = replay(
        f"""
  steps: [{{id: one, do: [{{create: {{object: {CONFIG}}}}}]}}]
  finally:
  - delete: {{kind: ConfigMap, name: b}}
  - delete: {{kind: ConfigMap, name: a}}
  - delete: {{kind: ConfigMap, name: c, missing: ignore}}
"""
    )
    assert outcome.code == 1
    assert [(step["id"], step["outcome"]) for step in outcome.of_type("step")] == [("one", "held"), ("finally", "failed")]
    assert 'delete was refused: 404 NotFound: configmaps "b" not found' in outcome.out
    assert "- configmaps default/a" in outcome.out


def test_an_answer_that_is_expected_to_be_an_error_is_held_against_the_real_one(replay):
    spec = f"""
  steps:
  - id: taken
    do:
    - create: {{object: {CONFIG}}}
      expect: {{status: 201}}
      save: {{uid: metadata.uid, next: "int(metadata.resourceVersion) + 1"}}
    - create: {{object: {CONFIG}}}
      expect: {{status: 409, reason: AlreadyExists, message: "*\\"a\\" already exists"}}
    - patch: {{kind: ConfigMap, name: a, patch: {{metadata: {{uid: "${{saved.uid}}"}}, data: {{next: "${{string(saved.next)}}"}}}}}}
  - id: not taken
    do:
    - create: {{object: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: b}}}}}}
      expect: {{status: 409}}
"""
    outcome = replay(spec)
    assert outcome.code == 1
    taken, not_taken = outcome.of_type("step")
    assert taken["outcome"] == "held"
    assert not_taken["message"] == "create got an unexpected answer"
    assert not_taken["details"] == ["status: wanted 409, is 201"]


def test_an_invariant_ends_the_step_in_which_it_is_violated(replay):
    outcome = replay(
        f"""
  invariants: [{{never: {{kind: ConfigMap, where: "data.k == 'v'"}}}}]
  steps:
  - id: fine
    do: [{{sleep: 1m}}]
  - id: bad
    do: [{{create: {{object: {CONFIG}}}}}, {{sleep: 1h}}]
"""
    )
    fine, bad = outcome.of_type("step")
    assert outcome.code == 1
    assert (fine["outcome"], bad["outcome"]) == ("held", "failed")
    assert bad["clusterSeconds"] == 0.0
    assert bad["details"] == ['default/a: data.k is "v"']


def test_a_version_of_a_kind_the_cluster_does_not_have_fails_with_what_was_meant(replay):
    outcome = replay("  steps: [{id: one, expect: [{never: {kind: Pod, apiVersion: v2}}]}]")
    assert outcome.of_type("step")[0]["message"] == "never: the cluster has no kind 'Pod' in v2, but in v1"


def test_actions_may_name_any_version_that_is_served(replay):
    scaler = "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, scaleTargetRef: %s}}"
    target = "{apiVersion: apps/v1, kind: Deployment, name: a}"
    spec = f"""
  steps:
  - id: made and deleted in its first version
    do:
    - apply: {{object: {scaler % target}}}
      save: {{version: apiVersion}}
    - patch: {{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v1, name: a, patch: {{spec: {{maxReplicas: 4}}}}}}
    - delete: {{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v1, name: a}}
  - id: another that isn't served
    do: [{{delete: {{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v3, name: a}}}}]
"""
    made, other = replay(spec).of_type("step")
    assert made["outcome"] == "held"
    assert other["message"] == "delete: the cluster has no kind 'HorizontalPodAutoscaler' in autoscaling/v3, but in autoscaling/v2"


def test_steps_whose_condition_is_not_true_are_skipped(replay):
    outcome = replay('  vars: {n: 1}\n  steps: [{id: one, if: "vars.n > 1", do: &x [{sleep: 0s}]}, {id: two, if: "vars.n == 1", do: *x}]')
    assert [step["outcome"] for step in outcome.of_type("step")] == ["skipped", "held"]


def test_load_spreads_objects_over_time_and_numbers_their_names(replay, tmp_path):
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {made: by-load}}\n")
    outcome = replay(
        """
  steps:
  - id: load
    do: [{load: {template: config.yaml, count: 10, rate: 2/s, burst: 2}}]
    expect:
    - eventually: {kind: ConfigMap, name: c-10, labels: {made: by-load}}
    - always: {count: {kind: ConfigMap, labels: {made: by-load}, lte: 10}}
"""
    )
    assert outcome.code == 0
    assert outcome.of_type("step")[0]["clusterSeconds"] == 4.0


def test_a_fault_is_taken_back_whatever_happens(replay):
    outcome = replay(
        """
  steps:
  - id: down
    faults: [{type: node-down, target: {kind: Node, name: node-1}, at: 1s}]
    do: [{sleep: 2s}]
    expect: [{eventually: {kind: ConfigMap, name: none}, within: 1s}]
  finally: [{sleep: 1s}]
"""
    )
    assert outcome.code == 1
    assert 'fault {"type":"node-down","target":{"kind":"Node","name":"node-1"}}' in outcome.out


def test_a_fault_the_cluster_refuses_fails_the_run_also_when_it_comes_late(replay):
    fault = "{type: pod-crash, target: {name: none}"
    assert "the fault was refused" in replay(f"  steps: [{{id: one, faults: [{fault}}}]}}]").out
    late = replay(f"  steps: [{{id: one, faults: [{fault}, at: 1s}}], do: [{{sleep: 2s}}]}}]")
    assert (late.code, "a fault could not be injected" in late.out) == (1, True)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("{type: node-down, target: {kind: Node, name: node-99}}", "node-down: the target is none of the simulated nodes: node-1"),
        ("{type: node-down, target: {kind: Node, name: 'rack-*'}}", "node-down: the target is none of the simulated nodes: node-1"),
        ("{type: pod-crash, target: {kind: Pod, name: no-such-pod}}", "pod-crash: the target is none of the pods that are on a node now"),
    ],
)
def test_a_fault_that_hits_nothing_fails_the_run(replay, fault, why):
    outcome = replay(f"  steps: [{{id: one, faults: [{fault}]}}]")
    assert (outcome.code, why in outcome.out) == (1, True)


def test_the_scenario_has_its_time_and_no_more(replay):
    outcome = replay("  timeouts: {scenario: 1m}\n  steps: [{id: long, do: [{sleep: 2m}]}]")
    assert outcome.code == 1
    assert outcome.of_type("step")[0]["message"].startswith("the scenario did not finish within 1m0s of cluster time")


def test_a_run_that_takes_too_much_real_time_is_told_at_its_step(replay):
    outcome = replay("  timeouts: {wall: 1ms, scenario: 10000h}\n  steps: [{id: long, do: [{sleep: 9000h}]}]")
    assert outcome.code == 1
    assert "the run took longer than 1ms of real time (timeouts.wall)" in outcome.out


def test_a_run_that_is_cut_short_in_the_middle_of_much_work_tells_nothing_but_that(replay, caplog):
    outcome = replay(
        """
  timeouts: {wall: 2s}
  steps:
  - id: much
    do:
    - apply:
        object:
          apiVersion: apps/v1
          kind: Deployment
          metadata: {name: web, namespace: default}
          spec:
            replicas: 5000
            selector: {matchLabels: {app: web}}
            template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: nginx}]}}
    - sleep: 1h
"""
    )
    assert (outcome.code, outcome.err, [record.getMessage() for record in caplog.records]) == (1, "", [])
    assert "much" in outcome.out
    assert "the run took longer than 2s of real time (timeouts.wall)" in outcome.out


def test_a_wait_in_vain_tells_what_was_missing(replay):
    outcome = replay("  steps: [{id: one, do: [{wait: {kind: Node, for: condition=Sleepy, within: 3s}}]}]")
    message, details = outcome.of_type("step")[0]["message"], outcome.of_type("step")[0]["details"]
    assert message.startswith("timed out after 3s waiting for Node for condition=Sleepy")
    assert details[0] == "node-1: has no condition Sleepy"


def test_a_wait_for_the_value_of_a_field_is_worded_as_on_the_command_line(replay):
    assert replay("  steps: [{id: one, do: [{wait: {kind: Node, for: 'jsonpath={.status.nodeInfo.operatingSystem}=linux'}}]}]").code == 0
    outcome = replay("  steps: [{id: one, do: [{wait: {kind: Node, for: 'jsonpath={.spec.unschedulable}=true', within: 3s}}]}]")
    assert outcome.of_type("step")[0]["details"][0] == "node-1: has no {.spec.unschedulable}"


def test_every_verb_does_what_it_says(replay, tmp_path):
    (tmp_path / "two.yaml").write_text(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: one}}}\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {x: one}}}\n"
    )
    outcome = replay(
        """
  steps:
  - id: all
    do:
    - apply: {file: two.yaml, manager: me}
    - apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}, manager: you}
    - apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: w}}, manager: me}
      expect: {status: 409, reason: Conflict, message: "*conflict*"}
    - label: {kind: ConfigMap, selector: "x=one", labels: {x: null, z: w}}
    - request: {path: "/api/v1/namespaces/default/configmaps?labelSelector=z%3Dw"}
      save: {count: size(object.items)}
    - delete: {kind: ConfigMap, name: a}
    - request: {path: /api/v1/namespaces/default/configmaps/a, as: bob}
      expect: {status: 403, reason: Forbidden}
    - delete: {kind: ConfigMap, all: true}
    - wait: {kind: ConfigMap, name: b, for: delete}
    expect:
    - eventually: {count: {kind: ConfigMap, labels: {z: w}, eq: 0}}
  - id: saved
    if: "saved.count == 2"
    do: [{sleep: 0s}]
"""
    )
    assert outcome.code == 0, outcome.out
    assert outcome.of_type("step")[1]["outcome"] == "held"


def test_a_directory_leaves_out_nothing_that_is_meant_to_be_a_scenario(replay, tmp_path, capsys):
    spec = "spec: {steps: [{id: a, do: [{sleep: 0s}]}]}"
    (tmp_path / "a.yaml").write_text(f"apiVersion : svcsim.dev/v1\nkind : Scenario\nmetadata: {{name: a}}\n{spec}\n")
    whole = {
        "apiVersion": "svcsim.dev/v1",
        "kind": "Scenario",
        "metadata": {"name": "b"},
        "spec": {"steps": [{"id": "a", "do": [{"sleep": "0s"}]}]},
    }
    (tmp_path / "b.yaml").write_bytes(orjson.dumps(whole))
    (tmp_path / "c.yml").write_bytes(orjson.dumps({**whole, "metadata": {"name": "c"}}, option=orjson.OPT_INDENT_2))
    (tmp_path / "e.json").write_bytes(orjson.dumps({**whole, "metadata": {"name": "e"}}))
    (tmp_path / "f.YAML").write_bytes(orjson.dumps({**whole, "metadata": {"name": "f"}}))
    (tmp_path / "stages.yaml").write_text("apiVersion: svcsim.dev/v1\nkind: Stage\nmetadata: {name: s}\n")
    (tmp_path / "map.yaml").write_text(f"{CONFIG}\n---\nnote: 'apiVersion: svcsim.dev/v1'\n")
    assert main([str(tmp_path)]) == 0
    assert re.findall(r"(?m)^held +(\w)", capsys.readouterr().out) == ["a", "b", "c", "e", "f"]
    (tmp_path / "d.yaml").write_text("apiVersion: svcsim.dev/v1\nkind: Scenari\n")
    (tmp_path / "e.yaml").write_text("apiVersion: svcsim.dev/v1\nkind: [Scenario\n")
    (tmp_path / "g.yaml").write_bytes("apiVersion: svcsim.dev/v1\nkind: Scenario\n".encode("utf-16"))
    assert main([str(tmp_path)], check_only=True) == 2
    err = capsys.readouterr().err
    assert "d.yaml:2:7: 'Scenari' is none of Scenario" in err
    assert "e.yaml:" in err
    assert "g.yaml:1:1: is not UTF-8" in err


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ("create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}, dta: {a: b}}}", 'unknown field "dta"'),
        ("patch: {kind: Namespace, name: default, patch: {dta: {a: b}}}", 'unknown field "dta"'),
        ("scale: {kind: Namespace, name: default, replicas: 2}", "could not find the requested resource"),
    ],
)
def test_what_would_count_for_nothing_is_refused(replay, action, told):
    outcome = replay(f"  cluster: {{nodes: 0}}\n  steps: [{{id: one, do: [{{{action}}}]}}]")
    assert outcome.code == 1
    assert told in outcome.out


def test_what_is_scaled_is_scaled_where_it_says_it_can_be(replay):
    outcome = replay(f"""
  cluster: {{nodes: 0}}
  steps:
  - id: one
    do:{WIDGETS}
            - name: v1
              served: true
              storage: true
              subresources: {{status: {{}}, scale: {{specReplicasPath: .spec.size, statusReplicasPath: .status.size}}}}
              schema:
                openAPIV3Schema:
                  type: object
                  properties:
                    spec: {{type: object, properties: {{size: {{type: integer}}}}}}
                    status: {{type: object, properties: {{size: {{type: integer}}}}}}
    - wait: {{kind: CustomResourceDefinition, name: widgets.example.com, for: condition=Established}}
    - create: {{object: {{apiVersion: example.com/v1, kind: Widget, metadata: {{name: w}}, spec: {{size: 1}}}}}}
    - scale: {{kind: Widget, name: w, replicas: 5}}
    expect: [{{eventually: {{kind: Widget, name: w, match: {{spec: {{size: 5}}}}}}}}]
""")
    assert outcome.code == 0, outcome.out


def test_what_nodes_say_of_themselves_is_shown_as_it_is_when_something_fails(replay):
    outcome = replay("""
  cluster: {nodes: 1}
  steps:
  - id: one
    do: [{advance: 1h}]
    expect: [{eventually: {kind: ConfigMap, name: none}, within: 1s}]
    catch: [{describe: {kind: Lease, name: node-1}}, {describe: {kind: Node}}]
""")
    seen = re.findall(r"(?:renewTime|lastHeartbeatTime): \"?2026-01-01T(\d\d:\d\d)", outcome.out)
    assert seen
    assert min(seen) >= "00:55"


def test_one_report_is_written_though_the_other_can_not_be(replay, tmp_path, capsys):
    path = replay.write("  steps: [{id: a, do: [{sleep: 0s}]}]")
    for junit, json in (("/dev/full", str(tmp_path / "r.json")), (str(tmp_path / "r.xml"), "/dev/full")):
        assert main([str(path)], junit=junit, json=json) == 3
        assert capsys.readouterr().err == "the report can't be written: no space left on device\n"
    assert (tmp_path / "r.json").read_bytes()
    assert (tmp_path / "r.xml").read_bytes()


def test_junit_is_xml_whatever_a_scenario_is_called(replay, tmp_path):
    path = replay.write('  vars: {n: "\\x01"}\n  matrix: [{n: "<\\x02&"}]\n  steps: [{id: "a<b>&\\x01\\uFFFE", do: [{sleep: 0s}]}]')
    assert main([str(path)], junit=str(tmp_path / "j.xml")) == 0
    (suite,) = ET.parse(tmp_path / "j.xml").getroot()
    assert suite.get("name") == "test[n=<?&]"
    assert [case.get("name") for case in suite.iter("testcase")] == ["a<b>&??"]


def test_a_run_of_a_matrix_is_called_by_what_it_ran_with_and_repeated_by_one_command(replay, capsys):
    path = replay.write(
        '  vars: {n: 2, name: x, on: true}\n  matrix: [{n: 1}, {name: "\u00e9 \u00fc"}]\n'
        '  steps: [{id: one, if: "vars.n > 1", expect: [{eventually: {kind: ConfigMap, name: none}, within: 1s}]}]'
    )
    assert main([str(path)], seed=3, vars=["n=5"]) == 1
    out = capsys.readouterr().out
    assert re.findall(r"(?m)^failed +(\S+\[.*?\])", out) == ["test[n=5]", "test[name=\u00e9 \u00fc]"]
    commands = re.findall("run it again: (.+)", out)
    assert [shlex.split(line)[3:] for line in commands] == [
        ["--seed", "3", "--var", "n=5", "--var", f"name={name}", "--var", "on=true"] for name in ("x", "\u00e9 \u00fc")
    ]
    for title, line in zip(("test[n=5]", "test[name=\u00e9 \u00fc]"), commands, strict=True):
        variables = [word for word in shlex.split(line) if "=" in word]
        assert main([str(path)], seed=3, vars=variables) == 1
        again = capsys.readouterr().out
        assert again.count("failed ") == 1
        assert title.split("[")[0] in again


def test_junit_has_a_suite_a_run_and_a_case_a_step(replay, tmp_path):
    path = replay.write(
        "  vars: {n: 1}\n  matrix: [{n: 1}, {n: 2}]\n"
        '  steps: [{id: one, expect: [{always: {count: {kind: Node, eq: "${vars.n + 2}"}}}]}, {id: two, do: [{sleep: 0s}]}]'
    )
    assert main([str(path)], junit=str(tmp_path / "j.xml"), seed=9) == 1
    root = ET.parse(tmp_path / "j.xml").getroot()
    good, bad = root
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["4", "1", "0", "1"]
    assert (good.get("name"), good.get("tests"), good.get("failures")) == ("test[n=1]", "2", "0")
    assert (bad.get("name"), bad.get("failures"), bad.get("skipped")) == ("test[n=2]", "1", "1")
    properties = {item.get("name"): item.get("value") for item in bad.find("properties")}
    assert properties["seed"] == "9"
    assert set(properties) == {"seed", "clusterStart", "clusterSeconds", "wallSeconds", "journalHash", "again"}
    first = bad.find("testcase")
    assert first.get("name") == "one"
    assert "3 of 3 Node objects" in first.find("failure").text
    assert first.find("failure").get("type") == "Failed"
    assert good.get("timestamp") == bad.get("timestamp") == properties["clusterStart"][:19]
    assert "step one" in first.find("system-out").text


def test_the_json_report_has_a_version_on_every_line(replay):
    outcome = replay("  steps: [{id: one, do: [{sleep: 0s}]}]")
    assert [(line["version"], line["type"]) for line in outcome.lines] == [(1, "step"), (1, "scenario")]
    assert orjson.dumps(outcome.lines[1]["journalHash"])


def test_a_report_that_can_not_be_written_is_told(replay, capsys):
    path = replay.write("  steps: [{id: one, do: [{sleep: 0s}]}]")
    for place in ("/nowhere/at/all.xml", str(path.parent)):
        assert main([str(path)], junit=place) == 3
        printed = capsys.readouterr()
        assert "the report can't be written: " in printed.err
        assert printed.out == ""  # nothing has run


def test_a_wrong_file_stands_in_the_reports_and_the_others_are_run(replay, tmp_path, capsys):
    bad, good = replay.write("  steps: []", "bad.yaml"), replay.write("  steps: [{id: one, do: [{sleep: 0s}]}]", "good.yaml")
    assert main([str(bad), str(good)], junit=str(tmp_path / "j.xml"), json=str(tmp_path / "j.json")) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("held    test")
    assert f"{bad}:5:10: there are no steps" in printed.err
    wrong, held = ET.parse(tmp_path / "j.xml").getroot()
    assert (wrong.get("name"), wrong.get("errors"), held.get("errors")) == (str(bad), "1", "0")
    error = wrong.find("testcase/error")
    assert (error.get("type"), "there are no steps" in error.get("message")) == ("WrongFile", True)
    lines = [orjson.loads(line) for line in (tmp_path / "j.json").read_bytes().splitlines()]
    assert [line["type"] for line in lines] == ["file", "step", "scenario"]


def test_a_directory_stands_for_the_scenarios_in_it(replay, tmp_path, capsys):
    replay.write("  steps: [{id: one, do: [{sleep: 0s}]}]", "b.yaml")
    (tmp_path / "sub").mkdir()
    replay.write("  steps: [{id: one, do: [{sleep: 0s}]}]", "sub/a.yml")
    (tmp_path / "web.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    assert main([str(tmp_path)], check_only=True) == 0
    assert [line.split("  ")[-1] for line in capsys.readouterr().out.splitlines()] == [f"{tmp_path}/b.yaml", f"{tmp_path}/sub/a.yml"]
    (tmp_path / "none").mkdir()
    assert main([str(tmp_path / "none")]) == 2
    assert "the directory holds no scenarios" in capsys.readouterr().err


def test_check_runs_nothing_and_tells_what_is_wrong(replay, capsys):
    path = str(replay.write("  steps: [{id: one, do: [{sleep: 1h}]}]"))
    assert main([path], check_only=True) == 0
    assert capsys.readouterr().out == f"valid   test  {path}\n"
    assert main([str(replay.write("  steps: []"))], check_only=True) == 2


def test_a_scenario_is_read_from_standard_input(tmp_path):
    text = f"{HEAD}  steps: [{{id: one, do: [{{sleep: 0s}}]}}]\n"
    ran = subprocess.run([sys.executable, "-m", "svcsim", "replay", "-"], input=text, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ran.returncode, ran.stdout[:12]) == (0, "held    test"), ran.stderr


@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupted_run_mends_what_it_broke_and_stands_in_the_reports(tmp_path, signal, code):
    """In a process of its own, which interrupts itself in the middle of a step."""
    file, report = tmp_path / "s.yaml", tmp_path / "r.json"
    fault = "{type: node-down, target: {kind: Node, name: node-1}}"
    file.write_text(f"{HEAD}  clock: real\n  steps: [{{id: long, faults: [{fault}], do: [{{sleep: 1h}}]}}]\n")
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED, file, report, signal], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ran.returncode, ran.stdout) == (code, "interrupted test\n"), ran.stderr
    step = orjson.loads(report.read_bytes().splitlines()[0])
    assert (step["id"], step["message"]) == ("long", "interrupted")


MADE = "{create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}}}}"


@pytest.mark.parametrize(
    ("step", "place"),
    [
        ("expect: [{eventually: {kind: Node, where: spec.podCIDR}, within: 1h}]", "9:47"),
        ('expect: [{eventually: {count: {kind: Node, where: "metadata.name", eq: 3}}, within: 1h}]', "9:56"),
        (
            f'expect: [{{order: [{{kind: ConfigMap}}, {{on: "configmap/*", where: metadata.name}}], within: 1h}}], do: [{MADE}, {MADE}]',
            "9:69",
        ),
        ("expect: [{always: {kind: Node, where: metadata.name}, for: 1h}]", "9:43"),
        ('expect: [{never: {kind: Node, where: "metadata.${vars.field}"}, for: 1h}]', "9:43"),
        ("expect: [{always: {kind: Node, where: metadata.name}}], do: [{sleep: 1h}]", "9:43"),
        (f"expect: [{{order: [{{kind: ConfigMap, where: metadata.name}}]}}], do: [{MADE}]", "9:48"),
        ("do: [{wait: {kind: Node, where: metadata.name, within: 1h}}]", "9:37"),
        ("if: saved.name, do: [{sleep: 1h}]", "9:9"),
    ],
)
def test_a_condition_that_is_neither_true_nor_false_is_told_at_once_with_its_place(replay, step, place):
    outcome = replay(
        "  vars: {field: name}\n"
        f"  steps:\n  - {{id: a, do: [{{request: {{path: /api/v1/nodes}}, save: {{name: kind}}}}]}}\n"
        f"  - id: b\n    {step.replace(', do:', chr(10) + '    do:')}\n"
    )
    assert outcome.code == 1
    assert f"{place}: expression '" in outcome.out, outcome.out
    assert ", neither true nor false" in outcome.out
    assert outcome.of_type("step")[-1]["clusterSeconds"] < 60
