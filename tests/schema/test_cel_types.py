"""Types of validation rules are checked where a rule is declared: by the schema of what it is about."""

from typing import Any

import pytest

from svcsim.schema.cel.rules import RuleError, check_rule
from svcsim.schema.structural import parse

PREFIX = "x-kubernetes-"
OBJECT = {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"}}}
PROPERTIES = {
    "a": {"type": "string"},
    "i": {"type": "integer"},
    "d": {"type": "number"},
    "b": {"type": "boolean"},
    "t": {"type": "string", "format": "date-time"},
    "o": OBJECT,
    "same": OBJECT,
    "l": {"type": "array", "items": {"type": "string"}},
    "objects": {"type": "array", "items": OBJECT},
    "m": {"type": "object", "additionalProperties": {"type": "string"}},
    "x": {"x-kubernetes-int-or-string": True},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "namespace": {"type": "string"},
    "maybe": {"type": "string", "nullable": True},
}


def told(rule: str, **more: Any) -> str:
    """What is wrong with a rule; empty for one that is right."""
    node = parse({"type": "object", "properties": PROPERTIES}, PREFIX)
    try:
        check_rule({"rule": rule, **more}, node)
    except RuleError as error:
        return str(error)
    return ""


def overload(function: str, *types: str) -> str:
    return f"found no matching overload for '{function}' applied to '({', '.join(types)})'"


@pytest.mark.parametrize(
    ("rule", "column", "why"),
    [
        ("self.a == 1", 8, overload("_==_", "string", "int")),
        ("self.a.b == 'x'", 7, "type 'string' does not support field selection"),
        ("has(self.a.b)", 4, "type 'string' does not support field selection"),
        ("self.a + 1 > 2", 8, overload("_+_", "string", "int")),
        ("self.i.startsWith('x')", 18, overload("startsWith", "int", "string")),
        ("size(self.i) > 0", 5, overload("size", "int")),
        ("self.l.all(x, x > 1)", 17, overload("_>_", "string", "int")),
        ("self.objects.all(o, o.none == 1)", 22, "undefined field 'none'"),
        ("self.objects[0].none == 1", 16, "undefined field 'none'"),
        ("self.objects.filter(o, o.n > 1).map(o, o.k).exists(k, k > 1)", 57, overload("_>_", "string", "int")),
        ("self.m['a'] == 1", 13, overload("_==_", "string", "int")),
        ("self.l == self.m", 8, overload("_==_", "list(string)", "map(string, string)")),
        ("self.i in self.l", 8, overload("@in", "int", "list(string)")),
        ("!self.a", 1, overload("!_", "string")),
        ("self.b && self.a", 8, overload("_&&_", "bool", "string")),
        ("self.o == 'a'", 8, overload("_==_", "object", "string")),
        ("self.o.all(k, true)", 5, "expression of type 'object' cannot be range of a comprehension (must be list, map, or dynamic)"),
        ("self.metadata.name == 'x'", 5, "undefined field 'metadata'"),
        ("self.?none.hasValue()", 5, "undefined field 'none'"),
        ("self.?a.orValue(1) == 'a'", 16, overload("orValue", "optional_type(string)", "int")),
        ("self.t > 'a'", 8, overload("_>_", "timestamp", "string")),
        ("1 == 1.0", 3, overload("_==_", "int", "double")),
        ("self.l.all(i, v, v == i)", 20, overload("_==_", "string", "int")),
        ("self.l.all(i, i, true)", 15, "duplicate variable name: i"),
        ("self.l.all(1, v, true)", 12, "argument must be a simple name"),
        ("other == 1", 1, "undeclared reference to 'other' (in container '')"),
        ("nobody(1)", 7, "undeclared reference to 'nobody' (in container '')"),
        ("self.a ==\n1 + 'a'", 3, overload("_+_", "int", "string")),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(rule: str, column: int, why: str):
    line = rule.count("\n") + 1
    assert told(rule).startswith(f"ERROR: <input>:{line}:{column}: {why}\n | ")


def test_all_mistakes_are_told_in_their_order():
    first, second = (line for line in told("self.a == 1 || self.none == 2").splitlines() if line.startswith("ERROR"))
    assert (first[:20], second[:21]) == ("ERROR: <input>:1:8: ", "ERROR: <input>:1:20: ")


@pytest.mark.parametrize("rule", ["self.a", "self.i", "self.o", "self.l.map(x, x)", "self.l.size()"])
def test_a_rule_has_to_come_to_a_truth(rule: str):
    assert told(rule) == "cel expression must evaluate to a bool"


@pytest.mark.parametrize(
    "rule",
    [
        "self.x == 1 || self.x == 'a'",
        "type(self.x) == string && self.x.matches('a')",
        "self.any.whatever.it['is'] > 1 && self.any.all(k, self.any[k] == 1)",
        "self.o == self.same || self.o in self.objects",
        "self.maybe == null || self.maybe == 'a'",
        "self.__namespace__ == 'a'",
        "self.i < 1.5 && self.d >= self.i && 1u > 0",
        "self.t + duration('1h') < timestamp('2030-01-01T00:00:00Z') && self.t.getFullYear() > 1",
        "self.?o.?k.orValue('') == 'x' && self.o.?n.optMap(n, n > 1).orValue(true)",
        "self.objects.map(o, o.k).isSorted() && self.objects.exists_one(o, o.n == 1)",
        "cel.bind(all, self.l + ['a'], all.size() > 1 && all[0] == 'a')",
        "self.b ? self.l == [] : self.m == {}",
        "dyn(self.a) == 1",
        "[1, 'a'].exists(x, x == 1)",
        "self == oldSelf && self.o == oldSelf.o",
        "type(self.t) == google.protobuf.Timestamp",
    ],
)
def test_what_fits_or_may_be_anything_is_let_pass(rule: str):
    assert told(rule) == ""


def test_an_optional_value_from_before_has_to_be_taken_out():
    assert "found no matching overload" in told("oldSelf == self", optionalOldSelf=True)
    assert told("!oldSelf.hasValue() || oldSelf.value().i == self.i && oldSelf.i.orValue(1) == 1", optionalOldSelf=True) == ""
