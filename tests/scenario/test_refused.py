"""A value is obeyed or refused before anything runs: none is passed over, and none stands for more than it says."""

from pathlib import Path

import pytest

from tests.scenario.replaying import HEAD, Replayer
from tests.scenario.test_check import mistakes

OBJECT = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"


def told(tmp_path: Path, action: str) -> list[str]:
    """What is said of an action."""
    lines = mistakes(tmp_path, f"{HEAD}  steps:\n  - id: a\n    do:\n    - {action}\n")
    return [line.partition(": ")[2] for line in lines]


@pytest.mark.parametrize("verb", ["delete: {%s}", "label: {labels: {x: y}, %s}"])
@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("all: false", "it can only be true: leave it out instead"),
        ("all: null", "expected true, not nothing"),
        ("all: 0", "expected true, not 0"),
        ("all: 1", "expected true, not 1"),
        ("all: 'true'", "expected true, not the string 'true'"),
        ("all: ''", "expected true, not the string ''"),
        ("selector: ''", "expected a string, not an empty one"),
        ("selector: ' '", "' ' asks for nothing, so everything would be selected"),
        ("selector: null", "expected a string, not nothing"),
        ("selector: {a: b}", "expected a string, not a map"),
        ("selector: '!!'", "'!!' is no label selector: "),
        ("name: ''", "expected a string, not an empty one"),
        ("name: null", "expected a string, not nothing"),
        ("name: 'web-*'", "'web-*' is one name, in which * stands for nothing"),
        ("name: a/status", "'a/status' can't be a name: it may not contain '/'"),
        ("name: ..", "'..' can't be a name: it may not be '..'"),
        ("name: a, namespace: ''", "expected a string, not an empty one"),
        ("name: a, namespace: 'team-*'", "'team-*' is one name, in which * stands for nothing"),
        ("name: a, as: ''", "expected a string, not an empty one"),
        ("name: a, apiVersion: ''", "expected a string, not an empty one"),
        ("name: a, missing: no", "False is none of fail, ignore"),
        ("name: a, all: true", "takes one of name, selector, all; 'name' is there already"),
    ],
)
def test_what_would_select_more_than_it_says_is_refused(tmp_path, verb, target, why):
    found = told(tmp_path, verb % f"kind: ConfigMap, {target}")
    assert any(why in line for line in found), found


@pytest.mark.parametrize("value", ["false", "null", "''", "{}", "5"])
def test_a_variable_is_held_against_what_its_place_takes(tmp_path, value):
    text = f"{HEAD}  vars: {{every: {value}}}\n  steps: [{{id: a, do: [{{delete: {{kind: Pod, all: '${{vars.every}}'}}}}]}}]\n"
    assert len(mistakes(tmp_path, text)) == 1


def test_what_was_saved_is_held_against_what_its_place_takes(replay: Replayer):
    """It is known only while the scenario runs: then the step fails, and nothing is done."""
    outcome = replay(
        f"""
  steps:
  - id: a
    do:
    - create: {{object: {OBJECT}}}
      save: {{every: "false", none: "''", span: "'soon'"}}
    - delete: {{kind: ConfigMap, all: "${{saved.every}}"}}
  finally:
  - delete: {{kind: ConfigMap, name: "${{saved.none}}"}}
  - sleep: "${{saved.span}}"
  - delete: {{kind: ConfigMap, name: a}}
"""
    )
    assert outcome.code == 1
    assert "delete: it can only be true: leave it out instead" in outcome.out
    assert "delete: expected a string, not an empty one" in outcome.out
    assert "sleep: expected a duration such as 30s or 1h30m, not the string 'soon'" in outcome.out
    assert "404" not in outcome.out  # the object was still there


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("delete: {kind: Pod, name: a, grace: 500ms}", "expected whole seconds, such as 30s, not the string '500ms'"),
        ("delete: {kind: Pod, name: a, grace: -1s}", "expected a duration such as 30s or 1h30m"),
        ("label: {kind: Pod, name: a, labels: {}}", "the map is empty, which says nothing"),
        ("label: {kind: Pod, name: a, labels: {x: 5}}", "expected a string, not 5; put it in quotes"),
        ("apply: {objects: []}", "the list is empty, which says nothing"),
        ("apply: {object: {}}", "an object needs 'apiVersion'"),
        ("apply: {object: {apiVersion: v1, kind: '', metadata: {name: a}}}", "an object's kind is a string, not the string ''"),
        ("apply: {object: {apiVersion: v1, kind: Pod, metadata: null}}", "an object's metadata is a map, not nothing"),
        ("apply: {object: {apiVersion: v1, kind: Pod, metadata: {generateName: a}}}", "an object needs metadata.name"),
        ("create: {object: {apiVersion: v1, kind: Pod, metadata: {}}}", "an object needs metadata.name or metadata.generateName"),
        ("create: {object: [x]}", "an object is a map (apiVersion, kind, metadata, …), not a list"),
        (f"create: {{object: {OBJECT}, namespace: ''}}", "expected a string, not an empty one"),
        (f"apply: {{object: {OBJECT}, manager: ''}}", "expected a string, not an empty one"),
        (f"apply: {{object: {OBJECT}, force: ''}}", "expected true or false, not the string ''"),
        ("patch: {kind: Pod, name: a, patch: {}, subresource: ''}", "expected a string, not an empty one"),
        ("patch: {kind: Pod, name: a, patch: {}, subresource: a/b}", "may not contain '/'"),
        ("request: {path: ''}", "expected a string, not an empty one"),
        ("request: {path: api}", "expected a path that begins with /, not 'api'"),
        ("load: {template: one.yaml, count: 0}", "expected a whole number from 1 to 250000, not 0"),
        ("load: {template: one.yaml, count: 1000000}", "expected a whole number from 1 to 250000, not 1000000"),
        ("load: {template: one.yaml, count: 1, rate: 0/s}", "expected a rate such as 50/s"),
        ("load: {template: one.yaml, count: 1, burst: 0}", "expected a whole number of 1 or more, not 0"),
        ("load: {template: two.yaml, count: 1}", "two.yaml contains 2 objects; a template is one"),
        ("wait: {kind: Pod, for: ''}", "expected a string, not an empty one"),
        ("wait: {kind: Pod, for: deleted}", "'deleted' is none of condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], create or delete"),
        ("wait: {kind: Pod, for: condition=}", "'condition=' names no condition"),
        ("wait: {kind: Pod, for: 'jsonpath={.status.phase}='}", "jsonpath wait has to have a value after equal sign"),
        ("wait: {kind: Pod, name: 'web-*'}", "in which * stands for nothing"),
        ("{sleep: 1s, expect: {status: 0}}", "expected a whole number from 100 to 599, not 0"),
        ("{sleep: 1s, expect: {status: 1000}}", "expected a whole number from 100 to 599, not 1000"),
        ("{sleep: 1s, expect: {}}", "an expected answer needs at least one of status, reason, message"),
        ("{sleep: 1s, save: {}}", "the map is empty, which says nothing"),
        ("sleep: -1s", "expected a duration such as 30s or 1h30m"),
        ("sleep: ''", "expected a duration such as 30s or 1h30m"),
    ],
)
def test_a_value_of_an_action_that_could_not_be_obeyed_is_refused(tmp_path, action, why):
    one = f"{OBJECT}\n"
    (tmp_path / "one.yaml").write_text(one)
    (tmp_path / "two.yaml").write_text(f"{one}---\n{one}")
    found = told(tmp_path, action)
    assert any(why in line for line in found), found


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("steps: [{id: a}]", "a step needs at least one of do, expect, faults"),
        ("steps: [{id: a, do: []}]", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, expect: []}]", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, do: [{sleep: 1s}], faults: []}]", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, do: [{sleep: 1s}], catch: []}]", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, do: [{sleep: 1s}]}]\n  finally: []", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, do: [{sleep: 1s}]}]\n  invariants: []", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, do: [{sleep: 1s}]}]\n  matrix: []", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: '', do: [{sleep: 1s}]}]", "expected a string, not an empty one"),
        ("steps: [{id: a, expect: [{order: []}]}]", "the list is empty, which says nothing; leave it out"),
        ("steps: [{id: a, expect: [{order: [{reason: ''}]}]}]", "expected a string, not an empty one"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, name: 'web-*'}}]}]", "in which * stands for nothing"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, namespace: ''}}]}]", "expected a string, not an empty one"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, labels: {}}}]}]", "the map is empty, which says nothing; leave it out"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, match: {}}}]}]", "the map is empty, which says nothing; leave it out"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, where: ''}}]}]", "expression '': Syntax error"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, where: size(spec.containers)}}]}]", "is neither true nor false"),
        ("steps: [{id: a, expect: [{never: {kind: Pod, where: null}}]}]", "expected an expression (CEL, in quotes), not nothing"),
        (
            "vars: {n: 5}\n  steps: [{id: a, if: vars.n, do: [{sleep: 1s}]}]",
            "s.yaml:6:23: expression 'vars.n' is 5, neither true nor false",
        ),
        (
            "vars: {p: Running}\n  steps: [{id: a, expect: [{eventually: {kind: Pod, where: vars.p}}]}]",
            "s.yaml:6:60: expression 'vars.p' is \"Running\", neither true nor false",
        ),
        ("steps: [{id: a, expect: [{order: [{on: web}]}]}]", "s.yaml:5:42: expected kind/name, such as pod/web-1, not 'web'"),
        ("steps: [{id: a, expect: [{order: [{on: /web}]}]}]", "expected kind/name, such as pod/web-1, not '/web'"),
        ("steps: [{id: a, expect: [{order: [{on: pod/}]}]}]", "expected kind/name, such as pod/web-1, not 'pod/'"),
        ("steps: [{id: a, expect: [{order: [{on: pod/default/web}]}]}]", "expected kind/name, such as pod/web-1"),
        ("steps: [{id: a, expect: [{order: [{reason: Killing, kind: Pod}]}]}]", "s.yaml:5:55: only an Event has a reason; leave kind out"),
        ("steps: [{id: a, expect: [{order: [{kind: Pod, message: x}]}]}]", "only an Event has a message; leave kind out"),
        ("steps: [{id: a, expect: [{order: [{reason: Killing, type: DELETED}]}]}]", "a reason is told when its Event is written"),
        ("steps: [{id: a, if: '1', do: [{sleep: 1s}]}]", "expression '1' is neither true nor false"),
        ("steps: [{id: a, if: saved.x == 1, do: [{sleep: 1s}]}]", "nothing is saved as 'x'; no action has save"),
        ("steps: [{id: a, if: saved.rw == 1, do: [{sleep: 1s, save: {rv: '1'}}]}]", "nothing is saved as 'rw'; known: rv"),
        (
            "steps: [{id: a, do: [{sleep: 1s, save: {rv: '1'}}]}]\n  cluster: {nodes: '${saved.rv}'}",
            "${saved.rv}: nothing is saved before the scenario runs",
        ),
    ],
)
def test_a_value_that_would_check_nothing_is_refused(tmp_path, spec, why):
    found = mistakes(tmp_path, f"{HEAD}  {spec}\n")
    assert any(why in line for line in found), found


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("type: node-down, target: {name: node-1}, percent: 0", "expected a number above 0 up to 100, not 0"),
        ("type: node-down, target: {name: node-1}, percent: 200", "expected a number above 0 up to 100, not 200"),
        ("type: node-down, target: {name: node-1}, percent: null", "expected a number, not nothing"),
        ("type: node-down, target: {kind: Pod, name: node-1}", "node-down strikes a Node, not a Pod"),
        ("type: pod-crash, target: {kind: Node, name: a}", "pod-crash strikes a Pod, not a Node"),
        ("type: node-down, target: {selector: a!=b}", "node-down takes no selector; its target has name"),
        ("type: node-down, target: {labels: {a: b}}", "node-down takes no labels; its target has name"),
        ("type: node-down, target: {name: node-1, namespace: a}", "node-down takes no namespace; its target has name"),
        ("type: pod-crash, target: {image: nginx}", "pod-crash takes no image; its target has name, namespace, selector, labels"),
        ("type: pod-crash, target: {labels: {}}", "the map is empty, which says nothing"),
        ("type: pod-crash, target: {selector: ''}", "expected a string, not an empty one"),
        ("type: pod-crash, target: {selector: '!!'}", "'!!' is no label selector"),
        ("type: pod-crash, target: {selector: a=b, labels: {a: b}}", "a target takes selector or labels, not both"),
        ("type: pod-crash, target: {kind: Pod}", "a target needs at least one of name, selector, labels, image, namespace"),
        ("type: pod-crash, target: {name: a}, for: 2m", "s.yaml:5:65: pod-crash strikes once and does not last; leave for out"),
        ("type: pod-crash, target: {name: a}, factor: 3", "factor is for slow-start; pod-crash takes none"),
        ("type: slow-start, target: {name: a}, message: x", "message is for image-pull-failure and webhook-fail; slow-start takes none"),
        ("type: slow-start, target: {name: a}, factor: 0", "expected a number of 1 or more, not 0"),
        ("type: slow-start, target: {name: a}, for: 0s", "expected a duration longer than 0"),
        ("type: slow-start, target: {name: a}, missing: ''", "'' is none of fail, ignore"),
    ],
)
def test_a_fault_that_could_not_be_obeyed_is_refused(tmp_path, fault, why):
    found = mistakes(tmp_path, f"{HEAD}  steps: [{{id: a, faults: [{{{fault}}}]}}]\n")
    assert any(why in line for line in found), found
