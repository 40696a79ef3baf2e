"""What comes after the end of a watch."""

import pytest

from svcsim.client.watch_end import AfterEnd, after_end
from svcsim.meta.errors import StatusError, too_large_resource_version


@pytest.mark.parametrize(
    ("error", "after"),
    [
        (ConnectionError("gone"), AfterEnd.RESUME),
        (StatusError(429, "TooManyRequests", ""), AfterEnd.RESUME),
        (StatusError(500, "", ""), AfterEnd.RESUME),
        (StatusError(503, "", ""), AfterEnd.RESUME),
        (StatusError(410, "Expired", ""), AfterEnd.RELIST),
        (StatusError(410, "", ""), AfterEnd.RELIST),
        (StatusError(504, "", "Too large resource version: 9"), AfterEnd.RELIST),
        (too_large_resource_version(9, 1), AfterEnd.RELIST),
        (StatusError(504, "", ""), AfterEnd.FAIL),
        (StatusError(403, "Forbidden", ""), AfterEnd.FAIL),
        (StatusError(404, "NotFound", ""), AfterEnd.FAIL),
    ],
)
def test_what_comes_after_a_watch_is_decided_by_how_it_ended(error, after):
    assert after_end(error) is after
