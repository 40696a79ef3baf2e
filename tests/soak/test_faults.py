"""A short run of what `tests.soak.faults` does for as long as one likes."""

import pytest

from tests.soak import faults
from tests.soak.failing_disk import can_fail


@pytest.mark.skipif(not can_fail(), reason="a disk that fails is made with a compiler for C, on Linux")
def test_a_disk_that_fails_at_any_moment_is_told_and_costs_nothing_that_was_answered():
    assert faults.main(6, 1).endswith("answered and lost 0")
