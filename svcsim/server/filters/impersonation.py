"""Impersonation: asking as somebody else. It isn't there yet, and says so.

To pass over the headers would be worse than to refuse them: the request would be carried out with all that its sender may do, though the
sender asked for less.
"""

from collections.abc import Mapping

from svcsim.meta.errors import StatusError

_HEADERS = frozenset({"impersonate-user", "impersonate-group", "impersonate-uid"})


def refuse_impersonation(headers: Mapping[str, str]) -> None:
    """Raise 403 for a request that is to be taken as somebody else's."""
    if not _HEADERS.isdisjoint(headers):
        why = "this server doesn't support impersonation; ask as yourself, without Impersonate-* headers (--as, --as-group, --as-uid)"
        raise StatusError(403, "Forbidden", f"forbidden: {why}", {})
