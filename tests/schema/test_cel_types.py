"""Types of validation rules are checked where a rule is declared: by the schema of what it is about."""

from typing import Any

import pytest

from svcsim.schema.cel.rules import RuleError, check_rule
from svcsim.schema.structural import as_rules_see, parse

PREFIX = "x-kubernetes-"
OBJECT = {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"}}}
PROPERTIES = {
    "a": {"type": "string"},
    "i": {"type": "integer"},
    "d": {"type": "number"},
    "b": {"type": "boolean"},
    "t": {"type": "string", "format": "date-time"},
    "o": OBJECT,
    "same": OBJECT,
    "l": {"type": "array", "items": {"type": "string"}},
    "objects": {"type": "array", "items": OBJECT},
    "m": {"type": "object", "additionalProperties": {"type": "string"}},
    "x": {"x-kubernetes-int-or-string": True},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "open": {"x-kubernetes-preserve-unknown-fields": True},
    "opens": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}},
    "whole": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    "numbers": {"type": "array", "items": {"type": "integer"}},
    "span": {"type": "string", "format": "duration"},
    "spans": {"type": "array", "items": {"type": "string", "format": "duration"}},
    "namespace": {"type": "string"},
    "maybe": {"type": "string", "nullable": True},
}


def told(rule: str, **more: Any) -> str:
    """What is wrong with a rule; empty for one that is right."""
    node = as_rules_see(parse({"type": "object", "properties": PROPERTIES}, PREFIX))
    try:
        check_rule({"rule": rule, **more}, node)
    except RuleError as error:
        return str(error)
    return ""


def overload(function: str, *types: str) -> str:
    return f"found no matching overload for '{function}' applied to '({', '.join(types)})'"


@pytest.mark.parametrize(
    ("rule", "column", "why"),
    [
        ("self.a == 1", 8, overload("_==_", "string", "int")),
        ("self.a.b == 'x'", 7, "type 'string' does not support field selection"),
        ("has(self.a.b)", 4, "type 'string' does not support field selection"),
        ("self.a + 1 > 2", 8, overload("_+_", "string", "int")),
        ("self.i.startsWith('x')", 18, overload("startsWith", "int", "string")),
        ("size(self.i) > 0", 5, overload("size", "int")),
        ("self.l.all(x, x > 1)", 17, overload("_>_", "string", "int")),
        ("self.objects.all(o, o.none == 1)", 22, "undefined field 'none'"),
        ("self.objects[0].none == 1", 16, "undefined field 'none'"),
        ("self.objects.filter(o, o.n > 1).map(o, o.k).exists(k, k > 1)", 57, overload("_>_", "string", "int")),
        ("self.m['a'] == 1", 13, overload("_==_", "string", "int")),
        ("self.l == self.m", 8, overload("_==_", "list(string)", "map(string, string)")),
        ("self.i in self.l", 8, overload("@in", "int", "list(string)")),
        ("!self.a", 1, overload("!_", "string")),
        ("self.b && self.a", 8, overload("_&&_", "bool", "string")),
        ("self.o == 'a'", 8, overload("_==_", "object", "string")),
        ("self.o.all(k, true)", 5, "expression of type 'object' cannot be range of a comprehension (must be list, map, or dynamic)"),
        ("self.metadata.labels == {}", 14, "undefined field 'labels'"),
        ("self.?none.hasValue()", 5, "undefined field 'none'"),
        ("self.?a.orValue(1) == 'a'", 16, overload("orValue", "optional_type(string)", "int")),
        ("self.t > 'a'", 8, overload("_>_", "timestamp", "string")),
        ("1 == 1.0", 3, overload("_==_", "int", "double")),
        ("self.l.all(i, v, v == i)", 20, overload("_==_", "string", "int")),
        ("self.l.all(i, i, true)", 15, "duplicate variable name: i"),
        ("self.l.all(1, v, true)", 12, "argument must be a simple name"),
        ("other == 1", 1, "undeclared reference to 'other' (in container '')"),
        ("nobody(1)", 7, "undeclared reference to 'nobody' (in container '')"),
        ("self.a ==\n1 + 'a'", 3, overload("_+_", "int", "string")),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(rule: str, column: int, why: str):
    line = rule.count("\n") + 1
    assert told(rule).startswith(f"ERROR: <input>:{line}:{column}: {why}\n | ")


def test_all_mistakes_are_told_in_their_order():
    first, second = (line for line in told("self.a == 1 || self.none == 2").splitlines() if line.startswith("ERROR"))
    assert (first[:20], second[:21]) == ("ERROR: <input>:1:8: ", "ERROR: <input>:1:20: ")


@pytest.mark.parametrize("rule", ["self.a", "self.i", "self.o", "self.l.map(x, x)", "self.l.size()"])
def test_a_rule_has_to_come_to_a_truth(rule: str):
    assert told(rule) == "cel expression must evaluate to a bool"


@pytest.mark.parametrize(
    "rule",
    [
        "self.x == 1 || self.x == 'a'",
        "type(self.x) == string && self.x.matches('a')",
        "has(self.any) && self.any == oldSelf.any && self.any != null",
        "self.whole.kind == 'A' && self.whole.apiVersion == 'v1' && self.whole.metadata.name == self.whole.metadata.generateName",
        "self.o == self.same || self.o in self.objects",
        "self.maybe == 'a' && self.o != null && self.t != null && self.span == null && self.x == null && quantity('1') != null",
        "self.__namespace__ == 'a'",
        "self.i < 1.5 && self.d >= self.i && 1u > 0",
        "self.t + duration('1h') < timestamp('2030-01-01T00:00:00Z') && self.t.getFullYear() > 1",
        "self.?o.?k.orValue('') == 'x' && self.o.?n.optMap(n, n > 1).orValue(true)",
        "self.objects.map(o, o.k).isSorted() && self.objects.exists_one(o, o.n == 1)",
        "self.b ? self.l == [] : self.m == {}",
        "dyn(self.a) == 1",
        "[dyn(1), 'a'].exists(x, x == 1) && [self.x, 'a'].size() == 2 && [[], ['a']] == []",
        "[{}, {'a': 1}] == [] && [?self.?a, 'b'] == []",
        "'%s %d %s'.format(['a', 1, [1, 'a']]) == self.a",
        "[self.o, self.same].size() == 2 && [null, null] != [] && {'a': self.o, 'b': {}.a} != {}",
        "self == oldSelf && self.o == oldSelf.o",
        "type(self.t) == google.protobuf.Timestamp",
        "'%s%d%.3f%e%b%x%X%o%%'.format([self.l, 1, 1.5, 'NaN', true, 'a', b'a', 1u]) == 'x'",
        "'%s %s %s %s'.format([self.t, {'a': [null]}, type(1), self.span]) == 'x'",
        "'%d %f'.format([self.x, dyn('a')]) == 'x'",
        "self.a.format([1]) == 'x' || '%d'.format(self.l) == 'x' || ''.format([]) == ''",
    ],
)
def test_what_fits_or_may_be_anything_is_let_pass(rule: str):
    assert told(rule) == ""


def test_an_optional_value_from_before_has_to_be_taken_out():
    assert "found no matching overload" in told("oldSelf == self", optionalOldSelf=True)
    assert told("!oldSelf.hasValue() || oldSelf.value().i == self.i && oldSelf.i.orValue(1) == 1", optionalOldSelf=True) == ""


def test_fields_that_nobody_declared_can_not_be_named():
    for rule in (
        "self.any.foo == 1",
        "has(self.any.foo)",
        "self.whole.spec.x == 1",
        "self.whole.metadata.labels == {}",
        "self.?any.?foo == 1",
    ):
        assert "undefined field '" in told(rule)
    assert "undefined field 'open'" in told("has(self.open)")
    assert "undefined field 'opens'" in told("self.opens.size() > 0")
    assert overload("_==_", "object", "int") in told("self.any == 1")


@pytest.mark.parametrize(
    ("rule", "of"),
    [
        ("self.a == null", "string, null"),
        ("self.maybe != null", "string, null"),
        ("self.l[0] == null", "string, null"),
        ("self.i == null", "int, null"),
        ("self.l == null", "list(string), null"),
        ("self.m == null", "map(string, string), null"),
    ],
)
def test_what_can_not_be_null_is_not_compared_with_it(rule: str, of: str):
    assert f"applied to '({of})'" in told(rule)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("quantity(self.a) > quantity('1')", overload("_>_", "kubernetes.Quantity", "kubernetes.Quantity")),
        ("quantity('1') == '1'", overload("_==_", "kubernetes.Quantity", "string")),
        ("quantity(self.a).startsWith('x')", overload("startsWith", "kubernetes.Quantity", "string")),
        ("quantity('1').add('1') == quantity('2')", overload("add", "kubernetes.Quantity", "string")),
        ("self.l.unwrapOpt() == []", overload("unwrapOpt", "list(string)")),
        ("optional.unwrap(self.?a) == []", overload("optional.unwrap", "optional_type(string)")),
        ("[self.?a].unwrapOpt() == [1]", overload("_==_", "list(string)", "list(int)")),
        ("string(quantity('1')) == '1'", overload("string", "kubernetes.Quantity")),
        ("ip(self.a) == 'x'", overload("_==_", "net.IP", "string")),
        ("ip(self.a) + 'x' == 'y'", overload("_+_", "net.IP", "string")),
        ("cidr(self.a) == ip(self.a)", overload("_==_", "net.CIDR", "net.IP")),
        ("ip(ip(self.a)) == ip(self.a)", overload("ip", "net.IP")),
        ("cidr(self.a).containsCIDR(ip(self.a))", overload("containsCIDR", "net.CIDR", "net.IP")),
        ("semver(self.a) < semver('1.0.0')", overload("_<_", "kubernetes.Semver", "kubernetes.Semver")),
        ("semver(self.a) == quantity(self.a)", overload("_==_", "kubernetes.Semver", "kubernetes.Quantity")),
        ("semver(self.a).isLessThan(quantity(self.a))", overload("isLessThan", "kubernetes.Semver", "kubernetes.Quantity")),
        ("url(self.a) == 'x'", overload("_==_", "kubernetes.URL", "string")),
        ("self.a.getHost() == 'x'", overload("getHost", "string")),
        ("format.dns1123Label() == 'x'", overload("_==_", "kubernetes.NamedFormat", "string")),
        ("self.l.sum() == 1", overload("sum", "list(string)")),
        ("self.l.min() > 3", overload("_>_", "string", "int")),
        ("[1].sum() == 'a'", overload("_==_", "int", "string")),
        ("self.spans.max() == 1", overload("_==_", "duration", "int")),
        ("self.objects.isSorted()", overload("isSorted", "list(object)")),
        ("self.numbers.join('-') == ''", overload("join", "list(int)", "string")),
        ("self.a.split('-')[0] == 1", overload("_==_", "string", "int")),
        ("sets.contains(self.l, [1])", overload("sets.contains", "list(string)", "list(int)")),
        ("self.l.indexOf(1) == 1", overload("indexOf", "list(string)", "int")),
        ("self.?a.optMap(x, 1).orValue('s') == 's'", overload("orValue", "optional_type(int)", "string")),
        ("self.?a.optMap(x, 1) == self.?a", overload("_==_", "optional_type(int)", "optional_type(string)")),
    ],
)
def test_what_functions_give_has_a_type_of_its_own(rule: str, why: str):
    assert why in told(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "quantity(self.a).add(1).isGreaterThan(quantity('1')) && quantity(self.x) == quantity('1')",
        "[quantity('1')].exists(q, q.sign() == 1)",
        "cidr(self.a).ip().family() == 4 && cidr(self.a).masked() == cidr(self.a) && cidr(self.a).containsIP(ip(self.a))",
        "string(ip(self.a)) == string(cidr(self.a)) && {'a': ip('::1')}.a == ip('::1') && url(self.a).getQuery()['a'][0] == ''",
        "semver(self.a).compareTo(semver('1.0.0')) > 0 && (self.b ? semver(self.a) : semver('1.0.0')).major() == 1",
        "self.numbers.sum() > 1 && [self.x].sum() == 1 && [].sum() == 0 && self.spans.sum() > duration('1h') && self.numbers.max() < 2.5",
        "sets.contains(self.l, ['a']) && sets.equivalent(self.l, []) && sets.intersects([self.x], [1])",
        "self.objects.indexOf(self.o) == 0 && self.l.lastIndexOf('a') == 0",
        "self.?a.optMap(x, x + 'a').orValue('s') == 's' && optional.none().orValue(1) == 1",
        "(self.b ? self.?a : optional.none()) == self.?a",
        "optional.unwrap([self.?a, optional.none()]).all(a, a.startsWith('x')) && [self.?o].unwrapOpt()[0].n == 1 && [].unwrapOpt() == []",
        "self.objects.map(o, o.?k).unwrapOpt() == self.l && dyn(self.a).unwrapOpt() == [1]",
        "format.named(self.a).value().validate(self.a).orValue([]) == ['a'] && self.?o.optFlatMap(o, o.?k).hasValue()",
        "strings.quote(self.a) == self.a && self.l.join() == 'a' && self.a.split(',').all(x, x != '') && 'a'.upperAscii() == 'A'",
    ],
)
def test_what_functions_give_takes_part_where_it_may(rule: str):
    assert told(rule) == ""


@pytest.mark.parametrize(
    ("rule", "column", "why"),
    [
        ("has(self)", 5, "invalid argument to has() macro"),
        ("has(self.m['a'])", 11, "invalid argument to has() macro"),
        ("[1, 2].all(1, true)", 12, "argument must be a simple name"),
        ("self.l.exists(l[0], true)", 16, "argument must be a simple name"),
        ("self.l.exists_one('l', true)", 19, "argument must be a simple name"),
        ("[1].map(x.y, 1) == []", 10, "argument is not an identifier"),
        ("[1].filter(1, true) == []", 12, "argument is not an identifier"),
        ("[1, 'a'].size() == 2", 5, "expected type 'int' but found 'string'"),
        ("[1, 1.0].size() == 2", 5, "expected type 'int' but found 'double'"),
        ("{'a': 1, 'b': 'x'}.size() == 2", 15, "expected type 'int' but found 'string'"),
        ("{'a': 1, 2: 1}.size() == 2", 10, "expected type 'string' but found 'int'"),
        ("[['a'], [1]].size() == 2", 9, "expected type 'list(string)' but found 'list(int)'"),
        ("[?self.?a, 1].size() == 2", 12, "expected type 'string' but found 'int'"),
        ("'%s'.format([self.a]) == [1, self.a][1]", 34, "expected type 'int' but found 'string'"),
        ("self.a.matches('[')", 16, "invalid matches argument"),
        ("self.a.matches('(?=a)')", 16, "invalid matches argument"),
        ("duration('x') == duration('1h')", 10, "invalid duration argument"),
        ("timestamp('1h') == timestamp('2020-01-01T00:00:00Z')", 11, "invalid timestamp argument"),
    ],
)
def test_what_is_written_down_is_of_one_type_and_means_something(rule: str, column: int, why: str):
    assert told(rule).startswith(f"ERROR: <input>:1:{column}: {why}\n | ")


GIVEN = "error during formatting: "
PARSED = "could not parse formatting clause: "
PRECISION = "error while parsing precision: "


@pytest.mark.parametrize(
    ("rule", "column", "why"),
    [
        ("'%q'.format([1]) == 'x'", 12, f'{PARSED}unrecognized formatting clause "q"'),
        ("'%é'.format([1]) == 'x'", 12, f'{PARSED}unrecognized formatting clause "Ã"'),
        ("'%.3'.format([1.0]) == 'x'", 13, f"{PARSED}{PRECISION}could not find end of precision specifier"),
        (
            "'%.f'.format([1.0]) == ''",
            13,
            PARSED + PRECISION + 'error while converting precision to integer: strconv.Atoi: parsing "": invalid',
        ),
        ("'%'.format([1]) == 'x'", 11, "unexpected end of string"),
        ("'%d%%%'.format([1]) == 'x'", 15, "unexpected end of string"),
        ("'%d %d'.format([1]) == 'x'", 15, "index 1 out of range"),
        ("'%d'.format([1, 2]) == 'x'", 12, "too many arguments supplied to string.format (expected 1, got 2)"),
        ("'%%'.format([1]) == 'x'", 12, "too many arguments supplied to string.format (expected 0, got 1)"),
        ("'%d'.format(['a']) == 'x'", 14, f"{GIVEN}decimal clause can only be used on integers, was given string"),
        ("'%s %d'.format([1, self.a]) == 'x'", 24, f"{GIVEN}decimal clause can only be used on integers, was given string"),
        ("'%b'.format(['x']) == 'x'", 14, f"{GIVEN}only integers and bools can be formatted as binary, was given string"),
        ("'%.2f'.format([1]) == 'x'", 16, f"{GIVEN}fixed-point clause can only be used on doubles, was given int"),
        ("'%e'.format([self.l]) == 'x'", 18, f"{GIVEN}scientific clause can only be used on doubles, was given list"),
        ("'%X'.format([true]) == 'x'", 14, f"{GIVEN}only integers, byte buffers, and strings can be formatted as hex, was given bool"),
        ("'%o'.format([1.5]) == 'x'", 14, f"{GIVEN}octal clause can only be used on integers, was given double"),
        ("'%d'.format([self.t]) == 'x'", 18, f"{GIVEN}decimal clause can only be used on integers, was given google.protobuf.Timestamp"),
        ("'%s'.format([[1, {'a': quantity('1')}]]) == 'x'", 32, f"{GIVEN}string clause can only be used on strings, bools, bytes, ints"),
        ("'%q'.format([self.a.split(',').map(x, '%d'.format([x]))]) == 'x'", 12, f"{PARSED}unrecognized"),
    ],
)
def test_a_text_is_filled_in_with_what_it_takes(rule: str, column: int, why: str):
    assert told(rule).startswith(f"ERROR: <input>:1:{column}: {why}")


def test_what_texts_mean_is_told_when_all_types_fit():
    both = told("'%q'.format([1 + 'a']) == duration('x')")
    assert "unrecognized" not in both
    assert "invalid duration" not in both
    assert overload("_+_", "int", "string") in both


def test_only_what_is_written_down_is_read_beforehand():
    assert told("self.a.matches(self.a + '[') && duration(self.a) < duration('1h1.5µs') && timestamp(1) > timestamp(self.a)") == ""


@pytest.mark.parametrize(
    "rule",
    [
        "math.greatest(1, 2) == 2",
        "math.abs(-1) == 1",
        "base64.encode(b'a') == 'x'",
        "cel.bind(x, self.a, x == 'a')",
        "self.a.reverse() == 'x'",
    ],
)
def test_what_kubernetes_does_not_have_is_undeclared(rule: str):
    assert "undeclared reference to '" in told(rule)
