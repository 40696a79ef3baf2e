"""Subresources that are left to a handler (logs, exec). The composition root gives the handlers.

Some are connections in both directions. Admission is asked about those as CONNECT, with what the query says as the object it sees, and
what it leaves of that is what the handler goes by.
"""

from svcsim.meta.errors import path_not_found
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.kind import Option
from svcsim.registry.options import Caller
from svcsim.registry.scheme import Window
from svcsim.server.requests.call import Call
from svcsim.server.requests.query import Query, flag, integer


async def handle(call: Call) -> Response:
    """Leave the whole request to the subresource's handler."""
    target, window = call.target, call.target.window
    assert window is not None
    caller = Caller(call.user, warnings=call.warnings)
    options: Object = {}
    if window.declared.handler == "connect":
        options = await call.services.registry.connect(target, options_of(window, call.info.query), caller)
    handler = call.services.connect.get((target.resource.store_name, window.name))
    if handler is None:
        raise path_not_found()
    return await handler(target, call.request, options)


def options_of(window: Window, query: Query) -> Object:
    """The query of a request as the options object it stands for: a PodExecOptions. Raises 400."""
    gvk = window.gvk
    said: Object = {"kind": gvk.kind, "apiVersion": str(gvk.group_version)}
    for option in window.declared.options:
        if option.name in query:
            said[option.name] = _value(option, query)
    return said


def _value(option: Option, query: Query) -> str | bool | int | list[str] | list[int | None] | None:
    if option.type == "boolean":
        return flag(query, option.name)
    if option.type == "string":
        return query[option.name] if option.many else query[option.name][0]
    if option.many:
        return [integer({option.name: [value]}, option.name) for value in query[option.name]]
    return integer(query, option.name)
