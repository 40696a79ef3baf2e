"""What is answered at the ports of simulated pods: which pod and port it is, or what a well-known image would serve there."""

import orjson

from svcsim.meta.http import Response
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.logs import choose_container
from svcsim.nodes.reach import Reach
from svcsim.nodes.streams.agnhost import served_by_agnhost
from svcsim.nodes.streams.naming import hostname_of
from svcsim.nodes.streams.running import running
from svcsim.nodes.streams.sources import container_of
from svcsim.nodes.streams.web_root import asked_path, page_at, served_file, web_root

_READING = ("GET", "HEAD")


class PortAnswers:
    """The same whichever way a request comes to the port."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def answer(self, pod: Object, container: str, port: int, method: str, target: str) -> Response:
        """To a request for a path, with its query. Raises `StatusError` where the container doesn't run any more."""
        spec = container_of(pod, container)
        served = served_by_agnhost(spec, hostname_of(pod)).get(port)
        if served is not None:
            return served.answer(method)
        status, root = 200, web_root(spec)
        if root and method in _READING:
            path = asked_path(target)
            status, found = await self._page(pod, container, root, path)
            if found is not None:
                return found
        told = {
            "pod": name_of(pod), "namespace": namespace_of(pod), "container": container, "node": node_of(pod), "port": port,
            "method": method, "path": target,
        }  # fmt: skip
        return Response(status, orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE), headers={"Server": "svcsim"})

    async def _page(self, pod: Object, container: str, root: str, path: str) -> tuple[int, Response | None]:
        """The status of the answer, and the answer where it is more than what we have to tell ourselves."""
        run = running(pod, choose_container(pod, container, ""))
        async with self._reach.inside(run, self._reach.machine_of(pod)) as inside:
            page = page_at(inside.world.tree, root, path)
            return page.status, await served_file(inside.world.tree, page, path)
