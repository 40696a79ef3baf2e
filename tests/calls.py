"""Who calls a function, and how often: what is worked out once is seen to be."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def calls(function: Callable, by: Callable | None = None) -> Iterator[list[str]]:
    """The names of those who call a function, call by call; with ``by``, only that one."""
    found: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        caller = frame.f_back.f_code if frame.f_back else None
        if event == "call" and frame.f_code is function.__code__ and (by is None or caller is by.__code__):
            found.append("" if caller is None else caller.co_name)

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


@contextmanager
def work_in(*parts: str) -> Iterator[list[str]]:
    """The calls in modules whose paths contain one of these parts, and those that they make: functions by their names."""
    found: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            about = (frame, frame.f_back)
        elif event == "c_call":
            about = (frame,)
        else:
            return
        if any(part in one.f_code.co_filename for one in about if one is not None for part in parts):
            found.append(frame.f_code.co_name if event == "call" else str(argument))

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
