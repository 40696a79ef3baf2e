"""A short run of what `tests.soak.kills` does for as long as one likes."""

from tests.soak import kills


def test_nothing_answered_is_lost_when_the_server_is_killed_at_any_moment():
    assert kills.main(3, 1).endswith("answered and lost 0")
