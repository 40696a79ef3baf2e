"""Single values: the form they are stored in, and the words they are refused with."""

import pytest

from svcsim.meta.errors import StatusError
from svcsim.schema.scalars import read_bytes, read_int_or_string, read_micro_time, read_quantity, read_thousandths, read_time


def refusal(read, value):
    with pytest.raises(StatusError) as refused:
        read(value)
    assert refused.value.code == 400
    return refused.value.message


@pytest.mark.parametrize(
    ("sent", "stored"),
    [("1000m", "1"), ("0.5", "500m"), ("1024Mi", "1Gi"), ("100m", "100m"), (2, "2"), (0.1, "100m"), ("1e3", "1e3"), ("0", "0")],
)
def test_quantities_are_stored_in_canonical_form(sent, stored):
    assert read_quantity(sent) == stored


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("100m", "100m"),
        ("1Gi", "1Gi"),
        ("1e3", "1e3"),
        ("100u", "1m"),
        ("-1n", "-1m"),
        ("3.000023m", "4m"),
        (0.0101, "11m"),
        ("0.0001Ki", "103m"),
        ("1.0001e0", "1001e-3"),
        ("9223372036854775.807012345", "9223372036854775808m"),
        ("0", "0"),
    ],
)
def test_amounts_of_resources_are_rounded_up_to_thousandths(sent, stored):
    assert read_thousandths(sent) == stored
    assert read_thousandths(stored) == stored


@pytest.mark.parametrize("read", [read_quantity, read_thousandths])
@pytest.mark.parametrize("sent", ["1Zi", "x", True, {}, []])
def test_what_is_no_quantity_is_refused(sent, read):
    assert refusal(read, sent).startswith("quantities must match the regular expression")


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("2024-02-29T12:30:00Z", "2024-02-29T12:30:00Z"),
        ("2024-02-29T12:30:00.999Z", "2024-02-29T12:30:00Z"),
        ("2024-02-29T00:30:00+01:00", "2024-02-28T23:30:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ],
)
def test_moments_are_stored_in_utc_and_whole_seconds(sent, stored):
    assert read_time(sent) == stored


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("x", 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
        ("", 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'),
        ("2024-1-01", 'parsing time "2024-1-01" as "2006-01-02T15:04:05Z07:00": cannot parse "1-01" as "01"'),
        ("2024-01-01 00:00", 'parsing time "2024-01-01 00:00" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00" as "T"'),
        ("2024-01-01T00:00:00", 'parsing time "2024-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'),
        ("2024-01-01T00:00:00Zz", 'parsing time "2024-01-01T00:00:00Zz": extra text: "z"'),
        ("2024-13-01T00:00:00Z", 'parsing time "2024-13-01T00:00:00Z": month out of range'),
        ("2023-02-29T00:00:00Z", 'parsing time "2023-02-29T00:00:00Z": day out of range'),
        ("2024-01-01T24:00:00Z", 'parsing time "2024-01-01T24:00:00Z": hour out of range'),
        (5, "json: cannot unmarshal number into Go value of type string"),
    ],
)
def test_what_is_no_moment_is_refused(sent, message):
    assert refusal(read_time, sent) == message


def test_micro_times_have_exactly_six_decimals():
    assert read_micro_time("2024-02-29T12:30:00.000001Z") == "2024-02-29T12:30:00.000001Z"
    assert read_micro_time("2024-02-28T23:59:59.999999Z") == "2024-02-28T23:59:59.999999Z"
    assert refusal(read_micro_time, "0000-01-01T00:00:00.000000Z").endswith("out of range")
    assert read_micro_time("2024-02-29T12:30:00.123456+00:30") == "2024-02-29T12:00:00.123456Z"
    assert refusal(read_micro_time, "2024-02-29T12:30:00Z") == (
        'parsing time "2024-02-29T12:30:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'
    )


def test_bytes_are_base64_with_padding():
    assert read_bytes("aGVsbG8=") == "aGVsbG8="
    assert read_bytes("aGVs\nbG8=\n") == "aGVsbG8="
    assert read_bytes("") == ""


@pytest.mark.parametrize(
    ("sent", "where"),
    [
        *[("!aGV", 0), ("aGVsbG8", 4), ("aGV*bG8=", 3), ("ä", 0), ("aGVs*", 4), ("\n*", 1)],
        *[("aGkaG", 4), ("hi", 0), ("aGk", 0), ("a=", 1), ("====", 0), ("aGk=x", 4), ("aG=", 3), ("aG=x", 2), ("aG==x", 4), ("aG\n", 1)],
    ],
)
def test_what_is_no_base64_is_refused(sent, where):
    assert refusal(read_bytes, sent) == f"illegal base64 data at input byte {where}"


@pytest.mark.parametrize("value", [0, 2**31 - 1, "", "25%", "http"])
def test_numbers_and_strings_pass_where_both_may_stand(value):
    assert read_int_or_string(value) == value


@pytest.mark.parametrize(("sent", "got"), [(2**31, "number 2147483648"), (1.5, "number 1.5"), (True, "bool"), ({}, "object")])
def test_other_values_do_not(sent, got):
    assert refusal(read_int_or_string, sent) == f"json: cannot unmarshal {got} into Go value of type int32"
