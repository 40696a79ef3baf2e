"""``Warning:`` headers: what a client should know about a request that succeeded all the same."""

from svcsim.meta.http import Response
from svcsim.registry.options import Caller

_LONGEST_CHARS = 4096


def with_warnings(response: Response, caller: Caller) -> Response:
    """The answer, with a warning for each text the way through the registry left with the caller."""
    for text in dict.fromkeys(caller.warnings):
        warn(response, text)
    return response


def warn(response: Response, text: str) -> None:
    """One more warning, unless it is there already or the header is full."""
    told = response.headers.get("Warning", "")
    more = warning(text)
    if more not in told and len(told) + len(more) <= _LONGEST_CHARS:
        response.headers["Warning"] = f"{told}, {more}" if told else more


def warning(text: str) -> str:
    """One warning as its header spells it: code 299, no agent, quoted text."""
    cleaned = "".join([letter if letter.isprintable() else " " for letter in text])
    return '299 - "' + cleaned.replace("\\", "\\\\").replace('"', '\\"') + '"'
