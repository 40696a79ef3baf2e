"""What conditions say of an object, whatever kind it is."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import condition, explained


@pytest.mark.parametrize(
    ("conditions", "fine", "state"),
    [
        ([condition("Ready", "True")], True, "is as it should be: Ready is True"),
        ([condition("Ready", "False", "NoSecret")], False, "isn't ready"),
        ([condition("Ready", "True"), condition("Stalled", "True")], False, "isn't as it should be"),
        ([condition("Dangling", "False", "Found")], True, "is as it should be: Dangling is False"),
        ([condition("Dangling", "True", "NotFound")], False, "isn't as it should be"),
        ([condition("Established", "True"), condition("NonStructuralSchema", "True")], False, "isn't as it should be"),
        (
            [condition("Ready", "True"), condition("Stalled", "False"), condition("Reconciling", "False")],
            True,
            "is as it should be: Ready is True",
        ),
    ],
)
def test_custom_resources_are_explained_by_their_conditions(conditions: list[Object], fine: bool, state: str) -> None:
    verdict = explained("example.com", "Widget", {"status": {"conditions": conditions}})
    assert (verdict.fine, verdict.state) == (fine, state)


def test_objects_without_any_state_have_their_line() -> None:
    for status in ({}, {"status": {"conditions": None}}, {"status": {"conditions": 5, "phase": "Odd"}}, {"status": "odd"}):
        assert explained("", "ConfigMap", status).fine


def test_warnings_about_what_has_no_conditions_are_told() -> None:
    assert explained("kwok.x-k8s.io", "Stage", {}, [{"type": "Normal", "reason": "Read"}]).fine
    warned = explained("kwok.x-k8s.io", "Stage", {}, [{"type": "Warning", "reason": "InvalidStage", "message": "spec: is missing"}])
    assert (warned.fine, warned.state) == (False, "is there; it has no conditions, but there were warnings about it")
