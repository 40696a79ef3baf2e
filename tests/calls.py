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
