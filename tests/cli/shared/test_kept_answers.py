"""Answers kept for the next command: bounded, and asked for again when they are damaged."""

import os

from svcsim import limits
from svcsim.cli.shared.kept_answers import keep, kept


def test_the_oldest_go_first(tmp_path):
    for number in range(limits.KEPT_ANSWERS + 3):
        path = tmp_path / "cache" / f"{number}.json"
        keep(path, b"{}")
        os.utime(path, ns=(number, number))
    keep(tmp_path / "cache" / "newest.json", b'{"a":1}')
    names = {path.stem for path in (tmp_path / "cache").iterdir()}
    assert len(names) == limits.KEPT_ANSWERS
    assert "newest" in names
    assert not names & {"0", "1", "2", "3"}
    assert kept(tmp_path / "cache" / "newest.json") == {"a": 1}


def test_what_is_damaged_was_not_kept(tmp_path):
    path = tmp_path / "x.json"
    for content in (b"", b'{"a":', b"\xff", b"[1]"):
        path.write_bytes(content)
        assert kept(path) is None
    assert kept(tmp_path / "missing.json") is None
    keep(path / "below-a-file.json", b"{}")  # only saves time: nothing is said
