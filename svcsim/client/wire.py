"""HTTP/1.1 on a socket: as much of it as a command needs, and no more.

``http.client`` takes a good part of such a command's time to import. One `Connection` carries one exchange after another. Bodies come with
their length, in chunks, or until the server closes.
"""

import select
import socket
from collections.abc import Callable, Iterable, Iterator

from svcsim import limits
from svcsim.wall import stopwatch

SWITCHED = 101
"""The status that agrees to another protocol."""
_NOT_YET = 2
"""The number of the error where what came is nothing but TLS's own (`ssl.SSL_ERROR_WANT_READ`)."""
_PIECE_BYTES = 64 * 1024


class WireError(OSError):
    """What came is not the answer to a request, or not the whole of it."""


class Connection:
    """A connected socket on which requests are asked and answered."""

    def __init__(self, sock: socket.socket) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.reusable = False
        """Whether the last answer has been read to its end, and the server will take another request."""
        self._sock = sock
        self._file = sock.makefile("rb")
        self._method = ""

    def close(self) -> None:
        """Let go of the socket."""
        self._file.close()
        self._sock.close()

    def taken_over(self) -> tuple[socket.socket, bytes]:
        """The socket, for code that continues in another protocol, and the bytes of it that have come already."""
        self._sock.setblocking(False)
        try:
            early = self._file.peek()
        except OSError:  # nothing has come yet
            early = b""
        return self._sock, early

    def is_quiet(self) -> bool:
        """Whether nothing has come since the last answer: what comes unasked is the connection's end."""
        return not select.select([self._sock], [], [], 0)[0]

    def wait(self, seconds: float | None) -> None:
        """From now on the server may keep silent so long; None is as long as it likes."""
        self._sock.settimeout(seconds)

    def ask(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes, on_silence: Callable[[], None] | None = None
    ) -> None:
        """Send a request and read the head of its answer; ``on_silence`` is called where that takes long."""
        self.reusable = False
        self._method = method
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        if body or method in {"POST", "PUT", "PATCH"}:
            lines.append(f"content-length: {len(body)}")
        for line in lines[1:]:
            if not line.isprintable():
                raise WireError(f"the header {line.partition(':')[0]} would have characters that can't be sent")
        if not lines[0].isprintable() or " " in target:
            raise WireError(f"invalid request: {lines[0]!r}")
        self._sock.sendall("\r\n".join((*lines, "", "")).encode() + body)
        if on_silence is not None and not self._answers_within(limits.SILENT_S):
            on_silence()
        self._read_head()
        while self.status < 200 and self.status != SWITCHED:  # only announced
            self._read_head()

    def _answers_within(self, seconds: float) -> bool:
        """Whether something of an answer has come by then, be it the connection's end."""
        patience_s, until_s = self._sock.gettimeout(), stopwatch() + seconds
        self._sock.setblocking(False)
        try:
            while select.select([self._sock], [], [], max(until_s - stopwatch(), 0.0))[0]:
                try:
                    self._file.peek(1)
                except OSError as error:
                    if error.errno == _NOT_YET:
                        continue
                return True  # what is wrong shows when it is read
            return False
        finally:
            self._sock.settimeout(patience_s)

    def pieces(self) -> Iterator[bytes]:
        """The answer's body, as it comes."""
        length = self.headers.get("content-length")
        if self._method == "HEAD" or self.status in {204, 304}:
            pass
        elif self.headers.get("transfer-encoding", "").lower() == "chunked":
            yield from self._chunks()
        elif length is not None:
            yield from self._counted(int(length))
        else:
            while piece := self._file.read1(_PIECE_BYTES):
                yield piece
            return
        self.reusable = self.headers.get("connection", "").lower() != "close"

    def _read_head(self) -> None:
        version, _, rest = self._line().partition(" ")
        code = rest[:3]
        if not version.startswith("HTTP/1.") or not code.isdigit():
            raise WireError("the server does not speak HTTP")
        self.status = int(code)
        self.headers = {}
        while line := self._line():
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()

    def _line(self) -> str:
        line = self._file.readline(limits.HEADER_BYTES)
        if not line.endswith(b"\n"):
            raise WireError("EOF")
        return line.rstrip(b"\r\n").decode(errors="replace")

    def _chunks(self) -> Iterator[bytes]:
        while True:
            size = self._line().partition(";")[0].strip()
            try:
                length = int(size, 16)
            except ValueError:
                raise WireError("the answer's chunks are out of step") from None
            if length == 0:
                while self._line():
                    pass  # trailers say nothing to us
                return
            yield from self._counted(length)
            self._line()

    def _counted(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self._file.read1(min(length, _PIECE_BYTES))
            if not piece:
                raise WireError("EOF")
            length -= len(piece)
            yield piece
