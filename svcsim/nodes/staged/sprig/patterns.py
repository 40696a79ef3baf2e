"""Functions of the sprig library that look for regular expressions.

They are RE2's, as Go's are: one look at a text takes time in proportion to its length, whatever the expression, and needs no more memory
than is granted to it. Texts, and how often something is found in one, are bounded by `limits` as well.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from svcsim import limits
from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.formatting import check_length
from svcsim.meta.re2_options import re2_options
from svcsim.meta.types import Json
from svcsim.nodes.staged.sprig.values import integer, text_of

_GROUP = re.compile(rb"\$(?:\$|\{(\w+)\}|(\w+))")


class _Found(Protocol):
    """What `re2` tells of a match."""

    def span(self) -> tuple[int, int]: ...

    def group(self, name: int | bytes = 0) -> bytes | None: ...


def _all(pattern: Json, text: Json, most: int = -1) -> Iterator[_Found]:
    """The matches in a text, up to so many. Raises `CallError`."""
    import re2  # noqa: PLC0415 - which most clusters never need

    from svcsim.schema.patterns import wrong_with  # noqa: PLC0415 - loads it, too

    spelled, searched = text_of(pattern), text_of(text).encode()
    if len(searched) > limits.TEMPLATE_PATTERN_CHARS:
        raise CallError(f"a text longer than {limits.TEMPLATE_PATTERN_CHARS} bytes is not searched for a regular expression")
    why = wrong_with(spelled)
    if why:
        raise CallError(why)
    options = re2_options(most_bytes=limits.TEMPLATE_PATTERN_BYTES)
    try:
        expression = re2.compile(spelled.encode(), options=options)
    except re2.error:
        raise CallError("error parsing regexp: expression too large") from None
    count, last = 0, -1
    for found in expression.finditer(searched):
        start, end = found.span()
        if start == end == last:
            continue  # nothing, right behind something
        if 0 <= most <= count:
            return
        if count >= limits.TEMPLATE_MATCHES:
            raise CallError(f"a regular expression is found more than {limits.TEMPLATE_MATCHES} times")
        count, last = count + 1, end
        yield found


def _text(found: _Found) -> str:
    return (found.group() or b"").decode(errors="replace")


def _first(pattern: Json, text: Json) -> str:
    return next(map(_text, _all(pattern, text, 1)), "")


def _each(pattern: Json, text: Json, most: Json) -> Json:
    return list(map(_text, _all(pattern, text, integer(most))))


def _expanded(found: _Found, template: bytes) -> bytes:
    """What a match is replaced by: ``$1``, ``${1}`` and ``${name}`` stand for its groups, ``$$`` for a dollar."""

    def group(reference: re.Match[bytes]) -> bytes:
        name: bytes = reference[1] or reference[2] or b""
        if not name:
            return b"$"
        try:
            return found.group(int(name) if name.isdigit() else name) or b""
        except (IndexError, KeyError):
            return b""

    return _GROUP.sub(group, template)


def _replaced(pattern: Json, text: Json, replacement: Json, *, literally: bool = False) -> str:
    whole, template = text_of(text).encode(), text_of(replacement).encode()
    pieces: list[bytes] = []
    length, last = 0, 0
    for found in _all(pattern, text):
        start, end = found.span()
        made = template if literally else _expanded(found, template)
        length += start - last + len(made)
        check_length(length)
        pieces += [whole[last:start], made]
        last = end
    return b"".join([*pieces, whole[last:]]).decode(errors="replace")


def _split(pattern: Json, text: Json, most: Json) -> Json:
    """The parts between the matches, up to so many."""
    count, whole = integer(most), text_of(text).encode()
    if not count:
        return []
    parts: list[bytes] = []
    last = 0
    for found in _all(pattern, text):
        start, end = found.span()
        if 0 < count <= len(parts) + 1:
            break
        if end == 0 or (start == end == len(whole)):
            continue  # what is empty at an end parts nothing
        parts.append(whole[last:start])
        last = end
    return [part.decode(errors="replace") for part in (*parts, whole[last:])]


PATTERNS: Mapping[str, tuple[Callable[..., Json], int]] = {
    "regexFind": (_first, 2),
    "regexFindAll": (_each, 3),
    "regexMatch": (lambda pattern, text: any(True for _ in _all(pattern, text, 1)), 2),
    "regexQuoteMeta": (lambda text: re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text_of(text)), 1),
    "regexReplaceAll": (_replaced, 3),
    "regexReplaceAllLiteral": (lambda pattern, text, new: _replaced(pattern, text, new, literally=True), 3),
    "regexSplit": (_split, 3),
}
"""By name, with how many values they take."""
