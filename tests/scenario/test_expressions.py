"""CEL over an object's fields, `vars` and `saved`. What can't be said yet is unknown, never an error."""

import gc
import re
import weakref

import pytest

from svcsim.scenario.expressions import ExpressionError, Expressions, NeitherError, Unknown
from tests.virtual import START_S

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web-1", "creationTimestamp": "2025-12-31T23:59:30Z"},
    "spec": {"containers": [{"name": "a"}, {"name": "b"}], "replicas": 3},
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}, {"type": "Sad", "status": "False"}]},
}
SCOPE = {"vars": {"n": 3, "image": "nginx"}, "saved": {"rv": "12"}}


@pytest.fixture
def cel() -> Expressions:
    return Expressions(lambda: START_S)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("status.phase == 'Running'", True),
        ("object.status.phase", "Running"),
        ("vars.n > 2 && spec.replicas == vars.n", True),
        ("saved.rv + '!'", "12!"),
        ("condition('Ready') && !condition('Sad') && !condition('Other')", True),
        ("age(metadata.creationTimestamp) == duration('30s')", True),
        ("spec.containers.exists(c, c.name == 'b')", True),
        ("size(spec.containers)", 2),
        ("status.?replicas.orValue(0) < 1", True),
        ("has(status.replicas) || status.phase in ['Running']", True),
        ("{'b': 1, 'a': [vars.n]}", {"a": [3], "b": 1}),
        ("spec.replicas == 3.0", True),
    ],
)
def test_it_has_a_value(cel, text, value):
    assert cel.evaluate(cel.compile(text), SCOPE, POD) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("status.replicas == 3", "there is no 'replicas' yet"),
        ("data.key == 'x'", "there is no 'data' yet"),
        ("vars.m == 1", "there is no 'm' yet"),
        ("age(status.startTime) > duration('1s')", "there is no 'startTime' yet"),
        ("spec.replicas > 'x'", "No matching overloads found : _>_(int64, string)"),
    ],
)
def test_it_is_unknown_while_something_is_missing(cel, text, reason):
    assert cel.evaluate(cel.compile(text), SCOPE, POD) == Unknown(reason)


@pytest.mark.parametrize(("text", "value"), [("status.phase", '"Running"'), ("spec.replicas", "3"), ("vars.?x.orValue(null)", "nothing")])
def test_a_condition_that_is_neither_true_nor_false_is_a_mistake(cel, text, value):
    with pytest.raises(NeitherError, match=re.escape(f"expression {text!r} is {value}, neither true nor false")):
        cel.holds(cel.compile(text), SCOPE, POD)


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("1 == staus.phase", 5, "'staus' is not known here; did you mean 'status'?"),
        ("zzz.phase", 0, "'zzz' is not known here; a field of that name is reached as object.zzz"),
        ("conditon('Ready')", 0, "'conditon' is not known here; did you mean 'condition'?"),
        ("type == 'Warning'", 5, "the object's field is object.type"),
        ("age(metadata.name) > 3", 19, "found no matching overload for '_>_'"),
    ],
)
def test_what_can_not_be_compiled_is_told_with_its_place(cel, text, offset, message):
    with pytest.raises(ExpressionError) as raised:
        cel.compile(text)
    assert raised.value.offset == offset
    assert message in str(raised.value)


def test_the_fields_it_looks_at_are_known(cel):
    expression = cel.compile("status.phase == 'status.x' && spec.?a.b.orValue(1) == 1 && metadata.name.startsWith('w')")
    assert expression.paths() == ("status.phase", "spec.a.b", "metadata.name")


def test_when_nobody_asks_any_longer_all_of_it_is_let_go():
    expressions = Expressions(lambda: 0.0)
    asked = expressions.compile("age('1970-01-01T00:00:00Z') == duration('0s') && !condition('Ready')")
    assert expressions.holds(asked, {}) is True
    there = weakref.ref(expressions)
    del expressions, asked
    gc.collect()
    assert there() is None
