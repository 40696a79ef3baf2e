"""``curl``, as far as it asks for one thing after the other and says what came."""

import posixpath
import re
from base64 import b64encode
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from svcsim.nodes.shell.network import CONNECT_TIMEOUT_S, TIMED_OUT
from svcsim.nodes.shell.process import FOR_EVER_S, Process, Usage
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
from svcsim.nodes.shell.tree import FileError, naming

# Certificates aren't looked at, whoever answers, and nothing is kept back on its way; no proxy stands between, and HTTP is 1.1.
_FLAGS = (
    ("s", "silent"), ("S", "show-error"), ("f", "fail"), ("L", "location"), ("k", "insecure"), ("I", "head"), ("i", "include"),
    ("O", "remote-name"), ("v", "verbose"), ("g", "globoff"), ("G", "get"), ("N", "no-buffer"), ("4", "ipv4"), ("6", "ipv6"),
    ("#", "progress-bar"), ("", "fail-with-body"), ("", "compressed"), ("", "http1.1"), ("", "http2"), ("", "retry-connrefused"),
    ("", "retry-all-errors"), ("", "create-dirs"), ("", "no-progress-meter"),
)  # fmt: skip
_WITH_VALUES = (
    ("o", "output"), ("X", "request"), ("H", "header"), ("d", "data"), ("m", "max-time"), ("w", "write-out"), ("u", "user"),
    ("A", "user-agent"), ("E", "cert"), ("e", "referer"), ("x", "proxy"), ("T", "upload-file"), ("b", "cookie"), ("c", "cookie-jar"),
    ("", "data-raw"), ("", "data-binary"), ("", "connect-timeout"), ("", "retry"), ("", "retry-delay"), ("", "retry-max-time"),
    ("", "cacert"), ("", "key"), ("", "noproxy"), ("", "resolve"), ("", "max-redirs"), ("", "url"),
)  # fmt: skip
_OPTIONS = (*(Option(*names) for names in _FLAGS), *(Option(*names, takes_value=True) for names in _WITH_VALUES))
_NOT_SIMULATED = {"upload-file": "uploads", "resolve": "--resolve", "proxy": "proxies", "cookie-jar": "cookie jars"}
_MOST_REDIRECTS = 50
_MOVED = (301, 302, 303, 307, 308)
_ASKED_ANEW = (301, 302, 303)
"""Statuses after which something else is asked for, without what was sent."""
_TRANSIENT = (408, 429, 500, 502, 503, 504)
"""Statuses after which `--retry` tries again."""
_UNRESOLVED, _UNCONNECTED, _FAILED, _WRITE_FAILED, _UNREAD, _TIMED_OUT, _TOO_MANY_REDIRECTS = 6, 7, 22, 23, 26, 28, 47
_WRITTEN_OUT = re.compile(r"%\{([a-z_]+)\}|\\([nrt])")
_METER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
)
_LONGEST_WAIT_S = 600.0
_GLOBBED = re.compile(r"\{|\[\w+-\w+")


class _Reached(NamedTuple):
    """What was answered in the end, where, and by what heads on the way."""

    answered: Answered
    url: Url
    redirects: int
    heads: bytes


class _Failure(Exception):  # noqa: N818 - how a transfer ended
    """What is said of it, and the exit code."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


async def curl(process: Process) -> int:
    options, urls = _read_curl(process.args)
    status = 0
    for url in urls:
        status = await _transferred(process, options, url)
    return status


def _read_curl(args: Sequence[str]) -> tuple[Options, list[Url]]:
    """What is wanted, and from where. Raises `Usage`."""
    options = read_options(args, _OPTIONS)
    urls = (*options.all("url"), *options.rest)
    if not urls:
        raise Usage("try 'curl --help' for more information")
    lacking = next((what for word, what in _NOT_SIMULATED.items() if word in options), "")
    if "cookie" in options and any("=" not in one for one in options.all("cookie")):
        lacking = "files of cookies"
    if "globoff" not in options and any(_GLOBBED.search(url) for url in urls):
        lacking = "several addresses in one"
    if lacking:
        raise Usage(f"{lacking} aren't simulated here")
    for word in ("max-time", "connect-timeout", "retry", "retry-delay", "retry-max-time", "max-redirs"):
        read_seconds(options.last(word), 1.0)
    return options, list(map(read_url, urls))


async def _transferred(process: Process, options: Options, url: Url) -> int:
    """Get one thing, again where that is wanted; gives the exit code."""
    waits_s, tries = read_seconds(options.last("retry-delay"), 1.0), int(read_seconds(options.last("retry"), 0.0))
    until = process.world.now() + read_seconds(options.last("retry-max-time"), FOR_EVER_S)
    while True:
        may_again = tries > 0 and process.world.now() + waits_s <= until
        try:
            reached = await _tried(process, options, url)
            if not may_again or reached.answered.response.status not in _TRANSIENT:
                return await _taken(process, options, reached)
        except _Failure as failure:
            again = failure.code == _TIMED_OUT or "retry-all-errors" in options
            again = again or (failure.code == _UNCONNECTED and "retry-connrefused" in options)
            if not may_again or not again:
                if "silent" not in options or "show-error" in options:
                    await process.streams.complain(f"curl: ({failure.code}) {failure}\n".encode("utf-8", "surrogateescape"))
                if failure.code != _FAILED:
                    await _write_out(process, options, {"http_code": "000", "url_effective": url.text})
                return failure.code
        tries -= 1
        await process.work.rest(process.world, waits_s)
        waits_s = waits_s if "retry-delay" in options else min(2 * waits_s, _LONGEST_WAIT_S)


async def _tried(process: Process, options: Options, url: Url) -> _Reached:
    """An answer, of whom others lead to where that is wanted. Raises `_Failure`."""
    data = await _data(process, options)
    if "get" in options and data:
        query = data.decode("utf-8", "surrogateescape")
        url, data = url._replace(target=f"{url.target}{'&' if '?' in url.target else '?'}{query}"), b""
    method = "HEAD" if "head" in options else "POST" if data else "GET"
    given = options.last("max-redirs")
    most, redirects, heads, first = int(given) if given.isdecimal() else _MOST_REDIRECTS, 0, b"", url
    while True:
        answered = await _asked(process, options, url, options.last("request") or method, data, is_first=url.host == first.host)
        status, place = answered.response.status, _location(answered)
        if "location" not in options or status not in _MOVED or not place:
            return _Reached(answered, url, redirects, heads)
        if redirects == most:
            raise _Failure(_TOO_MANY_REDIRECTS, f"Maximum ({most}) redirects followed")
        redirects, heads = redirects + 1, heads + _head(answered)
        try:
            url = read_url(urljoin(url.text, place))
        except Usage as wrong:
            raise _Failure(_UNRESOLVED, str(wrong)) from None
        if status in _ASKED_ANEW:
            data, method = b"", "GET" if method == "POST" else method


async def _asked(process: Process, options: Options, url: Url, method: str, data: bytes, *, is_first: bool) -> Answered:
    """What one host answers; only the first is told who asks. Raises `_Failure`."""
    headers = {"User-Agent": options.last("user-agent", "curl/8.5.0"), "Accept": "*/*"}
    if "compressed" in options:
        headers["Accept-Encoding"] = "deflate, gzip"
    if "referer" in options:
        headers["Referer"] = options.last("referer")
    if "cookie" in options:
        headers["Cookie"] = "; ".join(options.all("cookie"))
    if data:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    if "user" in options and is_first:
        who = options.last("user") if ":" in options.last("user") else f"{options.last('user')}:"
        headers["Authorization"] = f"Basic {b64encode(who.encode('utf-8', 'surrogateescape')).decode()}"
    headers |= read_headers(options.all("header"))
    timeout_s = min(read_seconds(options.last(word), CONNECT_TIMEOUT_S) for word in ("connect-timeout", "max-time"))
    family = 4 if "ipv4" in options else 6 if "ipv6" in options else 0
    try:
        answered = await asked(process, url, method, headers, data, timeout_s, family)
    except UnknownHostError:
        raise _Failure(_UNRESOLVED, f"Could not resolve host: {url.host}") from None
    except NotConnectedError as error:
        if error.why == TIMED_OUT:
            raise _Failure(_TIMED_OUT, f"Connection timed out after {round(timeout_s * 1000) + 1} milliseconds") from None
        raise _Failure(_UNCONNECTED, f"Failed to connect to {url.host} port {url.port} after 0 ms: Couldn't connect to server") from None
    if "verbose" in options:
        await _say_all(process, url, method, headers, answered)
    return answered


def _location(answered: Answered) -> str:
    """Where an answer leads to."""
    return next((value for name, value in answered.headers.items() if name.lower() == "location"), "")


def _head(answered: Answered) -> bytes:
    return "".join(f"{line}\r\n" for line in (answered.status_line, *_lines(answered.headers), "")).encode("utf-8", "replace")


async def _data(process: Process, options: Options) -> bytes:
    """What is sent; behind ``@``, what is in a file. Raises `_Failure`."""
    pieces: list[bytes] = []
    for word in ("data", "data-raw", "data-binary"):
        for value in options.all(word):
            if word == "data-raw" or not value.startswith("@"):
                pieces.append(value.encode("utf-8", "surrogateescape"))
                continue
            try:
                content = await process.content(value[1:])
            except FileError:
                raise _Failure(_UNREAD, f"Failed to open {value[1:]}") from None
            pieces.append(content if word == "data-binary" else content.replace(b"\n", b""))
    return b"&".join(pieces)


async def _say_all(process: Process, url: Url, method: str, headers: dict[str, str], answered: Answered) -> None:
    """Say what was sent and what came, as ``-v`` asks for."""
    said = [
        f"*   Trying {answered.address}:{url.port}...",
        f"* Connected to {url.host} ({answered.address}) port {url.port}",
        *(f"> {line}" for line in (f"{method} {url.target} HTTP/1.1", f"Host: {url.host}", *_lines(headers), "")),
        *(f"< {line}" for line in (answered.status_line, *_lines(answered.headers), "")),
    ]
    await process.streams.complain("".join(f"{line}\n" for line in said).encode("utf-8", "surrogateescape"))


def _lines(headers: dict[str, str]) -> list[str]:
    return [f"{name}: {value}" for name, value in headers.items()]


async def _taken(process: Process, options: Options, reached: _Reached) -> int:
    """What is done with an answer. Raises `_Failure`."""
    answered = reached.answered
    status, body = answered.response.status, answered.response.body
    known = {
        "http_code": str(status), "response_code": str(status), "url_effective": reached.url.text, "num_redirects": str(reached.redirects),
        "size_download": str(len(body)), "remote_ip": answered.address, "content_type": answered.response.content_type,
    }  # fmt: skip
    if status >= FAILED and "fail" in options:
        await _write_out(process, options, known)
        raise _Failure(_FAILED, f"The requested URL returned error: {status}")
    heads = reached.heads + _head(answered)
    wanted = heads if "head" in options else heads + body if "include" in options else body
    path = options.last("output") or (reached.url.name if "remote-name" in options else "")
    if options.values.keys().isdisjoint(("silent", "no-progress-meter")) and path not in {"", "-"}:
        await process.streams.complain((_BAR if "progress-bar" in options else _meter(len(body))).encode())
    if path in {"", "-"}:
        await process.give(wanted)
    elif path != "/dev/null":
        try:
            with naming(path):
                await _put(process, options, path, wanted)
        except FileError as error:
            raise _Failure(_WRITE_FAILED, f"client returned ERROR on write: {error}") from None
        await process.effort(len(wanted))
    await _write_out(process, options, known)
    if status >= FAILED and "fail-with-body" in options:
        raise _Failure(_FAILED, f"The requested URL returned error: {status}")
    return 0


async def _put(process: Process, options: Options, path: str, content: bytes) -> None:
    """Raises `FileError`."""
    if "create-dirs" in options:
        process.world.tree.make_directory(posixpath.dirname(process.path(path)), process.world.now(), parents=True, umask=process.umask)
    await process.put(path, content)


_BAR = f"\r{'#' * 72} 100.0%\n"


def _meter(size: int) -> str:
    return f"{_METER}\r100 {size:>5}  100 {size:>5}    0     0  {size:>5}      0 --:--:-- --:--:-- --:--:-- {size:>5}\n"


async def _write_out(process: Process, options: Options, known: dict[str, str]) -> None:
    """What ``-w`` asks for; what isn't known of an answer that never went over a wire is nought."""

    def put(found: re.Match[str]) -> str:
        return known.get(found[1], "0") if found[1] else {"n": "\n", "r": "\r", "t": "\t"}[found[2]]

    text = options.last("write-out")
    if text:
        await process.say(_WRITTEN_OUT.sub(put, text))


def _hosts(args: Sequence[str]) -> list[str]:
    return [url.host for url in _read_curl(args)[1]]


def _keeps_nothing(args: Sequence[str]) -> bool:
    """Whether all that comes is said, or left out. Raises `Usage`."""
    options, _ = _read_curl(args)
    return "remote-name" not in options and set(options.all("output")) <= {"-", "/dev/null"}


CURL: dict[str, SimulatedProgram] = {
    "curl": SimulatedProgram(curl, takes_s=1.0, reaches=_hosts, changes="content", changes_nothing=_keeps_nothing),
}
