"""What the test image of the conformance suites answers.

Where it runs as ``porter``, at each port what its environment says of it; as ``serve-hostname``, the name of its host.
"""

from typing import NamedTuple

import orjson

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.nodes.images.images import base_name

_IMAGE, _PORTER, _AS_JSON = "agnhost", "porter", "--json-response"
_HOSTNAME, _PORT, _HOSTNAME_PORT = "serve-hostname", "--port", 9376
_PREFIXES = ("SERVE_PORT_", "SERVE_TCP_PORT_", "SERVE_TLS_PORT_")


class Served(NamedTuple):
    """What is answered at one port."""

    text: str
    as_json: bool
    """Whether with the method of the request."""

    def answer(self, method: str) -> Response:
        """To a request, whatever it is for."""
        if self.as_json:
            return Response(200, orjson.dumps({"Method": method, "Body": self.text}))
        content_type = "text/html; charset=utf-8" if self.text.startswith("<") else "text/plain; charset=utf-8"
        return Response(200, self.text.encode(), content_type)


def served_by_agnhost(container: Object, hostname: str) -> dict[int, Served]:
    """By port; nothing of any other container."""
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    if base_name(container.get("image") or "") != _IMAGE:
        return {}
    if _HOSTNAME in words:
        return {_port_in(words): Served(hostname, as_json=False)}
    return _served_by_porter(container, words) if _PORTER in words else {}


def _port_in(words: list[str]) -> int:
    given = next((word.removeprefix(f"{_PORT}=") for word in words if word.startswith(f"{_PORT}=")), "")
    if _PORT in words[:-1]:
        given = words[words.index(_PORT) + 1]
    return int(given) if _is_port(given) else _HOSTNAME_PORT


def _served_by_porter(container: Object, words: list[str]) -> dict[int, Served]:
    found: dict[int, Served] = {}
    for variable in container.get("env") or ():
        name, value = variable["name"], variable.get("value") or ""
        port = next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), "")
        if _is_port(port):
            found[int(port)] = Served(value, _AS_JSON in words)
    return found


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len("65535")
