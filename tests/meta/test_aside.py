"""Long work is done on another thread: what is known to be long, and what turns out to be."""

import threading

import pytest

from svcsim import limits
from svcsim.meta.aside import aside, aside_if_long, give_way


class Work:
    """Remembers the threads it was done on."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []

    def short(self) -> int:
        self.threads.append(threading.current_thread())
        return len(self.threads)

    def long(self) -> int:
        self.threads.append(threading.current_thread())
        give_way()
        return len(self.threads)


async def test_short_work_is_done_at_once_and_long_work_aside():
    work, here = Work(), threading.current_thread()
    assert (await aside(0, work.short), await aside(limits.ASIDE_BYTES + 1, work.long)) == (1, 2)
    assert [thread is here for thread in work.threads] == [True, False]


async def test_work_that_turns_out_to_be_long_is_begun_anew_aside():
    work, here = Work(), threading.current_thread()
    assert await aside_if_long(0, work.long) == 2
    assert [thread is here for thread in work.threads] == [True, False]
    assert work.long() == 3  # where nobody waits there is nothing to give way to


@pytest.mark.virtual_time
async def test_on_virtual_time_nobody_waits():
    work = Work()
    assert await aside_if_long(0, work.long) == 1
