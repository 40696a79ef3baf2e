"""``wget`` as busybox has it."""

from collections.abc import Sequence

from svcsim import limits
from svcsim.meta.networks import host_port
from svcsim.nodes.shell.network import CONNECT_TIMEOUT_S, TIMED_OUT
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.programs.web import (
    FAILED,
    Answered,
    NotConnectedError,
    UnknownHostError,
    Url,
    asked,
    read_headers,
    read_seconds,
    read_url,
)
from svcsim.nodes.shell.tree import EXISTS, FileError, naming

_WAITS_S = 10.0
"""How long is waited between two tries, at most."""
# Certificates aren't looked at, no proxy stands between, and there is nothing that links could be relative to.
_FLAGS = (
    ("q", "quiet"), ("c", "continue"), ("S", "server-response"), ("L", "relative"), ("", "spider"), ("", "no-check-certificate"),
    ("", "no-verbose"), ("", "retry-connrefused"),
)  # fmt: skip
_WITH_VALUES = (
    ("O", "output-document"), ("T", "timeout"), ("P", "directory-prefix"), ("t", "tries"), ("U", "user-agent"), ("Y", "proxy"),
    ("", "header"), ("", "post-data"), ("", "ca-certificate"), ("", "method"), ("", "waitretry"), ("", "read-timeout"),
    ("", "connect-timeout"), ("", "dns-timeout"),
)  # fmt: skip
_OPTIONS = (*(Option(*names) for names in _FLAGS), *(Option(*names, takes_value=True) for names in _WITH_VALUES))


async def wget(process: Process) -> int:
    options, urls, timeout_s = _read_wget(process.args)
    status = 0
    for url in urls:
        status = await _persistently(process, options, url, timeout_s) or status
    return status


def _read_wget(args: Sequence[str]) -> tuple[Options, list[Url], float]:
    """What is wanted, from where, and how long to wait for it. Raises `Usage`."""
    options = read_options([word for word in args if word != "-nv"], _OPTIONS)
    if not options.rest:
        raise Usage("missing URL")
    for word in ("tries", "waitretry"):
        read_seconds(options.last(word), 1.0)
    return options, list(map(read_url, options.rest)), min(read_seconds(options.last(word), CONNECT_TIMEOUT_S) for word in _TIMEOUTS)


_TIMEOUTS = ("timeout", "read-timeout", "connect-timeout", "dns-timeout")


async def _persistently(process: Process, options: Options, url: Url, timeout_s: float) -> int:
    """Get one thing, as often as that is wanted where nobody answers."""
    given = options.last("tries", "1")
    tries = min(int(float(given)) or limits.WGET_TRIES, limits.WGET_TRIES)
    most_s = read_seconds(options.last("waitretry"), _WAITS_S)
    for tried in range(1, tries + 1):
        try:
            return await _fetched(process, options, url, timeout_s)
        except NotConnectedError as error:
            await _say(process, options, f"Connecting to {url.host} ({host_port(error.address, url.port)})\n")
            timed_out = error.why == TIMED_OUT and not options.values.keys().isdisjoint(_TIMEOUTS)
            await process.complain("download timed out" if timed_out else f"can't connect to remote host ({error.address}): {error.why}")
            if error.why != TIMED_OUT and "retry-connrefused" not in options:
                return 1
        if tried < tries:
            await process.work.rest(process.world, min(float(tried), most_s))
    return 1


async def _fetched(process: Process, options: Options, url: Url, timeout_s: float) -> int:
    """Raises `NotConnectedError`."""
    data = options.last("post-data").encode("utf-8", "surrogateescape")
    method = options.last("method") or ("POST" if data else "HEAD" if "spider" in options else "GET")
    headers = {"User-Agent": options.last("user-agent", "Wget"), **read_headers(options.all("header"))}
    try:
        answered = await asked(process, url, method, headers, data, timeout_s)
    except UnknownHostError:
        await process.complain(f"bad address '{url.host}'")
        return 1
    await _say(process, options, f"Connecting to {url.host} ({host_port(answered.address, url.port)})\n")
    return await _taken(process, options, url, answered)


async def _taken(process: Process, options: Options, url: Url, answered: Answered) -> int:
    """What is done with an answer."""
    if "server-response" in options:
        lines = (answered.status_line, *(f"{name}: {value}" for name, value in answered.headers.items()))
        await process.streams.complain("".join(f"  {line}\n" for line in lines).encode("utf-8", "replace"))
    if answered.response.status >= FAILED:
        await process.complain(f"server returned error: {answered.status_line}")
        return 1
    if "spider" in options:
        await _say(process, options, "remote file exists\n")
        return 0
    name = options.last("output-document") or url.name or "index.html"
    body = answered.response.body
    if name == "-":
        await _say(process, options, "writing to stdout\n")
        await process.give(body)
        await _say(process, options, f"{_progress('-', len(body))}written to stdout\n")
        return 0
    folder = options.last("directory-prefix") if "output-document" not in options else ""
    path = f"{folder}/{name}" if folder else name
    if "output-document" not in options and "continue" not in options and process.world.tree.has(process.path(path)):
        with naming(f"can't open '{path}'"):
            raise FileError(EXISTS)
    with naming(path):
        await process.put(path, body)
    await process.effort(len(body))
    await _say(process, options, f"saving to '{path}'\n{_progress(name, len(body))}'{path}' saved\n")
    return 0


async def _say(process: Process, options: Options, text: str) -> None:
    if "quiet" not in options and "no-verbose" not in options:
        await process.streams.complain(text.encode("utf-8", "surrogateescape"))


def _progress(name: str, size_bytes: int) -> str:
    return f"{name[:20]:<20} 100% |{'*' * 32}| {size_bytes:>5}  0:00:00 ETA\n"


def _keeps_nothing(args: Sequence[str]) -> bool:
    """Whether all that comes is said, or left out. Raises `Usage`."""
    options, _, _ = _read_wget(args)
    return "spider" in options or options.last("output-document") in {"-", "/dev/null"}


def _hosts(args: Sequence[str]) -> list[str]:
    return [url.host for url in _read_wget(args)[1]]


WGET: dict[str, SimulatedProgram] = {
    "wget": SimulatedProgram(wget, takes_s=1.0, reaches=_hosts, changes="content", changes_nothing=_keeps_nothing),
}
