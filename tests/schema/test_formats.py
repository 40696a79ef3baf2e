"""Formats of text, as other implementations take them."""

import pytest

from svcsim.schema.formats import FORMATS, parse_duration


@pytest.mark.parametrize(
    ("form", "value"),
    [
        *(("duration", value) for value in ("1h30m", "0", "-1.5h", "+1s", "3 weeks", "1 day 2 hours", "2 Days", "1hr", "10 millis", "2wk")),
        *(("isbn", value) for value in ("0321751043", "978-0321751041", "080442957X", "978 0 321 75104 1")),
        ("isbn10", "0-321-75104-3"),
        ("isbn13", "9780321751041"),
        *(("creditcard", value) for value in ("4111 1111 1111 1111", "5555555555554444", "3782-822463-10005")),
        *(
            ("uri", value)
            for value in (
                "http://a:80/b",
                "http://[::1]:80",
                "http://[::1]",
                "http://u:p@a",
                "mailto:a@b",
                "/a:b",
                "http://a:/%20",
                "http://a:99999/b c",
                "http://A?b=%zz",
            )
        ),
    ],
)
def test_what_is_of_a_format(form: str, value: str):
    assert FORMATS[form](value)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        *(
            ("duration", value)
            for value in ("9999999999h", "9" * 30 + "h", "1h" * 200_000, "1", "h", "1 moon", "999999999 weeks", "", "1d!")
        ),
        *(("isbn", value) for value in ("abc", "0321751044", "978-0321751042", "")),
        ("isbn10", "9780321751041"),
        ("isbn13", "0321751043"),
        *(("creditcard", value) for value in ("12", "4111111111111112", "")),
        *(
            ("uri", value)
            for value in (
                "http://a:a:a",
                "http://a:a",
                "http://[::1",
                "http://[::1]a",
                "a b",
                "http://a/\x01",
                "http://a/%zz",
                "a",
                " http://a",
                "http://a b/",
                "http://[1.2.3.4]",
                "http://a\\@b",
                "http://a:\u0661/",
                "/%zz",
            )
        ),
    ],
)
def test_what_is_not_of_a_format(form: str, value: str):
    assert not FORMATS[form](value)


@pytest.mark.parametrize(
    ("value", "seconds"), [("1h30m", 5400), ("-1.5h", -5400), ("1 day 2 hours", 93600), ("3 weeks", 1814400), ("5 MIN", 300)]
)
def test_what_a_duration_comes_to(value: str, seconds: float):
    assert parse_duration(value) == seconds
