"""Fixtures of the scenario tests."""

from pathlib import Path

import pytest

from tests.scenario.replaying import Replayer


@pytest.fixture
def replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Replayer:
    """Call it with a spec to replay it on a cluster of its own."""
    return Replayer(tmp_path, capsys)
