"""A short run of what `tests.soak.fuzz` does for as long as one likes."""

from tests.soak import fuzz


def test_whatever_is_asked_is_answered():
    assert fuzz.main(400, 1).startswith("requests 400, all answered")
