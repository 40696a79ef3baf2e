"""The head of an HTTP answer as bytes. What repeats is kept ready: most answers differ in their length alone."""

from http import HTTPStatus

from svcsim import limits
from svcsim.meta.http import Response
from svcsim.meta.times import http_date
from svcsim.wall import wall_time

_REASONS = {int(status): status.phrase for status in HTTPStatus}
END_OF_CHUNKS = b"0\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class ResponseHeads:
    """Makes heads, and remembers their beginnings."""

    def __init__(self) -> None:
        self._ready: dict[tuple[int, str, bool], bytes] = {}
        self._date_s = 0
        self._date = b""

    def whole(self, response: Response, size: int, *, close: bool) -> bytes:
        """For a body of known length."""
        end = b"\r\nConnection: close\r\n\r\n" if close else b"\r\n\r\n"
        return b"%bContent-Length: %d%b" % (self._beginning(response), size, end)

    def alone(self, response: Response, *, close: bool) -> bytes:
        """For an answer that ends with its head: neither a length nor a coding is told."""
        return self._beginning(response) + (b"Connection: close\r\n\r\n" if close else b"\r\n")

    def stream(self, response: Response, *, chunked: bool, close: bool) -> bytes:
        """For pieces: chunked, or of a total length that the answer's headers tell, or up to the end of the connection."""
        beginning = self._beginning(response)
        if chunked:
            beginning += b"Transfer-Encoding: chunked\r\n"
        return beginning + (b"Connection: close\r\n\r\n" if close else b"\r\n")

    def _beginning(self, response: Response) -> bytes:
        key = (response.status, response.content_type, "Cache-Control" in response.headers)
        beginning = self._ready.get(key)
        if beginning is None:
            beginning = self._first_lines(*key)
            if len(self._ready) < limits.RESPONSE_HEADS:
                self._ready[key] = beginning
        if "Date" not in response.headers:
            beginning += self._date_line()
        for name, value in response.headers.items():
            beginning += f"{name}: {_one_line(value)}\r\n".encode(errors="replace")
        for value in response.cookies:
            beginning += f"Set-Cookie: {_one_line(value)}\r\n".encode(errors="replace")
        return beginning

    def _first_lines(self, status: int, content_type: str, own_caching: bool) -> bytes:
        lines = f"HTTP/1.1 {status} {_REASONS.get(status, 'Unknown')}\r\n"
        if not own_caching:
            lines += "Cache-Control: no-cache, private\r\n"
        if content_type and status != HTTPStatus.NOT_MODIFIED:
            lines += f"Content-Type: {_one_line(content_type)}\r\n"
        return lines.encode(errors="replace")

    def _date_line(self) -> bytes:
        now = int(wall_time())
        if now != self._date_s:
            self._date_s, self._date = now, f"Date: {http_date(now)}\r\n".encode()
        return self._date


def _one_line(value: str) -> str:
    return value.replace("\r", " ").replace("\n", " ")
