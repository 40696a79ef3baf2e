"""Parts of texts, and places in them, at every border: as CEL's library of Go has them."""

import pytest

from tests.schema.test_cel_functions import findings

LONG = "ä漢" * 40_000
SHORT = {"a": "ab", "e": "", "l": ["x", "y"], "u": "aé漢", "n": 1, "m": {"k": "v"}}
ASCII_AND_BEYOND = {"e": {"type": "string"}, "u": {"type": "string"}}


def said(rule: str, **more: object) -> list[str]:
    return findings(rule, {**SHORT, **more}, **ASCII_AND_BEYOND)


@pytest.mark.parametrize(
    "rule",
    [
        "self.a.substring(1, 2) == 'b' && self.a.substring(0, self.a.size()) == 'ab' && self.a.substring(2, 2) == ''",
        "self.u.substring(1, 3) == 'é漢' && self.u.substring(3, 3) == '' && self.u.substring(2, size(self.u)) == '漢'",
        "self.e.substring(0, 0) == '' && self.e.substring(0) == '' && self.u.substring(3) == '' && self.u.substring(2) == '漢'",
        "self.a.substring(self.a.indexOf('a') + 1, self.a.size()) == 'b' && self.l.all(x, x.substring(0, 1) == x)",
        "self.e.charAt(0) == '' && self.a.charAt(2) == '' && self.u.charAt(2) == '漢' && self.u.charAt(3) == ''",
        "self.a.indexOf('', 2) == 2 && self.a.indexOf('', 9) == 9 && self.a.indexOf('b', 2) == -1 && self.u.indexOf('漢', 2) == 2",
        "self.a.lastIndexOf('', 1) == 1 && self.a.lastIndexOf('') == 2 && self.a.lastIndexOf('b', 2) == 1",
        "self.u.lastIndexOf('漢', 2) == 2",
        "self.e.indexOf('') == 0 && self.e.lastIndexOf('') == 0 && self.e.indexOf('a') == -1 && self.e.lastIndexOf('a') == -1",
        "self.e.split('').size() == 0 && self.e.split(self.e) == [] && self.e.split('', 1) == [] && self.e.split(',') == ['']",
        "self.u.split('') == ['a', 'é', '漢'] && self.u.split(self.e, 2) == ['a', 'é漢'] && self.u.split('', 1) == [self.u]",
        "self.u.split('', 0) == [] && self.u.split('', 9).size() == 3 && self.u.split('', -1).size() == 3",
        "'a,b,c'.split(',', 0) == [] && 'a,b,c'.split(',', 1) == ['a,b,c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c']",
        "'abab'.split(self.l[0]) == ['abab'] && 'axbxc'.split(self.l[0], 2) == ['a', 'bxc'] && 'axbxc'.split(self.l[0], -1).size() == 3",
        "self.u.replace('', '-') == '-a-é-漢-' && self.u.replace('', '-', 1) == '-aé漢' && self.u.replace('a', 'b', 0) == self.u",
    ],
)
def test_what_holds_at_the_borders(rule: str):
    assert said(rule) == []


def test_long_texts_end_where_short_ones_do():
    size = len(LONG)
    rule = (
        f"self.u.substring({size - 1}, self.u.size()) == '漢' && self.u.split('').size() == {size} && self.u.indexOf('漢', {size - 1}) > 0"
    )
    assert said(rule, u=LONG) == []


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("self.a.substring(0, 3) == ''", "index out of range: 3"),
        ("self.a.substring(3, 3) == ''", "index out of range: 3"),
        ("self.a.substring(-1, 1) == ''", "index out of range: -1"),
        ("self.a.substring(3) == ''", "index out of range: 3"),
        ("self.a.substring(-1) == ''", "index out of range: -1"),
        ("self.a.charAt(3) == ''", "index out of range: 3"),
        ("'abc'.charAt(4) == ''", "index out of range: 4"),
        ("self.l.all(one, one.charAt(-1) == '')", "index out of range: -1"),
        ("self.a.substring(2, 1) == ''", "invalid substring range. start: 2, end: 1"),
        ("self.a.indexOf('a', 3) == -1", "index out of range: 3"),
        ("self.a.lastIndexOf('a', -1) == 0", "index out of range: -1"),
        ("dyn(self.a).substring('a', 1) == ''", "no such overload: substring(string, string, int)"),
        ("dyn([1, 'a']).min() == 1", "no such overload: min(list)"),
        ("[1, 2].transformMapEntry(i, v, {true: v}) == {}", "insert failed: key true already exists"),
        ("[1, 2].transformMapEntry(i, v, {[true].min(): v}) == {}", "insert failed: key true already exists"),
        ("dyn(self.n).all(x, [x].min() == 1)", "no such overload: int has no items"),
    ],
)
def test_what_is_wrong_is_told_in_its_words(rule: str, why: str):
    (told,) = said(rule)
    assert why in told
