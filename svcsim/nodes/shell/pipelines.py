"""Runs the commands of a pipeline."""

from itertools import pairwise

from svcsim.nodes.shell.options import PIPEFAIL
from svcsim.nodes.shell.pipes import PipeBuffer, reader, reads_lines
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import Command


async def run_piped(shell: RunningShell, commands: tuple[Command, ...], streams: Streams) -> int:
    """Run commands one after the other, each with the whole output of the one before: none of them runs for ever.

    Returns the exit code of the last one, or with ``pipefail`` of the last one that fails.
    """
    source, before, failed = streams.read, PipeBuffer(shell.work.memory), 0
    try:
        for command, following in pairwise(commands):
            output = PipeBuffer(shell.work.memory)
            try:
                status = await _run(shell, command, Streams(source, output.write, streams.complain))
            finally:
                before.release()
                before = output
            failed = status or failed
            source = reader(output.pieces, by_lines=reads_lines(following))
        status = await _run(shell, commands[-1], streams._replace(read=source))
        return status or (failed if PIPEFAIL in shell.parameters.options else 0)
    finally:
        before.release()


async def _run(shell: RunningShell, command: Command, streams: Streams) -> int:
    return await shell.in_subshell(lambda inner: inner.carry_out(command, streams), streams)
