"""The input of an interactive shell: lines of a stream, or lines typed and edited at a terminal."""

import asyncio
from collections import deque
from collections.abc import Coroutine

from svcsim import limits
from svcsim.clock import turn
from svcsim.nodes.shell.streams import Streams

_INTERRUPT, _END, _BACKSPACES, _KILL, _WORD, _CLEAR, _ESCAPE = "\x03", "\x04", "\x7f\x08", "\x15", "\x17", "\x0c", "\x1b"


class Lines:
    """The lines of a stream, which the commands that run in between may read as well."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._rest = b""
        self._at = 0
        """The start of the next line in it."""
        self.streams = streams._replace(read=self._read)

    async def _read(self) -> bytes:
        return self._take_rest() or await self._streams.read()

    def _take_rest(self) -> bytes:
        rest, self._rest, self._at = self._rest[self._at :], b"", 0
        return rest

    async def next(self, _prompt: str) -> str | None:
        """The next line with its newline, or None at the end of the input."""
        while (end := self._rest.find(b"\n", self._at) + 1) == 0 and len(self._rest) - self._at <= limits.SHELL_TEXT_CHARS:
            piece = await self._streams.read()
            if not piece:
                break
            self._rest = self._take_rest() + piece
        line = self._rest[self._at : end] if end else self._take_rest()
        self._at = end
        return line.decode("utf-8", "surrogateescape") or None

    async def foreground(self, running: Coroutine[None, None, None]) -> None:
        """Run a command to its end. Raises `InterruptedError` if Ctrl-C interrupts it."""
        await running


class Terminal(Lines):
    """A terminal: it echoes and edits what is typed, and passes it on by lines; Ctrl-C interrupts the command, Ctrl-D ends the input."""

    def __init__(self, streams: Streams) -> None:
        """``streams`` are the client's; nothing is read unless `run` is running."""
        super().__init__(streams)
        self.size = (80, 24)
        """Columns and rows."""
        self.streams = Streams(self._read_line, self._write, self._write)
        self._arrived: asyncio.Queue[str | None] = asyncio.Queue(limits.TERMINAL_LINES)
        self._ended = False
        self._prompt = ""
        self._line = ""
        self._at = 0
        self._escape = ""
        self._history: deque[str] = deque(maxlen=limits.TERMINAL_HISTORY)
        self._back = 0
        self._running: asyncio.Task[None] | None = None
        self._at_prompt = False
        """Whether a shell waits for a line. Ctrl-C only clears the line then."""

    # What programs see.

    async def _write(self, data: bytes) -> None:
        await self._streams.write(data.replace(b"\n", b"\r\n"))

    async def _read_line(self) -> bytes:
        line = await self._take()
        return b"" if line is None else line.encode("utf-8", "surrogateescape")

    async def _take(self) -> str | None:
        if self._ended and self._arrived.empty():
            return None
        return await self._arrived.get()

    async def next(self, prompt: str) -> str | None:
        self._prompt, self._at_prompt = prompt, True
        await self._streams.write((prompt + self._line).encode("utf-8", "surrogateescape"))
        line = await self._take()
        self._prompt, self._at_prompt = "", False
        if line is None:
            return None
        if line.strip() and len(line) <= limits.TERMINAL_HISTORY_CHARS:
            self._history.append(line.rstrip("\n"))
        return line

    async def foreground(self, running: Coroutine[None, None, None]) -> None:
        before, task = self._running, asyncio.get_running_loop().create_task(running)
        self._running = task
        try:
            await asyncio.wait((task,))
        finally:
            self._running = before
            if not task.done():
                task.cancel()
        if task.cancelled():
            raise InterruptedError
        task.result()

    # What is typed.

    async def run(self) -> None:
        """Handle what is typed, to the end of the input."""
        rest = b""
        while data := await self._streams.read():
            text, rest = _decoded(rest + data)
            for start in range(0, len(text), limits.TYPED_CHARS):
                for char in text[start : start + limits.TYPED_CHARS]:
                    await self._key(char)
                await turn()
        self._ended = True
        await self._arrived.put(None)

    async def _key(self, char: str) -> None:
        if self._escape:
            await self._escaped(char)
        elif char == _ESCAPE:
            self._escape = char
        elif char in "\r\n":
            await self._echo("\n")
            await self._finish(f"{self._line}\n")
        elif char == _INTERRUPT:
            await self._echo("^C\n")
            await self._interrupt()
        elif char == _END:
            if not self._line:
                await self._finish(None)
        elif char in _BACKSPACES:
            await self._change(self._line[: max(self._at - 1, 0)], self._line[self._at :])
        elif char == _KILL:
            await self._change("", self._line[self._at :])
        elif char == _WORD:
            kept = self._line[: self._at].rstrip()
            await self._change(kept[: kept.rfind(" ") + 1], self._line[self._at :])
        elif char == _CLEAR:
            await self._streams.write(f"\x1b[H\x1b[2J{self._prompt}{self._line}".encode("utf-8", "surrogateescape"))
            self._at = len(self._line)
        elif char >= " " and len(self._line) < limits.SHELL_TEXT_CHARS:
            await self._change(self._line[: self._at] + char, self._line[self._at :])

    async def _escaped(self, char: str) -> None:
        """Handle a key that sends several characters; only the arrows have an effect."""
        self._escape += char
        if char in "[O" and len(self._escape) == 2:
            return
        if self._escape[1:2] in {"[", "O"} and (char.isdigit() or char == ";") and len(self._escape) < 8:
            return
        self._escape = ""
        if char == "C" and self._at < len(self._line):
            await self._echo(self._line[self._at])
            self._at += 1
        elif char == "D" and self._at > 0:
            await self._echo("\b")
            self._at -= 1
        elif char in "AB" and self._history:
            self._back = min(max(self._back + (1 if char == "A" else -1), 0), len(self._history))
            await self._change(self._history[-self._back] if self._back else "", "")

    async def _change(self, before: str, after: str) -> None:
        """Replace the line, with the cursor between these two parts."""
        old, old_at = self._line, self._at
        self._line, self._at = before + after, len(before)
        if not after and self._line.startswith(old) and old_at == len(old):
            await self._echo(self._line[len(old) :])
            return
        await self._echo("\b" * old_at + self._line + "\x1b[K" + "\b" * len(after))

    async def _echo(self, text: str) -> None:
        await self._write(text.encode("utf-8", "surrogateescape"))

    async def _finish(self, line: str | None) -> None:
        self._line, self._at, self._back = "", 0, 0
        await self._arrived.put(line)

    async def _interrupt(self) -> None:
        self._line, self._at, self._back = "", 0, 0
        if self._at_prompt:
            while not self._arrived.empty():  # what was typed ahead goes with it
                self._arrived.get_nowait()
            await self._arrived.put("\n")
        elif self._running is not None:
            self._running.cancel()


def _decoded(data: bytes) -> tuple[str, bytes]:
    """The complete characters, and the bytes of an incomplete one."""
    for cut in range(min(4, len(data) + 1)):
        try:
            return data[: len(data) - cut].decode(), data[len(data) - cut :]
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "surrogateescape"), b""
