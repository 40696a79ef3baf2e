"""How RE2 is to look for an expression of somebody's: in bounded memory, and without a word on standard error where it can't be read.

RE2 is loaded when the first options are made, since most clusters never need it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2


def re2_options(
    *, most_bytes: int, ignores_case: bool = False, dot_matches_line_ends: bool = False, longest: bool = False, captures: bool = True
) -> "re2.Options":
    """``most_bytes`` is the memory of one expression, ``longest`` whether the longest of the leftmost matches counts, and not the first."""
    import re2  # noqa: PLC0415 - see above

    options = re2.Options()
    options.log_errors = False
    options.max_mem = most_bytes
    options.case_sensitive = not ignores_case
    options.dot_nl = dot_matches_line_ends
    options.longest_match = longest
    options.never_capture = not captures
    return options
