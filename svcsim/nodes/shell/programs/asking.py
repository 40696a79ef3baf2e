"""Asking whoever is at the other end before something is lost: what ``-i`` is for."""

from svcsim.nodes.shell.lines import Lines
from svcsim.nodes.shell.process import Process


class Asking:
    """The questions of one program, which lines of what comes in answer."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._lines = Lines(process.streams)

    async def agrees(self, question: str) -> bool:
        """Whether the next line begins as a yes does; an end of what comes in is a no."""
        await self._process.streams.complain(f"{self._process.name}: {question}? ".encode("utf-8", "surrogateescape"))
        answer = await self._lines.next("") or ""
        return answer.lstrip()[:1] in {"y", "Y"}
