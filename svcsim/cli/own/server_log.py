"""A server's log, ``server.log``: written by the daemon, kept to a size, and read across its parts.

A full file becomes ``server.log.1`` and a new one is begun, so that a cluster that runs for months fills no disk. What the process prints
past the log (a crash of the interpreter, a library's complaint) goes along.
"""

import contextlib
import logging.handlers
import os
from collections.abc import Generator
from pathlib import Path
from typing import TextIO

from svcsim import limits
from svcsim.printing.harmless import harmless, one_line
from svcsim.wall import wall_sleep

FOLLOW_S = 0.2
"""How often a followed log is looked at."""


class LogLines(logging.Formatter):
    """One line a message, whatever others have said in it: none of them writes a line of ours. Only tracebacks take several."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name it has in the library
        """The line."""
        return one_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback if there is one."""
        return harmless(super().format(record))


class ServerLog(logging.handlers.RotatingFileHandler):
    """Writes records to the log, and lets the process's own output follow from file to file."""

    def __init__(self, path: Path, *, most_bytes: int = limits.SERVER_LOG_BYTES, outputs: tuple[int, ...] = (1, 2)) -> None:
        super().__init__(path, maxBytes=most_bytes, backupCount=limits.SERVER_LOGS_KEPT, encoding="utf-8", errors="replace")
        self._outputs = outputs

    def doRollover(self) -> None:  # noqa: N802 - the name it has in the library
        """Begin a new file."""
        super().doRollover()
        assert self.stream is not None, "a new file is open"
        for descriptor in self._outputs:
            os.dup2(self.stream.fileno(), descriptor)


def parts(path: Path) -> list[Path]:
    """The files of a log that are there, the oldest first."""
    older = [path.with_name(f"{path.name}.{number}") for number in range(limits.SERVER_LOGS_KEPT, 0, -1)]
    return [part for part in (*older, path) if part.exists()]


def read(path: Path) -> str:
    """All that a log holds."""
    with contextlib.closing(follow(path)) as pieces:
        return next(pieces)


def follow(path: Path) -> Generator[str, None, None]:
    """What a log holds, as the first piece; then what is added to it, for ever. Pieces are empty where nothing was."""
    before = "".join(part.read_text("utf-8", "replace") for part in parts(path)[:-1])
    file = _open(path)
    try:
        yield before + file.read()
        while True:
            yield file.read()
            if _moved(file, path):
                yield file.read()  # what was written until it was moved away
                file.close()
                file = _open(path)
            else:
                wall_sleep(FOLLOW_S)
    finally:
        file.close()


def _open(path: Path) -> TextIO:
    return path.open(encoding="utf-8", errors="replace")


def _moved(file: TextIO, path: Path) -> bool:
    try:
        return not os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False  # the next one is just being made, or the cluster is gone
