"""The widths of columns."""

from svcsim.tui.model.layout import NARROWEST, NARROWEST_NAME, WIDEST, fit_widths, total_width

FLOORS = [NARROWEST] * 3


def test_columns_are_as_wide_as_they_would_like_where_there_is_room():
    assert fit_widths([10, 20, 5], 80, FLOORS) == [10, 20, 5]


def test_the_widest_gives_way_first():
    assert fit_widths([60, 20, 5], 60, FLOORS) == [31, 20, 5]


def test_several_wide_ones_give_way_together():
    widths = fit_widths([60, 58, 5], 60, FLOORS)
    assert total_width(widths) == 60
    assert abs(widths[0] - widths[1]) <= 1


def test_what_can_not_fit_is_left_as_wide_as_it_is_to_be_scrolled():
    assert fit_widths([30, 70, 20, 5], 20, [NARROWEST] * 4) == [30, WIDEST, 20, 5]


def test_names_give_way_last():
    assert fit_widths([40, 40, 5], 60, [NARROWEST_NAME, NARROWEST, NARROWEST]) == [32, 19, 5]


def test_no_columns_need_no_room():
    assert fit_widths([], 10, []) == []
