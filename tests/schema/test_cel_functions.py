"""Functions that validation rules may call, asked as rules of a schema."""

from typing import Any

import pytest

from svcsim.schema.cel import evaluation
from svcsim.schema.cel.calls import called
from svcsim.schema.cel.rules import RuleWalk
from svcsim.schema.cel.trees import Call
from svcsim.schema.structural import parse


def schema(rule: str, **properties: Any) -> dict[str, Any]:
    texts = {"type": "array", "items": {"type": "string"}}
    more = {"m": {"type": "object", "additionalProperties": {"type": "string"}}}
    known = {
        **more,
        "a": {"type": "string"},
        "n": {"type": "integer"},
        "d": {"type": "number"},
        "l": texts,
        "x": {"x-kubernetes-int-or-string": True},
        **properties,
    }
    return {"type": "object", "properties": known, "x-kubernetes-validations": [{"rule": rule, "message": "false"}]}


def findings(rule: str, value: dict[str, Any], old: dict[str, Any] | None = None, **properties: Any) -> list[str]:
    walk = RuleWalk(parse(schema(rule, **properties), "x-kubernetes-"), "x-kubernetes-")
    return [finding.message for finding in walk.findings(value, old)]


VALUE = {"a": "b", "n": 3, "d": 3.5, "l": ["x", "y"], "x": "25%", "m": {"k": "v"}}
HOLD = [
    "self.l.isSorted() && [1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [3, 1].max() == 3",
    "sets.contains(self.l, ['y']) && sets.equivalent(self.l, ['y', 'x', 'x']) && !sets.intersects(self.l, ['z'])",
    "isURL('https://example.com:80/a?b=c') && isURL('/a') && !isURL('a')",
    "url('https://me@example.com:80/a%20b?c=d&c=e').getHost() == 'example.com:80'",
    "url('https://[::1]:80/a').getHostname() == '::1' && url('https://a/b').getPort() == '' && url('https://a:1/b').getPort() == '1'",
    "url('https://a/b%20c?d=e&d=f').getEscapedPath() == '/b%20c' && url('https://a/?d=e&d=f').getQuery() == {'d': ['e', 'f']}",
    "isIP('::1') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('01.2.3.4')",
    "ip('2001:DB8::1') == ip('2001:db8:0::1') && ip('::1').family() == 6 && ip('127.0.0.1').isLoopback() && ip('::').isUnspecified()",
    "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')",
    "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast() && ip('169.254.0.1').isLinkLocalUnicast()",
    "ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && !ip('127.0.0.1').isGlobalUnicast()",
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/255.0.0.0') && !isCIDR('::ffff:1.2.3.4/96')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && !cidr('10.0.0.0/8').containsIP('::1')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
    "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('::/64').prefixLength() == 64",
    "isQuantity('1Gi') && !isQuantity('1Gx') && quantity('1Gi').isGreaterThan(quantity('1G'))",
    "quantity('0.5').compareTo(quantity('500m')) == 0 && quantity('3').add(2).asInteger() == 5",
    "quantity('1').add(quantity('500m')) == quantity('1500m') && quantity('3').sub(1) == quantity('2')",
    "quantity('-1').sign() == -1 && quantity('1.5').asApproximateFloat() == 1.5 && !quantity('1.5').isInteger()",
    "isSemver('1.2.3-rc.1+build') && !isSemver('v1.2') && isSemver('v1.2', true) && semver('v01.2', true) == semver('1.2.0')",
    "semver('1.2.3') == semver('1.2.3+b') && semver('1.2.3-a+b') == semver('1.2.3-a+c') && semver('1.2.3-a') != semver('1.2.3')",
    "quantity('1Ki') == quantity('1024') && quantity('1.0') == quantity('1000m') && quantity('1e3') == quantity('1k')",
    "quantity('1Mi').sub(quantity('1Ki')) == quantity('1047552') && quantity('1024').add(quantity('1Ki')) in [quantity('2Ki')]",
    "[optional.of(1), optional.none()].unwrapOpt() == [1] && optional.unwrap([self.?a, self.?none]) == ['b']",
    "self.l.map(one, [one, self.a].max() == one ? optional.of(one) : optional.none()).unwrapOpt() == self.l",
    "[optional.of(timestamp('2020-01-01T00:00:00Z'))].unwrapOpt()[0].getFullYear() == 2020",
    "semver('1.10.0').isGreaterThan(semver('1.9.0')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0')) && semver('1.2.3').minor() == 2",
    "semver('1.0.0-alpha.2').isLessThan(semver('1.0.0-alpha.10')) && semver('1.0.0+a').compareTo(semver('1.0.0+b')) == 0",
    "!isSemver('1.2.3-01') && !isSemver('18446744073709551616.0.0') && !isSemver('1.2.3-a..b') && !isSemver('1.2.3+')",
    "isSemver('18446744073709551615.0.0-0.a.1-2+01.a') && isSemver('v01.02', true) && !isSemver('v1-rc', true) && !isSemver('1.2.3\\n')",
    "!quantity('10E').isInteger() && !quantity('9Ei').isInteger() && quantity('9E').isInteger() && quantity('7Ei').isInteger()",
    "!quantity('9223372036854775808').isInteger() && !quantity('9999999999999999999999999999999999999G').isInteger()",
    "type(ip('1.2.3.4')) == net.IP && type(cidr('10.0.0.0/8').masked()) == net.CIDR && type(cidr('::/8').ip()) == net.IP",
    "net.IP != net.CIDR && type(self.a) != net.IP && type(ip('::')) != string && [net.IP].exists(one, one == type(ip('::1')))",
    "self.x == '25%' && type(self.x) == string && self.x.matches('^[0-9]+%$')",
    "'a-b'.split('-').join('+') == 'a+b' && 'abc'.substring(1) == 'bc' && 'A'.lowerAscii() == 'a' && '%s-%d'.format(['a', 1]) == 'a-1'",
    "self.l.indexOf('y') == 1 && self.l.lastIndexOf('z') == -1 && 'abab'.indexOf('b', 2) == 3 && 'abab'.lastIndexOf('a') == 2",
    "self.l.all(i, v, i < 2 && v != '') && self.l.exists(i, v, i == 1 && v == 'y') && self.l.existsOne(i, v, i == 0)",
    "self.l.transformList(i, v, i == 1, v + 'z') == ['yz'] && self.l.transformList(i, v, i) == [0, 1]",
    "self.m.transformMap(k, v, k + v) == {'k': 'kv'} && self.m.transformMapEntry(k, v, {v: k}) == {'v': 'k'} && self.m.all(k, v, k < v)",
    "{'a': 1, 'b': 2}.transformMap(k, v, k == 'b', v * 2) == {'b': 4}",
    "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A').value().size() == 1",
    "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.uri().validate('a b').hasValue()",
    "format.named('uuid').value().validate('x').value() == ['does not match the UUID format'] && !format.named('other').hasValue()",
    "1 < 1.5 && 2.5 > size(self.l) && self.n >= 2.5 && 1u <= 1 && self.d > self.n",
    "type(timestamp('2020-01-01T00:00:00Z')) == google.protobuf.Timestamp && type(1) == int && type(duration('1s')) != string",
    "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]') == '' && 'aXb'.find('(?i)x') == 'X' && 'xaab'.find('a*?b|x') == 'x'",
    "'1 b 22'.findAll('\\\\d+') == ['1', '22'] && '1 b 22'.findAll('[0-9]', 2) == ['1', '2'] && '1'.findAll('a', 0) == []",
    "math.greatest(1, 2) == 2 && base64.encode(b'a') == 'YQ=='",
]


@pytest.mark.parametrize("rule", HOLD)
def test_what_holds(rule: str):
    assert findings(rule, VALUE) == []


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("quantity('10Mm').isInteger()", "unable to parse quantity's suffix"),
        ("quantity('10Mo').isInteger()", "quantities must match the regular expression"),
        ("quantity('10E').asInteger() == 1", "cannot convert value to integer"),
        ("quantity('-9999999999999999999999999999999999999G').asInteger() == 1", "cannot convert value to integer"),
        ("type(ip('1.2.3')) == net.IP", 'IP Address "1.2.3" parse error'),
        ("semver('v1-rc', true) == ''", "Short version cannot contain PreRelease/Build meta data"),
        ("quantity('1.5').asInteger() == 1", "cannot convert value to integer"),
        ("ip('1.2.3') == ''", 'IP Address "1.2.3" parse error during conversion from string'),
        ("cidr('1.2.3.4') == ''", "network address parse error during conversion from string"),
        ("url('a b') == ''", 'URL parse error during conversion from string: parse "a b": invalid URI for request'),
        ("'a'.find('(') == ''", "Illegal regex: error parsing regexp: missing closing ): `(`"),
        ("'a'.find('[') == ''", "Illegal regex: error parsing regexp: missing closing ]: `[`"),
        ("'a'.findAll(self.a + '*' + '*') == []", "Illegal regex: error parsing regexp: invalid nested repetition operator: `**`"),
        ("'a'.matches(self.a + '[')", "error parsing regexp: missing closing ]: `[` evaluating rule"),
        ("int(1e30) == 1", "integer overflow evaluating"),
        ("uint(0 - self.n) == 1u", ": unsigned integer overflow evaluating"),
        ("9223372036854775807 + self.n == 1", "integer overflow evaluating"),
        ("'a'.find(self.a + '{1000}{1000}') == ''", ""),
        ("semver('1') == ''", "No Major.Minor.Patch elements found"),
    ],
)
def test_what_can_not_be_read_is_told(rule: str, why: str):
    (told,) = findings(rule, VALUE)
    assert why in told


SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "properties": {"name": {"type": "string"}, "tags": SET}},
}


def test_sets_and_lists_with_keys_are_what_they_were_in_whatever_order():
    rule = "self.s == oldSelf.s"
    assert findings(rule, {"s": ["a", "b"], "n": 1}, {"s": ["b", "a"], "n": 2}, s=SET) == []
    assert findings(rule, {"s": ["a", "b"], "n": 1}, {"s": ["b", "c"], "n": 2}, s=SET) != []
    assert findings(rule, {"s": ["a"], "n": 1}, {"s": ["a", "b"], "n": 2}, s=SET) != []
    now = [{"name": "x", "tags": ["1", "2"]}, {"name": "y"}]
    before = [{"name": "y"}, {"name": "x", "tags": ["2", "1"]}]
    assert findings(rule, {"s": now, "n": 1}, {"s": before, "n": 2}, s=KEYED) == []
    assert findings(rule, {"s": now, "n": 1}, {"s": [{"name": "y"}, {"name": "x", "tags": ["3"]}], "n": 2}, s=KEYED) != []
    plain = {"type": "array", "items": {"type": "string"}}
    assert findings(rule, {"s": ["a", "b"], "n": 1}, {"s": ["b", "a"], "n": 2}, s=plain) != [], "the order of other lists means something"


NOW = {"s": ["a", "b"], "k": [{"name": "x", "tags": ["1"]}, {"name": "y"}], "n": 1}
BEFORE = {"s": ["b"], "k": [{"name": "y"}, {"name": "z"}], "n": 2}
OF_LIST_TYPES = [
    "self.s == ['b', 'a'] && ['b', 'a'] == self.s && self.s != ['a', 'c'] && self.s != ['a']",
    "self.s + ['c', 'a'] == ['a', 'b', 'c'] && (self.s + ['c', 'a']).size() == 3 && self.s + self.s == self.s",
    "self.s + oldSelf.s == self.s && oldSelf.s + self.s == self.s && oldSelf.s != self.s",
    "(self.k + self.k).size() == 2 && self.k + self.k == self.k",
    "(self.k + [{'name': 'x', 'tags': ['2']}])[0].tags == ['2'] && (self.k + [{'name': 'z'}])[2].name == 'z'",
    "(self.k + oldSelf.k).map(one, one.name) == ['x', 'y', 'z']",
    "self.k.all(one, !has(one.tags) || one.tags + ['1'] == one.tags)",
    "self.?s.orValue([]) == ['b', 'a'] && (self.n == 1 ? self.s : oldSelf.s) == ['b', 'a'] && cel.bind(s, self.s, s == ['b', 'a'])",
    "[1, 2] + [2] == [1, 2, 2] && [1, 2] != [2, 1] && self.s.map(one, one) != ['b', 'a']",
]


@pytest.mark.parametrize("rule", OF_LIST_TYPES)
def test_sets_and_lists_with_keys_are_added_and_compared_as_such(rule: str):
    assert findings(rule, NOW, BEFORE, s=SET, k=KEYED) == []


SUMS = [
    "[duration('1s'), duration('2s')].sum() == duration('3s') && [duration('1s'), duration('2s')].max() == duration('2s')",
    "[timestamp('2020-01-02T00:00:00Z'), timestamp('2020-01-01T00:00:00Z')].min() == timestamp('2020-01-01T00:00:00Z')",
    "[1.5, 2.0].sum() == 3.5 && [1u, 2u].sum() == 3u && ['b', 'a'].min() == 'a' && [duration('1s')].isSorted()",
    "self.l.filter(x, false).map(x, 1).sum() == 0",
    "url('https://a.b/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
]


@pytest.mark.parametrize("rule", SUMS)
def test_spans_and_moments_are_summed_and_compared(rule: str):
    assert findings(rule, VALUE) == []


@pytest.mark.parametrize("function", ["min", "max"])
def test_of_no_items_none_is_the_least_or_the_largest(function: str):
    (told,) = findings(f"self.l.filter(x, false).{function}() == 'a'", VALUE)
    assert f"{function} called on empty list evaluating rule: " in told


def test_what_was_there_before_may_be_of_another_type():
    assert findings("self.s != oldSelf.s", {"s": [{"name": "x"}], "n": 1}, {"s": ["x"], "n": 2}, s=KEYED) == []


def test_what_is_written_in_a_rule_is_read_once(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def counted(call: Call, arguments: list[object]) -> object:
        asked.append(call.function)
        return called(call, arguments)

    monkeypatch.setattr(evaluation, "called", counted)
    rule = "self.l.all(x, cidr('10.0.0.0/8').containsIP(x))"
    walk = RuleWalk(parse(schema(rule, l={"type": "array", "items": {"type": "string"}}), "x-kubernetes-"), "x-kubernetes-")
    for _ in range(3):
        assert walk.findings({"l": ["10.0.0.1", "10.0.0.2"]}, None) == []
    assert (asked.count("cidr"), asked.count("containsIP")) == (1, 6)
    (told,) = walk.findings({"l": ["10.0.0.1", "11.0.0.2"]}, None)
    assert told.message.endswith("false")
