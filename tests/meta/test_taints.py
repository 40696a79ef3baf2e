"""Taints and tolerations: many are understood as few are."""

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.taints import Taint, Toleration, tolerance, tolerated_s

EFFECTS = st.sampled_from(["NoSchedule", "NoExecute"])
KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.sampled_from(["", "x", "y"])
TOLERATIONS = st.builds(Toleration, KEYS | st.just(""), st.sampled_from(["Exists", "Equal"]), VALUES, EFFECTS | st.just(""), st.none())
FILLING = [Toleration("other", "Equal", str(number), "", None) for number in range(20)]


@given(st.lists(TOLERATIONS, max_size=3), st.builds(Taint, KEYS, VALUES, EFFECTS))
def test_a_taint_is_tolerated_by_one_of_many_as_by_one_of_few(tolerations: list[Toleration], taint: Taint) -> None:
    expected = any(toleration.tolerates(taint) for toleration in tolerations)
    assert tolerance(tolerations)(taint) is expected
    assert tolerance([*FILLING, *tolerations])(taint) is expected


LASTING = st.builds(
    Toleration, KEYS | st.just(""), st.sampled_from(["Exists", "Equal"]), VALUES, EFFECTS | st.just(""), st.none() | st.integers(-5, 300)
)


@given(st.lists(LASTING, max_size=6), st.lists(st.builds(Taint, KEYS, VALUES, EFFECTS), max_size=4))
def test_a_pod_stays_as_long_as_the_shortest_of_what_tolerates_each_taint(tolerations: list[Toleration], taints: list[Taint]) -> None:
    granted = [[each.seconds for each in tolerations if each.tolerates(taint)] for taint in taints]
    limits = [max(seconds, 0) for found in granted for seconds in found if seconds is not None]
    assert tolerated_s(taints, tolerations) == (0.0 if not all(granted) else min(limits, default=None))
