"""``cat``: one file behind the other, perhaps with numbers at its lines and signs for what one doesn't see."""

from svcsim.nodes.shell.process import Process, Saying
from svcsim.nodes.shell.programs.options import Option, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import IS_DIRECTORY, FileError

_OPTIONS = (
    Option("n", "number"), Option("b", "number-nonblank"), Option("s", "squeeze-blank"), Option("v", "show-nonprinting"),
    Option("E", "show-ends"), Option("T", "show-tabs"), Option("A", "show-all"), Option("e", "e"), Option("t", "t"),
    Option("u", "u"),  # which has nothing kept back: nothing ever is
)  # fmt: skip
_TOGETHER = {"show-all": "show-nonprinting show-ends show-tabs", "e": "show-nonprinting show-ends", "t": "show-nonprinting show-tabs"}


async def cat(process: Process) -> int:
    options = read_options(process.args, _OPTIONS)
    ways = {word for given in options.values if given != "u" for word in _TOGETHER.get(given, given).split()}
    shown, status = _Shown(process, ways), 0
    for path in options.rest or ("-",):
        try:
            coming = None if ways else process.input(path)
            if coming is not None:
                while piece := await coming():
                    await process.give(piece)
            elif ways:
                await shown.add(await process.content(path))
            else:
                await process.give(await process.content(path))
        except FileError as error:
            is_read = str(error) == IS_DIRECTORY
            await process.complain(f"read error: {error}" if is_read else f"can't open '{path}': {error}")
            status = 1
    await shown.said.flush()
    return status


class _Shown:
    """Lines with what is asked for, from file to file."""

    def __init__(self, process: Process, ways: set[str]) -> None:
        self.said = Saying(process)
        self._process = process
        self._ways = ways
        self._number = 0
        self._was_blank = False
        self._at_start = True
        """Whether a line begins here: one that has no end goes on in the next file."""
        signs = _NOT_PRINTED if "show-nonprinting" in ways else {}
        self._signs = {**signs, ord("\t"): "^I" if "show-tabs" in ways else "\t"}

    async def add(self, content: bytes) -> None:
        unended = content[-1:] != b"\n"
        done = 0
        async for lines in self._process.lines(content):
            for line in lines:
                done += len(line) + 1
                await self._line(line, ends=not unended or done <= len(content))
        await self.said.flush()

    async def _line(self, line: bytes, *, ends: bool) -> None:
        is_blank = self._at_start and not line
        if is_blank and self._was_blank and "squeeze-blank" in self._ways:
            return
        self._was_blank = is_blank
        numbers = not is_blank if "number-nonblank" in self._ways else "number" in self._ways
        if self._at_start and numbers:
            self._number += 1
            await self.said.add(f"{self._number:>6}\t")
        text = line.decode("latin-1").translate(self._signs).encode("latin-1").decode("utf-8", "surrogateescape")
        await self.said.add(f"{text}{'$' if 'show-ends' in self._ways and ends else ''}{chr(10) if ends else ''}")
        self._at_start = ends


def _sign(byte: int) -> str:
    """What is shown for a byte that isn't printed."""
    if byte >= 0x80:
        return f"M-{_sign(byte - 0x80)}"
    return "^?" if byte == 0x7F else f"^{chr(byte + 0x40)}" if byte < 0x20 else chr(byte)


_NOT_PRINTED = {byte: _sign(byte) for byte in range(0x100)}


CAT: dict[str, SimulatedProgram] = {
    "cat": SimulatedProgram(cat, reads_beside=0, without_end="passes on"),
}
