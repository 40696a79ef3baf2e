"""The walk of the schema over a usual pod stays within a number of calls, which is the same on every machine."""

import sys
from types import FrameType

from tests.kinds.pod_walk import walk

MOST_CALLS = 310


def test_a_walk_over_a_usual_pod_calls_few_functions():
    walk()  # what is compiled and remembered is so from now on
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        walk()
    finally:
        sys.setprofile(None)
    assert 0 < calls < MOST_CALLS
