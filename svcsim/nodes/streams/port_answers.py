"""What is answered at the ports of simulated pods: which pod and port it is, or what a well-known image would serve there."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

import orjson

from svcsim.meta.http import Response
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.sources import container_of
from svcsim.nodes.images.images import known_name
from svcsim.nodes.images.known_processes import known_ports
from svcsim.nodes.logs.logs import choose_container
from svcsim.nodes.shell.tree import Tree
from svcsim.nodes.streams.agnhost import served_by_agnhost
from svcsim.nodes.streams.image_answers import answer_of_image
from svcsim.nodes.streams.naming import hostname_of
from svcsim.nodes.streams.pod_files import AllFiles
from svcsim.nodes.streams.running import Running, running
from svcsim.nodes.streams.web_root import asked_path, has_volume_at, page_at, served_file, tree_of_image, web_root
from svcsim.nodes.streams.world import Inside

Enter: TypeAlias = Callable[[Running], AbstractAsyncContextManager[Inside]]
"""Lets a server into its container. Raises `StatusError`."""
_READING = ("GET", "HEAD")


class PortAnswers:
    """The same whichever way a request comes to the port."""

    def __init__(self, enter: Enter, known: AllFiles | None = None) -> None:
        """``known`` is where all files are that anybody has changed, where nobody's processes are to be waited for."""
        self._enter = enter
        self._known = known

    async def answer(self, pod: Object, container: str, port: int, method: str, target: str) -> Response:
        """To a request for a path, with its query. Raises `StatusError` where the container doesn't run any more."""
        spec = container_of(pod, container)
        hostname = hostname_of(pod)
        served = served_by_agnhost(spec, hostname).get(port)
        known = served.answer(method, target) if served is not None else self._of_image(spec, port, hostname)
        if known is not None:
            return known
        status, root = 200, web_root(spec)
        if root and method in _READING:
            path = asked_path(target)
            if self._known is not None and uid_of(pod) not in self._known.of_pods and not has_volume_at(spec, root):
                status, found = await _served(tree_of_image(known_name(spec["image"])), root, path)
            else:
                status, found = await self._page(pod, container, root, path)
            if found is not None:
                return found
        told = {
            "pod": name_of(pod), "namespace": namespace_of(pod), "container": container, "node": node_of(pod), "port": port,
            "method": method, "path": target,
        }  # fmt: skip
        return Response(status, orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE), headers={"Server": "svcsim"})

    @staticmethod
    def _of_image(container: Object, port: int, hostname: str) -> Response | None:
        return answer_of_image(container, hostname) if port in known_ports(container.get("image") or "") else None

    async def _page(self, pod: Object, container: str, root: str, path: str) -> tuple[int, Response | None]:
        """The status of the answer, and the answer where it is more than what we have to tell ourselves."""
        run = running(pod, choose_container(pod, container, ""))
        async with self._enter(run) as inside:
            return await _served(inside.world.tree, root, path)


async def _served(tree: Tree, root: str, path: str) -> tuple[int, Response | None]:
    page = page_at(tree, root, path)
    return page.status, await served_file(tree, page, path)
