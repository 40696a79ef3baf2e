"""Health: ``/healthz``, ``/livez`` and ``/readyz``, each a list of named checks.

``?verbose`` lists them, ``?exclude=NAME`` leaves one out, ``/readyz/NAME`` asks one alone. What went wrong isn't shown to clients.
"""

from collections.abc import Callable
from typing import TypeAlias

from svcsim.meta.http import Handler, Request, Response
from svcsim.server.plain.plain_paths import TEXT, page_not_found
from svcsim.server.requests.query import parse_query

Check: TypeAlias = tuple[str, Callable[[], bool]]
"""A name, and whether all is well."""


def _fine() -> bool:
    return True


PING: Check = ("ping", _fine)


def health_paths(live: tuple[Check, ...], ready: tuple[Check, ...]) -> dict[str, Handler]:
    """Handlers by path. Live checks say whether the process should be kept, ready checks whether it can be asked things."""
    paths: dict[str, Handler] = {}
    for name, checks in (("healthz", (PING, *live)), ("livez", (PING, *live)), ("readyz", (PING, *live, *ready))):
        handler = _Health(name, checks).handle
        paths[f"/{name}"] = handler
        paths[f"/{name}/"] = handler
    return paths


class _Health:
    def __init__(self, name: str, checks: tuple[Check, ...]) -> None:
        self._name = name
        self._checks = checks

    async def handle(self, request: Request) -> Response:
        """All checks, or the one the path names."""
        query = parse_query(request.query)
        asked = request.path.removeprefix(f"/{self._name}").strip("/")
        checks = [check for check in self._checks if check[0] not in query.get("exclude", ())]
        if asked:
            checks = [check for check in checks if check[0] == asked]
            if not checks:
                return await page_not_found(request)
        results = [(name, check()) for name, check in checks]
        passed = all(fine for _, fine in results)
        lines = [f"[+]{name} ok\n" if fine else f"[-]{name} failed: reason withheld\n" for name, fine in results]
        if not passed:
            return Response(500, "".join([*lines, f"{self._name} check failed\n"]).encode(), TEXT)
        if "verbose" in query:
            return Response(200, "".join([*lines, f"{self._name} check passed\n"]).encode(), TEXT)
        return Response(200, b"ok", TEXT)
