"""The plain paths every cluster has: discovery, OpenAPI, health, version, metrics, and the list of them all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from svcsim.meta.codec import encode
from svcsim.meta.errors import method_not_allowed
from svcsim.meta.http import Handler, Request, Response
from svcsim.registry.scheme import Scheme
from svcsim.server import metrics
from svcsim.server.discovery_paths import discovery_paths
from svcsim.server.health import Check, health_paths
from svcsim.server.metrics import Metrics
from svcsim.server.openapi_paths import OpenApi
from svcsim.server.version import version_info


def _no_stats() -> Mapping[str, float]:
    return {}


@dataclass(frozen=True, slots=True)
class Standard:
    """What the composition root adds to the standard paths."""

    live: tuple[Check, ...] = ()
    ready: tuple[Check, ...] = ()
    stats: Callable[[], Mapping[str, float]] = field(default=_no_stats)
    """Numbers for ``/metrics`` beside the server's own."""


def standard_paths(scheme: Scheme, counted: Metrics, standard: Standard) -> dict[str, Handler]:
    """Handlers by path."""
    version_body = encode(version_info())

    async def version(request: Request) -> Response:
        _only_reading(request)
        return Response(200, version_body)

    async def metrics_page(request: Request) -> Response:
        _only_reading(request)
        return Response(200, counted.render(standard.stats()), metrics.CONTENT_TYPE)

    paths: dict[str, Handler] = {
        **discovery_paths(scheme),
        **OpenApi(scheme).paths(),
        **health_paths(standard.live, standard.ready),
        "/version": version,
        "/metrics": metrics_page,
    }
    index = encode({"paths": sorted(path for path in paths if not path.endswith("/"))})

    async def root(request: Request) -> Response:
        _only_reading(request)
        return Response(200, index)

    return {**paths, "/": root}


def _only_reading(request: Request) -> None:
    if request.method not in ("GET", "HEAD"):
        raise method_not_allowed()
