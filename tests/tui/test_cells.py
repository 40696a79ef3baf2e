"""Cells: ages that tick, texts that fit, and what a terminal must never be sent."""

import pytest

from svcsim.tui.model.cells import Moment, Since, fit, parse_age, parse_since, shown, sort_key, text_cell, width_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0s", 0), ("90s", 90), ("5m30s", 330), ("47h", 169_200), ("2d5h", 190_800), ("2y30d", 65_664_000), ("8m", 480)],
)
def test_an_age_is_read_as_tables_spell_it(text: str, seconds: float):
    assert parse_age(text) == seconds


@pytest.mark.parametrize("text", ["", "<none>", "3/3", "soon", "5", "m5", "30s5m"])
def test_what_is_no_age_is_not_read_as_one(text: str):
    assert parse_age(text) is None


def test_a_moment_is_shown_as_its_age_by_the_clusters_clock():
    assert shown(Moment(1_000.0), 1_045.0) == "45s"
    assert shown(Moment(1_000.0), 1_330.0) == "5m30s"


def test_a_moment_ahead_of_the_clock_is_shown_as_now():
    assert shown(Moment(1_000.0), 990.0) == "0s"


def test_control_characters_never_reach_the_terminal():
    assert text_cell("a\x1b[31mred\nnext\x07") == "a [31mred next "


@pytest.mark.parametrize(("value", "text"), [(None, ""), (True, "true"), (3, "3"), ("x", "x")])
def test_values_are_shown_as_the_wire_spells_them(value: object, text: str):
    assert text_cell(value) == text


@pytest.mark.parametrize(
    ("text", "width", "fitted"),
    [("web", 5, "web  "), ("webserver", 5, "webs…"), ("web", 3, "web"), ("web", 0, ""), ("日本語", 7, "日本語 "), ("日本語", 4, "日 …")],
)
def test_a_text_fits_exactly(text: str, width: int, fitted: str):
    assert fit(text, width) == fitted
    assert width_of(fit(text, width)) == width


def test_numbers_come_before_words_and_count_as_numbers():
    assert sorted(["<none>", "10", "9", "abc"], key=sort_key) == ["9", "10", "<none>", "abc"]


def test_addresses_are_ordered_by_their_parts():
    assert sorted(["10.0.0.12", "10.0.0.9", "10.0.0.1"], key=sort_key) == ["10.0.0.1", "10.0.0.9", "10.0.0.12"]


def test_how_long_ago_something_was_goes_on_beside_its_count():
    assert parse_since("7 (69s ago)") == ("7", 69.0)
    assert parse_since("7 (2m3s ago)") == ("7", 123.0)
    assert parse_since("7") is None
    assert parse_since("7 (some time ago)") is None
    assert shown(Since("7", 1_000.0), 1_069.0) == "7 (69s ago)"
    assert shown(Since("7", 1_000.0), 1_130.0) == "7 (2m10s ago)"
    assert sort_key(Since("7", 1_000.0)) < sort_key("12")
