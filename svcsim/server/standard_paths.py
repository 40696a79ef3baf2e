"""The plain paths every cluster has: discovery, OpenAPI, health, version, metrics, and the list of them all.

Discovery's paths, and so the list, are those of one generation of the scheme. Whether it has changed is one comparison of numbers, made
when a plain path is asked for.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from svcsim.meta.codec import encode_pretty
from svcsim.meta.errors import method_not_allowed
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.aggregation import Aggregation
from svcsim.server.discovery.paths import discovery_paths
from svcsim.server.discovery.published import published
from svcsim.server.openapi.paths import OpenApi
from svcsim.server.plain.health import Check, health_paths
from svcsim.server.plain.plain_paths import PlainPaths
from svcsim.server.plain.version import version_info
from svcsim.server.requests import metrics
from svcsim.server.requests.metrics import Metrics


def _no_stats() -> Mapping[str, float]:
    return {}


class Standard(NamedTuple):
    """What the composition root adds to the standard paths."""

    live: tuple[Check, ...] = ()
    ready: tuple[Check, ...] = ()
    stats: Callable[[], Mapping[str, float]] = _no_stats
    """Numbers for ``/metrics`` beside the server's own."""
    series: Callable[[], Sequence[str]] = tuple
    """Whole lines for it."""
    aggregation: Aggregation | None = None
    """The servers behind this one, whose groups discovery lists too."""


class StandardPaths:
    """The handlers of plain paths, now and after every change of what is served."""

    def __init__(self, scheme: Scheme, counted: Metrics, standard: Standard, extra: Mapping[str, Handler]) -> None:
        """``extra`` are paths of the composition root's own, which aren't listed."""
        self._scheme = scheme
        self._remotes = None if standard.aggregation is None else standard.aggregation.remotes
        self._lasting = {**OpenApi(scheme, self._remotes).paths(), **_own_paths(counted, standard)}
        self._extra = extra
        self._follow()

    def find(self, path: str) -> Handler:
        """The handler of a path; for one that nobody has, what answers 404."""
        if self._generation != self._newest():
            self._follow()
        return self._paths.find(path)

    def _newest(self) -> tuple[int, int]:
        return self._scheme.generation, 0 if self._remotes is None else self._remotes.generation

    def _follow(self) -> None:
        self._generation = self._newest()
        paths = {**discovery_paths(self._scheme, published(self._scheme, self._remotes)), **self._lasting}
        self._paths = PlainPaths({**paths, "/": _index(paths), **self._extra})


def _own_paths(counted: Metrics, standard: Standard) -> dict[str, Handler]:
    """What is there whatever is served."""
    version_body = encode_pretty(version_info())

    async def version(request: Request) -> Response:
        _only_reading(request)
        return Response(200, version_body)

    async def metrics_page(request: Request) -> Response:
        _only_reading(request)
        return Response(200, counted.render(standard.stats(), standard.series()), metrics.CONTENT_TYPE)

    return {**health_paths(standard.live, standard.ready), "/version": version, "/metrics": metrics_page}


def _index(paths: Iterable[str]) -> Handler:
    """The list of all paths."""
    listed = encode_pretty({"paths": sorted(path for path in paths if not path.endswith("/"))})

    async def root(request: Request) -> Response:
        _only_reading(request)
        return Response(200, listed)

    return root


def _only_reading(request: Request) -> None:
    if request.method not in READING_METHODS:
        raise method_not_allowed(READING_METHODS)
