"""Patterns of the shell match what Python's own do, and are matched in pieces and backwards, too."""

import fnmatch
from itertools import product

import pytest

from svcsim.chance import Chance
from svcsim.nodes.shell.globs import Glob

PATTERNS = [
    "",
    "*",
    "?",
    "a*",
    "*a",
    "a*b",
    "*a*b*",
    "??",
    "a?*",
    "[ab]",
    "[!ab]*",
    "[a-b]b",
    "[b-a]",
    "[]",
    "[]a]",
    "[!]a]*",
    "[a",
    "a]",
    "**",
]
TEXTS = ["".join(chars) for size in range(5) for chars in product("ab]", repeat=size)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_they_match_what_they_say(pattern: str):
    chance = Chance(len(pattern))
    for text in TEXTS:
        expected = fnmatch.fnmatchcase(text, pattern)
        glob, cut = Glob(pattern), int(chance.uniform(0, len(text) + 1))
        assert glob.matches(text) is expected, text
        assert glob.is_over(glob.fed(glob.fed(glob.begin, text[:cut]), text[cut:])) is expected
        assert Glob(pattern, backwards=True).matches(text[::-1]) is expected
        lengths = [size for size in range(len(text) + 1) if fnmatch.fnmatchcase(text[:size], pattern)]
        assert list(glob.lengths(text)) == lengths


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        ("[[:alpha:]]", "aZ", "1[:]_"),
        ("[[:digit:]]*", "07", "ax"),
        ("[![:digit:]]", "a-", "5"),
        ("[[:upper:]_[:digit:]]", "A_3", "a-"),
        ("[[:space:]]", " \t\n", "_"),
        ("[[:punct:]]", "!/_~", "a 1"),
        ("[[:nothing:]x]", "x", ":n"),
        ("[[:alpha]", "[:ph", "z]"),
        ("[]![:digit:]]", "]!1", "a"),
    ],
)
def test_sets_may_have_classes(pattern: str, matched: str, others: str):
    assert [text for text in matched + others if Glob(pattern).matches(text)] == list(matched)
    assert [text for text in matched + others if Glob(pattern, backwards=True).matches(text)] == list(matched)


def test_letters_of_either_case_may_be_the_same():
    assert Glob("A*[xy]", ignores_case=True).matches("abX")
    assert not Glob("A*[xy]").matches("abX")


def test_a_set_is_negated_by_either_sign():
    assert [Glob(f"[{sign}a]").matches(text) for sign in "!^" for text in "ab"] == [False, True, False, True]
