"""What validation rules cost is told before it is spent: from the sizes of the values in hand."""

import asyncio
import threading
from typing import Any

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.kinds.apiextensions.expression_rules import expression_findings
from svcsim.schema.cel.costs import Cost, Costs
from svcsim.schema.cel.evaluation import CallCostError
from svcsim.schema.cel.given import Given
from svcsim.schema.cel.library import environment
from svcsim.schema.cel.programs import Program, parsed
from svcsim.schema.cel.requests import Turns
from svcsim.schema.cel.rules import RuleWalk
from svcsim.schema.cel.shapes import shape_of
from svcsim.schema.structural import parse
from svcsim.wall import stopwatch

PREFIX = "x-kubernetes-"
TEXTS = {"type": "array", "items": {"type": "string"}}
PROPERTIES = {"a": {"type": "string"}, "b": {"type": "string"}, "l": TEXTS, "m": {"type": "object", "additionalProperties": TEXTS}}


def schema(*rules: str) -> dict[str, Any]:
    validations = [{"rule": rule, "message": "false"} for rule in rules]
    return {"type": "object", "properties": PROPERTIES, "x-kubernetes-validations": validations}


def told(value: dict[str, Any], *rules: str) -> list[str]:
    return [finding.message for finding in RuleWalk(parse(schema(*rules), PREFIX), PREFIX).findings(value, None)]


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("self.l.map(x, x).size() > 0", {"l": ["aaaaaaaaaa"] * 90_000}),
        ("self.l.map(x, self.l.map(y, x + y)).size() > 0", {"l": ["a"] * 300}),
        ("self.l.all(x, self.l.all(y, x + y != ''))", {"l": ["a"] * 500}),
        ("self.l.map(x, self.a + self.a).size() > 0", {"l": ["a"] * 90, "a": "x" * 100_000}),
        ("self.a.replace('x', 'xxxxxxxxxx').replace('x', 'xxxxxxxxxx') != ''", {"a": "x" * 100_000}),
        ("self.a.replace('', self.b) != ''", {"a": "x" * 1_000, "b": "x" * 1_000}),
        ("self.a.split('').size() > 0", {"a": "x" * 1_000_000}),
        ("self.l.join(self.a).size() > 0", {"l": ["a"] * 9_000, "a": "x" * 10_000}),
        ("self.a.contains(self.b)", {"a": "x" * 1_000_000, "b": "x" * 500_000 + "y"}),
        ("self.a.matches(self.b)", {"a": "x" * 30_000, "b": "x" * 30_000}),
        ("sets.contains(self.l, self.l)", {"l": [str(number) for number in range(5_000)]}),
        ("cel.bind(one, self.l, one.map(x, x).size() > 0)", {"l": ["a"] * 90_000}),
        ("optional.of(self.l).orValue([]).map(x, x).size() > 0", {"l": ["a"] * 90_000}),
        ("self.l.all(x, x + self.a != '')", {"l": ["a"] * 900, "a": "x" * 100_000}),
    ],
)
def test_a_rule_that_would_cost_too_much_is_not_asked(rule: str, value: dict[str, Any]):
    (finding,) = told(value, rule)
    assert "call cost exceeds limit for rule" in finding


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("self.l.map(x, x + 'b').filter(x, x == 'ab').size() == 600", {"l": ["a"] * 600}),
        ("self.l.map(x, x + 'b').size() == 20000 && self.l.filter(x, x != '').size() == 20000", {"l": ["a"] * 20_000}),
        ("self.m.map(k, k).size() == 5000", {"m": {str(number): [] for number in range(5_000)}}),
        ("self.l.map(x, self.l.map(y, x + y)).size() == 90", {"l": ["a"] * 90}),
        ("self.l.all(x, self.l.all(y, x + y != ''))", {"l": ["a"] * 200}),
        ("self.l.all(x, self.l.all(y, self.l.exists(z, z == 'c' || x + y != z)))", {"l": ["a"] * 30}),
        ("cel.bind(one, self.l, one.map(x, x).size() > 0)", {"l": ["a"] * 5_000}),
        ("optional.of(self.l).orValue([]).map(x, x).size() > 0", {"l": ["a"] * 5_000}),
        ("self.l.all(i, x, self.l[i] == x) && self.l.transformList(i, x, i)[19999] == 19999", {"l": ["a"] * 20_000}),
        ("self.l.transformMap(i, x, x).size() == 400", {"l": ["a"] * 400}),
        ("self.l.exists_one(x, x == 'b') || self.l.size() == 20000", {"l": ["a"] * 20_000}),
        ("(self.l.map(x, x).size() > 0 ? self.a : self.l.map(x, x)[0]) == 'b'", {"l": ["a"] * 20_000, "a": "b"}),
        ("self.l.exists(x, int(x) == 5) && !self.l.all(x, int(x) < 5)", {"l": ["a", *(str(number) for number in range(20_000))]}),
        ("self.l.all(x, x == 'a') && self.l.exists(x, x == 'a')", {"l": ["a"] * 4_000}),
        ("self.l.all(x, self.l.exists_one(y, x == y))", {"l": [str(number) for number in range(90)]}),
        ("self.l.all(x, x in self.m)", {"l": ["a"] * 2_000, "m": {**{str(number): [] for number in range(9_000)}, "a": []}}),
        ("self.m.all(k, self.m[k].filter(x, x == 'a').size() == 1)", {"m": {str(number): ["a", "b"] for number in range(1_000)}}),
        ("self.a.replace('x', 'y').contains('y') && self.a.size() == 100000", {"a": "x" * 100_000}),
        ("self.a.matches('^[a-z]+$') && self.a.startsWith('x')", {"a": "x" * 1_000_000}),
        ("self == self && 'q' in self.l", {"l": ["q"] * 90_000}),
        ("self.a.indexOf(self.b) == -1", {"a": "x" * 1_000_000, "b": "x" * 500_000 + "y"}),
        ("self.l.join(',').split(',').size() == 3000", {"l": ["a"] * 3_000}),
    ],
)
def test_what_is_large_and_cheap_is_asked(rule: str, value: dict[str, Any]):
    assert told(value, rule) == []


def test_all_rules_of_an_object_share_a_budget():
    rules = [f"self.l.all(x, self.l.all(y, x + y != '{number}'))" for number in range(20)]
    assert told({"l": ["a"] * 300}, *rules[:10]) == []
    (finding,) = told({"l": ["a"] * 300}, *rules)
    assert "running out of cost budget" in finding


@pytest.mark.parametrize(
    "rule",
    ["'x'" + f".replace('', '{'x' * 58}')" * 5 + " != ''", "['x']" + ".map(v, v + v)" * 27 + ".size() > 0"],
)
def test_a_rule_that_costs_too_much_about_anything_is_refused_where_it_is_declared(rule: str):
    (finding,) = expression_findings(parse(schema(rule), PREFIX), "schema", PREFIX)
    assert "estimated rule cost exceeds budget" in finding.message


def test_costs_grow_with_what_is_in_hand():
    costs = Costs(parsed("self.l.map(x, x).size() > 0", frozenset(("self",))))
    few, many = (costs.of({"self": shape_of({"l": ["a"] * count, "beside": ["b"] * 50_000})}) for count in (10, 1_000))
    assert few.fits
    assert few.time < 2_000
    assert not many.fits
    assert (many.units, many.steps) == (100 * (few.units - 15) + 15, 1_000)


def test_values_are_put_into_the_form_of_the_library_once_for_many_rules():
    kept = ["a"]
    of_dyn = environment("dyn", optional=False)
    given = Given(of_dyn, {"self": {"l": kept}})
    rules = [Program(parsed(f"self.l.size() == {size}", frozenset(("self",))), of_dyn) for size in (1, 2)]
    assert given.ask(rules[0], Cost()) is True
    kept.append("b")  # which is seen by nobody any more
    assert given.ask(rules[1], Cost()) is False
    assert given.ask(rules[1], Cost(time=limits.CEL_TURN_COST)) is False
    for _ in range(limits.CEL_STEP_COST // limits.CEL_TURN_COST):
        last = given.ask(rules[1], Cost(time=limits.CEL_TURN_COST))
    assert last is True  # but what has cost much is kept no longer


def test_what_nobody_waits_for_any_longer_ends() -> None:
    of_dyn = environment("dyn", optional=False)
    program = Program(parsed("self.all(a, self.all(b, a + b != 'x'))", frozenset(("self",))), of_dyn)
    given = Given(of_dyn, {"self": ["a"] * 300})
    cost = given.cost(program.costs)
    assert not cost.fits
    assert given.ask(program, cost) is True
    given.abandon()
    with pytest.raises(CallCostError):
        given.ask(program, cost)


async def test_a_request_that_is_given_up_gives_its_expressions_up() -> None:
    began, given_up = threading.Event(), threading.Event()

    class Waiting:
        def ask(self, _program: object, _cost: Cost) -> bool:
            began.set()
            return given_up.wait(20)

        def abandon(self) -> None:
            given_up.set()

    task = asyncio.ensure_future(Turns().ask(Waiting(), None, Cost(time=2 * limits.CEL_TURN_COST), {}))  # type: ignore[arg-type]
    await asyncio.to_thread(began.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert given_up.is_set()


async def test_thousands_of_short_expressions_are_not_asked_in_one_go():
    """Each takes some time, however little it costs: now and then others have their turn."""

    class Noting:
        def ask(self, _program: object, _cost: Cost) -> int:
            return turns_of_others

    async def other() -> None:
        nonlocal turns_of_others
        while True:
            turns_of_others += 1
            await turn()

    turns_of_others = 0
    others = asyncio.ensure_future(other())
    turns, end = Turns(), stopwatch() + 10 * limits.CEL_TURN_S
    noted = []
    while stopwatch() < end:
        noted.append(await turns.ask(Noting(), None, Cost(time=0), {}))  # type: ignore[arg-type]
    others.cancel()
    assert noted[0] == 0, "the first is asked at once"
    assert 0 < len(set(noted)) <= 10, "others have their turn when it has taken them long enough, and not before"
    assert noted[-1] >= limits.CEL_TURNS_OF_OTHERS


async def test_a_long_expression_is_asked_aside():
    class Noting:
        def ask(self, _program: object, _cost: Cost) -> bool:
            return threading.current_thread() is threading.main_thread()

    long, short = Cost(time=limits.CEL_TURN_COST + 1), Cost(time=1)
    turns = Turns()
    assert [await turns.ask(Noting(), None, cost, {}) for cost in (short, long, short)] == [True, False, True]  # type: ignore[arg-type]
