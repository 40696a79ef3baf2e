"""Rules about lists that are cut into parts: what they say of short ones they say of long ones, and memory comes back."""

import gc
import sys
import tracemalloc
from typing import Any

import pytest

from svcsim.schema.cel.rules import RuleWalk
from svcsim.schema.structural import parse

TEXTS = {"type": "array", "items": {"type": "string"}}
NUMBERS = {"type": "object", "additionalProperties": {"type": "integer"}}


def walk(rule: str) -> RuleWalk:
    spec = {"type": "object", "properties": {"u": TEXTS, "m": NUMBERS}, "x-kubernetes-validations": [{"rule": rule}]}
    return RuleWalk(parse({"type": "object", "properties": {"spec": spec}}, "x-kubernetes-"), "x-kubernetes-")


def findings(rule: str, spec: dict[str, Any]) -> list[str]:
    return [finding.message for finding in walk(rule).findings({"spec": spec}, None)]


HOLD = [
    "self.u.transformMap(i, v, v)[0] == 'a' && self.u.transformMap(i, v, v).all(k, k >= 0)",
    "self.u.transformMapEntry(i, v, {i: v}).size() == self.u.size()",
    "self.u.transformMap(i, v, i % 2 == 0, null).size() >= self.u.size() / 2",
    "self.u.map(x, {1u: x}).size() == self.u.size() && self.u.map(x, {true: x}).all(m, m[true] == 'a')",
    "self.u.map(x, optional.of(x)).size() > 0 && self.u.map(x, optional.none()).all(o, !o.hasValue())",
    "self.u.map(x, optional.of(x)).map(y, y.orValue('')).all(y, y == 'a')",
    "self.u.map(x, duration('1s')).size() > 0 && self.u.map(x, duration('1s')).all(d, d == duration('1s'))",
    "self.u.map(x, duration('1s')).map(d, d + d)[0] == duration('2s') && self.u.map(x, [duration('1s')])[0] == [duration('1s')]",
    "self.u.map(x, duration('1s')).sum() == duration(string(self.u.size()) + 's')",
    "self.u.map(x, timestamp('2020-01-01T00:00:00Z')).max() == timestamp('2020-01-01T00:00:00Z')",
    "self.u.map(x, type(x)).all(t, t == string) && self.u.map(x, string).size() > 0",
    "self.u.map(x, null).all(x, x == null)",
    "cel.bind(o, optional.of(self.u), o.hasValue() && o.value().indexOf('a') == 0)",
    "self.u.all(x, isIP('::1') && x == self.u[0])",
    "self.u.map(x, 1u).all(n, type(n) == uint && n + 1u == 2u) && self.u.map(x, 1u)[0] + 1u == 2u",
    "self.u.map(x, [1u])[0][0] + 1u == 2u && self.u.map(x, {'a': 1u}).all(m, type(m.a) == uint)",
    "type(self.u.map(x, 1u).sum()) == uint && type(self.u.map(x, 2u).max()) == uint && self.u.map(x, 1u).sum() == uint(self.u.size())",
    "self.u.map(x, optional.of(uint(1))).all(o, type(o.value()) == uint) && type(self.u.map(x, 1).sum()) == int",
]
TELL = {
    "self.u.sum() == 'aa'": "no such overload: sum",
    "self.u.map(x, dyn(x == 'a' ? dyn(1) : dyn(true))).map(x, x == 1).sum() == 1": "no such overload: sum",
    "(self.u.map(x, dyn(1)) + [dyn(1.5)]).sum() > 0.0": "no such overload: sum",
    "self.u.map(x, dyn([1])).sum() == 1": "no such overload: sum",
    "self.u.map(x, 9223372036854775807).sum() > 0": "integer overflow",
    "self.u.map(x, 18446744073709551615u).sum() > 0u": "unsigned integer overflow",
    "self.u.map(x, 1u).all(n, n + 1 == 2)": "no such overload: _+_(uint64, int64)",
}


@pytest.mark.parametrize("rule", HOLD)
@pytest.mark.parametrize("items", [3, 1_500])
def test_rules_say_the_same_of_long_lists(rule: str, items: int):
    assert findings(rule, {"u": ["a"] * items}) == []


@pytest.mark.parametrize("rule", TELL)
@pytest.mark.parametrize("items", [3, 1_500])
def test_rules_tell_the_same_of_long_lists(rule: str, items: int):
    (told,) = findings(rule, {"u": ["a"] * items})
    assert told == f'Invalid value: "object": {TELL[rule]} evaluating rule: failed rule: {rule}'


def test_what_is_the_same_at_each_step_is_evaluated_once():
    assert findings("self.u.all(x, isIP(x) || x + self.u[0] != '')", {"u": ["a" * 20] * 20_000}) == []
    assert findings("self.u.all(x, self.u[0] + (isIP(x) ? x : 'b') != '')", {"u": ["a" * 20] * 20_000}) == []
    assert findings("self.u.all(x, isIP(x) || x != '' || x == self.u[50000])", {"u": ["a" * 20] * 2_000}) == []


def test_giving_an_object_to_the_library_at_each_step_may_cost_too_much():
    (told,) = findings("self.u.all(x, isIP(x) || [self.m].map(m, m.k299 + size(x))[0] > 0)", {"u": ["a"] * 40_000, "m": MANY})
    assert "call cost exceeds limit" in told


MANY = {f"k{number}": number for number in range(300)}
KEEP = [
    "self.m.transformMap(k, v, v + 1).size() > 0",
    "self.m.transformMapEntry(k, v, {k: v}).size() > 0",
    "self.u.all(x, x.find('a') == 'a')",
    "self.u.map(x, [x].indexOf(x)).sum() == 0",
    "self.u.isSorted()",
]


@pytest.mark.parametrize("rule", KEEP)
def test_what_functions_are_given_and_give_is_forgotten(rule: str):
    rules, spec = walk(rule), {"spec": {"u": ["a"] * 300, "m": MANY}}
    kept = []
    for _ in range(3):
        assert rules.findings(spec, None) == []
        gc.collect()
        kept.append(len(gc.get_objects()))
    assert kept[2] - kept[1] < 20


def test_texts_that_functions_were_given_are_forgotten():
    rules, spec = walk("self.u[0].find('b') == ''"), {"spec": {"u": ["a" * 20_000]}}
    kept = []
    tracemalloc.start()
    for _ in range(3):
        assert [rules.findings(spec, None) for _ in range(20)] == [[]] * 20
        gc.collect()
        kept.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert kept[2] - kept[1] < 10 * 20_000, "of twenty texts not even half are kept; what else the process remembers is far less"


def test_values_of_null_may_be_given_for_ever():
    for _ in range(3):
        assert findings("self.u.map(x, null).size() > 0", {"u": ["a"] * 20_000}) == []
    assert sys.getrefcount(None) > 1_000_000
