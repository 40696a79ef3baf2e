"""Programs about the terminal."""

from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.simulated import SimulatedProgram


async def stty(process: Process) -> int:
    """``stty size``: the only thing to be known of it."""
    terminal = process.world.terminal
    if terminal is None:
        raise Usage("standard input: Inappropriate ioctl for device")
    columns, rows = terminal.size
    if process.args[:1] == ["size"]:
        await process.say(f"{rows} {columns}\n")
    elif not process.args or process.args == ["-a"]:
        await process.say(f"speed 38400 baud; rows {rows}; columns {columns};\n")
    elif process.args != ["sane"]:  # which it always is
        raise Usage(f"invalid argument '{process.args[0]}'")
    return 0


TERMINAL: dict[str, SimulatedProgram] = {"stty": SimulatedProgram(stty, understands=lambda _args: False)}
"""Nobody knows beforehand whether there will be a terminal."""
