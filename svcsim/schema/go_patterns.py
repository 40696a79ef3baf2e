"""What is wrong with a regular expression in the words of Go's own parser, which other implementations tell their users.

RE2 finds the same mistakes, at the same places for nearly all of them, and calls them by other names.
"""

from collections.abc import Mapping
from typing import Final

_CODES: Final[Mapping[str, str]] = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "unexpected )": "unexpected )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "trailing \\": "trailing backslash at end of expression",
    "invalid escape sequence": "invalid escape sequence",
    "invalid character class": "invalid character class",
    "invalid character class range": "invalid character class range",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid UTF-8": "invalid UTF-8",
}
"""What Go calls what RE2 finds."""
_TOO_LARGE: Final = "pattern too large"
_LOOKING_BACK: Final = ("(?<=", "(?<!")
"""Begin what RE2 has no name for; to Go they begin the name of a group."""


def in_words_of_go(why: str, pattern: str = "") -> str:
    """What RE2 says of a pattern, as Go says it. ``pattern`` is empty where only a part of it is known."""
    if why.startswith(_TOO_LARGE):
        return _told("expression too large", pattern)
    code, _colon, found = why.partition(": ")
    if found in _LOOKING_BACK:
        rest = pattern[max(0, pattern.find(found)) :] or found
        name, end, _more = rest.partition(">")
        return _told("invalid named capture", name + end)
    return _told(_CODES.get(code, code), found)


def _told(code: str, found: str) -> str:
    return f"error parsing regexp: {code}: `{found}`"
