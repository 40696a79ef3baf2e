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
        ("a(", "missing closing ): `a(`"),
        ("日[", "missing closing ]: `[`"),
        ("a)", "unexpected ): `a)`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("a(?<=b)", "invalid named capture: `(?<=b)`"),
        ("a(?<!b>c)", "invalid named capture: `(?<!b>`"),
        ("(?P<a", "invalid named capture: `(?P<a`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("[b-a]", "invalid character class range: `b-a`"),
        (r"\pX", r"invalid character class range: `\pX`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("((a{100}){100}){100}", "invalid repeat count: `{100}`"),
    ],
)
def test_what_is_no_pattern_says_why_and_matches_everything(pattern: str, why: str):
    assert wrong_with(pattern) == f"error parsing regexp: {why}"
    assert matcher(pattern)("anything")
