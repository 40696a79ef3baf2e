"""Functions of the sprig library that make other words of words: cases, lines, abbreviations, paths and addresses."""

import posixpath
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit, urlunsplit

from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.formatting import check_length
from svcsim.meta.types import Json
from svcsim.nodes.staged.sprig.values import given, integer, map_of, text_of

_HUMPS = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[-_\s]+")
_LEAST_ABBREVIATED = 4
_LEAST_ABBREVIATED_TWICE = 7


def _words(text: str) -> list[str]:
    return [word for piece in _BETWEEN.split(text) for word in _HUMPS.split(piece) if word]


def _camel(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _BETWEEN.split(text))


def wrapped(width: int, end: str, text: str, *, breaks: bool) -> str:
    """A text in lines of so many characters; ``breaks`` says whether words that are longer are cut."""
    width = max(width, 1)
    lines: list[str] = []
    line: list[str] = []
    used = 0
    for word in text.split(" "):
        rest = word
        if line and used + 1 + len(rest) > width:
            lines.append(" ".join(line))
            line, used = [], 0
        while breaks and len(rest) > width:
            lines.append(rest[:width])
            rest = rest[width:]
        used += len(rest) + (1 if line else 0)
        line.append(rest)
    check_length(len(text) + len(end) * len(lines))
    return end.join([*lines, " ".join(line)])


def _abbreviated_twice(left: Json, right: Json, text: Json) -> str:
    offset, width, whole = integer(left), integer(right), text_of(text)
    if width < _LEAST_ABBREVIATED or (offset > 0 and width < _LEAST_ABBREVIATED_TWICE) or len(whole) <= width:
        return whole
    kept = width - 3
    offset = min(offset, len(whole))
    if len(whole) - offset < kept:
        offset = len(whole) - kept
    if offset <= _LEAST_ABBREVIATED:
        return f"{whole[:kept]}..."
    if offset + kept < len(whole):
        return f"...{whole[offset : offset + kept - 3]}..."
    return f"...{whole[len(whole) - kept :]}"


def _cleaned(path: str) -> str:
    made = posixpath.normpath(path) if path else "."
    return made[1:] if made.startswith("//") else made


def _base(path: str) -> str:
    return "." if not path else path.rstrip("/").rpartition("/")[2] or "/"


def _directory(path: str) -> str:
    head, slash, _ = path.rpartition("/")
    return _cleaned(head + slash)


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""


def _url(text: str) -> Json:
    try:
        found = urlsplit(text)
        hostname = found.hostname or ""
    except ValueError as error:
        raise CallError(f"unable to parse url: {error}") from None
    user, at, host = found.netloc.rpartition("@")
    return {
        "scheme": found.scheme,
        "host": host,
        "hostname": hostname,
        "path": found.path,
        "query": found.query,
        "opaque": "",
        "fragment": found.fragment,
        "userinfo": user if at else "",
    }


def _url_of(parts: Json) -> str:
    known = {key: text_of(value) for key, value in map_of(parts).items()}
    user = known.get("userinfo")
    host = f"{user}@{known.get('host', '')}" if user else known.get("host", "")
    return urlunsplit((known.get("scheme", ""), host, known.get("path", ""), known.get("query", ""), known.get("fragment", "")))


PATHS: Mapping[str, Callable[[str], Json]] = {
    "base": _base,
    "clean": _cleaned,
    "dir": _directory,
    "ext": _extension,
    "isAbs": lambda path: path.startswith("/"),
}
WORDS: Mapping[str, Callable[[str], Json]] = {
    **PATHS,
    **{f"os{name[0].upper()}{name[1:]}": run for name, run in PATHS.items()},
    "camelcase": _camel,
    "initials": lambda text: "".join(word[0] for word in text.split()),
    "kebabcase": lambda text: "-".join(_words(text)).lower(),
    "snakecase": lambda text: "_".join(_words(text)).lower(),
    "swapcase": str.swapcase,
    "untitle": lambda text: re.sub(r"\b\w", lambda found: found[0].lower(), text),
    "urlParse": _url,
}
"""Functions of one text."""
OF_SEVERAL: Mapping[str, tuple[Callable[..., Json], int, int]] = {
    "abbrevboth": (_abbreviated_twice, 3, 3),
    "cat": (lambda *values: " ".join(text_of(value) for value in values if given(value) is not None), 0, -1),
    "plural": (lambda one, many, count: text_of(one if integer(count) == 1 else many), 3, 3),
    "urlJoin": (_url_of, 1, 1),
    "wrap": (lambda width, text: wrapped(integer(width), "\n", text_of(text), breaks=False), 2, 2),
    "wrapWith": (lambda width, end, text: wrapped(integer(width), text_of(end), text_of(text), breaks=True), 3, 3),
}
"""The others, with how many values they take at the least and at the most."""
