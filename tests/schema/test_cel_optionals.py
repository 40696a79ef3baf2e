"""What the CEL library doesn't give away, or doesn't take: nothing that holds an optional value is read, and moments are written in."""

from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import pytest

from svcsim.schema.cel.crossings import NotPlainError, Optional
from svcsim.schema.cel.given import Given
from svcsim.schema.cel.library import general_environment
from svcsim.schema.cel.programs import Program, parsed

NAMES = frozenset(["x"])
MOMENT = datetime(2021, 1, 1, tzinfo=UTC)


def asked(text: str, value: object = MappingProxyType({"a": 1, "b": [2]})) -> object:
    environment = general_environment(NAMES)
    program = Program(parsed(text, NAMES), environment)
    given = Given(environment, {"x": dict(value) if isinstance(value, MappingProxyType) else value})
    return given.ask(program, given.cost(program.costs))


@pytest.mark.parametrize(
    "text",
    [
        "{'k': optional.of(1)}",
        "{'k': optional.none()}",
        "{'k': x.?a}",
        "{'k': x[?'a']}",
        "{'k': [1].first()}",
        "{'k': [[x.b.last()]]}",
        "{'k': {'l': dyn(optional.ofNonZeroValue(1))}}",
        "[{'k': x.?a}]",
        "optional.of({'k': x.?a})",
        "x.b.map(one, {'k': optional.of(one)})",
        "{'k': cel.bind(held, optional.of(1), held)}",
        "{'u': 1u, 'k': x.?a}",
    ],
)
def test_what_holds_one_is_not_read(text: str) -> None:
    with pytest.raises(NotPlainError, match=r"^it comes to an optional value, or to what holds one$"):
        asked(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'k': x.?a.orValue(3)}", {"k": 1}),
        ("{?'k': x.?a, ?'l': x.?none}", {"k": 1}),
        ("{'k': x.?b[0].value(), 'l': [x].map(one, one.?a.hasValue())}", {"k": 2, "l": [True]}),
    ],
)
def test_what_is_made_of_them_is(text: str, value: object) -> None:
    assert asked(text) == value


def test_one_that_stands_alone_is_opened_where_an_expression_is_evaluated_in_parts() -> None:
    assert asked("[1, 2].lastIndexOf(2) == 1 ? x.?a : x.?none") == Optional((1,))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x > timestamp('2020-01-01T00:00:00Z')", MOMENT),
        ("x.getFullYear() == 2021", MOMENT),
        ("x.all(one, one > timestamp('2020-01-01T00:00:00Z'))", [MOMENT, MOMENT]),
        ("x < duration('1h')", timedelta(minutes=5)),
    ],
)
def test_moments_and_spans_may_be_all_that_an_expression_is_about(text: str, value: object) -> None:
    assert asked(text, value) is True
