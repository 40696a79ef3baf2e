"""``Warning:`` headers: what a client should know about a request, whether it succeeded or was refused."""

from dataclasses import replace

from svcsim import limits
from svcsim.meta.http import Response


def with_warnings(response: Response, texts: list[str]) -> Response:
    """The answer, with a warning for each text that was left on the way. A new one: the old one may be kept for others to come."""
    header = ", ".join([warning(text) for text in dict.fromkeys(texts)])[: limits.WARNING_HEADER_CHARS]
    return replace(response, headers={**response.headers, "Warning": header})


def warning(text: str) -> str:
    """One warning as its header spells it: code 299, no agent, quoted text."""
    cleaned = "".join([letter if letter.isprintable() else " " for letter in text])
    return '299 - "' + cleaned.replace("\\", "\\\\").replace('"', '\\"') + '"'
