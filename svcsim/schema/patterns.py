"""Regular expressions of schemas: RE2's, as other implementations understand them, whose time is bounded by the text's length.

Python's own expressions differ, and can be made to take for ever. Texts are handed over as bytes, and positions aren't requested: then a
match costs only RE2's own time.
"""

from collections.abc import Callable

import re2

from svcsim.schema.go_patterns import in_words_of_go

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.never_capture = True


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text. What is no pattern matches everything: it was refused where it was declared."""
    try:
        search = re2.compile(pattern.encode(), options=_OPTIONS).search
    except re2.error:
        return lambda _text: True
    return lambda text: search(text.encode()) is not None


def wrong_with(pattern: str) -> str:
    """Why it is no regular expression, in Go's words; empty for one."""
    try:
        re2.compile(pattern.encode(), options=_OPTIONS)
    except re2.error as error:
        (why,) = error.args
        return in_words_of_go(why if isinstance(why, str) else str(why, errors="replace"), pattern)
    return ""
