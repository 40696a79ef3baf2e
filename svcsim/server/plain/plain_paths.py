"""Paths that are no resources: exact ones, and the ones below a root."""

from svcsim.meta.http import Handler, Request, Response

NOT_FOUND_TEXT = b"404 page not found\n"
TEXT = "text/plain; charset=utf-8"


class PlainPaths:
    """Finds the handler of a plain path. A key that ends in ``/`` stands for everything below it."""

    def __init__(self, handlers: dict[str, Handler]) -> None:
        self._exact = {path: handler for path, handler in handlers.items() if path == "/" or not path.endswith("/")}
        self._below = tuple((path, handler) for path, handler in handlers.items() if path not in self._exact)

    def find(self, path: str) -> Handler:
        """The handler of that path; for one that nobody has, what answers 404."""
        handler = self._exact.get(path) or self._exact.get(path.rstrip("/"))
        if handler is not None:
            return handler
        return next((below for root, below in self._below if path.startswith(root)), page_not_found)


async def page_not_found(_request: Request) -> Response:
    """What every unknown path gets."""
    return Response(404, NOT_FOUND_TEXT, TEXT)
