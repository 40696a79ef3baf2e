"""What the test image of the conformance suites answers.

Where it runs as ``porter``, at each port what its environment says of it; as ``serve-hostname``, the name of its host; as ``netexec``, what
the path asks for.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import orjson

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.nodes.images.images import base_name

_IMAGE, _PORTER, _AS_JSON = "agnhost", "porter", "--json-response"
_HOSTNAME, _NETEXEC = "serve-hostname", "netexec"
_USUAL = {
    _HOSTNAME: ("--port", 9376),
    _NETEXEC: ("--http-port", 8080),
    "guestbook": ("--http-port", 3000),
    "liveness": ("--port", 8080),
    "test-webserver": ("--port", 80),
}
"""By what it runs as: the option that says at which port, and the port where nobody says another."""
_PREFIXES = ("SERVE_PORT_", "SERVE_TCP_PORT_", "SERVE_TLS_PORT_")


class Served(NamedTuple):
    """What is answered at one port."""

    text: str | None = None
    """To any request; None where it goes by the path."""
    as_json: bool = False
    """Whether with the method of the request."""
    at_paths: Mapping[str, Callable[[str], str]] = MappingProxyType({})
    """What is said to the query of a request for a path."""

    def answer(self, method: str, target: str) -> Response | None:
        """To a request; None to one for a path of which nothing is known."""
        asked = urlsplit(target)
        text = self.at_paths[asked.path](asked.query) if asked.path in self.at_paths else self.text
        if text is None:
            return None
        if self.as_json:
            return Response(200, orjson.dumps({"Method": method, "Body": text}))
        content_type = "text/html; charset=utf-8" if text.startswith("<") else "text/plain; charset=utf-8"
        return Response(200, text.encode(), content_type)


def served_by_agnhost(container: Object, hostname: str) -> dict[int, Served]:
    """By port; nothing of any other container."""
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    if base_name(container.get("image") or "") != _IMAGE:
        return {}
    if _PORTER in words:
        return _served_by_porter(container, words)
    mode = next((word for word in words if word in _USUAL), None)
    if mode is None:
        return {}
    port = _port_in(words, *_USUAL[mode])
    if mode == _NETEXEC:
        return {port: Served(at_paths=_of_netexec(hostname))}
    return {port: Served(hostname if mode == _HOSTNAME else None)}


def _of_netexec(hostname: str) -> dict[str, Callable[[str], str]]:
    return {
        "/hostname": lambda _query: hostname,
        "/hostName": lambda _query: hostname,
        "/healthz": lambda _query: "",
        "/echo": lambda query: parse_qs(query).get("msg", [""])[0],
    }


def _port_in(words: list[str], option: str, usual: int) -> int:
    given = next((word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}=")), "")
    if option in words[:-1]:
        given = words[words.index(option) + 1]
    return int(given) if _is_port(given) else usual


def _served_by_porter(container: Object, words: list[str]) -> dict[int, Served]:
    found: dict[int, Served] = {}
    for variable in container.get("env") or ():
        name, value = variable["name"], variable.get("value") or ""
        port = next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), "")
        if _is_port(port):
            found[int(port)] = Served(value, as_json=_AS_JSON in words)
    return found


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len("65535")
