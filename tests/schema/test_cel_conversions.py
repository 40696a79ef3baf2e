"""Texts that validation rules convert to numbers, truths, moments and spans: read as Go reads them."""

import pytest

from tests.schema.test_cel_functions import findings

LEAP = "2024-02-29T00:00:00Z"


@pytest.mark.parametrize(
    ("conversion", "text"),
    [
        *(("int", text) for text in ("", " 5", "5\n", "5 ", "1_0", "0x10", "\u0665", "5.0", "9223372036854775808", "--5")),
        *(("uint", text) for text in ("+5", "-5", " 5", "18446744073709551616")),
        *(("double", text) for text in ("", "1\n", " 1", "1e400", "-1e400", "1__0", "_1", "1_.5", "0x10", ".", "+nan", "infinit", "1e")),
        *(("bool", text) for text in ("", "yes", "tRUE", "true ", "2")),
        *(("duration", text) for text in ("", "1", "1s ", "1d", "1 s", "1e3s", "9223372036854775808ns")),
        *(
            ("timestamp", text)
            for text in (
                "",
                "2024-1-1T00:00:00Z",
                "2024-01-01t00:00:00Z",
                "2024-01-01T00:00:00z",
                "2024-01-01 00:00:00Z",
                " 2024-01-01T00:00:00Z",
                "2024-01-01T00:00:00Z\n",
                "2024-01-01T00:00:00+0200",
                "2024-01-01T00:00:00+25:00",
                "2024-01-01T00:00:60Z",
                "2024-01-01T24:00:00Z",
                "2023-02-29T00:00:00Z",
                "2024-01-01T00:00:00",
            )
        ),
    ],
)
def test_what_go_refuses_is_refused(conversion: str, text: str):
    kind = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}.get(conversion, conversion)
    for rule in (f"type({conversion}(self.a)) != string", f"self.l.all(one, type({conversion}(one)) != string)"):
        (told,) = findings(rule, {"a": text, "l": [text]})
        assert f"type conversion error from 'string' to '{kind}'" in told


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        *((f"int(self.a) == {number}", text) for text, number in (("+5", 5), ("-07", -7), ("9223372036854775807", 9223372036854775807))),
        *((f"uint(self.a) == {text}u", text) for text in ("5", "18446744073709551615")),
        *(
            (f"double(self.a) == {number}", text)
            for text, number in (
                ("1.", 1.0),
                (".5", 0.5),
                ("1e3", 1000.0),
                ("1_0.5", 10.5),
                ("0x1p3", 8.0),
                ("-0X_1.8p1", -3.0),
                ("1e-400", 0.0),
            )
        ),
        ("double(self.a) > 1e308 && double('-' + self.a) < -1e308", "Infinity"),
        ("double(self.a) != double(self.a)", "NaN"),
        *(("bool(self.a)", text) for text in ("1", "t", "T", "true", "TRUE", "True")),
        *(("!bool(self.a)", text) for text in ("0", "f", "F", "false", "FALSE", "False")),
        *(("duration(self.a) == duration('1000ns')", text) for text in ("1µs", "1μs", "1us", "+0.001ms", "0.5us500ns")),
        ("duration(self.a) == duration('0s')", "0"),
        *(
            (f"timestamp(self.a) == timestamp('{LEAP}')", text)
            for text in (
                LEAP,
                "2024-02-29T00:00:00.000Z",
                "2024-02-29T02:00:00+02:00",
                "2024-02-28T22:00:00-02:00",
                "2024-02-29T0:00:00,0Z",
            )
        ),
        ("string(timestamp(self.a)) == self.a", "2024-02-29T00:00:00.123456789Z"),
        ("string(timestamp(self.a)) == self.a", "0001-01-01T00:00:00Z"),
    ],
)
def test_what_go_takes_is_taken(rule: str, text: str):
    assert findings(rule, {"a": text}) == []


@pytest.mark.parametrize(
    "rule",
    [
        "bool('T') && int('+5') == 5 && uint('5') == 5u && double('1_0') == 10.0 && duration('1µs') == duration('1us')",
        "int(self.n) == 3 && double(self.n) == 3.0 && int(self.d) == 3 && uint(self.n) == 3u && string(self.n) == '3'",
        "int(timestamp('1970-01-01T00:01:00Z')) == 60 && timestamp(60) == timestamp('1970-01-01T00:01:00Z') && bool(true)",
        "[1, 2].map(one, double(one)) == [1.0, 2.0] && ['1', '2'].map(one, int(one)) == [1, 2]",
        "[duration('1s')].all(one, duration(one) == one) && [timestamp(60)].all(one, timestamp(one) == one && int(one) == 60)",
        "int(self.a == 'b' ? '7' : 'x') == 7 && (true || int(self.a) == 1) && self.l.exists(one, one == 'x' || int(one) > 0)",
    ],
)
def test_what_is_no_text_is_converted_as_ever(rule: str):
    assert findings(rule, {"a": "b", "n": 3, "d": 3.5, "l": ["x", "y"]}) == []


@pytest.mark.parametrize("text", ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])
def test_a_moment_in_no_year_of_four_digits_is_too_early_or_too_late(text: str):
    (told,) = findings("timestamp(self.a) == timestamp(0)", {"a": text})
    assert "timestamp overflow" in told


def test_moments_and_spans_of_a_schema_are_read_without_asking_go():
    fields = {"t": {"type": "string", "format": "date-time"}, "s": {"type": "string", "format": "duration"}}
    rule = "self.t == timestamp('2024-02-29T00:00:00Z') && self.s == duration('1m')"
    assert findings(rule, {"t": "2024-02-29t00:00:00z", "s": "1 minute"}, **fields) == []
