"""The terminal in which a webhook is served: reviews are answered whatever happens to its output."""

from collections.abc import Callable
from typing import TextIO

from svcsim.cli.failure import GONE
from svcsim.printing.harmless import harmless


class Terminal:
    """Reviews go to stdout, and everything else to stderr.

    If the reader of stdout has gone, the command is over. An error for another reason, such as a full disk, is printed once.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err
        self._gone: list[Callable[[], object]] = []
        self._told = False

    def when_gone(self, call: Callable[[], object]) -> None:
        """Call this, in whichever thread has noticed it, when the reader has gone."""
        self._gone.append(call)

    def print(self, line: str) -> None:
        """A line on stdout."""
        try:
            _write(self._out, line)
        except OSError as error:
            if error.errno in GONE:
                self._lose()
            elif not self._told:
                self._told = True
                self.say(f"It can't be printed any longer: {(error.strerror or str(error)).lower()}. Reviews are still answered.")

    def say(self, text: str) -> None:
        """A line on stderr. An error in writing it can't be reported."""
        try:
            _write(self._err, harmless(text))
        except OSError as error:
            if error.errno in GONE:
                self._lose()

    def _lose(self) -> None:
        for call in self._gone:
            call()


def _write(stream: TextIO, line: str) -> None:
    stream.write(line + "\n")
    stream.flush()
