"""What is waited for: the words of `wait`, what they hold for, and how objects stand in that."""

import pytest

from svcsim.meta.types import Object
from svcsim.meta.wait_condition import ConditionError, read_condition

UP = {"type": "Ready", "status": "True", "reason": "Up"}
READY: Object = {"metadata": {"generation": 2}, "status": {"conditions": [UP], "phase": "On"}}
FILTER = '{.status.conditions[?(@.type=="Ready")].status}'
OLD: Object = {**READY, "status": {**READY["status"], "observedGeneration": 1}}


@pytest.mark.parametrize(
    ("text", "obj", "holds", "standing"),
    [
        ("condition=Ready", READY, True, "condition Ready is True (Up)"),
        ("condition=ready=TRUE", READY, True, "condition Ready is True (Up)"),
        ("condition=Ready=False", READY, False, "condition Ready is True (Up)"),
        ("condition=Ready", OLD, False, "condition Ready is True (Up), of an older generation"),
        ("condition=Other", READY, False, "has no condition Other"),
        ("condition=Ready", None, False, "isn't there"),
        ("condition=Ready", {"status": None}, False, "has no condition Ready"),
        ("create", None, False, "isn't there"),
        ("Create", READY, True, "is there"),
        ("delete", READY, False, "is there"),
        ("DELETE", None, True, "isn't there"),
        ("jsonpath={.status.phase}=On", READY, True, "{.status.phase} is On"),
        ("jsonpath=.status.phase", READY, True, ".status.phase is On"),
        ("jsonpath={.status.phase}=Off", READY, False, "{.status.phase} is On"),
        ("jsonpath={.status.no}=1", READY, False, "has no {.status.no}"),
        ("jsonpath={.metadata.generation}=2", READY, True, "{.metadata.generation} is 2"),
        (f'jsonpath={FILTER}="True"', READY, True, f"{FILTER} is True"),
    ],
)  # fmt: skip
def test_what_holds_and_how_it_stands(text: str, obj: Object | None, holds: bool, standing: str) -> None:
    condition = read_condition(text)
    assert (condition.holds(obj), condition.standing(obj)) == (holds, standing)


@pytest.mark.parametrize("text", ["", "ready", "jsonpath=", "jsonpath={.a}=", "jsonpath={.a}=1=2", "jsonpath={.a", "conditions=Ready"])
def test_what_can_not_be_read_is_refused(text: str) -> None:
    with pytest.raises(ConditionError):
        read_condition(text)


@pytest.mark.parametrize("text", ["jsonpath={.status.conditions[*]['type','status']}", "jsonpath={.status.conditions}=x"])
def test_what_can_not_be_asked_of_an_object_is_said(text: str) -> None:
    with pytest.raises(ConditionError):
        read_condition(text).holds(READY)
