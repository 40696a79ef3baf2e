"""When the objects of a load come."""

import pytest

from svcsim.chance import Chance
from svcsim.scenario.arrivals import arrivals, rate_gap_s


@pytest.mark.parametrize(("rate", "gap_s"), [("50/s", 0.02), ("10/m", 6.0), ("1/h", 3600.0), ("2.5/s", 0.4), (None, 0.0)])
def test_a_rate_gives_the_gap(rate, gap_s):
    assert rate_gap_s(rate) == pytest.approx(gap_s)


def test_bursts_come_together_and_keep_the_rate():
    assert arrivals(6, 0.5, 2, poisson=False, chance=Chance(1)) == [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]


def test_independent_arrivals_keep_the_rate_on_average_and_follow_from_the_seed():
    waits = arrivals(2000, 0.5, 1, poisson=True, chance=Chance(1))
    assert sum(waits) == pytest.approx(1000, rel=0.1)
    assert waits == arrivals(2000, 0.5, 1, poisson=True, chance=Chance(1))
    assert waits != arrivals(2000, 0.5, 1, poisson=True, chance=Chance(2))
