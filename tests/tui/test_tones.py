"""Which rows want to be looked at."""

import pytest

from svcsim.tui.model.ink import Ink
from svcsim.tui.model.tones import Toner, state_ink


@pytest.mark.parametrize(
    ("state", "ink"),
    [
        ("Running", Ink.OK),
        ("Completed", Ink.FAINT),
        ("Pending", Ink.BUSY),
        ("Init:0/2", Ink.BUSY),
        ("Ready,SchedulingDisabled", Ink.BUSY),
        ("CrashLoopBackOff", Ink.BAD),
        ("ErrImagePull", Ink.BAD),
        ("Init:Error", Ink.BAD),
        ("NotReady", Ink.BAD),
        ("SomethingElse", Ink.PLAIN),
    ],
)
def test_a_state_has_the_ink_of_its_meaning(state: str, ink: Ink):
    assert state_ink(state) is ink


def test_a_row_that_is_short_of_ready_parts_is_busy():
    toner = Toner(["Name", "Ready", "Up-to-date"])
    assert toner.ink(["web", "1/3", "1"]) is Ink.BUSY
    assert toner.ink(["web", "3/3", "3"]) is Ink.PLAIN


def test_a_completed_pod_is_not_busy_though_none_of_its_containers_is_ready():
    assert Toner(["Name", "Ready", "Status"]).ink(["job", "0/1", "Completed"]) is Ink.FAINT


def test_a_table_without_states_has_no_tones():
    assert Toner(["Name", "Data"]).ink(["settings", "3"]) is Ink.PLAIN
