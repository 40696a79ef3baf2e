"""Amounts of resources."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta import quantity
from svcsim.meta.quantity import ZERO, Amount, Format

SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "E-2"]
TEXTS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.decimals(0, 10**6, places=3).map(lambda number: f"{number:f}"),
    st.sampled_from(SUFFIXES),
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        ("0.5", "500m"),
        ("1000m", "1"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("12e4", "120e3"),
        ("1000", "1k"),
        ("1024", "1024"),
        ("0.5Ki", "512"),
        ("0.5Mi", "512Ki"),
        ("0.1Gi", "107374182400m"),
        ("100m", "100m"),
        ("0.0001", "100u"),
        ("0.0000000001", "1n"),
        ("1.", "1"),
        (".5", "500m"),
        ("-1.5", "-1500m"),
        ("+1", "1"),
        ("64Mi", "64Mi"),
        ("2000000", "2M"),
        ("1E", "1E"),
        ("100Ei", "9223372036854775807"),
        ("0Ki", "0"),
        ("007", "7"),
    ],
)
def test_the_canonical_form(text, canonical):
    assert quantity.canonical(text) == canonical


@pytest.mark.parametrize("text", ["", ".", "a", "1.2.3", "1 Gi", "1gi", "1KI", "--1", "e3", "Ki", "1e3Ki", "1Mo", "\u0661", "1\n", "0x1"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError, match="quantities must"):
        quantity.parse(text)


@pytest.mark.parametrize("text", ["1e", "10Mm", "1.5K", "-1ki", ".5Kii", "1E+"])
def test_a_suffix_that_means_nothing_is_told_as_such(text):
    with pytest.raises(ValueError, match=r"^unable to parse quantity's suffix$"):
        quantity.parse(text)


@given(st.text(alphabet="0123456789.eE+-KiMnum") | st.text())
def test_any_text_is_a_quantity_or_refused(text):
    try:
        amount = quantity.parse(text)
    except ValueError:
        return
    assert abs(amount.number) <= 10**41


@given(TEXTS)
def test_the_canonical_form_is_the_same_amount_and_stays(text):
    amount = quantity.parse(text)
    assert quantity.parse(str(amount)) == amount
    assert quantity.canonical(str(amount)) == str(amount)


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9))
def test_order_is_that_of_the_numbers(left, right):
    """Whatever the suffixes are."""
    assert (quantity.parse(f"{left}m") < quantity.parse(f"{right}000u")) == (left < right)
    assert (quantity.parse(f"{left}Ki") == quantity.parse(f"{right * 1024}")) == (left == right)


@given(TEXTS, TEXTS)
def test_sums_can_be_taken_back(left, right):
    a, b = quantity.parse(left), quantity.parse(right)
    assert a + b - b == a
    assert a - a == ZERO


def test_a_sum_is_printed_as_its_first_part():
    assert str(quantity.parse("1Gi") + quantity.parse("1024")) == "1048577Ki"
    assert str(ZERO + quantity.parse("2048Ki")) == "2Mi"
    assert str(quantity.parse("1") + quantity.parse("500m")) == "1500m"


def test_whole_numbers_round_away_from_zero():
    assert (quantity.parse("1.1").value(), quantity.parse("-1.1").value()) == (2, -2)
    assert (quantity.parse("1").millis(), quantity.parse("0.0001").millis()) == (1000, 1)


def test_huge_exponents_cost_nothing():
    assert quantity.parse("1e999999999").number > 0
    assert str(quantity.parse("1e-999999999")) == "1e-9"
    assert str(quantity.parse("9" * 100_000)) == "9223372036854775807"


def test_fields_may_hold_numbers():
    assert (str(quantity.of(2)), str(quantity.of(0.5)), str(quantity.of("1Gi"))) == ("2", "500m", "1Gi")
    with pytest.raises(ValueError, match="quantities must"):
        quantity.of(True)


def test_quantities_are_made_of_numbers():
    assert str(Amount(Fraction(1500, 1000))) == "1500m"
    assert str(Amount(Fraction(2**20), Format.BINARY)) == "1Mi"
