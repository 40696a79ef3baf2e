"""A log in a file of its own: full ones are put aside, and as much is kept of them as was asked for."""

import errno
import gzip
import os
import re
from pathlib import Path

import pytest

from svcsim.server.audit.log_file import Keeping, LogFile

NAME = re.compile(r"audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log(\.gz)?")


def aside(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.name != "audit.log")


def test_a_full_log_is_put_aside_under_the_time_it_was(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "audit.log", Keeping(20))
    for line in (b"first of all\n", b"then this\n"):
        log.write(line)
    log.close()
    (old,) = aside(tmp_path)
    assert NAME.fullmatch(old.name)
    assert (old.read_bytes(), (tmp_path / "audit.log").read_bytes()) == (b"first of all\n", b"then this\n")


def test_it_can_be_packed(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "audit.log", Keeping(5, packed=True))
    log.write(b"first of all\n")
    log.write(b"second\n")
    (old,) = aside(tmp_path)
    assert gzip.decompress(old.read_bytes()) == b"first of all\n"
    assert old.stat().st_mode & 0o777 == 0o600


def test_no_more_are_kept_than_asked_for_and_none_that_is_too_old(tmp_path: Path) -> None:
    names = [
        "audit-2001-01-01T00-00-00.000.log",
        "audit-2002-01-01T00-00-00.000.log.gz",
        "other-2001-01-01T00-00-00.000.log",
        "audit-x.log",
    ]
    for name in names:
        (tmp_path / name).write_text("old")
    log = LogFile(tmp_path / "audit.log", Keeping(5, files=2))
    log.write(b"first of all\n")
    log.write(b"second\n")
    kept = [path.name for path in aside(tmp_path)]
    assert names[0] not in kept
    assert [name for name in kept if name in names] == sorted(names[1:])
    log.close()
    aged = LogFile(tmp_path / "audit.log", Keeping(5, days=1))
    aged.write(b"third\n")
    assert names[1] not in [path.name for path in aside(tmp_path)]


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    for line in (b"first\n", b"second\n"):
        log = LogFile(tmp_path / "audit.log", Keeping(1000))
        log.write(line)
        log.close()
    assert (tmp_path / "audit.log").read_bytes() == b"first\nsecond\n"


def test_half_a_line_is_taken_back_where_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogFile(tmp_path / "audit.log", Keeping(1000))
    log.write(b"whole\n")
    really = os.write
    room = [3]

    def write(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        room[0] = 0
        return really(descriptor, bytes(data)[:3])

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left"):
        log.write(b"never whole\n")
    monkeypatch.setattr(os, "write", really)
    log.write(b"after\n")
    assert (tmp_path / "audit.log").read_bytes() == b"whole\nafter\n"
