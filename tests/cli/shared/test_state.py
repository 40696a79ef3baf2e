"""What is told of a cluster from its directory, which its server may take away at any moment."""

from pathlib import Path

import pytest

from svcsim.cli.shared.state import ClusterDir


def test_a_lock_that_has_just_been_taken_away_is_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    home = ClusterDir("gone", tmp_path / "gone")
    monkeypatch.setattr(ClusterDir, "running", lambda _: True)  # as it was a moment ago
    assert home.holder() is None
