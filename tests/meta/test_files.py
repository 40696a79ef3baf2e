"""Files written whole or not at all."""

import os
import stat

import pytest

from svcsim import limits
from svcsim.meta.files import make_directory, read_file, write_all, write_whole
from svcsim.meta.locks import hold, stands_at


def test_a_file_gets_its_new_content_and_is_its_owners_alone(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o644)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_what_can_not_be_written_leaves_everything_as_it_was_and_is_named(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError) as raised:
        write_all(tmp_path, {"b": b"new", "c": b"new"})
    assert raised.value.filename == str(tmp_path / "b")
    assert [one.name for one in tmp_path.iterdir()] == ["b"]
    with pytest.raises(FileNotFoundError) as raised:
        write_whole(tmp_path / "nowhere" / "file", b"new")
    assert raised.value.filename == str(tmp_path / "nowhere" / "file")


def test_a_file_that_has_the_content_is_not_touched(tmp_path):
    write_whole(tmp_path / "file", b"same")
    before = (tmp_path / "file").stat()
    write_whole(tmp_path / "file", b"same")
    assert os.path.samestat((tmp_path / "file").stat(), before)
    (tmp_path / "file").chmod(0o644)
    write_whole(tmp_path / "file", b"same")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_a_draft_that_a_crash_left_behind_is_no_obstacle_and_no_leak(tmp_path):
    draft = tmp_path / f"file.{os.getpid()}.tmp"
    draft.write_text("half a secret and more")
    draft.chmod(0o644)
    write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"


def test_directories_are_made_with_all_above_them(tmp_path):
    make_directory(tmp_path / "a" / "b")
    make_directory(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileExistsError):
        make_directory(tmp_path / "file")


def test_a_lock_is_held_once_and_is_nobodys_when_its_file_was_taken_away(tmp_path):
    lock = tmp_path / "lock"
    assert hold(lock, create=False) is None
    held = hold(lock)
    assert hold(lock) is None
    assert stands_at(held, lock)
    lock.unlink()
    assert not stands_at(held, lock)
    again = hold(lock)
    assert again is not None
    assert not stands_at(held, lock)
    os.close(held)
    os.close(again)


def test_a_file_that_somebody_names_is_read(tmp_path) -> None:
    (tmp_path / "a").write_bytes(b"b")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert read_file(tmp_path / "link") == b"b"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none", "No such file or directory"),
        ("directory", "Is a directory"),
        ("pipe", "it is no file, but something that may never end"),
        ("long", f"it is larger than {limits.NAMED_FILE_BYTES} bytes"),
    ],
)
def test_what_is_no_file_or_a_long_one_is_not(tmp_path, name, told) -> None:
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "long").open("wb") as long:
        long.truncate(limits.NAMED_FILE_BYTES + 1)
    with pytest.raises(OSError, match=told) as refused:
        read_file(tmp_path / name)
    assert refused.value.filename == str(tmp_path / name)
