"""Regular expressions of queries: RE2's, which never go back, as those of Go's implementation of the language are.

A search takes a time that grows with the rest of the text and with the pattern; it is paid for beforehand, each anew, and patterns have a
limited length. RE2 counts in bytes, the language in characters.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.values import type_name
from svcsim.meta.jq.work import Work
from svcsim.meta.quoting import quoted
from svcsim.meta.re2_options import re2_options
from svcsim.meta.types import Json

if TYPE_CHECKING:
    import re2

_INSTRUCTIONS_A_STEP = 256
"""Instructions of a pattern, each looked at for one letter, that count as one step."""
_FLAGS = "gimnpslx"


def matches(work: Work, value: Json, pattern: Json, flags: Json) -> Json:
    """What a pattern matches, as maps; flags with ``g`` for all of it, else the first."""
    text, expression, options = _given(value, pattern, flags)
    found = list(_found(work, text, expression, every="g" in options))
    for one in found:
        work.make(letters=len(one["string"]), items=4 + 4 * len(one["captures"]))
    return found


def test(work: Work, value: Json, pattern: Json, flags: Json) -> bool:
    """Whether a pattern is found."""
    text, expression, _ = _given(value, pattern, flags)
    return next(_found(work, text, expression, every=False), None) is not None


def split_by(work: Work, value: Json, pattern: Json, flags: Json) -> Json:
    """The parts of a text between all that a pattern matches."""
    text, expression, _ = _given(value, pattern, flags)
    parts, at = [], 0
    for one in _found(work, text, expression, every=True):
        parts.append(text[at : one["offset"]])
        at = one["offset"] + one["length"]
    return [*parts, text[at:]]


def _given(value: Json, pattern: Json, flags: Json) -> tuple[str, "re2._Regexp", str]:
    if isinstance(pattern, list):
        pattern, flags = (*pattern, None, None)[:2]
    options = "" if flags is None else flags
    if not isinstance(value, str) or not isinstance(pattern, str) or not isinstance(options, str):
        raise JqError(f"a regular expression cannot be matched: {type_name(value)} with {type_name(pattern)}")
    if len(pattern) > limits.JQ_PATTERN_CHARS:
        raise JqError(f"a regular expression of more than {limits.JQ_PATTERN_CHARS} characters")
    unknown = options.strip(_FLAGS)
    if unknown:
        raise JqError(f"unsupported regular expression flag: {quoted(unknown[:10])}")
    return value, _compiled(pattern, options.replace("g", "")), options


@lru_cache(maxsize=limits.JQ_PATTERNS)
def _compiled(pattern: str, flags: str) -> "re2._Regexp":
    import re2  # noqa: PLC0415 - which most clusters never need

    options = re2_options(
        most_bytes=limits.JQ_PATTERN_BYTES,
        ignores_case="i" in flags,
        dot_matches_line_ends="s" in flags or "p" in flags,
        longest="l" in flags,
    )
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        (why,) = error.args
        raise JqError(
            f"invalid regular expression {quoted(pattern[:80])}: {why if isinstance(why, str) else str(why, errors='replace')}"
        ) from None


def _found(work: Work, text: str, expression: "re2._Regexp", *, every: bool) -> Iterator[Json]:
    names = {index: name for name, index in expression.groupindex.items()}
    size = expression.programsize
    at = 0
    while at <= len(text):
        work.burn(1 + (len(text) - at) * size // _INSTRUCTIONS_A_STEP)
        match = expression.search(text, at)
        if match is None:
            return
        start, end = match.span()
        captures = [_capture(match, index, names.get(index)) for index in range(1, expression.groups + 1)]
        yield {"offset": start, "length": end - start, "string": match[0], "captures": captures}
        if not every:
            return
        at = end if end > start else end + 1


def _capture(match: "re2._Match", index: int, name: str | None) -> Json:
    start, end = match.span(index)
    held = match[index]
    return {"offset": start, "length": end - start if held is not None else 0, "string": held, "name": name}
