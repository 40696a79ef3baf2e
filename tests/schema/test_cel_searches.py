"""What is found in texts by regular expressions is what other implementations find, and takes no longer than it may."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.schema.cel.searches import find, find_all
from svcsim.schema.patterns import wrong_with

ATOMS = ["a", "b", ".", "[ab]", "[^a]", "(a|b)", "(?:ab|a)", "(?P<name>b|ba)", "^", "$", "\\b", "\\B", "\\w", "\\s"]
COUNTS = ["", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{1,}?", "|"]
PATTERNS = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(COUNTS)), min_size=1, max_size=4).map(
    lambda parts: "".join(atom + count for atom, count in parts)
)


def is_right(pattern: str) -> bool:
    """Whether both know it: Python repeats no edges."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return not wrong_with(pattern)


@given(pattern=PATTERNS.filter(is_right), text=st.text("abc ", max_size=8))
def test_the_first_that_matches_is_what_the_pattern_tries_first(pattern: str, text: str):
    found = re.search(pattern, text, re.ASCII)
    assert find(text, pattern) == (found.group() if found else "")


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("a1b22", "[0-9]+", ["1", "22"]),
        ("aaa", "a*?", ["", "", "", ""]),
        ("abab", "(ab)*?$", ["abab"]),
        ("abc", "", ["", "", "", ""]),
        ("a\nb", "(?m)^.$", ["a", "b"]),
        ("a\nb", "(?s)a.b", ["a\nb"]),
        ("aXbx", "(?i:x)", ["X", "x"]),
        ("aXbx", "(?i)x(?-i)|b", ["X", "b", "x"]),
        ("a-b c]", "[[:alpha:]-]+|[]]", ["a-b", "c", "]"]),
        ("a&&b|~", "[&|~]+", ["&&", "|~"]),
        ("A{2}\t", "\\x41\\{2\\}|\\t", ["A{2}", "\t"]),
        ("zaé", "\\x{e9}|[\\x61-\\x62]", ["a", "é"]),
        ("aaaaa", "a{2}", ["aa", "aa"]),
        ("none", "x", []),
    ],
)
def test_all_that_match_are_found(text: str, pattern: str, found: list[str]):
    assert find_all(text, pattern) == found
    assert find_all(text, pattern, 1) == found[:1]
    assert find(text, pattern) == (found[0] if found else "")


def test_patterns_that_go_back_without_end_are_followed_side_by_side():
    assert find("a" * 40 + "c", "(a+)+b|c") == "c"
    assert find("a" * 40, "(?:a?){40}a{40}") == "a" * 40


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "missing"),
        ("[\\pL]", "no search with"),
        ("\\pL", "no search with"),
        ("|".join(["a{900}"] * 20), "too long to search with"),
    ],
)
def test_what_can_not_be_searched_with_is_told(pattern: str, why: str):
    with pytest.raises(ValueError, match=re.escape(why)):
        find("ab" * 6000, pattern + "|b" if why != "missing" else pattern)
