"""Trying again: how often after a conflict, how long after failures."""

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.backoff import Backoff, backoff_s
from svcsim.client.retry import retry_on_conflict
from svcsim.meta.errors import StatusError
from tests.virtual import run_virtual


class Attempts:
    """Fails so often, then succeeds."""

    def __init__(self, failures: int, code: int = 409) -> None:
        self.left = failures
        self.code = code
        self.made = 0

    async def __call__(self) -> str:
        self.made += 1
        if self.made <= self.left:
            raise StatusError(self.code, "Conflict" if self.code == 409 else "NotFound", "no")
        return "done"


def test_a_conflict_is_tried_again():
    attempts = Attempts(limits.CONFLICT_TRIES - 1)
    assert run_virtual(retry_on_conflict(attempts)) == "done"


@pytest.mark.parametrize(("code", "made"), [(409, limits.CONFLICT_TRIES), (404, 1)])
def test_conflicts_without_end_and_other_errors_are_raised(code: int, made: int):
    attempts = Attempts(1000, code)
    with pytest.raises(StatusError) as raised:
        run_virtual(retry_on_conflict(attempts))
    assert (raised.value.code, attempts.made) == (code, made)


def test_a_delay_doubles_up_to_its_longest():
    assert [backoff_s(failures, 0.5, 6) for failures in (0, 1, 2, 3, 4, 5, 10_000)] == [0.5, 0.5, 1, 2, 4, 6, 6]


def test_a_back_off_counts_for_itself_until_it_is_reset():
    backoff = Backoff(1, 5)
    assert [backoff.next() for _ in range(4)] == [1, 2, 4, 5]
    backoff.reset()
    assert backoff.next() == 1


def test_chance_adds_up_to_half_as_much():
    delays = [Backoff(1, 5, Chance(seed)).next() for seed in range(20)]
    assert len(set(delays)) == 20
    assert all(1 <= delay <= 1.5 for delay in delays)
