"""Moments, spans and ages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta import times


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2024-02-29T12:00:00Z", 1709208000),
        ("2024-02-29T13:00:00+01:00", 1709208000),
        ("1970-01-01T00:00:00.000001Z", 0.000001),
        ("1970-01-01T00:00:01.5Z", 1.5),
        ("0001-01-01T00:00:00Z", -62135596800),
    ],
)
def test_moments_are_read(text, seconds):
    assert times.parse_time(text) == seconds


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot parse"),
        ("2024-01-01", "cannot parse"),
        ("2024-13-01T00:00:00Z", "month must be in"),
        ("2023-02-29T00:00:00Z", "^day "),
        ("2024-01-01T00:00:00", "cannot parse"),
        ("x", "cannot parse"),
        ("0001-01-01T00:00:00+00:01", "out of the years"),
        ("9999-12-31T23:59:59-00:01", "out of the years"),
    ],
)
def test_what_is_no_moment_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        times.parse_time(text)


@given(st.integers(-62135596800, 253402300799))
def test_moments_come_back_as_they_went(seconds):
    assert times.parse_time(times.format_time(seconds)) == seconds


def test_moments_are_written_in_seconds_or_microseconds():
    assert times.format_time(1709208000.999) == "2024-02-29T12:00:00Z"
    assert times.format_micro_time(1709208000.25) == "2024-02-29T12:00:00.250000Z"
    assert times.format_time(-62135596800) == "0001-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "seconds", "canonical"),
    [
        ("5m", 300, "5m0s"),
        ("1h30m", 5400, "1h30m0s"),
        ("300ms", 0.3, "300ms"),
        ("2m0s", 120, "2m0s"),
        ("0", 0, "0s"),
        ("-1.5h", -5400, "-1h30m0s"),
        ("1.5s", 1.5, "1.5s"),
        ("10us", 0.00001, "10µs"),
        ("7ns", 7e-9, "7ns"),
        (".5s", 0.5, "500ms"),
    ],
)
def test_spans(text, seconds, canonical):
    assert times.parse_duration(text) == seconds
    assert times.format_duration(seconds) == canonical


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        *((text, f'invalid duration "{text}"') for text in ("", "m", "--5m", "-", ".s", "9999999999h", "5m.", "+", "5s.s")),
        *((text, f'missing unit in duration "{text}"') for text in ("5", "5m5", "-1", "1.", "1.5.s")),
        ("1d", 'unknown unit "d" in duration "1d"'),
        ("-1x", 'unknown unit "x" in duration "-1x"'),
        ("5 m", 'unknown unit " m" in duration "5 m"'),
        ("1h2 m", 'unknown unit " m" in duration "1h2 m"'),
        ('1"', r'unknown unit "\"" in duration "1\""'),
        ("1ö\n", r'unknown unit "\xc3\xb6\x0a" in duration "1\xc3\xb6\x0a"'),
    ],
)
def test_what_is_no_span_is_refused_in_gos_words(text, wrong):
    with pytest.raises(ValueError, match="time: ") as error:
        times.parse_duration(text)
    assert str(error.value) == f"time: {wrong}"


@given(st.integers(0, 10**15))
def test_spans_come_back_as_they_went(nanos):
    assert round(times.parse_duration(times.format_duration(nanos / 10**9)) * 10**9) == nanos


MINUTE, HOUR, DAY = 60, 3600, 86400


@pytest.mark.parametrize(("text", "seconds"), [("30d", 2_592_000), ("1d12h", 129_600), ("0d", 0), ("90s", 90), ("-5s", -5)])
def test_spans_of_a_clusters_time_may_begin_with_days(text, seconds):
    assert times.parse_span(text) == seconds


@pytest.mark.parametrize("text", ["", "d", "1.5d", "-1d", "12h1d", "1d2d", "1dx", "1d 2h", "1d-2h", "1d+2h"])
def test_days_come_first_and_whole(text):
    with pytest.raises(ValueError, match="duration"):
        times.parse_span(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (0.9, "0s"),
        (119, "119s"),
        (120, "2m"),
        (150, "2m30s"),
        (599, "9m59s"),
        (600, "10m"),
        (179 * MINUTE + 59, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + 20 * MINUTE, "3h20m"),
        (8 * HOUR + 59 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 5 * HOUR, "2d5h"),
        (8 * DAY + 5 * HOUR, "8d"),
        (729 * DAY, "729d"),
        (730 * DAY, "2y"),
        (760 * DAY, "2y30d"),
        (8 * 365 * DAY + DAY, "8y"),
    ],
)
def test_ages_are_for_people(seconds, text):
    assert times.human_duration(seconds) == text
