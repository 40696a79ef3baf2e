"""A position in the text of a script, and the blanks, operators and reserved words that come next there."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from svcsim import limits

BLANKS = " \t\r"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""The name of a variable."""
_OPERATORS = ("&&", "||", ">>", ">&", "<&", "&>", "<<", ";;", ";", "|", "&", "<", ">", "(", ")", "\n")
_KEYWORD = re.compile(r"[a-z]+(?=[\s;&|()]|$)|(?:[{}!]|\[\[|\]\])(?=[\s;&|)]|$)")
_TOKEN = re.compile(r"[^\s;&|()<>]+")


class ShellSyntaxError(Exception):
    """The text isn't a script, or not one that is simulated; the message says why."""


class UnfinishedError(ShellSyntaxError):
    """The text ends too early. An interactive shell reads another line then."""


class PendingHereDocument(NamedTuple):
    """A here-document whose operator has been read, and whose body begins on the next line."""

    delimiter: str
    strips_tabs: bool
    """Whether tabs at the beginning of each line are left out (``<<-``)."""
    finish: Callable[[str], None]
    """Called with the body once it is read."""


class Scanner:
    """Goes through a script's text, from ``at`` on."""

    def __init__(self, text: str, *, bash: bool, depth: int = 0) -> None:
        self.text = text
        self.bash = bash
        self.at = 0
        self.depth = depth
        """How deeply what is being read is nested."""
        self.pending: list[PendingHereDocument] = []
        self._counted = (0, 1)
        """A position up to which lines were counted, and the number of its line."""
        self.lacks_delimiter = False
        """Whether a here-document extends to the end of the text because its delimiter is missing."""

    @property
    def at_end(self) -> bool:
        return self.at >= len(self.text)

    @property
    def line(self) -> int:
        """The number of the line; the first one is 1."""
        at, line = self._counted
        line += self.text.count("\n", at, self.at) - self.text.count("\n", self.at, at)
        self._counted = (self.at, line)
        return line

    def follows(self, text: str) -> bool:
        """Whether this text comes next, without blanks before it."""
        return self.text.startswith(text, self.at)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Guard the reading of a nested construct. Raises `ShellSyntaxError` if the nesting is too deep."""
        self.depth += 1
        if self.depth > limits.SHELL_LEVELS:
            raise ShellSyntaxError("syntax error: nested too deeply")
        yield
        self.depth -= 1

    def skip_blanks(self) -> None:
        """Go on behind blanks, comments and joined lines."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in BLANKS:
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif text[self.at] == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def operator(self) -> str:
        """The operator that comes next, or an empty string."""
        self.skip_blanks()
        return next((one for one in _OPERATORS if self.text.startswith(one, self.at)), "")

    def keyword(self) -> str:
        """The word that comes next if it may be a reserved word, or an empty string."""
        self.skip_blanks()
        found = _KEYWORD.match(self.text, self.at)
        return found[0] if found else ""

    def skip_newlines(self) -> None:
        while self.operator() == "\n":
            self.skip_operator("\n")

    def skip_operator(self, operator: str) -> None:
        """Go on behind an operator that comes next; behind a newline, also behind the here-documents that begin there."""
        self.at += len(operator)
        while operator == "\n" and self.pending:
            self._read_here_document(self.pending.pop(0))

    def _read_here_document(self, pending: PendingHereDocument) -> None:
        tabs = r"\t*" if pending.strips_tabs else ""
        end = re.compile(f"^{tabs}{re.escape(pending.delimiter)}$", re.MULTILINE).search(self.text, self.at)
        body = self.text[self.at : len(self.text) if end is None else end.start()]
        self.lacks_delimiter = self.lacks_delimiter or end is None
        self.at = len(self.text) if end is None else min(end.end() + 1, len(self.text))
        pending.finish(re.sub(r"^\t+", "", body, flags=re.MULTILINE) if pending.strips_tabs else body)

    def expect(self, keyword: str) -> None:
        """Go on behind a reserved word, perhaps on a later line. Raises `ShellSyntaxError` if another word comes next."""
        self.skip_newlines()
        if self.keyword() != keyword:
            raise self.unexpected()
        self.at += len(keyword)

    def unexpected(self) -> ShellSyntaxError:
        """The error that names what comes next."""
        operator = self.operator()
        if self.at_end:
            return UnfinishedError("syntax error: unexpected end of file")
        token = _TOKEN.match(self.text, self.at)
        shown = "newline" if operator == "\n" else operator or (token[0] if token else self.text[self.at])
        return ShellSyntaxError(f'syntax error: unexpected "{shown}"')
