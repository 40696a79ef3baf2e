"""Clusters to look at."""

from collections.abc import AsyncIterator

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from tests.virtual import START_S


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    """A cluster with one node, whose time goes fast."""
    async with open_cluster(ClusterSpec(nodes=1, clock_speed=20.0, seed=1)) as cluster:
        yield cluster


@pytest.fixture
async def still_cluster() -> AsyncIterator[Cluster]:
    """A cluster without nodes whose time stands still, so that it looks the same in every run."""
    async with open_cluster(ClusterSpec(nodes=0, clock_speed=0.0, seed=1, start_s=START_S)) as cluster:
        yield cluster
