"""A short run of what `tests.soak.faults` does for as long as one likes."""

import errno

import pytest

from svcsim.chance import Chance
from tests.soak import faults
from tests.soak.failing_disk import FailingDisk, can_fail


@pytest.mark.skipif(not can_fail(), reason="a disk that fails is made with a compiler for C, on Linux")
def test_a_disk_that_fails_at_any_moment_is_told_and_costs_nothing_that_was_answered():
    assert faults.main(3, 1).endswith("answered and lost 0")


@pytest.mark.skipif(not can_fail(), reason="a disk that fails is made with a compiler for C, on Linux")
def test_a_file_that_can_not_be_read_is_named_by_down(tmp_path):
    cluster = faults.Cluster(tmp_path / "home", FailingDisk(tmp_path, tmp_path / "home"))
    fault = faults.Fault("read", errno.EIO, 1, faults.FOR_GOOD)
    faults.MOMENTS["end"](cluster, fault, Chance(1))
    cluster.well("down", faults.NAME, "--purge")
