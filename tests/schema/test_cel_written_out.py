"""Spans, moments, and doubles that are no numbers, as texts: written down as Go does."""

import pytest

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
