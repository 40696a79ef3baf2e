"""Runs ``if`` and ``case`` commands."""

from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import CaseClause, IfClause
from svcsim.nodes.shell.tracing import trace_head


async def run_if(shell: RunningShell, command: IfClause, streams: Streams) -> int:
    """Run the branch whose condition holds, or the one behind ``else``; returns its exit code."""
    for condition, body in command.branches:
        if await shell.run_condition(condition, streams):
            return await shell.run(body, streams)
    if command.otherwise is not None:
        return await shell.run(command.otherwise, streams)
    return 0


async def run_case(shell: RunningShell, command: CaseClause, streams: Streams) -> int:
    """Run the branch of the first pattern that matches; returns its exit code."""
    await trace_head(shell, streams, command.head)
    value = await shell.expander().text(command.word)
    for patterns, body in command.branches:
        for pattern in patterns:
            if await matches(Glob(await shell.expander().pattern(pattern)), value, shell.effort):
                return await shell.run(body, streams)
    return 0
