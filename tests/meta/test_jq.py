"""Queries in the language of jq."""

import pytest

from svcsim.meta.jq.errors import JqError, SpentError
from svcsim.meta.jq.query import parse

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
        (".a as $x | $y", "variable not defined: $y"),
        ("def f(g): g; f", "function not defined: f/0"),
        ("break $x", "label not defined: $x"),
        ("@nope", "format not defined: @nope"),
        (". as [$a] ?// $a | $a", '"?//" is not understood here'),
        ("input", '"input" is not understood here'),
        ('import "a" as a; .', '"import" is not understood here'),
        ('"a\\(1', "unexpected end in a text"),
        ('"a', "unexpected end in a text"),
        ("`", 'unexpected "`"'),
        ("(" * 100 + "." + ")" * 100, "more than 60 levels"),
        ("." + " " * 20_000 + "|", "longer than 10000 characters"),
    ],
)
def test_what_is_no_query_is_told(query, why):
    with pytest.raises(JqError) as raised:
        parse(query)
    assert str(raised.value) == why


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (".status.n as $x | $x + 1", [4]),
        (".status as {phase: $p, conditions: [{$type}]} | [$p, $type]", [["Running", "Ready"]]),
        ("[(1, 2) as $x | $x * 2]", [[2, 4]]),
        ('"\\(.metadata.name)-\\(.status.n + 1): \\([1, "a"])"', ['web-4: [1,"a"]']),
        ('"\\("\\("x")")"', ["x"]),
        ('@base64 "x\\(.metadata.name)"', ["xd2Vi"]),
        ('{a: .status.n, "b": 1, (.metadata.name): 2} , ({c: 1} | {c, d: 2})', [{"a": 3, "b": 1, "web": 2}, {"c": 1, "d": 2}]),
        ("{a: (1, 2)} | .a", [1, 2]),
        ("reduce .status.conditions[] as {$type} ([]; . + [$type])", [["Ready", "Other"]]),
        ("[foreach range(4) as $x (0; . + $x; [$x, .])]", [[[0, 0], [1, 1], [2, 3], [3, 6]]]),
        (
            "(1 | [limit(3; repeat(. * 2))]), [range(5; 0; -2)], first(range(9)), (1 | until(. > 100; . * 2))",
            [[1, 2, 4], [5, 3, 1], 0, 128],
        ),
        ("[1 | while(. < 10; . * 2)], [2 | recurse(. * .; . < 100)]", [[1, 2, 4, 8], [2, 4, 16]]),
        ('try error("x") catch ., try error({a: 1}) catch .a, (try (1 | keys) catch "no")', ["x", 1, "no"]),
        ("def twice(f): f | f; 1 | twice(. + 1)", [3]),
        ("def sum($a; $b): $a + $b; sum(1; 2)", [3]),
        ("def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; 10 | fac", [3628800]),
        ("[label $out | (1, 2, 3) | if . > 2 then break $out else . end]", [[1, 2]]),
        (".status.n = 5 | .status.n += 1 | .status.n |= . * 2 | .status.n //= 0 | .status.n", [12]),
        (".status.conditions[] |= .type | .status.conditions", [["Ready", "Other"]]),
        ('.status.conditions | del(.[] | select(.type == "Ready")) | length', [1]),
        ("{} | .a.b[1] = 2", [{"a": {"b": [None, 2]}}]),
        ("[1, 2, 3] | .[1:] = [9], del(.[0, 2])", [[1, 9], [2]]),
        ("{a: 1} | with_entries(.value += 1), map_values(empty), (to_entries | from_entries)", [{"a": 2}, {}, {"a": 1}]),
        ('[1, [2]] | walk(if type == "number" then . + 1 else . end)', [[2, [3]]]),
        ('{a: [1]} | [paths], getpath(["a", 0]), setpath(["b"]; 2)', [[["a"], ["a", 0]], 1, {"a": [1], "b": 2}]),
        ("any(.status.n, 1; . == 1), all(.status.n, 1; . == 1), (.status.n | IN(1, 3))", [True, False, True]),
        ("[1, [2, [3]]] | flatten, flatten(1)", [[1, 2, 3], [1, 2, [3]]]),
        (
            "[{k: 2, v: 1}, {k: 1}, {k: 2}] | (group_by(.k) | map(length)), min_by(.k), (unique_by(.k) | length)",
            [[1, 2], {"k": 1}, 2],
        ),
        ('"{\\"a\\":[1]}" | fromjson, (fromjson | tojson)', [{"a": [1]}, '{"a":[1]}']),
        ("[.status[] | strings, numbers, (arrays | length)]", [["Running", 2, 3]]),
        ('" a " | trim, ltrim, ("a,b" | index(",")), ([97] | implode), ("a" | explode)', ["a", "a ", 1, "a", [97]]),
        ('[1, "a b", null] | @csv, @tsv, @sh, @json', ['1,"a b",', "1\ta b\t", "1 'a b' null", '[1,"a b",null]']),
        ('"a b&<" | @uri, @html, (@base64 | @base64d)', ["a%20b%26%3C", "a b&amp;&lt;", "a b&<"]),
        ("infinite > 1, (nan | isnan), (1 | isnormal), (-1 | abs), env, $ENV", [True, True, True, 1, {}, {}]),
        ("1e300 * 1e300 | tojson", ["1.7976931348623157e+308"]),
    ],
)
def test_what_more_of_the_language_finds(query, found):
    assert parse(query).results(POD) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('test("^foo"), test("FOO"), test("FOO"; "i"), test(["O+ ", "i"])', [True, False, True, True]),
        ('capture("(?<first>\\\\w+) (?<second>\\\\w+)")', [{"first": "foo", "second": "bar"}]),
        ('[scan("o+")], [scan("(f)(o)")]', [["oo", "oo"], [["f", "o"], ["f", "o"]]]),
        ('sub("foo"; "X"), gsub("(?<c>[a-z])o"; "<\\(.c)>"), gsub(""; "-")', ["X bar foo", "<f>o bar <f>o", "-f-o-o- -b-a-r- -f-o-o-"]),
        ('[splits(" +")], split("o+"; null)', [["foo", "bar", "foo"], ["f", " bar f", ""]]),
        ('[match("fo(?<r>x)?"; "g") | [.offset, .length, .string, .captures[0].string]]', [[[0, 2, "fo", None], [8, 2, "fo", None]]]),
        ('"日本語x" | match("x").offset, sub("本"; "-")', [3, "日-語x"]),
    ],
)
def test_regular_expressions(query, found):
    assert parse(query).results("foo bar foo") == found


@pytest.mark.parametrize("query", ['test("(")', 'test("a"; "z")', "test(1)", '1 | test("a")', 'test("(?=a)")', 'test("a" * 2000)'])
def test_what_is_no_regular_expression_breaks_off(query):
    assert parse(query).results("foo") is None


def test_regular_expressions_never_go_back():
    assert parse('test("(a*)*b")').results("a" * 50_000) == [False]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("now", [1_709_210_096.5]),
        ("now | todate", ["2024-02-29T12:34:56Z"]),
        ('"2024-02-29T12:34:56Z" | fromdateiso8601, now - fromdate', [1_709_210_096, 0.5]),
        ("0 | gmtime, (gmtime | mktime)", [[1970, 0, 1, 0, 0, 0, 4, 0], 0]),
        ('now | strftime("%A, %B %d, %Y")', ["Thursday, February 29, 2024"]),
        ('"2015 64" | strptime("%Y %j") | mktime', [1_425_513_600]),
    ],
)
def test_moments(query, found):
    assert parse(query).timed(lambda: 1_709_210_096.5).results(None) == found


@pytest.mark.parametrize(
    "query", ["1e30 | todate", '"x" | fromdate', "[1] | mktime", 'now | strftime("%Y" * 90)', '"1" | strptime("%d%d")']
)
def test_what_is_no_moment_breaks_off(query):
    assert parse(query).results(None) is None


def test_a_query_that_would_take_too_long_breaks_off():
    wide = list(range(1000))
    assert parse("[.[] | 1]").results(wide) == [[1] * 1000]
    assert parse("[..|..|..]").results([wide] * 100) is None


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("[range(infinite)]", "the query takes more than 100000 steps"),
        ("until(false; .)", "the query takes more than 100000 steps"),
        ("try repeat(.) catch 1", "the query takes more than 100000 steps"),
        ("def f: f; f", "functions call each other more than 240 levels deep"),
        ('"x" * 1e10', "the query makes more than 4000000 letters"),
        ("reduce range(100) as $i ([1]; . + .)", "the query makes more than 4000000 letters"),
        ("reduce range(40) as $i (1; [., .])", "the query takes more than 100000 steps"),
        ("reduce range(40) as $i (1; [., .]) | tojson", "the query takes more than 100000 steps"),
        (".[1e15] = 1", "the query makes more than 4000000 letters"),
        ('("a" * 50000) | [match("a*?b|a"; "g")]', "the query takes more than 100000 steps"),
    ],
)
def test_a_query_that_does_or_makes_too_much_is_ended_and_says_so(query, why):
    with pytest.raises(SpentError) as raised:
        parse(query).found(None)
    assert str(raised.value) == why


def test_a_value_of_too_many_levels_breaks_off():
    assert parse("reduce range(1000) as $i (1; [.]) | tojson").results(None) is None


def test_long_queries_are_refused_in_time():
    for text in ("-" * 3000 + "1", "1" + "+1" * 3000, ".a" * 3000, "if " * 3000, "{a:" * 3000, ".|" * 3000 + ".", ". as " + "[" * 3000):
        with pytest.raises(JqError, match="more than 60 levels"):
            parse(text)
