"""Stores to test: every implementation of the contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from svcsim.storage.store import LmdbStore
from tests.storage.words import IMPLEMENTATIONS, Open, Script


@pytest.fixture(params=list(IMPLEMENTATIONS))
def opened(request: pytest.FixtureRequest) -> Open:
    """How to open a store: once for each implementation of the contract."""
    return IMPLEMENTATIONS[request.param]


@pytest.fixture
async def store(opened: Open, tmp_path: Path) -> AsyncIterator[LmdbStore]:
    """An empty store."""
    made = opened(tmp_path / "store")
    yield made
    await made.close()


@pytest.fixture
def script(store: LmdbStore) -> Script:
    return Script(store)
