"""A scenario file is checked as a whole, and each mistake is told with its place and with what was meant."""

from pathlib import Path

import pytest

from svcsim.cluster.cluster import KIND_NAMES
from svcsim.scenario.load import ScenarioError
from svcsim.scenario.model import RunOptions
from svcsim.scenario.results import WrongFile
from svcsim.scenario.runner import load, read
from tests.scenario.replaying import HEAD


def mistakes(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "s.yaml"
    file.write_text(text)
    try:
        load([str(file)], RunOptions())
    except ScenarioError as error:
        return str(error).replace(f"{tmp_path}/", "").splitlines()
    return []


def test_all_mistakes_of_a_file_are_told_at_once_in_the_order_they_stand(tmp_path):
    told = mistakes(
        tmp_path,
        """\
apiVersion: svcsim.dev/v1
kind: Scenario
metadata: {nam: x}
spec:
  sed: 4
  clock: virtul
  vars: {n: 5}
  steps:
  - id: a
    if: "vars.m > 3"
    do:
    - aply: {file: x.yaml}
    - load: {template: nope.yaml, count: "${vars.n}", rate: 5}
    - foreach: {x: 1}
    - advance: "${vars.n}"
    expect:
    - eventually: {count: {kind: Pod, where: "staus.phase == 'x'"}}
      within: 5
    faults:
    - {type: disk-full, target: {kind: Node, name: a}}
""",
    )
    assert told == [
        "s.yaml:3:12: metadata has no field 'nam'; did you mean 'name'?",
        "s.yaml:5:3: a scenario's spec has no field 'sed'; did you mean 'seed'?",
        "s.yaml:6:10: 'virtul' is none of virtual, real; did you mean 'virtual'?",
        "s.yaml:10:15: there is no variable 'm'; known: n",
        "s.yaml:12:7: an action has no field 'aply'; did you mean 'apply'?",
        "s.yaml:13:24: there is no file nope.yaml; did you mean 's.yaml'?",
        "s.yaml:13:61: expected a rate such as 50/s, not 5",
        "s.yaml:14:7: 'foreach' is not supported yet",
        "s.yaml:15:16: expected a duration such as 30s or 1h30m, not 5",
        "s.yaml:17:27: a count needs at least one of eq, ne, lt, lte, gt, gte",
        "s.yaml:17:47: expression \"staus.phase == 'x'\": 'staus' is not known here; did you mean 'status'?",
        "s.yaml:18:15: expected a duration such as 30s or 1h30m, not 5",
        "s.yaml:20:14: 'disk-full' is not supported yet; known: node-down, pod-crash, image-pull-failure, slow-start, webhook-fail",
    ]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("  steps: 5", "s.yaml:5:10: expected a list (items begin with a dash), not 5"),
        (
            "  cluster: {controllers: ['*,-nodes'], nodes: 2}\n  steps: [{id: a, do: [{sleep: 0s}]}]",
            "s.yaml:5:47: these nodes never come: controllers says -nodes, which switches them off",
        ),
        (
            "  clock: {start: '1969-12-31T23:59:59Z'}\n  steps: [{id: a, do: [{sleep: 0s}]}]",
            "s.yaml:5:18: expected a time in 1970 or later, such as 2026-01-01T00:00:00Z, not the string '1969-12-31T23:59:59Z'",
        ),
        ("  seed: 1", "s.yaml:5:3: a scenario's spec needs 'steps': The steps, one after the other"),
        ("  stages: [{}]\n  steps: []", "s.yaml:5:3: 'stages' is not supported yet"),
        (
            "  steps: [{id: finally, do: [{sleep: 0s}]}]",
            "s.yaml:5:16: no step can be called 'finally': reports call a part of the run so",
        ),
        ("  steps: [{id: a, do: [{sleep: 0s}]}, {id: a, do: [{sleep: 0s}]}]", "s.yaml:5:44: a second step 'a'; the first is in line 5"),
        ("  steps: [{id: a, do: [{}]}]", "s.yaml:5:24: an action needs one of apply, create, patch, delete, scale, label"),
        ("  steps: [{id: a, do: [{snapshot: {}}]}]", "s.yaml:5:25: 'snapshot' is not supported yet"),
        ("  steps: [{id: a, expect: [{journal: {}}]}]", "s.yaml:5:29: 'journal' is not supported yet"),
        ("  steps: [{id: a, do: [{sleep: 1s, advance: 1s}]}]", "s.yaml:5:36: an action takes one of apply, create"),
        ("  steps: [{id: a, do: [{sleep: 1s, expct: {}}]}]", "s.yaml:5:36: an action has no field 'expct'; did you mean 'expect'?"),
        (
            "  vars: {n: 1}\n  matrix: [{m: 2}]\n  steps: [{id: a, do: [{sleep: 0s}]}]",
            "s.yaml:6:13: there is no variable 'm' in spec.vars; known: n",
        ),
        ("  steps: [{id: a, expect: [{never: {kind: Pod}, within: 1s}]}]", "s.yaml:5:49: within is how long something may take"),
        ("  steps: [{id: a, expect: [{response: {x: 1}}]}]", "s.yaml:5:29: 'response' is not supported yet; use `expect`"),
        (
            "  invariants: [{eventually: {kind: Pod}}]\n  steps: [{id: a, do: [{sleep: 0s}]}]",
            "s.yaml:5:17: 'eventually' is not supported yet; use it in",
        ),
        ("  clock: {mode: virtual, speed: 2}\n  steps: [{id: a, do: [{sleep: 0s}]}]", "s.yaml:5:33: virtual time has no speed"),
        ("  clock: {speed: 2000}\n  steps: [{id: a, do: [{sleep: 0s}]}]", "s.yaml:5:18: expected a number from 0.1 to 1000, not 2000"),
        ("  clock: {speed: 0.01}\n  steps: [{id: a, do: [{sleep: 0s}]}]", "s.yaml:5:18: expected a number from 0.1 to 1000, not 0.01"),
        ("  clock: {speed: .inf}\n  steps: [{id: a, do: [{sleep: 0s}]}]", "s.yaml:5:18: expected a number, not inf"),
        ("  clock: {speed: .nan}\n  steps: [{id: a, do: [{sleep: 0s}]}]", "s.yaml:5:18: expected a number, not nan"),
        (
            "  vars: {n: 2000}\n  clock: {speed: '${vars.n}'}\n  steps: [{id: a, do: [{sleep: 0s}]}]",
            "s.yaml:6:18: expected a number from 0.1 to 1000, not 2000",
        ),
        ("  steps: [{id: a, if: 'vars.n >'}]", "s.yaml:5:32: expression 'vars.n >': Syntax error"),
        ("  steps: [{id: a, do: [{scale: {kind: A, name: b, replicas: -1}}]}]", "s.yaml:5:61: expected a whole number of 0 or more"),
        ("  steps: [{id: yes}]", "s.yaml:5:16: expected a string, not true; put it in quotes"),
        ('  steps: [{id: "x${vars.n}", do: [{sleep: 0s}]}]', "s.yaml:5:25: there is no variable 'n'; spec.vars has none"),
        ("  steps: [{id: a, id: b}]", "s.yaml:5:19: 'id' is given twice; first in line 5"),
        ("  steps: []", "s.yaml:5:10: there are no steps, so nothing would be checked"),
        ("  clock: fast\n  steps: []", "s.yaml:5:10: 'fast' is none of virtual, real"),
        ("  steps: [", "s.yaml:6:1: not YAML: did not find expected node content"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path, spec, told):
    assert any(line.startswith(told) for line in mistakes(tmp_path, f"{HEAD}{spec}\n")), mistakes(tmp_path, f"{HEAD}{spec}\n")


def test_aliases_that_stand_for_too_much_or_for_themselves_are_told(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))]
    assert mistakes(tmp_path, "\n".join(lines)) == ["s.yaml:1:34: too much: aliases and all, a file may hold 200000 values"]
    assert mistakes(tmp_path, "x: &a [1, *a]") == ["s.yaml:1:4: an alias stands for what it is a part of"]


def test_mistakes_in_the_manifests_a_scenario_names_are_told_too(tmp_path):
    (tmp_path / "a.yaml").write_text("kind: Pod\nmetadata: {name: x}\n---\napiVersion: v1\nkind: Pod\nmetadata: {}\n")
    (tmp_path / "b.yaml").write_text("a: [\n")
    told = mistakes(tmp_path, f"{HEAD}  steps: [{{id: a, do: [{{apply: {{file: a.yaml}}}}, {{create: {{file: b.yaml}}}}]}}]\n")
    assert "a.yaml:1:1: an object needs 'apiVersion'" in told
    assert "b.yaml:2:1: not YAML: did not find expected node content" in told


def test_a_file_that_is_not_there_and_an_empty_one_are_told(tmp_path):
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    with pytest.raises(ScenarioError) as raised:
        load([str(tmp_path / "none.yaml"), str(tmp_path / "empty.yaml")], RunOptions())
    first, second = str(raised.value).splitlines()
    assert first.endswith("none.yaml:1:1: can't be read: No such file or directory")
    assert second.endswith("empty.yaml:1:1: the file is empty; a scenario begins with `apiVersion: svcsim.dev/v1`")


def test_a_matrix_gives_a_run_for_each_row(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(HEAD + "  vars: {n: 1, m: x}\n  matrix: [{n: 2}, {n: 3}]\n  steps: [{id: a, if: 'vars.n > 2', do: [{sleep: 0s}]}]\n")
    runs = load([str(file)], RunOptions())
    assert [(run.title, run.variables) for run in runs] == [("test[n=2]", {"n": 2, "m": "x"}), ("test[n=3]", {"n": 3, "m": "x"})]


def test_a_matrix_row_that_is_replaced_from_outside_runs_once(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(HEAD + "  vars: {n: 1}\n  matrix: [{n: 2}, {n: 3}]\n  steps: [{id: a, do: [{sleep: 0s}]}]\n")
    assert len(load([str(file)], RunOptions(variables={"n": "3"}))) == 1


def test_a_kind_that_no_cluster_has_is_told_before_the_run(tmp_path):
    def told(spec: str) -> list[str]:
        file = tmp_path / "s.yaml"
        file.write_text(f"{HEAD}{spec}\n")
        (read_file,) = read([str(file)], RunOptions(), KIND_NAMES)
        return [mistake.message for mistake in read_file.mistakes] if isinstance(read_file, WrongFile) else []

    expectation = "expect: [{eventually: {count: {kind: Pdo, eq: 1}}}]"
    assert told(f"  steps: [{{id: a, {expectation}}}]") == ["the cluster has no kind 'Pdo'; did you mean 'Pod'?"]
    assert told("  steps: [{id: a, do: [{delete: {kind: Pdo, name: x}}]}]") == ["the cluster has no kind 'Pdo'; did you mean 'Pod'?"]
    makes = "{apiVersion: v1, kind: Pdo, metadata: {name: x}}"
    assert told(f"  steps: [{{id: a, do: [{{create: {{object: {makes}}}}}]}}]") == ["the cluster has no kind 'Pdo'; did you mean 'Pod'?"]
    assert told("  steps: [{id: a, expect: [{order: [{kind: Pdo}]}]}]") == ["the cluster has no kind 'Pdo'; did you mean 'Pod'?"]
    assert told("  steps: [{id: a, expect: [{never: {kind: Pod}}]}]") == []
    definition = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: pdos.example.com}}"
    assert told(f"  steps: [{{id: a, do: [{{create: {{object: {definition}}}}}], {expectation}}}]") == []


MODES = "Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny"


@pytest.mark.parametrize(
    ("modes", "told"),
    [
        ("Node,RBAC", None),
        ("[Node, RBAC]", None),
        ("[AlwaysDeny]", None),
        ("[Node, Bogus]", f"'Bogus' is none of {MODES}"),
        ("Bogus", f'authorization.modes takes some of {MODES}, each once, with commas between them; not "Bogus"'),
    ],
)
def test_words_in_order_are_a_list_or_a_text(tmp_path: Path, modes: str, told: str | None) -> None:
    given = modes if modes.startswith("[") else repr(modes)
    text = f"{HEAD}\n  cluster: {{authorization: {{modes: {given}}}}}\n  steps: [{{id: a, do: [{{advance: 1s}}]}}]\n"
    found = mistakes(tmp_path, text)
    assert [line.partition(": ")[2] for line in found] == ([] if told is None else [told])


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("alice", None),
        ("{user: alice, groups: [a, b], uid: '7', extra: {k: [v]}}", None),
        ("{groups: [a]}", "a user needs 'user': The user's name"),
        ("{user: alice, group: [a]}", "a user has no field 'group'; did you mean 'groups'?"),
        ("[alice]", "a user is a map (user, groups, uid, …), not a list"),
    ],
)
def test_who_acts_is_a_name_or_a_map(tmp_path: Path, who: str, told: str | None) -> None:
    text = f"{HEAD}\n  steps: [{{id: a, do: [{{request: {{path: /version, as: {who}}}}}]}}]\n"
    assert [line.partition(": ")[2] for line in mistakes(tmp_path, text)] == ([] if told is None else [told])


MANY_LINES = """\
apiVersion: svcsim.dev/v1
kind: Scenario
metadata: {name: lines}
spec:
  steps:
  - id: a
    do:
    - create:
        object:
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: a}
          data:
            script: |
              #!/bin/sh

                echo ${vars.nope}
    expect:
    - eventually:
        kind: Pod
        where: |
          status.phase == 'Running'
          && bogus == 1
    - eventually:
        kind: Pod
        where: >-
          status.phase
          ==
            wrong
    - eventually: {kind: Pod, where: "status.phase ==
          other"}
"""


def test_a_mistake_in_a_text_of_several_lines_is_told_where_it_stands(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(MANY_LINES)
    with pytest.raises(ScenarioError) as raised:
        load([str(file)], RunOptions())
    lines = MANY_LINES.splitlines()
    for mistake, word in zip(raised.value.mistakes, ["nope", "bogus", "wrong", "other"], strict=True):
        line, column = mistake.position
        assert lines[line - 1][column - 1 :].startswith(word), mistake


def test_a_control_character_is_told_where_it_stands(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text("apiVersion: svcsim.dev/v1\nkind: Scenario\nmetadata: {name: \u00e9 \x01}\n")
    with pytest.raises(ScenarioError, match=r"s\.yaml:3:20: not YAML: control characters are not allowed"):
        load([str(file)], RunOptions())
