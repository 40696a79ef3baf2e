"""Regular expressions of schemas."""

import pytest

from svcsim.schema.patterns import matcher, wrong_with


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("^a.c$", "a日c", True),
        ("^.$", "é", True),
        ("^.$", "e\u0301", False),
        (r"^\p{Greek}+$", "λόγος", True),
        ("(?i)straße", "STRAßE", True),
        ("a$", "a\n", False),
        (r"^\x00$", "\x00", True),
        ("", "", True),
        ("^(a|b)*c$", "ab" * 10_000 + "c", True),
    ],
)
def test_a_pattern_is_looked_for_anywhere(pattern: str, text: str, found: bool):
    assert not wrong_with(pattern)
    assert matcher(pattern)(text) is found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("a(", "missing ): a("),
        ("日[", "missing ]: ["),
        ("(?=a)", "invalid perl operator: (?="),
        ("a{1001}", "invalid repetition size: {1001}"),
        (r"(a)\1", r"invalid escape sequence: \1"),
    ],
)
def test_what_is_no_pattern_says_why_and_matches_everything(pattern: str, why: str):
    assert wrong_with(pattern) == why
    assert matcher(pattern)("anything")
