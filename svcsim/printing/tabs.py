"""Text in columns, cut and padded as the field's tools do it.

A cell ends with a tab; what follows a line's last tab is no cell and widens nothing. Cells of neighbouring lines at the same place make
a column, and a line without a cell there ends it, so that one text can hold several independent tables.
"""

from typing import Protocol

from svcsim.printing.harmless import harmless


class Sink(Protocol):
    """What text is written to."""

    def write(self, text: str, /) -> object: ...


def escape(text: str) -> str:
    """Text that can't steer a terminal, as kubectl shows it; it lets more through."""
    return text if text.isprintable() else harmless(text.replace("\r", "\\r"))


class TabWriter:
    """Collects lines and writes them aligned on `flush`. With ``remember`` columns never get narrower again, as a watch wants it."""

    def __init__(self, out: Sink, min_width: int = 6, padding: int = 3, *, remember: bool = True) -> None:
        self._out = out
        self._min_width = min_width
        self._padding = padding
        self._remember = remember
        self._widest: list[int] = []
        self._lines: list[list[str]] = []
        self._open = ""
        self.written = 0
        """Lines written or waiting so far."""

    def line(self, cells: list[str]) -> None:
        """Add a line; its last cell is the text behind the last tab."""
        self._lines.append(cells)
        self.written += 1

    def write(self, text: str) -> None:
        """Add text with tabs and line ends in it."""
        *lines, self._open = (self._open + text).split("\n")
        for line in lines:
            self.line(line.split("\t"))

    def flush(self) -> None:
        """Write what has been collected."""
        pieces: list[str] = []
        if self._open:
            self._lines.append(self._open.split("\t"))
        self._format(0, len(self._lines), [], pieces)
        if self._open:
            pieces.pop()  # the line that is not at its end yet
        self._open = ""
        self._lines.clear()
        self._out.write("".join(pieces))

    def forget_widths(self) -> None:
        """Start a new table."""
        self._widest.clear()

    def _format(self, first: int, end: int, widths: list[int], pieces: list[str]) -> None:
        column = len(widths)
        current = first
        while current < end:
            if column >= len(self._lines[current]) - 1:
                current += 1
                continue
            self._print(first, current, widths, pieces)
            first = current
            width = self._min_width
            while current < end and column < len(self._lines[current]) - 1:
                width = max(width, len(self._lines[current][column]) + self._padding)
                current += 1
            self._format(first, current, [*widths, self._kept(column, width)], pieces)
            first = current
        self._print(first, end, widths, pieces)

    def _kept(self, column: int, width: int) -> int:
        if not self._remember:
            return width
        if column == len(self._widest):
            self._widest.append(width)
        self._widest[column] = max(width, self._widest[column])
        return self._widest[column]

    def _print(self, first: int, end: int, widths: list[int], pieces: list[str]) -> None:
        for line in self._lines[first:end]:
            for index, cell in enumerate(line):
                pieces.append(cell.ljust(widths[index]) if index < len(widths) else cell)
            pieces.append("\n")
