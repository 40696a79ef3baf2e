"""Text in columns."""

import io

from hypothesis import given
from hypothesis import strategies as st

from svcsim.printing.tabs import TabWriter, escape


def written(text, **options):
    out = io.StringIO()
    tabs = TabWriter(out, **options)
    tabs.write(text)
    tabs.flush()
    return out.getvalue()


def test_columns_are_as_wide_as_their_widest_cell_and_the_last_is_not_padded():
    assert written("NAME\tAGE\nweb\t1d\nlonger-name\t2d\n") == "NAME          AGE\nweb           1d\nlonger-name   2d\n"


def test_columns_have_a_least_width():
    assert written("A\tB\n") == "A     B\n"


def test_a_line_without_a_cell_ends_the_column():
    text = "a\tx\n---\nlonger\ty\n"
    assert written(text, min_width=0, padding=2) == "a  x\n---\nlonger  y\n"


def test_text_behind_the_last_tab_widens_nothing():
    assert written("a\tvery long text without a tab\nb\tc\td\n", min_width=0, padding=1) == "a very long text without a tab\nb c d\n"


def test_widths_are_remembered_from_flush_to_flush():
    out = io.StringIO()
    tabs = TabWriter(out)
    for line in (["a-rather-long-name", "1"], ["b", "2"]):
        tabs.line(line)
        tabs.flush()
    assert out.getvalue().splitlines() == ["a-rather-long-name   1", "b                    2"]


def test_a_line_that_is_not_at_its_end_gets_no_line_end():
    assert written("a\tb") == "a     b"


@given(st.lists(st.lists(st.text("abc", max_size=9), min_size=1, max_size=4), max_size=8))
def test_no_text_is_lost_and_lines_stay_lines(lines):
    text = "".join("\t".join(line) + "\n" for line in lines)
    result = written(text)
    assert result.count("\n") == len(lines)
    assert ["".join(line.split()) for line in result.splitlines()] == ["".join(line) for line in lines]


@given(st.text())
def test_escaped_text_has_nothing_in_it_that_steers_a_terminal(text):
    shown = escape(text)
    assert not [char for char in shown if (char < " " and char not in "\n\t") or "\x7f" <= char <= "\x9f"]
    assert escape(shown) == shown


def test_what_steers_a_terminal_is_shown():
    assert escape("bell\a back\b delete\x7f escape\x1b[31m csi\x9b31m line\r\n\tżółć") == (
        "bell^G back^H delete^? escape^[[31m csi\\x9b31m line\\r\n\tżółć"
    )
