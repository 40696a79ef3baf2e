"""The plain paths every cluster has: discovery, OpenAPI, health, version, metrics, and the list of them all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from svcsim.meta.codec import encode_pretty
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.aggregation import Aggregation
from svcsim.server.discovery.paths import DiscoveryPaths
from svcsim.server.openapi.paths import OpenApi
from svcsim.server.plain.health import Check, health_paths
from svcsim.server.plain.plain_paths import PlainPaths
from svcsim.server.plain.version import version_info
from svcsim.server.requests import metrics
from svcsim.server.requests.methods import check_method
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
    paths: Mapping[str, Handler] = MappingProxyType({})
    """Handlers of further paths, which are listed."""
    unlisted: Mapping[str, Handler] = MappingProxyType({})
    """Handlers of the composition root's own, which aren't listed."""
    aggregation: Aggregation | None = None
    """The servers behind this one, whose groups discovery lists too."""


class StandardPaths:
    """The handlers of plain paths. Discovery's come and go with what is served."""

    def __init__(self, scheme: Scheme, counted: Metrics, standard: Standard) -> None:
        remotes = None if standard.aggregation is None else standard.aggregation.remotes
        self._discovery = DiscoveryPaths(scheme, remotes)
        lasting = {**OpenApi(scheme, remotes).paths(), **_own_paths(counted, standard), **standard.paths}
        self._others = PlainPaths({**lasting, "/": _index(self._discovery, lasting), **standard.unlisted})

    def find(self, path: str) -> Handler:
        """The handler of a path; for one that nobody has, what answers 404."""
        return self._discovery.find(path) or self._others.find(path)


def _own_paths(counted: Metrics, standard: Standard) -> dict[str, Handler]:
    """What is there whatever is served."""
    version_body = encode_pretty(version_info())

    async def version(request: Request) -> Response:
        check_method(request, READING_METHODS)
        return Response(200, version_body)

    async def metrics_page(request: Request) -> Response:
        check_method(request, READING_METHODS)
        return Response(200, counted.render(standard.stats(), standard.series()), metrics.CONTENT_TYPE)

    return {**health_paths(standard.live, standard.ready), "/version": version, "/metrics": metrics_page}


def _index(discovery: DiscoveryPaths, others: Iterable[str]) -> Handler:
    """The list of all paths."""

    async def root(request: Request) -> Response:
        check_method(request, READING_METHODS)
        paths = (*discovery.listed(), *others)
        return Response(200, encode_pretty({"paths": sorted(path for path in paths if not path.endswith("/"))}))

    return root
