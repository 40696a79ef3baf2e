"""Redirections of a command: ``< FILE``, ``> FILE``, ``2>&1``, ``<<EOF``."""

from typing import Self

from svcsim.nodes.shell.devices import output_at
from svcsim.nodes.shell.pipes import PipeBuffer, reader, reads_lines
from svcsim.nodes.shell.process import NO_PLACE, World
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Read, Streams, Write
from svcsim.nodes.shell.syntax import Command, Redirection
from svcsim.nodes.shell.tree import FULL, IS_DIRECTORY, FileError, resolve
from svcsim.nodes.shell.tree import NOT_FOUND as NO_FILE


class Redirected:
    """The streams of a command after its redirections. ``streams`` is None if a file couldn't be opened; the error has been printed."""

    def __init__(self, shell: RunningShell, command: Command, streams: Streams) -> None:
        self._shell = shell
        self._redirections = command.redirections
        self._by_lines = reads_lines(command)
        self._given = streams
        self._sinks: list[_FileSink] = []
        self._documents: PipeBuffer | None = None
        self.streams: Streams | None = streams

    async def __aenter__(self) -> Self:
        streams = self._given
        for one in self._redirections:
            target = await self._shell.expander().text(one.word)
            try:
                streams = await self._applied(streams, one, target)
            except FileError as error:
                what = "can't create" if one.operator != "<" else "can't open"
                await self._shell.say_error(self._given, f"{what} {target}: {_spoken(str(error))}")
                self.streams = None
                return self
        self.streams = streams
        return self

    async def _applied(self, streams: Streams, one: Redirection, target: str) -> Streams:
        if one.operator in {"<<", "<<<"}:
            return streams._replace(read=await self._document(target if one.operator == "<<" else f"{target}\n"))
        if one.operator == ">&":
            write = {"1": streams.write, "2": streams.complain}.get(target)
            if write is None:
                raise FileError("Bad file descriptor")
        elif one.operator == "<":
            world = self._shell.world
            node = world.tree.find(resolve(target, self._shell.parameters.directory))
            if node.is_directory:
                raise FileError(IS_DIRECTORY)
            coming = self._shell.work.device_input(node, streams, world)
            if coming is not None:
                return streams._replace(read=coming)
            return streams._replace(read=reader((await node.read(),), by_lines=self._by_lines))
        else:
            path, world = resolve(target, self._shell.parameters.directory), self._shell.world
            write = output_at(world.tree, path, streams, world.terminal) or self._file(path, append=one.operator == ">>")
        return streams._replace(complain=write) if one.stream == 2 else streams._replace(write=write)

    async def _document(self, text: str) -> Read:
        """A here-document as an input. Raises `ExitError` if it doesn't fit in memory."""
        data = text.encode("utf-8", "surrogateescape")
        if self._documents is None:
            self._documents = PipeBuffer(self._shell.work.memory)
        await self._documents.write(data)
        return reader((data,), by_lines=self._by_lines)

    def _file(self, path: str, *, append: bool) -> Write:
        world = self._shell.world
        world.tree.write(path, b"", world.now(), append=append, umask=self._shell.parameters.umask)
        sink = _FileSink(path, world.tree.disk.left_bytes)
        self._sinks.append(sink)
        self._shell.work.gathering[id(sink)] = sink
        return sink.write

    async def __aexit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        shell = self._shell
        # A process that is ended where it stands has what it has written in its file, and does no more for that.
        is_ended = kind is not None and issubclass(kind, GeneratorExit)
        if self._documents is not None:
            self._documents.release()
        for sink in self._sinks:
            shell.work.gathering.pop(id(sink), None)
            try:
                sink.put(shell.world)
            except FileError as error:
                if not is_ended:
                    await shell.say_error(self._given, f"{sink.path}: {error}")
            else:
                if not is_ended:
                    await shell.effort(sink.file_bytes)


class _FileSink:
    """Output that goes to a file, as much as fits on its disk."""

    def __init__(self, path: str, left_bytes: int) -> None:
        self.path = path
        self.pieces: list[bytes] = []
        self.file_bytes = 0
        """The length of the whole file when it was last written, which is the work that writing takes."""
        self._left_bytes = left_bytes

    async def write(self, data: bytes) -> None:
        """Raises `FileError`."""
        if len(data) > self._left_bytes:
            raise FileError(FULL)
        self._left_bytes -= len(data)
        self.pieces.append(data)

    def put(self, world: World) -> None:
        """Append it to the file. Raises `FileError`."""
        data, self.pieces = b"".join(self.pieces), []
        if data:
            world.tree.write(self.path, data, world.now(), append=True)
            self.file_bytes = len(world.tree.find(self.path).data)


def _spoken(what: str) -> str:
    return NO_PLACE if what == NO_FILE else what
