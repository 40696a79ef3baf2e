"""How wide each column is drawn: as wide as it would like to be, or, where that is too much, the widest give way first."""

from collections.abc import Sequence

GAP = 2
"""Blanks between columns."""
NARROWEST = 10
"""No column that would like to be wider is made narrower than this; rather the table can be scrolled sideways."""


def fit_widths(natural: Sequence[int], available: int) -> list[int]:
    """Widths that together, gaps included, take ``available`` at the most, as far as `NARROWEST` allows."""
    widths = list(natural)
    excess = sum(widths) + GAP * max(len(widths) - 1, 0) - available
    while excess > 0:
        widest = max(widths, default=0)
        if widest <= NARROWEST:
            break
        next_widest = max((width for width in widths if width < widest), default=0)
        count = widths.count(widest)
        lowered = max(next_widest, NARROWEST, widest - -(-excess // count))
        for index, width in enumerate(widths):
            if width == widest and excess > 0:
                taken = min(widest - lowered, excess)
                widths[index] -= taken
                excess -= taken
    return widths


def total_width(widths: Sequence[int]) -> int:
    """What columns take together, gaps included."""
    return sum(widths) + GAP * max(len(widths) - 1, 0)
