"""What the test image of the conformance suites answers where it runs as ``porter``: at each port what its environment says of it."""

from typing import NamedTuple

import orjson

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.nodes.images import base_name

_IMAGE, _COMMAND, _AS_JSON = "agnhost", "porter", "--json-response"
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


def served_by_porter(container: Object) -> dict[int, Served]:
    """By port; nothing of any other container."""
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    if _COMMAND not in words or base_name(container.get("image") or "") != _IMAGE:
        return {}
    found: dict[int, Served] = {}
    for variable in container.get("env") or ():
        name, value = variable["name"], variable.get("value") or ""
        port = next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), "")
        if port.isascii() and port.isdigit() and len(port) <= len("65535"):
            found[int(port)] = Served(value, _AS_JSON in words)
    return found
