"""Columns of the user's own: ``-o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image``."""

import re
from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.output import jsonpath
from svcsim.meta.objects import is_list
from svcsim.meta.types import Object
from svcsim.printing.tabs import Sink, TabWriter, escape
from svcsim.printing.values import plain


class Column(NamedTuple):
    """A header and what stands below it."""

    header: str
    template: jsonpath.Template


class CustomColumnsPrinter:
    """Prints a line an object, under one header."""

    def __init__(self, columns: list[Column], *, no_headers: bool = False) -> None:
        self._columns = columns
        self._header_due = not no_headers

    @classmethod
    def from_spec(cls, spec: str, *, no_headers: bool = False) -> "CustomColumnsPrinter":
        """From ``HEADER:PATH,HEADER:PATH``."""
        columns = []
        for part in spec.split(","):
            header, colon, path = part.partition(":")
            if not colon:
                raise CommandError(f"unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")
            columns.append(_column(header, path))
        return cls(columns, no_headers=no_headers)

    @classmethod
    def from_file(cls, text: str, *, no_headers: bool = False) -> "CustomColumnsPrinter":
        """From a line of headers and a line of paths."""
        lines = text.split("\n")
        if len(lines) < 2 or not lines[0].strip():
            raise CommandError("error parsing template, missing column headers or paths")
        headers, paths = re.split(r"\s+", lines[0].strip()), re.split(r"\s+", lines[1].strip())
        if len(headers) != len(paths):
            raise CommandError(f"number of headers ({len(headers)}) and field specifications ({len(paths)}) don't match")
        return cls([_column(header, path) for header, path in zip(headers, paths, strict=True)], no_headers=no_headers)

    def print(self, obj: Object, out: Sink) -> None:
        """Print one object, or each of a list."""
        tabs = out if isinstance(out, TabWriter) else TabWriter(out)
        if self._header_due:
            tabs.line([column.header for column in self._columns])
            self._header_due = False
        for item in (obj.get("items") or []) if is_list(obj) else [obj]:
            tabs.line([self._cell(column, item) for column in self._columns])
        if tabs is not out:
            tabs.flush()

    def _cell(self, column: Column, obj: Object) -> str:
        try:
            found = jsonpath.results(column.template, obj)
        except jsonpath.JsonPathError as error:
            raise CommandError(str(error)) from error
        if not found or not found[0]:
            return "<none>"
        return ",".join(escape(plain(value)) for group in found for value in group)


def _column(header: str, path: str) -> Column:
    try:
        return Column(header, jsonpath.parse(jsonpath.relaxed(path)))
    except jsonpath.JsonPathError as error:
        raise CommandError(str(error)) from error
