"""A command in a container and this terminal, connected: what is typed goes there, what it says comes here, and so does how it ends."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.paused_clock import told_if_paused
from svcsim.cli.shared.session import Session, load
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.client.sockets import ClientSocket

_PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE, _CLOSING = 0, 1, 2, 3, 4, 255
_PIECE_BYTES = 32 * 1024
_LOOK_S = 0.25
"""How often the size of the terminal is looked at."""

Sink = Callable[[bytes], object]
Source = Callable[[], bytes]
"""Gives what is to be sent next; nothing at the end."""


class Wish(NamedTuple):
    """What is to be connected."""

    subresource: str
    """``exec`` or ``attach``."""
    container: str
    command: tuple[str, ...] = ()
    tty: bool = False

    def query(self, *, stdin: bool) -> str:
        """As the API wants it."""
        pairs = [("command", word) for word in self.command]
        pairs.append(("container", self.container))
        flags = {"stdin": stdin, "stdout": True, "stderr": not self.tty, "tty": self.tty}
        return urlencode([*pairs, *((name, "true") for name, on in flags.items() if on)])


def connect(session: Session, pod: Object, wish: Wish, out: Sink, err: Sink, source: "int | Source | None" = None) -> int:
    """Have it run; gives its exit status. ``source`` is a file descriptor or makes what is sent.

    Raises `StatusError` and `CommandError`, and `ConnectionError` where the server goes away meanwhile.
    """
    from svcsim.client.wire import WireError

    path = session.discovery.find("pods").path(namespace_of(pod), name_of(pod), wish.subresource)
    socket = session.socket(path, wish.query(stdin=source is not None), _PROTOCOLS)
    try:
        return _Talk(socket, out, err, source, tty=wish.tty).run()
    except (WireError, ConnectionResetError) as error:
        raise ConnectionError("the connection to the server broke off") from error
    finally:
        socket.close()


class _Talk:
    def __init__(self, socket: "ClientSocket", out: Sink, err: Sink, source: "int | Source | None", *, tty: bool) -> None:
        self._socket = socket
        self._out, self._err = out, err
        self._source = source
        self._tty = tty
        self._size = (0, 0)
        self._status: Object | None = None

    def run(self) -> int:
        from svcsim.client.sockets import wait_for

        while True:
            if self._tty:
                self._tell_size()
            eager = self._source is not None and self._socket.unsent_bytes < _PIECE_BYTES
            waits = [self._socket, *((self._source,) if eager and isinstance(self._source, int) else ())]
            idle = not eager or isinstance(self._source, int)
            ready = wait_for(waits, [self._socket] if self._socket.unsent_bytes else [], (_LOOK_S if self._tty else None) if idle else 0)
            self._socket.flush()
            if eager and (not idle or self._source in ready):
                self._send_more()
            if self._socket in ready:
                messages = self._socket.receive()
                if messages is None:
                    return self._ended()
                for message in messages:
                    self._take(message)

    def _tell_size(self) -> None:
        with terminal_there():
            size = tuple(os.get_terminal_size(sys.stdin.fileno()))
        if size != self._size:
            self._size = (size[0], size[1])
            self._socket.send(bytes((_RESIZE,)) + b'{"Width":%d,"Height":%d}' % size)

    def _send_more(self) -> None:
        assert self._source is not None, "there is something to be sent"
        with terminal_there():
            data = os.read(self._source, _PIECE_BYTES) if isinstance(self._source, int) else self._source()
        if data:
            self._socket.send(bytes((_STDIN,)) + data)
            return
        self._source = None
        if self._socket.protocol == _PROTOCOLS[0]:
            self._socket.send(bytes((_CLOSING, _STDIN)))

    def _take(self, message: bytes) -> None:
        channel, data = message[0] if message else _STDOUT, message[1:]
        if not data:
            return
        if channel == _STDOUT:
            self._out(data)
        elif channel == _STDERR:
            self._err(data)
        elif channel == _ERROR:
            self._status = load(data)

    def _ended(self) -> int:
        status = self._status or {}
        if status.get("status") == "Success":
            return 0
        if status.get("reason") == "NonZeroExitCode":
            causes = (status.get("details") or {}).get("causes") or []
            return next((int(cause["message"]) for cause in causes if cause.get("reason") == "ExitCode"), 1)
        raise CommandError(status.get("message") or "the server has ended the connection without saying how the command ended")


def run_here(session: Session, pod: Object, wish: Wish, *, stdin: bool) -> int:
    """Have it run at this terminal; gives its exit status, which is told where it is none of success."""
    source = sys.stdin.fileno() if stdin else None
    with nullcontext() if wish.tty else told_if_paused(session), _raw_terminal(wish.tty):  # whoever types may let it rest
        code = connect(session, pod, wish, _writer(1), _writer(2), source)
    if code:
        session.err.write(f"command terminated with exit code {code}\n")
    return code


def terminal_wanted(session: Session, *, stdin: bool, tty: bool, quiet: bool = False) -> bool:
    """Whether there is to be a terminal: one is asked for, and there is one here."""
    if not (stdin and tty):
        return False
    if not sys.stdin.isatty():
        if not quiet:
            session.err.write("Unable to use a TTY - input is not a terminal or the right kind of file\n")
        return False
    return True


def _writer(stream: int) -> Sink:
    def write(data: bytes) -> None:
        while data:
            with terminal_there():
                data = data[os.write(stream, data) :]

    return write


@contextmanager
def terminal_there() -> Iterator[None]:
    """Raises `OSError` that says so where the terminal has gone away, a window that was closed or a connection that broke off."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EIO, errno.ENOTTY):
            raise OSError(error.errno, "the terminal is gone") from error
        raise


@contextmanager
def _raw_terminal(wanted: bool) -> Iterator[None]:
    """While it lasts, every key goes to the other side as it is pressed."""
    if not wanted:
        yield
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin.fileno())
    tty.setraw(sys.stdin.fileno())
    try:
        yield
    finally:
        with suppress(termios.error):  # a terminal that is gone needs nothing put right
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)
