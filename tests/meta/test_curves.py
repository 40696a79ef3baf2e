"""Curves: what their words mean, at which time, and what is said of those that mean nothing."""

import pytest

from svcsim import limits
from svcsim.meta.curves import JITTER_S, CurveError, noise, read_curves

MIDNIGHT = 1_767_225_600.0
MI = 1024.0**2


def at(text: str, since_s: float = 0.0, *, now: float = MIDNIGHT, chance: float = 0.0, whole: float = 0.0) -> float:
    return read_curves(text)[""].at(since_s, now, chance, whole)


@pytest.mark.parametrize(
    ("text", "since_s", "value"),
    [
        ("250m", 0, 0.25),
        ("64Mi", 9_000, 64 * MI),
        ("0", 0, 0),
        ("100m to 900m over 10m", 0, 0.1),
        ("100m to 900m over 10m", 300, 0.5),
        ("100m to 900m over 10m", 3_600, 0.9),
        ("900m to 100m over 10m", 300, 0.5),
        ("100m to 900m over 10m", -5, 0.1),
        ("100m, 500m after 30s, 50m after 2m", 29, 0.1),
        ("100m, 500m after 30s, 50m after 2m", 30, 0.5),
        ("100m,500m after 30s,50m after 2m", 120, 0.05),
    ],
)
def test_a_value_follows_from_the_time_since_the_start(text: str, since_s: float, value: float):
    assert at(text, since_s) == pytest.approx(value)


@pytest.mark.parametrize(("minutes", "value"), [(0, 100), (5, 500), (10, 900), (15, 500), (20, 100), (30, 900)])
def test_a_wave_goes_by_the_clock_whenever_it_began(minutes: int, value: int):
    assert at("100 to 900 every 20m", 77, now=MIDNIGHT + 60 * minutes) == pytest.approx(value)
    assert at("100 to 900 every 20m", 0, now=MIDNIGHT + 60 * minutes) == pytest.approx(value)


def test_a_day_is_quietest_at_midnight_and_busiest_at_noon():
    assert at("1 to 9 every 24h") == pytest.approx(1)
    assert at("1 to 9 every 24h", now=MIDNIGHT + 12 * 3600) == pytest.approx(9)


def test_percentages_are_of_what_is_requested():
    assert at("50%", whole=0.2) == pytest.approx(0.1)
    assert at("10% to 110% over 10m", 600, whole=2) == pytest.approx(2.2)
    assert read_curves("1, 50% after 1m")[""].relative
    assert not read_curves("250m to 1 over 1m")[""].relative


def test_noise_makes_a_value_larger_or_smaller_by_no_more_than_is_said():
    assert at("200m ~10%", chance=1) == pytest.approx(0.22)
    assert at("200m ~10%", chance=-1) == pytest.approx(0.18)
    assert at("200m ~0%", chance=1) == pytest.approx(0.2)
    assert at("200m ~100%", chance=-1) == 0


def test_noise_is_the_same_for_the_same_question_and_holds_for_a_while():
    assert noise(MIDNIGHT, "1", "uid", "cpu") == noise(MIDNIGHT + JITTER_S - 1, "1", "uid", "cpu")
    different = {noise(MIDNIGHT + step * JITTER_S, "1", "uid", "cpu") for step in range(50)}
    different |= {noise(MIDNIGHT, *who) for who in (("2", "uid", "cpu"), ("1", "other", "cpu"), ("1", "uid", "memory"))}
    assert len(different) == 53
    assert all(-1 <= value < 1 for value in different)
    assert noise(MIDNIGHT, "1", "uid", "cpu") == pytest.approx(0.0789033, abs=1e-6), "on every machine"


def test_curves_of_several_stand_behind_their_names():
    found = read_curves("web = 100m; sidecar=5m ~5% shared;1")
    assert list(found) == ["web", "sidecar", ""]
    assert (found["sidecar"].jitter, found["sidecar"].shared, found["web"].shared) == (0.05, True, False)
    assert list(read_curves("queue=a,shop=b = 30; 5;")) == ["queue=a,shop=b", ""]


def test_none_is_no_value():
    assert read_curves("none")[""].shape is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", '"" says no value'),
        (";", '";" is neither a quantity, such as 250m or 64Mi, nor a percentage'),
        ("shared", '"shared" says no value'),
        ("lots", '"lots" is neither a quantity, such as 250m or 64Mi, nor a percentage'),
        ("-1", '"-1" is not between 0 and 1e+15'),
        ("nan%", '"nan%" is not between 0 and 1e+15'),
        ("inf%", '"inf%" is not between 0 and 1e+15'),
        ("1E", '"1E" is not between 0 and 1e+15'),
        ("1 to 2", '"1 to 2" is none of VALUE, A to B over TIME, A to B every TIME, and VALUE, VALUE after TIME'),
        ("1 to 2 over", '"1 to 2 over" is none of VALUE, A to B over TIME, A to B every TIME, and VALUE, VALUE after TIME'),
        ("1 to 2 over x", '"x" is no time, such as 30s, 10m or 1h30m'),
        ("1 to 2 every 0s", '"0s" is no time above zero'),
        ("1 to 2 every -5m", '"-5m" is no time above zero'),
        ("1, 2", '"1, 2" is none of VALUE, A to B over TIME, A to B every TIME, and VALUE, VALUE after TIME'),
        ("1, 2 after 1m, 3 after 30s", 'the steps of "1, 2 after 1m, 3 after 30s" are not in the order of their times'),
        ("100m ~5% ~5%", '"100m ~5% ~5%" says twice how far it varies (~)'),
        ("1 shared ~5% shared", '"1 shared ~5% shared" says twice that it is shared'),
        ("none shared", '"none shared": none is no value, and nothing stands behind it'),
        ("none ~5%", '"none ~5%": none is no value, and nothing stands behind it'),
        ("1 ~", '"~" is not a percentage up to ~100%'),
        ("1 ~10", '"~10" is not a percentage up to ~100%'),
        ("1 ~101%", '"~101%" is not a percentage up to ~100%'),
        ("1 ~x%", '"~x%" is not a percentage up to ~100%'),
        ("=1", 'there is no name before the "=" of "=1"'),
        ("a=1;a=2", '"a" is said twice'),
        ("1;2", "what holds for all is said twice"),
        ("1" * 5_000, f"it is longer than {limits.CURVES_CHARS} characters"),
        ("1" + ", 1 after 1s" * 200, f"it has more than {limits.CURVE_STEPS} steps"),
    ],
)
def test_what_says_no_curve_is_told_why(text: str, why: str):
    with pytest.raises(CurveError) as refused:
        read_curves(text)
    assert str(refused.value) == why


@pytest.mark.parametrize("text", ["80%", "1 to 80% over 5m", "1, 80% after 1m shared", "a=1;80%"])
def test_where_nothing_is_requested_there_are_no_shares_of_it(text: str):
    with pytest.raises(CurveError) as refused:
        read_curves(text, of_requests=False)
    assert str(refused.value) == '"80%" is no quantity, such as 250m or 64Mi: there is nothing requested that it could be a percentage of'
