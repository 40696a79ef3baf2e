"""JSON as a client wants it: compact, with a line end as streams of documents have it, or indented for people."""

from collections.abc import Mapping
from urllib.parse import parse_qs

from svcsim.meta.codec import encode, encode_pretty
from svcsim.meta.http import Request
from svcsim.meta.types import Json

END = b"\n"
"""After every compact document."""
_HANDS_ON = ("curl", "Wget", "Mozilla/5.0")
"""User agents that people read the answers of: they get indented JSON without asking."""
_NO = ("0", "false", "False", "FALSE", "f", "F")


def wants_pretty(request: Request, query: Mapping[str, list[str]] | None = None) -> bool:
    """Whether JSON is to be indented. ``query`` is the request's, where somebody has read it already."""
    if query is None:
        query = parse_qs(request.query, keep_blank_values=True)
    if query and "pretty" in query:
        return query["pretty"][0] not in _NO
    return request.headers.get("user-agent", "").startswith(_HANDS_ON)


def json_body(value: Json, *, pretty: bool) -> bytes:
    """A value as the body of an answer."""
    return encode_pretty(value) if pretty else encode(value) + END
