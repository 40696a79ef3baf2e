"""Whether a field is there, asked of what has none: as Kubernetes' CEL answers it, wherever the question stands."""

from typing import Any

import pytest

from svcsim.schema.cel.crossings import EvaluationError
from svcsim.schema.cel.evaluation import CallCostError
from svcsim.schema.cel.given import Given
from svcsim.schema.cel.library import general_environment
from svcsim.schema.cel.mistakes import reason
from svcsim.schema.cel.programs import Program, parsed
from svcsim.schema.cel.rules import RuleWalk
from svcsim.schema.structural import parse

VALUES: dict[str, object] = {
    "object": {"nothing": None, "text": "b", "map": {"key": 1, "none": None}, "list": [1], "maps": [{"x": 1}, None, "y"]},
    "oldObject": None,
    "number": 3,
}
NAMES = frozenset(VALUES)


def answer(expression: str) -> object:
    environment = general_environment(NAMES)
    given = Given(environment, dict(VALUES))
    program = Program(parsed(expression, NAMES), environment)
    return given.ask(program, given.cost(program.costs))


@pytest.mark.parametrize(
    "expression",
    [
        "!has(oldObject.spec) && !has(number.x) && !has(object.text.x) && !has(object.nothing.x)",
        "has(oldObject.spec) ? false : true",
        "has(oldObject.spec) || has(object.text)",
        "!oldObject.?spec.hasValue() && !object.text.?x.hasValue() && !number.?x.hasValue()",
        "!oldObject[?'spec'].hasValue() && !object.text[?'x'].hasValue() && !object.text[?0].hasValue()",
        "oldObject.?metadata.?labels.orValue({}).size() == 0",
        "oldObject.?metadata.labels['a'].orValue('none') == 'none'",
        "!object.?nothing.x.y.hasValue() && !object.?nothing['x'].hasValue() && !object.?text.?x.hasValue()",
        "!object.?list[4].hasValue() && object.?list[0].hasValue() && object.?list[?0].value() == 1 && !object.?list[?4].hasValue()",
        "object.?map.key.value() == 1 && object.?map['key'].value() == 1 && !object.?map.?none.?x.hasValue()",
        "!optional.of(oldObject).?x.hasValue() && !has(optional.of(oldObject).x) && has(optional.of(object).text)",
        "oldObject.?spec.optMap(spec, spec.x).orValue(7) == 7 && oldObject.?spec.optFlatMap(spec, spec.?x).orValue(8) == 8",
        "object.maps.filter(one, has(one.x)).size() == 1 && object.maps.exists(one, one.?x.orValue(0) == 1)",
        "object.maps.all(one, !has(one.z)) && !object.maps.exists(one, has(one.z))",
        "object.maps.map(one, one.?x.orValue(9)) == [1, 9, 9]",
        "{'a': oldObject.?x}.size() == 1 && [?oldObject.?x].size() == 0 && {?'a': oldObject.?x} == {}",
    ],
)
def test_what_has_no_fields_has_none(expression: str) -> None:
    assert answer(expression) is True


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("oldObject.spec", "no such key: spec"),
        ("oldObject.spec.replicas == 1", "no such key: spec"),
        ("object.text.x == 1", "no such key: x"),
        ("object.map['key'].x == 1", "no such key: x"),
        ("object.maps.map(one, one.x).size() == 3", "no such key: x"),
        ("has(object.other.x)", "no such key: other"),
        ("has(object.list.x)", "unsupported index type 'string' in list"),
        ("object.list.?x.hasValue()", "unsupported index type 'string' in list"),
        ("object.list[?true].hasValue()", "unsupported index type 'bool' in list"),
        ("type(oldObject.spec) == google.protobuf.Timestamp", "no such key: spec"),
    ],
)
def test_what_can_not_be_asked_is_an_error_in_kubernetes_words(expression: str, why: str) -> None:
    with pytest.raises(EvaluationError) as error:
        answer(expression)
    assert reason(str(error.value)) == why


def test_it_costs_what_it_costs_elsewhere() -> None:
    question, nine = "has(oldObject.x)", "[1, 2, 3, 4, 5, 6, 7, 8, 9]"
    for name in "abcdefg":
        question = f"{nine}.map({name}, {question})"
    with pytest.raises(CallCostError):
        answer(question)


def test_so_do_rules_of_schemas() -> None:
    """A field that may be null is asked for one of its own."""
    part: dict[str, Any] = {"type": "object", "nullable": True, "properties": {"x": {"type": "string"}}}
    rule = {"rule": "!has(self.part) || !has(self.part.x)", "message": "false"}
    schema: dict[str, Any] = {"type": "object", "properties": {"part": part}, "x-kubernetes-validations": [rule]}
    walk = RuleWalk(parse(schema, "x-kubernetes-"), "x-kubernetes-")
    found = [
        [finding.message for finding in walk.findings(value, None)] for value in ({}, {"part": None}, {"part": {}}, {"part": {"x": "y"}})
    ]
    assert found == [[], [], [], ['Invalid value: "object": false']]
