"""``nc``, as far as it only looks whether somebody listens at a port."""

from collections.abc import Sequence

from svcsim.nodes.shell.network import CONNECT_TIMEOUT_S, TIMED_OUT, NoAnswerError
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.names import addresses_of
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.programs.web import read_seconds

_OPTIONS = (Option("z", "zero"), Option("v", "verbose"), Option("n", "numeric"), Option("w", "wait", takes_value=True), Option("4", "4"))
_MOST_PORT = 65535


async def nc(process: Process) -> int:
    """``nc -z [-v] [-w SECONDS] HOST PORT``."""
    options, host, port = _read_nc(process.args)
    addresses = await addresses_of(process, host)
    if not addresses:
        await process.complain(f"bad address '{host}'")
        return 1
    where = f"{host} ({addresses[0]}:{port})"
    try:
        await process.world.network.connect(addresses[0], port)
    except NoAnswerError as error:
        if str(error) == TIMED_OUT:
            await process.work.rest(process.world, read_seconds(options.last("wait"), CONNECT_TIMEOUT_S))
        await process.complain(f"{where}: {error}")
        return 1
    if "verbose" in options:
        await process.streams.complain(f"{where} open\n".encode())
    return 0


def _read_nc(args: Sequence[str]) -> tuple[Options, str, int]:
    """What is wanted, of which host and port. Raises `Usage`."""
    options = read_options(args, _OPTIONS)
    read_seconds(options.last("wait"), 1.0)
    match options.rest:
        case (host, port) if "zero" in options and port.isdecimal() and len(port) <= len(str(_MOST_PORT)):
            return options, host, int(port)
    raise Usage("only -z with a host and a port is simulated here")


NETCAT: dict[str, SimulatedProgram] = {
    "nc": SimulatedProgram(nc, takes_s=1.0, reaches=lambda args: [_read_nc(args)[1]]),
}
