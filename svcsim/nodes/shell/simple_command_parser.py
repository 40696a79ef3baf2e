"""Reads simple commands: assignments, words, redirections and here-documents."""

import re
from collections.abc import Callable

from svcsim.nodes.shell.scanner import PendingHereDocument, Scanner, ShellSyntaxError
from svcsim.nodes.shell.syntax import Assignment, HereDocument, Redirection, SimpleCommand, Word, WordPart
from svcsim.nodes.shell.words import WordParser

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_ASSIGNMENT_OF_BASH = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|(?=\[[^\]\n=;&|]+\]\+?=))")
_KEYED_ELEMENT = re.compile(r"\[[^\]\s]*\]=")
_REDIRECTION = re.compile(r"([0-9]?)(>>|>&|<&|>\||>|<<<|<<-|<<|<)|(&>)")
_LAST_STREAM = "2"


class SimpleCommandParser:
    """Reads simple commands, and the redirections of others, where a scanner stands.

    ``read_document`` reads the body of a here-document.
    """

    def __init__(self, scanner: Scanner, words: WordParser, read_document: Callable[[str], Word]) -> None:
        self._scanner = scanner
        self._words = words
        self._read_document = read_document

    def command(self) -> SimpleCommand:
        """The simple command that comes next. Raises `ShellSyntaxError` if there is none."""
        scanner = self._scanner
        form = _ASSIGNMENT_OF_BASH if scanner.bash else _ASSIGNMENT
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            redirection = self._redirection()
            if redirection:
                redirections += redirection
                continue
            if scanner.operator() or scanner.at_end:
                break
            assignment = None if words else form.match(scanner.text, scanner.at)
            if assignment is not None:
                scanner.at = assignment.end()
                assignments.append(self._assignment(assignment[1]))
            else:
                words.append(self._words.word())
        if not (assignments or words or redirections):
            raise scanner.unexpected()
        return SimpleCommand(tuple(assignments), tuple(words), tuple(redirections))

    def _assignment(self, name: str) -> Assignment:
        """An assignment whose name has been read, and its ``=`` unless a subscript comes first."""
        scanner = self._scanner
        subscript: Word = ()
        if scanner.text[scanner.at - 1] != "=":
            subscript = self._words.subscript()
            scanner.at += len("+=") if scanner.follows("+") else len("=")
        appends = scanner.text.startswith("+=", scanner.at - 2)
        if not scanner.bash or subscript or not scanner.follows("("):
            return Assignment(name, self._words.word_or_nothing(), appends, subscript)
        return Assignment(name, (), appends, elements=self._elements())

    def _elements(self) -> tuple[tuple[Word, Word], ...]:
        """``(value [key]=value)``: keys, which may be empty, and values."""
        scanner = self._scanner
        scanner.at += 1
        elements: list[tuple[Word, Word]] = []
        scanner.skip_newlines()
        while scanner.operator() != ")":
            if _KEYED_ELEMENT.match(scanner.text, scanner.at):
                key = self._words.subscript()
                scanner.at += len("=")
                elements.append((key, self._words.word_or_nothing()))
            else:
                elements.append(((), self._words.word()))
            scanner.skip_newlines()
        scanner.at += 1
        return tuple(elements)

    def redirections(self) -> tuple[Redirection, ...]:
        """All redirections that come next."""
        found: list[Redirection] = []
        while redirection := self._redirection():
            found += redirection
        return tuple(found)

    def _redirection(self) -> list[Redirection]:
        """The redirection that comes next: none, one, or the two that ``&>`` stands for."""
        scanner = self._scanner
        scanner.skip_blanks()
        found = _REDIRECTION.match(scanner.text, scanner.at)
        if found is None:
            return []
        stream, operator = found[1] or "", found[2] or found[3]
        if operator == "<&" or stream > _LAST_STREAM or (operator == "<<<" and not scanner.bash):
            raise ShellSyntaxError(f'"{found[0]}" is not simulated here')
        scanner.at = found.end()
        if operator in {"<<", "<<-"}:
            return [self._here_document(strips_tabs=operator == "<<-")]
        target = self._words.word()
        if operator == "&>":
            return [Redirection(1, ">", target), Redirection(2, ">&", (WordPart("text", "1", True),))]
        usual = 0 if operator[0] == "<" else 1
        return [Redirection(int(stream) if stream else usual, ">" if operator == ">|" else operator, target)]

    def _here_document(self, *, strips_tabs: bool) -> Redirection:
        """A here-document whose delimiter comes next. Its body is expanded unless some of the delimiter is quoted."""
        scanner = self._scanner
        scanner.skip_blanks()
        start = scanner.at
        parts = self._words.word()
        written = scanner.text[start : scanner.at]
        is_quoted = any(sign in written for sign in "'\"\\")
        document = HereDocument()

        def finish(body: str) -> None:
            document.text = (WordPart("text", body, True),) if is_quoted else self._read_document(body)

        delimiter = "".join(part.text for part in parts) if is_quoted else written
        scanner.pending.append(PendingHereDocument(delimiter, strips_tabs, finish))
        return Redirection(0, "<<", (), document)
