"""How wide each column is drawn: as wide as it would like to be, or, where that is too much, the widest give way first."""

from collections.abc import Sequence

GAP = 2
"""Blanks between columns."""
NARROWEST = 10
"""No column that would like to be wider is made narrower than this; rather the table can be scrolled sideways."""
NARROWEST_NAME = 32
"""`NARROWEST` for names, which are what people look for."""


WIDEST = 60
"""No column is made wider than this where the table has to be scrolled sideways anyway."""


def fit_widths(natural: Sequence[int], available: int, floors: Sequence[int]) -> list[int]:
    """Widths that together, gaps included, take ``available`` at the most, if each one's floor allows that."""
    widths = list(natural)
    if total_width([min(pair) for pair in zip(natural, floors, strict=True)]) > available:
        return [min(width, WIDEST) for width in natural]
    excess = total_width(widths) - available
    while excess > 0:
        giving = [index for index, width in enumerate(widths) if width > floors[index]]
        widest = max(widths[index] for index in giving)
        level = [index for index in giving if widths[index] == widest]
        below = [width for index, width in enumerate(widths) if index in giving and width < widest]
        step = max(widest - max([*below, *(floors[index] for index in level)]), 1)
        share = min(step, -(-excess // len(level)))
        for index in level:
            taken = min(share, excess)
            widths[index] -= taken
            excess -= taken
    return widths


def total_width(widths: Sequence[int]) -> int:
    """What columns take together, gaps included."""
    return sum(widths) + GAP * max(len(widths) - 1, 0)
