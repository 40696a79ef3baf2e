"""Logs, as the agent of a node has them: of containers on it, and as files below ``/logs/``."""

from html import escape
from urllib.parse import parse_qs, quote

from svcsim.client.api import Client
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.go_integers import read_decimal
from svcsim.meta.http import Request, Response
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.pods import container_statuses, node_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.nodes.logs.logs import Logs
from svcsim.nodes.proxied.texts import HTML, TEXT, page_not_found, text

_FLAGS = ("follow", "previous", "timestamps")
_NUMBERS = ("sinceSeconds", "tailLines", "limitBytes")
_FALSE = ("0", "false")
_DIRECTORY = "containers"


class AgentLogs:
    """Answers for them."""

    def __init__(self, client: Client, logs: Logs) -> None:
        self._client = client
        self._logs = logs

    async def of_container(self, node: str, below: str, request: Request) -> Response:
        """``NAMESPACE/POD/CONTAINER``, with the options of a log in the query."""
        parts = below.split("/")
        if len(parts) != 3 or not all(parts):
            return page_not_found()
        namespace, name, container = parts
        pod = await self._client.resource("v1", "pods", namespace).find(name)
        if pod is None or node_of(pod) != node:
            return text(404, f"pod {quoted(name)} does not exist")
        try:
            return await self._logs.serve_log(namespace, name, {**_options(request.query), "container": container})
        except StatusError as error:
            return text(error.code, error.message)

    async def file(self, node: str, below: str) -> Response:
        """A file of the machine's logs, or what is in a directory: there are those of its containers."""
        if below == "":
            return _listed([f"{_DIRECTORY}/"])
        if below == _DIRECTORY:
            return Response(301, content_type="", headers={"Location": f"{_DIRECTORY}/"})
        directory, _, name = below.partition("/")
        if directory != _DIRECTORY:
            return page_not_found()
        files = await self._files(node)
        if not name:
            return _listed(sorted(files))
        found = files.get(name)
        if found is None:
            return page_not_found()
        namespace, pod, container = found
        lines = await self._logs.serve_log(namespace, pod, {"container": container, "timestamps": True})
        return Response(200, b"".join(_in_file(line) for line in lines.body.splitlines(keepends=True)), TEXT)

    async def _files(self, node: str) -> dict[str, tuple[str, str, str]]:
        """The logs of containers that run or ran last, by the names of their files: whose each is."""
        found: dict[str, tuple[str, str, str]] = {}
        async for page in self._client.resource("v1", "pods").pages(field_selector=f"spec.nodeName={node}"):
            for pod in page.items:
                for one in container_statuses(pod):
                    runtime_id = str(one.get("containerID") or "").rpartition("//")[2]
                    if runtime_id:
                        whose = (namespace_of(pod), name_of(pod), one["name"])
                        found[f"{whose[1]}_{whose[0]}_{whose[2]}-{runtime_id}.log"] = whose
        return found


def _options(query: str) -> Object:
    """PodLogOptions, as a query says them. Raises 400."""
    values = {name: given[0] for name, given in parse_qs(query, keep_blank_values=True, errors="replace").items()}
    asked: Object = {name: _read(name, values[name]) for name in (*_FLAGS, *_NUMBERS, "sinceTime") if name in values}
    return asked


def _read(name: str, value: str) -> Json:
    if name in _FLAGS:
        return value.lower() not in _FALSE
    if name not in _NUMBERS:
        return value
    try:
        return read_decimal(value, 64, "ParseInt") if value else None
    except ValueError as error:
        raise bad_request(str(error)) from None


def _in_file(line: bytes) -> bytes:
    """A line with its time, as a container runtime writes it to a file."""
    at, _, rest = line.partition(b" ")
    return b"%b stdout F %b" % (at, rest)


def _listed(names: list[str]) -> Response:
    """A directory as a page of links."""
    links = "".join(f'<a href="{quote(name)}">{escape(name)}</a>\n' for name in names)
    return text(200, f'<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n{links}</pre>', HTML)
