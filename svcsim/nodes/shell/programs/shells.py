"""``sh`` and its like as programs: a script on the command line or in a file, or commands that come in, typed at a terminal or not."""

from svcsim import limits
from svcsim.nodes.shell.builtins import BUILTINS, LASTING
from svcsim.nodes.shell.exit_codes import SYNTAX
from svcsim.nodes.shell.expansion import NO_ROOM
from svcsim.nodes.shell.interpreter import Shell
from svcsim.nodes.shell.lines import Lines
from svcsim.nodes.shell.options import OptionError, read_options
from svcsim.nodes.shell.parameters import Parameters
from svcsim.nodes.shell.process import ExitError, Process, Usage
from svcsim.nodes.shell.programs.agnhost import AGNHOST
from svcsim.nodes.shell.programs.awk import AWK
from svcsim.nodes.shell.programs.cat import CAT
from svcsim.nodes.shell.programs.columns import COLUMNS
from svcsim.nodes.shell.programs.contents import CONTENTS
from svcsim.nodes.shell.programs.curl import CURL
from svcsim.nodes.shell.programs.dd import DD
from svcsim.nodes.shell.programs.digests import DIGESTS
from svcsim.nodes.shell.programs.expr import EXPR
from svcsim.nodes.shell.programs.files import FILES
from svcsim.nodes.shell.programs.grep import GREP
from svcsim.nodes.shell.programs.listing import LISTING
from svcsim.nodes.shell.programs.modes import MODES
from svcsim.nodes.shell.programs.moving import MOVING
from svcsim.nodes.shell.programs.names import NAMES
from svcsim.nodes.shell.programs.netcat import NETCAT
from svcsim.nodes.shell.programs.perl import PERL
from svcsim.nodes.shell.programs.plain import PLAIN
from svcsim.nodes.shell.programs.searching import SEARCHING
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.programs.sort import SORT
from svcsim.nodes.shell.programs.starting import STARTING
from svcsim.nodes.shell.programs.system import SYSTEM
from svcsim.nodes.shell.programs.tar import TAR
from svcsim.nodes.shell.programs.terminal import TERMINAL
from svcsim.nodes.shell.programs.test import TEST
from svcsim.nodes.shell.programs.touching import TOUCHING
from svcsim.nodes.shell.programs.wget import WGET
from svcsim.nodes.shell.running_shell import Commands
from svcsim.nodes.shell.scanner import UnfinishedError
from svcsim.nodes.shell.tree import FileError
from svcsim.nodes.shell.variables import Variables

SHELLS = ("sh", "bash", "ash", "dash")


async def shell(process: Process) -> int:
    """``sh [-ec] [SCRIPT [NAME [ARGUMENT…]]]``."""
    script, arguments, options = _read_arguments(process)
    parameters = Parameters(
        arguments[0] if arguments else process.called,
        arguments[1:],
        process.directory,
        options,
        parent_pid=process.parent_pid,
        started_at=process.world.now(),
        umask=process.umask,
        is_bash=process.name == "bash",
    )
    variables = Variables.inherited(process.environment, parameters, process.world, process.work)
    is_first = process.pid == process.work.pid
    one = Shell(process.world, COMMANDS, process.work, parameters, variables, depth=process.depth, is_first=is_first)
    try:
        with one.at_work(process.pid):
            return await one.end(await _run(one, process, script, arguments), process.streams)
    finally:
        one.release()


async def _run(one: Shell, process: Process, script: str | None, arguments: list[str]) -> int:
    if script is not None:
        return await one.run_text(script, process.streams)
    if arguments:
        try:
            content = await process.content(arguments[0])
        except FileError:
            raise Usage(f"0: cannot open {arguments[0]}: No such file") from None
        return await one.run_text(content.decode("utf-8", "surrogateescape"), process.streams)
    terminal = process.world.terminal
    return await _read_commands(one, process, terminal if terminal is not None else Lines(process.streams))


def _read_arguments(process: Process) -> tuple[str | None, list[str], frozenset[str]]:
    """The script on the command line, if there is one; its name and arguments; the options."""
    try:
        chosen = read_options(process.args, of_shells=True)
    except OptionError as error:
        raise Usage(f"0: {error}") from None
    words, options = list(chosen.rest), chosen.of(frozenset())
    if "c" not in options:
        return None, words, options
    if not words:
        raise Usage("0: -c requires an argument")
    return words[0], words[1:], options


async def _read_commands(one: Shell, process: Process, lines: Lines) -> int:
    """What comes in, command by command, until its end or ``exit``."""
    text = ""
    while True:
        prompt = _prompt(one, process) if not text else "> "
        line = await lines.next(prompt)
        if line is None and not text:
            return one.status
        text = f"{text}{line or ''}"
        await process.effort(len(text) * limits.SHELL_PIECE_COSTS_BYTES)
        if len(text) > limits.SHELL_TEXT_CHARS:
            await one.say_error(lines.streams, NO_ROOM)
            return SYNTAX
        await process.world.look()
        try:
            await lines.foreground(one.run_line(text, lines.streams, is_last=line is None))
            text = ""
        except UnfinishedError as error:
            if line is None:
                await one.say_error(lines.streams, str(error))
                return SYNTAX
            continue
        except ExitError as error:
            return error.code
        except InterruptedError:
            one.status, text = 130, ""
        if process.depth == 1:  # a client's own shell is there for as long as that wants, while a script has to come to an end
            process.work.steps = 0


def _prompt(one: Shell, process: Process) -> str:
    sign = "#" if process.world.user.uid == 0 else "$"
    if process.name == "bash":
        return f"{process.world.user.name or 'I have no name!'}@{process.world.hostname}:{one.directory}{sign} "
    return f"{one.directory} {sign} "


PROGRAMS: dict[str, SimulatedProgram] = {
    **PLAIN,
    **SYSTEM,
    **FILES,
    **CAT,
    **TOUCHING,
    **LISTING,
    **MOVING,
    **MODES,
    **SEARCHING,
    **TEST,
    **EXPR,
    **CONTENTS,
    **GREP,
    **SORT,
    **DIGESTS,
    **TAR,
    **COLUMNS,
    **STARTING,
    **DD,
    **TERMINAL,
    **PERL,
    **AGNHOST,
    **AWK,
    **NAMES,
    **WGET,
    **CURL,
    **NETCAT,
    **dict.fromkeys(SHELLS, SimulatedProgram(shell)),
}
COMMANDS = Commands(BUILTINS, LASTING, {name: program.run for name, program in PROGRAMS.items()})
