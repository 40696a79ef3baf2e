"""Impersonation: asking as somebody else. It isn't there yet, and says so.

To pass over the headers would be worse than to refuse them: the request would be carried out with all that its sender may do, though the
sender asked for less.
"""

from collections.abc import Mapping

from svcsim.meta.errors import StatusError

_HEADERS = ("impersonate-user", "impersonate-group", "impersonate-uid")
_EXTRA = "impersonate-extra-"
"""What such a header goes on with is the name of one more thing to be told of whoever is asked as."""


def refuse_impersonation(headers: Mapping[str, str]) -> None:
    """Raise 403 for a request that is to be taken as somebody else's."""
    if any(name.startswith(_EXTRA) or name in _HEADERS for name in headers):
        why = "this server doesn't support impersonation; ask as yourself, without Impersonate-* headers (--as, --as-group, --as-uid)"
        raise StatusError(403, "Forbidden", f"forbidden: {why}", {})
