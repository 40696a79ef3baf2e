"""Answers of a node's agent that are text, as Go's HTTP library gives them."""

from svcsim.meta.http import Response

TEXT = "text/plain; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
HTML = "text/html; charset=utf-8"


def text(status: int, said: str, content_type: str = TEXT) -> Response:
    """A line or several."""
    return Response(status, f"{said}\n".encode(), content_type)


def page_not_found() -> Response:
    """There is no such path."""
    return text(404, "404 page not found")
