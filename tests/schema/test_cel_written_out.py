"""Spans, moments, and doubles that are no numbers, as texts: written down as Go does."""

import pytest

from svcsim.schema.cel.rules import RuleWalk
from svcsim.schema.structural import parse
from tests.schema.test_cel_functions import findings

SPAN = {"t": {"type": "string", "format": "duration"}, "m": {"type": "string"}}


@pytest.mark.parametrize(
    "rule",
    [
        "string(duration('1h1m1.5s')) == '3661.5s' && string(duration('-1.5s')) == '-1.5s' && string(duration('90m')) == '5400s'",
        "string(duration('0.1us')) == '0.0000001s' && string(duration('1ns')) == '0.000000001s' && string(duration('0s')) == '0s'",
        "string(duration('1s') + duration('500ms')) == '1.5s' && string(duration(self.a)) == '1.25s'",
        "string(timestamp('2024-01-01T00:00:01.5Z') - timestamp('2024-01-01T00:00:00Z')) == '1.5s'",
        "string(self.t) == '1.5s' && [duration('1.5s')].map(one, string(one)) == ['1.5s']",
        "'%s %d%% %s'.format([duration('1.5s'), 1, self.t]) == '1.5s 1% 1.5s' && '%s'.format([self.a]) == '1250ms'",
        "string(double('inf')) == '+Inf' && string(double('-inf')) == '-Inf' && string(double('nan')) == 'NaN'",
        "string(1.0 / 0.0) == '+Inf' && string(self.d / 2.0) == '1.75' && '%s'.format([double('inf')]) == 'Infinity'",
        "string(timestamp('2024-01-01T00:00:01.123456789Z')) == '2024-01-01T00:00:01.123456789Z'",
        "string(timestamp('2024-01-01T00:00:01.5Z')) == '2024-01-01T00:00:01.5Z'",
        "string(timestamp('2024-01-01T00:00:10Z')) == '2024-01-01T00:00:10Z'",
        "string(timestamp('2024-01-01T00:00:00Z') + duration('1.25s')) == '2024-01-01T00:00:01.25Z'",
        "string(duration('100ms') + timestamp('2024-01-01T00:00:00Z') - duration('1s')) == '2023-12-31T23:59:59.1Z'",
        "[timestamp('2024-01-01T00:00:01.10Z')].all(one, string(one) == '2024-01-01T00:00:01.1Z')",
        "[timestamp('2024-01-01T00:00:01.123456789Z')].map(one, string(one)) == ['2024-01-01T00:00:01.123456789Z']",
        "[dyn(timestamp('2024-01-01T00:00:01Z')), '1.500Z', duration('1s')].map(x, string(x)) == ['2024-01-01T00:00:01Z', '1.500Z', '1s']",
        "[timestamp('0001-01-01T00:00:00Z')].all(one, string(one) == '0001-01-01T00:00:00Z')",
        "string(timestamp('0001-01-01T00:00:00.10Z')) == '0001-01-01T00:00:00.1Z'",
        "string(timestamp(self.m)) == '2024-01-01T00:00:01.5Z' && string(self.m) == '2024-01-01T00:00:01.500Z'",
        "string(self.n) + string(b'a') + string(7 / 2) + string(duration('1s')) + string(self.a) == '3a31s1250ms'",
    ],
)
def test_what_is_written(rule: str):
    value = {"a": "1250ms", "n": 3, "d": 3.5, "t": "1.5s", "m": "2024-01-01T00:00:01.500Z"}
    assert findings(rule, value, **SPAN) == []


MOMENT, SPELLED = {"type": "string", "format": "date-time"}, "2024-01-01T00:00:01.12Z"
MOMENTS = {
    "at": MOMENT,
    "l": {"type": "array", "items": MOMENT},
    "m": {"type": "object", "additionalProperties": MOMENT},
    "o": {"type": "object", "properties": {"at": MOMENT}},
    "day": {"type": "string", "format": "date"},
    "spans": {"type": "object", "additionalProperties": {"type": "string", "format": "duration"}},
    "deep": {"type": "object", "additionalProperties": {"type": "object", "properties": {"at": MOMENT}}},
}


@pytest.mark.parametrize(
    "rule",
    [
        *(
            f"string({moment}) == '{SPELLED}'"
            for moment in (
                "self.at",
                "self['at']",
                "dyn(self.at)",
                "self.l[0]",
                "self.m.a",
                "self.m['a']",
                "self.n > 2 ? self.at : self.l[0]",
                "self.?at.orValue(self.l[0])",
                "self.l.filter(x, true)[0]",
                "self.at + duration('1h') - duration('1h')",
                "self.deep.k.at",
            )
        ),
        "string(self.o.at) == '2023-12-31T23:00:01.123456789Z' && string(self.day) == '2024-01-02T00:00:00Z'",
        "self.o.at == timestamp('2023-12-31T23:00:01.123456789Z') && string(self.n) + string(self.n + 1) == '34'",
        "self.m.all(k, string(self.m[k]).endsWith('.12Z')) && self.m.a < timestamp('2025-01-01T00:00:00Z')",
        "string(self.spans['x-y']) == '1.5s' && self.spans.all(k, self.spans[k] == duration('1.5s'))",
        "self.m == {'a': timestamp('2024-01-01T00:00:01.12Z')} && self.deep.all(k, self.deep[k].at.getFullYear() == 2024)",
    ],
)
def test_moments_and_spans_of_a_schema_are_written_as_in_go_wherever_they_stand(rule: str):
    moment = "2024-01-01T00:00:01.120Z"
    value = {
        "n": 3,
        "at": moment,
        "l": [moment],
        "m": {"a": moment},
        "o": {"at": "2024-01-01T00:00:01.123456789+01:00"},
        "day": "2024-01-02",
        "spans": {"x-y": "1500ms"},
        "deep": {"k": {"at": moment}},
    }
    assert findings(rule, value, n={"type": "integer"}, **MOMENTS) == []
    assert findings(rule.replace("self.", "oldSelf.").replace("self[", "oldSelf["), value, value, n={"type": "integer"}, **MOMENTS) == []


@pytest.mark.parametrize(("format_", "value", "told"), [("date-time", "2024-01-01T00:00:01.120Z", SPELLED), ("duration", "1500ms", "1.5s")])
def test_a_value_that_is_a_moment_or_a_span_itself_is_written_as_in_go(format_: str, value: str, told: str):
    rules = [{"rule": "false", "messageExpression": "string(self)"}]
    node = {"type": "string", "format": format_, "x-kubernetes-validations": rules}
    walk = RuleWalk(parse({"type": "object", "properties": {"at": node}}, "x-kubernetes-"), "x-kubernetes-")
    assert [finding.message for finding in walk.findings({"at": value}, None)] == [f'Invalid value: "string": {told}']
