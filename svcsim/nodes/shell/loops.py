"""Runs ``while``, ``until`` and ``for`` loops."""

from collections.abc import Iterator

from svcsim.nodes.shell.control_flow import BreakError
from svcsim.nodes.shell.options import ERREXIT
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import ArithmeticFor, ForClause, WhileClause
from svcsim.nodes.shell.tracing import trace_head

Loop = WhileClause | ForClause | ArithmeticFor


async def run_loop(shell: RunningShell, loop: Loop, streams: Streams) -> int:
    """Run a loop; returns the exit code of its last turn."""
    values = iter(await _values(shell, loop) if isinstance(loop, ForClause) else ())
    work = shell.work
    if isinstance(loop, WhileClause) and ERREXIT not in shell.parameters.options and not work.is_limited:
        work.observer.loop_begins(loop)
    work.loops += 1
    try:
        return await _turns(shell, loop, values, streams)
    finally:
        work.loops -= 1


async def _values(shell: RunningShell, loop: ForClause) -> list[str]:
    return list(shell.parameters.arguments) if loop.words is None else await shell.expander().words(loop.words)


async def _turns(shell: RunningShell, loop: Loop, values: Iterator[str], streams: Streams) -> int:
    work, status, is_first = shell.work, 0, True
    while True:
        try:
            if not await _begin_turn(shell, loop, values, streams, is_first=is_first):
                return status
            is_first = False
            await work.step(shell.world)
            status = await shell.run(loop.body, streams)
            if work.loops == 1:
                work.observer.turn_ended(shell.variables.values, shell.world.now(), is_limited=work.is_limited)
        except BreakError as error:
            if error.levels > 1:
                raise BreakError(error.levels - 1, goes_on=error.goes_on) from None
            if not error.goes_on:
                return 0


async def _begin_turn(shell: RunningShell, loop: Loop, values: Iterator[str], streams: Streams, *, is_first: bool) -> bool:
    """Check the condition of a loop, or set its variable; returns whether there is another turn."""
    if isinstance(loop, WhileClause):
        return await shell.run_condition(loop.condition, streams) is not loop.until
    if isinstance(loop, ArithmeticFor):
        await shell.expander().number(loop.first if is_first else loop.next)
        has_condition = any(part.text.strip() for part in loop.condition)
        return not has_condition or await shell.expander().number(loop.condition) != 0
    value = next(values, None)
    if value is None:
        return False
    await trace_head(shell, streams, loop.head)
    shell.variables.set(loop.name, value)
    return True
