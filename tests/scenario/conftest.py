"""Fixtures of the scenario tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.scenario import boot
from tests.scenario.replaying import Replayer


@pytest.fixture(scope="session", autouse=True)
def _the_process_stays_as_it_is() -> Iterator[None]:
    """What was made while the tests were collected is looked at for garbage by nobody, whatever is replayed here.

    A process of its own has what is there looked at again after a replay. Here that is millions of objects, and from then on each search
    of whichever test would take a second.
    """
    with pytest.MonkeyPatch.context() as changes:
        for name in ("settle_process", "unsettle_process"):
            changes.setattr(boot, name, lambda: None)
        yield


@pytest.fixture
def replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Replayer:
    """Call it with a spec to replay it on a cluster of its own."""
    return Replayer(tmp_path, capsys)
