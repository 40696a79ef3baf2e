"""What servers said, kept in files for the next command. It only saves time: where nothing can be kept, the next command asks again."""

from contextlib import suppress
from pathlib import Path

import orjson

from svcsim import limits
from svcsim.meta.files import write_whole
from svcsim.meta.types import Object


def keep(path: Path, body: bytes) -> None:
    """Keep an answer, and forget the oldest of its directory: servers come and go, each with an address of its own."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, body, synced=False)
        kept = sorted(path.parent.glob("*.json"), key=lambda one: one.stat().st_mtime_ns)
        for old in kept[: -limits.KEPT_ANSWERS]:
            old.unlink()


def kept(path: Path) -> Object | None:
    """The map that was kept; None if there is none, or a damaged one."""
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return value if isinstance(value, dict) else None
