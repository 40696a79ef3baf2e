"""A request below a ``proxy`` path on its way to its target, and the answer on its way back.

The target gets the path below the object, the query and the body as they come, without what is between the client and this server:
credentials, and headers of that one connection. Links in the answer are made to lead below the object again.
"""

import posixpath
from dataclasses import replace
from urllib.parse import quote

from svcsim.meta.aside import aside
from svcsim.meta.errors import bad_request
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.server.proxying.hop import forwarded_for, named_in_connection, of_one_hop
from svcsim.server.proxying.links import moved, root_of, with_links

_OURS = ("host", "content-length", "authorization", "expect")
_UNESCAPED = "$&+,/:;=@~"


async def handed_on(request: Request, path: str, behind: Handler) -> Response:
    """What is answered to a request for a path below an object. Raises `StatusError`."""
    if "upgrade" in named_in_connection(request.headers):
        asked = request.headers.get("upgrade", "another protocol")
        why = "what stands behind a proxy path speaks HTTP/1.1 alone; use port-forward for anything else"
        raise bad_request(f"unable to upgrade the connection to {asked}: {why}")
    below = cleaned(path)
    if not below and request.method in READING_METHODS:
        query = f"?{request.query}" if request.query else ""
        return Response(301, content_type="", headers={"Location": f"{request.path}/{query}"})
    answer = await behind(_asked(request, below))
    dropped = of_one_hop({name.lower(): value for name, value in answer.headers.items()})
    headers = {name: value for name, value in answer.headers.items() if name.lower() not in dropped}
    root, host = root_of(request.path), request.headers.get("host", "")
    if "Location" in headers:
        headers["Location"] = moved(headers["Location"], root, host)
    elif answer.content_type.startswith("text/html") and answer.body:
        page = answer.body.decode("utf-8", "surrogateescape")
        changed = await aside(len(answer.body), with_links, page, root, host)
        return replace(answer, body=changed.encode("utf-8", "surrogateescape"), headers=headers)
    return replace(answer, headers=headers)


def cleaned(path: str) -> str:
    """A path as it is asked for: without empty parts and ways back, escaped, and with the slash at its end that it had."""
    if not path:
        return ""
    whole = posixpath.normpath(f"/{path.lstrip('/')}")
    return quote(f"{whole}/" if path.endswith("/") and whole != "/" else whole, safe=_UNESCAPED)


def _asked(request: Request, path: str) -> Request:
    dropped = {*_OURS, *of_one_hop(request.headers)}
    headers = {name: value for name, value in request.headers.items() if name not in dropped and not name.startswith("impersonate-")}
    headers["x-forwarded-uri"] = request.path
    if who := forwarded_for(headers, request):
        headers["x-forwarded-for"] = who
    repeated = {name: values for name, values in request.repeated.items() if name in headers and not name.startswith("x-forwarded-")}
    return Request(request.method, path or "/", request.query, headers, request.body, repeated=repeated, unread=request.unread)
