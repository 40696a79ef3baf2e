"""What the agent of a simulated node answers at its own port: the paths that people and programs ask of a kubelet."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from svcsim.client.api import Client
from svcsim.meta.aside import aside
from svcsim.meta.codec import encode
from svcsim.meta.http import READING_METHODS, Request, Response, take_in
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.nodes.proxied.agent_configuration import configuration
from svcsim.nodes.proxied.agent_logs import AgentLogs
from svcsim.nodes.proxied.agent_metrics import agent_metrics, has_sandbox
from svcsim.nodes.proxied.texts import METRICS, TEXT, page_not_found, text

_POD_BYTES = 4_096
"""About how long a pod is."""
_HEALTHY = ("/healthz", "/healthz/ping", "/healthz/log", "/healthz/syncloop")
_CONTAINER_LOGS, _FILES = "/containerLogs/", "/logs/"


class Measures(NamedTuple):
    """Who tells what a node and its containers use: of a Node, as an object or as lines for Prometheus."""

    summary: Callable[[Object], Awaitable[Object]]
    resources: Callable[[Object], Awaitable[list[str]]]
    cadvisor: Callable[[Object], Awaitable[list[str]]]


class AgentAnswers:
    """The agents of all nodes: they differ in what they are asked about."""

    def __init__(self, client: Client, logs: AgentLogs, measures: Measures) -> None:
        self._client = client
        self._logs = logs
        self._documents: dict[str, Callable[[Object], Awaitable[Object]]] = {
            "/configz": self._configuration,
            "/pods": self._pods,
            "/runningpods": self._running_pods,
            "/stats/summary": measures.summary,
        }
        self._series: dict[str, Callable[[Object], Awaitable[list[str]]]] = {
            "/metrics": self._metrics,
            "/metrics/cadvisor": measures.cadvisor,
            "/metrics/resource": measures.resources,
        }

    async def answer(self, node: Object, request: Request) -> Response:
        """What the agent of a node answers."""
        await take_in(request)  # no path wants a body
        asked = unquote(request.path)
        path = asked.rstrip("/")
        if path in _HEALTHY:
            return Response(200, b"ok", TEXT)
        answer = self._found(node, asked, path, request)
        if answer is None:
            return page_not_found()
        if request.method not in READING_METHODS:
            return Response(405, b"405: Method Not Allowed", TEXT, {"Allow": ", ".join(READING_METHODS)})
        return await answer()

    def _found(self, node: Object, asked: str, path: str, request: Request) -> Callable[[], Awaitable[Response]] | None:
        """What is behind a path."""
        document, series = self._documents.get(path), self._series.get(path)
        if document is not None:
            return partial(self._document, document, node)
        if series is not None:
            return partial(self._lines, series, node)
        if asked.startswith(_CONTAINER_LOGS):
            return partial(self._logs.of_container, name_of(node), asked.removeprefix(_CONTAINER_LOGS), request)
        if asked.startswith(_FILES):
            return partial(self._logs.file, name_of(node), asked.removeprefix(_FILES))
        return _to_directory if f"{asked}/" == _FILES else None

    async def _document(self, tell: Callable[[Object], Awaitable[Object]], node: Object) -> Response:
        told = await tell(node)
        return Response(200, await aside(len(told.get("items") or told.get("pods") or ()) * _POD_BYTES, encode, told))

    async def _lines(self, tell: Callable[[Object], Awaitable[list[str]]], node: Object) -> Response:
        return text(200, "\n".join(await tell(node)), METRICS)

    async def _configuration(self, node: Object) -> Object:
        return configuration(node)

    async def _pods(self, node: Object) -> Object:
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": await self._on(node)}

    async def _running_pods(self, node: Object) -> Object:
        running = [pod for pod in await self._on(node) if has_sandbox(pod)]
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": running}

    async def _metrics(self, node: Object) -> list[str]:
        return agent_metrics(node, await self._on(node))

    async def _on(self, node: Object) -> list[Object]:
        pods = self._client.resource("v1", "pods")
        return await pods.list_all(field_selector=f"spec.nodeName={name_of(node)}")


async def _to_directory() -> Response:
    return Response(301, content_type="", headers={"Location": _FILES.removeprefix("/")})
