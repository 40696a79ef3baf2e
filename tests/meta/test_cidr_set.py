"""Networks of one size within a larger one."""

from ipaddress import ip_network

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.cidr_set import CidrSet


def texts(of: CidrSet, count: int) -> list[str]:
    return [str(of.take()) for _ in range(count)]


def test_each_is_given_away_once_and_what_comes_back_last_of_all():
    ranges = CidrSet(ip_network("10.1.0.0/22"), 24)
    assert texts(ranges, 3) == ["10.1.0.0/24", "10.1.1.0/24", "10.1.2.0/24"]
    ranges.release(ip_network("10.1.1.0/24"))
    assert texts(ranges, 3) == ["10.1.3.0/24", "10.1.1.0/24", "None"]


def test_what_overlaps_something_taken_is_not_given_away():
    ranges = CidrSet(ip_network("10.1.0.0/22"), 24)
    ranges.occupy(ip_network("10.1.0.0/23"))
    ranges.occupy(ip_network("10.1.2.128/26"))
    ranges.occupy(ip_network("192.168.0.0/16"))
    ranges.occupy(ip_network("fd00::/64"))
    assert texts(ranges, 2) == ["10.1.3.0/24", "None"]
    ranges.release(ip_network("10.1.0.0/23"))
    assert texts(ranges, 3) == ["10.1.0.0/24", "10.1.1.0/24", "None"]


def test_what_two_have_is_free_when_both_have_let_go():
    ranges = CidrSet(ip_network("10.1.0.0/24"), 24)
    ranges.occupy(ip_network("10.0.0.0/8"))
    ranges.occupy(ip_network("10.1.0.0/24"))
    ranges.release(ip_network("10.1.0.0/24"))
    assert ranges.take() is None
    ranges.release(ip_network("10.0.0.0/8"))
    assert texts(ranges, 1) == ["10.1.0.0/24"]


def test_ipv6_has_room():
    ranges = CidrSet(ip_network("fd00:10:244::/48"), 64)
    assert texts(ranges, 2) == ["fd00:10:244::/64", "fd00:10:244:1::/64"]


@given(st.lists(st.one_of(st.none(), st.integers(0, 20)), max_size=60))
def test_no_two_have_the_same(steps: list[int | None]):
    ranges = CidrSet(ip_network("10.0.0.0/20"), 24)
    held = []
    for step in steps:
        if step is None:
            found = ranges.take()
            assert (found is None) == (len(held) == 16)
            assert found not in held
            held += [found] if found is not None else []
        elif step < len(held):
            ranges.release(held.pop(step))
    assert len(ranges) == len(held)
