"""Queries in the language of jq."""

import pytest

from svcsim.meta.jq import parse
from svcsim.meta.jq_functions import JqError

POD = {
    "metadata": {"name": "web", "labels": {"a.b/c": "x"}, "ownerReferences": [{"kind": "Job"}, {"kind": "Pod"}], "finalizers": []},
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}], "n": 3},
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (".", [POD]),
        (".metadata.name", ["web"]),
        ('.metadata.labels["a.b/c"]', ["x"]),
        ('.metadata.labels."a.b/c"', ["x"]),
        ('."metadata"["name"]', ["web"]),
        (".metadata.none.more", [None]),
        (".metadata.ownerReferences.[].kind", ["Job", "Pod"]),
        (".metadata.ownerReferences[].kind", ["Job", "Pod"]),
        (".metadata.ownerReferences[-1].kind", ["Pod"]),
        (".metadata.ownerReferences[5]", [None]),
        (".metadata.ownerReferences[0:1] | length", [1]),
        (".metadata.name[1:]", ["eb"]),
        (".metadata.finalizers.[]", []),
        ('.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]),
        ('.status.conditions | map(select(.status != "True")) | length', [1]),
        ('.status.conditions | any(.type == "Ready" and .status == "True")', [True]),
        ('[.status.conditions[].type] | join(",")', ["Ready,Other"]),
        (".status.n + 1, .status.n * 2 - 1, 7 % 4, 6 / 4, 6 / 3", [4, 5, 3, 1.5, 2]),
        ("-1 + 3", [2]),
        ('.a // "none"', ["none"]),
        ("(false, null) // 5", [5]),
        (".metadata.finalizers[] // 1", [1]),
        (".status.n > 2 and .status.n <= 3 or (1 | keys)", [True]),
        ('if .status.n == 3 then "three" elif . then "some" else "none" end', ["three"]),
        ("if .x then 1 end | .metadata.name", ["web"]),
        ('.metadata | has("name"), has("nope")', [True, False]),
        (".metadata.labels | to_entries | .[0].key", ["a.b/c"]),
        (".status.n | tostring", ["3"]),
        ('"12" | tonumber', [12]),
        ("[3, 1, 2, 1] | sort, unique, min, max, add, reverse", [[1, 1, 2, 3], [1, 2, 3], 1, 3, 7, [1, 2, 1, 3]]),
        ('.metadata.name | startswith("w"), endswith("x"), contains("e"), ascii_upcase', [True, False, True, "WEB"]),
        ('[.. | .status?] | map(select(type == "string"))', [["True", "False"]]),
        ("[.[]?] | length", [2]),
        ("first(.status.conditions[]) | .type", ["Ready"]),
        ("[.status.n, null] | map(values)", [[3]]),
        ('null == false, 1 < "a", [] > 1', [False, True, True]),
        ("empty", []),
        ("  .status  # a comment\n | .n", [3]),
    ],
)
def test_what_queries_find(query, found):
    assert parse(query).results(POD) == found


@pytest.mark.parametrize(
    "query", [".metadata.name.[]", ".[0]", ".status.n.x", ".nothing.[]", "1 / 0", '"a" | tonumber', ".status.phase | keys"]
)
def test_a_query_that_breaks_off_finds_nothing(query):
    assert parse(query).results(POD) is None


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "unexpected end"),
        (".a |", "unexpected end"),
        (".a ]", 'unexpected "]"'),
        ("(.a", 'unexpected end, where ")" should be'),
        ("nope(1)", "function not defined: nope/1"),
        ("reduce .[] as $x (0; . + $x)", '"reduce" is not understood here'),
        (".a = 1", '"=" is not understood here'),
        (".a as $x | $x", '"as" is not understood here'),
        ("{a: 1}", '"{" is not understood here'),
        ('"a\\(1)"', "values within texts are not understood"),
        ("`", 'unexpected "`"'),
        ("(" * 100 + "." + ")" * 100, "more than 50 levels"),
        ("." + " " * 20_000 + "|", "longer than 10000 characters"),
    ],
)
def test_what_is_no_query_is_told(query, why):
    with pytest.raises(JqError) as raised:
        parse(query)
    assert str(raised.value) == why


def test_a_query_that_would_take_too_long_breaks_off():
    wide = list(range(1000))
    assert parse("[.[] | 1]").results(wide) == [[1] * 1000]
    assert parse("[..|..|..]").results([wide] * 100) is None
