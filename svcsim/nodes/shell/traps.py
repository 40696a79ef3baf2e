"""Signals between shells, and the traps for them (``trap``, ``kill``)."""

from svcsim.nodes.shell.control_flow import BreakError, ReturnError
from svcsim.nodes.shell.expansion import ExpansionError
from svcsim.nodes.shell.process import ExitError
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.scripts import read_script
from svcsim.nodes.shell.signals import EXIT, KILL, ends, exit_code_of
from svcsim.nodes.shell.streams import Streams

ERR = "ERR"
"""The name of bash's trap for commands that fail."""
_INIT = 1


async def run_trap(shell: RunningShell, name: str, streams: Streams) -> None:
    """Run the action of a trap, if there is one. ``$?`` stays as it is."""
    status, action = shell.parameters.status, shell.traps.get(name, "")
    if action:
        # What is done about a failure is told the line of that.
        with shell.deeper(), shell.parameters.counting_lines(shell.parameters.line - 1 if name == ERR else 0):
            await shell.run(await read_script(action, bash=shell.parameters.is_bash), streams)
    shell.parameters.status = status


async def handle_signals(shell: RunningShell, streams: Streams) -> None:
    """Handle all signals that have come in since the last command. Raises `ExitError` if one ends the shell."""
    while shell.is_first and (signal := shell.work.observer.heard_signal()):
        await run_trap(shell, signal, streams)
    while not shell.is_subshell and (sent := shell.work.shells.get(str(shell.parameters.pid))):
        await _handle(shell, sent.pop(0), streams)


async def _handle(shell: RunningShell, name: str, streams: Streams) -> None:
    """Handle a signal from itself or a child. PID 1 ignores signals that it has no trap for, as in Linux."""
    if name in shell.traps and name != KILL:
        await run_trap(shell, name, streams)
    elif shell.parameters.pid != _INIT and ends(name):
        raise ExitError(exit_code_of(name))


async def send_signal(shell: RunningShell, pid: str, name: str, streams: Streams) -> bool:
    """Send a signal to a shell or a background job; returns whether there is such a process. `EXIT` only asks for that."""
    work, now = shell.work, shell.world.now()
    is_own = pid == str(shell.parameters.pid) and not shell.is_subshell
    queue, job = work.shells.get(pid), work.jobs.get(pid)
    if job is not None and not job.runs(now):
        job = None
    is_there = is_own or queue is not None or job is not None
    if name == EXIT:
        return is_there
    if is_own:
        await _handle(shell, name, streams)
    elif queue is not None:
        queue.append(name)
    elif job is not None and ends(name):
        job.ends_at, job.status = now, exit_code_of(name)
    return is_there


async def run_exit_trap(shell: RunningShell, status: int, streams: Streams) -> int:
    """Run the action for the end of the shell; returns the exit code, which the action may change."""
    action, shell.parameters.status = shell.traps.pop(EXIT, ""), status
    if not action:
        return status
    try:
        shell.parameters.lines_before = 0
        await shell.run(await read_script(action, bash=shell.parameters.is_bash), streams)
    except ExitError as error:
        return error.code
    except (ShellSyntaxError, ExpansionError) as error:
        await shell.say_error(streams, str(error))
    except (BreakError, ReturnError):
        pass  # there is nothing to leave
    return status
