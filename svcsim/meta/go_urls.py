"""URLs as Go's ``net/url`` reads them: what it takes, what it refuses and in which words, and what it says of their parts.

Kubernetes asks Go about each URL of others, and Python's ``urlsplit`` has other ideas: it takes blanks in the name of a host and escapes
that mean nothing, drops tabs, and refuses large ports. The syntax is that of RFC 3986, with what Go adds to it: zones of IPv6 addresses as
in RFC 6874, and a few characters that people write though they shouldn't.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_plus, unquote_to_bytes

from svcsim.meta.go_addresses import read_address
from svcsim.meta.quoting import quoted

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_PORT = re.compile(r"(?::[0-9]*)?", re.ASCII)
_WRONG_ESCAPE = re.compile(r"%(?![0-9a-fA-F]{2}).{0,2}", re.ASCII | re.DOTALL)
_PIECE = re.compile(r"%(?P<digits>[0-9a-fA-F]{2})|(?P<wrong>%.{0,2})|.", re.ASCII | re.DOTALL)
_USER = re.compile(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*", re.ASCII)
_IN_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/\[\]%-]*", re.ASCII)
_IN_FRAGMENT = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/?\[\]%-]*", re.ASCII)
_HOST_MARKS: Final = "!$&'()*+,;=:[]<>\""
"""What may stand in the name of a host beside letters, digits and ``-_.~``; brackets and a colon for addresses and ports."""
_IN_HOST = re.compile(rf"[A-Za-z0-9._~{re.escape(_HOST_MARKS)}-]", re.ASCII)
_SAFE_IN_PATH: Final = "$&+,/:;=@"
_SAFE_IN_FRAGMENT: Final = "$&+,/:;=?@!()*"
_SAFE_IN_USER: Final = "$&+,;="
_PERCENT: Final = "%25"
"""An escaped percent sign: how a zone begins within a URL."""


class Url(NamedTuple):
    """A URL in parts."""

    scheme: str = ""
    opaque: str = ""
    """What follows the scheme where no slash does: of an address of mail."""
    user: str | None = None
    """Who asks, and with which password; escaped. None where nobody is named, which isn't the same as an empty name."""
    host: str = ""
    """With the port, not escaped."""
    raw_path: str = ""
    query: str | None = None
    """As it is written. None where there is no question mark."""
    fragment: str = ""
    """Escaped."""
    has_authority: bool = False
    """Whether two slashes stand before the host, even if it is empty."""

    @property
    def escaped_path(self) -> str:
        """As it was written where that may be, and else escaped anew."""
        return _escaped(self.raw_path, _IN_PATH, _SAFE_IN_PATH)

    @property
    def hostname(self) -> str:
        """The host without its port, and without the brackets around an IPv6 address."""
        name = self._host_and_port()[0]
        return name[1:-1] if name.startswith("[") and name.endswith("]") else name

    @property
    def port(self) -> str:
        """The digits behind the host."""
        return self._host_and_port()[1]

    def _host_and_port(self) -> tuple[str, str]:
        name, colon, port = self.host.rpartition(":")
        return (name, port) if colon and _PORT.fullmatch(f":{port}") else (self.host, "")

    def values(self) -> Mapping[str, list[str]]:
        """What the query says, by its keys; pairs that can't be read are passed over."""
        found: dict[str, list[str]] = {}
        for pair in (self.query or "").split("&"):
            key, _equals, value = pair.partition("=")
            if pair and ";" not in pair and not _wrong_escape(pair):
                found.setdefault(unquote_plus(key), []).append(unquote_plus(value))
        return found

    def __str__(self) -> str:
        """As Go writes it down: two URLs are the same that are written down in the same way."""
        path = self.escaped_path
        scheme = f"{self.scheme}:" if self.scheme else ""
        query = "" if self.query is None else f"?{self.query}"
        fragment = f"#{self.fragment}" if self.fragment else ""
        user = "" if self.user is None else f"{self.user}@"
        host = quote(self.host, safe=_HOST_MARKS)
        slashes = "//" if self.has_authority and (host or path or self.user is not None) else ""
        dot = "./" if not scheme and not slashes and ":" in path.partition("/")[0] else ""
        return f"{scheme}{self.opaque}{slashes}{user}{host}{dot}{path}{query}{fragment}"


def parse_url(text: str) -> Url:
    """A URL, or what it is relative to another one. Raises ValueError."""
    before, _mark, fragment = text.partition("#")
    url = _told_of(before, request=False)
    if wrong := _wrong_escape(fragment):
        raise ValueError(f"parse {quoted(text)}: {wrong}")
    return url._replace(fragment=_escaped(fragment, _IN_FRAGMENT, _SAFE_IN_FRAGMENT))


def parse_request_uri(text: str) -> Url:
    """A URL with a scheme, or an absolute path, as a client asks for it: without a fragment. Raises ValueError."""
    return _told_of(text, request=True)


def _told_of(text: str, *, request: bool) -> Url:
    try:
        return _parse(text, request=request)
    except ValueError as error:
        raise ValueError(f"parse {quoted(text)}: {error}") from None


def _parse(text: str, *, request: bool) -> Url:
    if _CONTROL.search(text):
        raise ValueError("net/url: invalid control character in URL")
    if not text and request:
        raise ValueError("empty url")
    if text == "*":
        return Url(raw_path="*")
    if text.startswith(":"):
        raise ValueError("missing protocol scheme")
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    rest, mark, asked = text[found.end() if found else 0 :].partition("?")
    query = asked if mark else None
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, opaque=rest, query=query)
        _check_relative(rest, request=request)
    has_authority = rest.startswith("//") and (bool(scheme) or not (request or rest.startswith("///")))
    user, host = None, ""
    if has_authority:
        authority, slash, below = rest[2:].partition("/")
        user, host = _authority(authority)
        rest = slash + below
    if wrong := _wrong_escape(rest):
        raise ValueError(wrong)
    return Url(scheme, "", user, host, rest, query, has_authority=has_authority)


def _check_relative(path: str, *, request: bool) -> None:
    if request:
        raise ValueError("invalid URI for request")
    if ":" in path.partition("/")[0]:
        raise ValueError("first path segment in URL cannot contain colon")


def _authority(text: str) -> tuple[str | None, str]:
    """Who asks, and the host that is asked."""
    user, at, written = text.rpartition("@")
    host = _host(written)
    if not at:
        return None, host
    if not _USER.fullmatch(user):
        raise ValueError("net/url: invalid userinfo")
    parts = user.split(":", 1)
    if wrong := next(filter(None, map(_wrong_escape, parts)), ""):
        raise ValueError(wrong)
    return ":".join(quote(unquote_to_bytes(part), safe=_SAFE_IN_USER) for part in parts), host


def _host(text: str) -> str:
    """A host and its port, without escapes."""
    if "[" in text:
        return _literal(text)
    _name, colon, port = text.rpartition(":")
    _check_port(colon + port if colon else "")
    return _host_name(text)


def _literal(text: str) -> str:
    """An IPv6 address between brackets, and a port."""
    if not text.startswith("["):
        raise ValueError("invalid IP-literal")
    within, bracket, port = text.rpartition("]")
    if not bracket:
        raise ValueError("missing ']' in host")
    _check_port(port)
    name, percent, zone = within[1:].partition(_PERCENT)
    address = _host_name(name) + _host_name(percent + zone, zone=True)
    try:
        found = read_address(address)
    except ValueError as error:
        raise ValueError(f"invalid host: {error}") from None
    if found.version == 4:
        raise ValueError("invalid IP-literal")
    return f"[{address}]{port}"


def _check_port(text: str) -> None:
    if not _PORT.fullmatch(text):
        raise ValueError(f"invalid port {quoted(text)} after host")


def _host_name(text: str, *, zone: bool = False) -> str:
    """The name of a host, or the ``zone`` of an address, without escapes."""
    for piece in _PIECE.finditer(text):
        if piece["wrong"] or (piece["digits"] and not _may_be_escaped(piece["digits"], zone=zone)):
            raise ValueError(_told_escape(piece[0]))
        if not piece["digits"] and piece[0].isascii() and not _IN_HOST.fullmatch(piece[0]):
            raise ValueError(f"invalid character {quoted(piece[0])} in host name")
    return _unescaped(text)


def _may_be_escaped(digits: str, *, zone: bool) -> bool:
    """In a name what isn't ASCII; in a zone what could be written as well, and blanks, for Windows has such. A percent sign in both."""
    char = chr(int(digits, 16))
    return char == "%" or (char == " " or bool(_IN_HOST.fullmatch(char)) if zone else not char.isascii())


def _wrong_escape(text: str) -> str:
    """What is wrong with the first percent sign that no two digits follow; empty where there is none."""
    found = _WRONG_ESCAPE.search(text)
    return _told_escape(found[0]) if found else ""


def _told_escape(text: str) -> str:
    return f"invalid URL escape {quoted(text)}"


def _unescaped(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "replace")


def _escaped(text: str, allowed: re.Pattern[str], safe: str) -> str:
    """A part as it was written where nothing stands in it that can't, and else escaped anew."""
    return text if allowed.fullmatch(text) else quote(unquote_to_bytes(text), safe=safe)
