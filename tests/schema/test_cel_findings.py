"""What is told of a rule that fails: the field, and why it came to nothing."""

from typing import Any

import pytest

from svcsim.meta.errors import FieldError
from svcsim.schema.cel.rules import RuleWalk
from svcsim.schema.structural import mentions, parse

TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
PROPERTIES = {
    "i": {"type": "integer"},
    "l": {"type": "array", "items": {"type": "integer"}},
    "m": {"type": "object", "properties": {"foo.34$": {"type": "string"}, "it's": TEXTS}},
}


def finding(rule: str, value: dict[str, Any], **declared: str) -> FieldError:
    spec = {"type": "object", "properties": PROPERTIES, "x-kubernetes-validations": [{"rule": rule, **declared}]}
    (found,) = RuleWalk(parse({"type": "object", "properties": {"spec": spec}}, "x-kubernetes-"), "x-kubernetes-").findings(
        {"spec": value}, None
    )
    return found


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (".i", "spec.i"),
        ("['i']", "spec.i"),
        (".m['foo.34$']", "spec.m.foo.34$"),
        (".m['it\\'s']['k.l']", "spec.m.it's[k.l]"),
        (".m['it\\'s'].k", "spec.m.it's[k]"),
        ("", "spec"),
    ],
)
def test_the_field_is_told_by_its_path(path: str, field: str):
    assert finding("self.i < 5", {"i": 5}, fieldPath=path).path == field


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("self.l[5] == 1", "index out of bounds: 5"),
        ("1 / self.i == 1", "division by zero"),
        ("1 % self.i == 1", "modulus by zero"),
        ("{'a': 1}['x'] == 1", "no such key: x"),
        ("dyn('a') < self.i", "no such overload: _<_(string, int64)"),
        ("self.l.map(x, self.l.map(y, self.l.map(z, x)))[0][0][0] / self.i == 1", "division by zero"),
    ],
)
def test_why_a_rule_came_to_nothing_is_told(rule: str, why: str):
    assert f"{why} evaluating rule: " in finding(rule, {"i": 0, "l": [1]}).message


def test_an_error_in_a_loop_that_is_cut_is_the_same():
    rule = "self.l.all(x, self.l.all(y, 1 / (x - y + 1000) > -2))"
    assert "division by zero evaluating rule: " in finding(rule, {"l": list(range(0, 4000, 20))}).message


def test_a_rule_that_can_not_be_compiled_is_told_to_who_changes_what_it_is_about():
    """A definition that is stored may have such, from an older version."""
    rules = [{"rule": "self.i =="}, {"rule": "self.i < 5", "messageExpression": "'a' +"}]
    walk = RuleWalk(
        parse({"type": "object", "properties": PROPERTIES, "x-kubernetes-validations": rules}, "x-kubernetes-"), "x-kubernetes-"
    )
    broken, fails = walk.findings({"i": 5}, None)
    assert broken.path == "<nil>"
    assert "rule compile error: ERROR: <input>:1:10: Syntax error" in broken.message
    assert "failed rule: self.i < 5" in fails.message
    assert walk.findings({"i": 5}, {"i": 5}) == []
    declared = parse({"type": "object", "x-kubernetes-validations": rules[:1]}, "x-kubernetes-")
    assert mentions(declared.document, "x-kubernetes-validations")
    alone = RuleWalk(declared, "x-kubernetes-")
    assert len(alone.findings({"i": 1}, {"i": 2})) == 1
