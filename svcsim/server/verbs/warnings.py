"""``Warning:`` headers: what a client should know about a request, whether it succeeded or was refused."""

from dataclasses import replace

from svcsim import limits
from svcsim.meta.http import Response


def with_warnings(response: Response, texts: list[str]) -> Response:
    """The answer, with a warning for each text that was left on the way. A new one: the old one may be kept for others to come."""
    header = ", ".join([warning(text) for text in _fitting(list(dict.fromkeys(texts)))])
    return replace(response, headers={**response.headers, "Warning": header})


def _fitting(texts: list[str]) -> list[str]:
    """All texts where they are short enough together; else the beginnings of the first, as many as there is room for."""
    if sum(map(len, texts)) <= limits.WARNINGS_CHARS:
        return texts
    kept: list[str] = []
    chars = 0
    for text in texts:
        if chars >= limits.WARNINGS_CHARS:
            break
        kept.append(text[: limits.LONG_WARNING_CHARS])
        chars += len(kept[-1])
    return kept


def warning(text: str) -> str:
    """One warning as its header spells it: code 299, no agent, quoted text."""
    cleaned = text if text.isprintable() else "".join([letter if letter.isprintable() else " " for letter in text])
    return '299 - "' + cleaned.replace("\\", "\\\\").replace('"', '\\"') + '"'
