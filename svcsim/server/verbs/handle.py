"""Subresources that are left to a handler (logs, exec). The composition root gives the handlers.

A handler is given what the query says, by the options its subresource declares. Some subresources are connections in both directions:
admission is asked about those as CONNECT, with the options as the object it sees, and the handler goes by what it leaves of them.
"""

from svcsim.meta.errors import StatusError
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.kind import Option
from svcsim.registry.options import Caller
from svcsim.server.http.messages import as_messages
from svcsim.server.http.websocket import wants_websocket
from svcsim.server.requests.call import Call
from svcsim.server.requests.methods import check_method
from svcsim.server.requests.query import Query, flag, integer

_HANDED_ON = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""Methods that what an object stands for can be asked by."""


async def handle(call: Call) -> Response:
    """Leave the whole request to the subresource's handler."""
    target, window = call.target, call.target.window
    assert window is not None
    caller = Caller(call.user, warnings=call.warnings, audit_annotations=call.notes)
    options = _options(window.declared.options, call.info.query)
    below = window.declared.below
    if below:
        check_method(call.request, _HANDED_ON)
        options.pop(below, None)  # what the query says of it is for whoever is asked
        if call.info.rest:
            options[below] = call.info.rest
    if window.declared.handler == "connect":
        asked = {"kind": window.gvk.kind, "apiVersion": str(window.gvk.group_version), **options}
        options = await call.services.registry.connect(target, asked, caller)
    handler = call.services.connect.get((target.resource.store_name, window.name))
    if handler is None:
        why = f"{target.resource.plural}/{window.name} is not supported by this server: nobody stands behind it"
        raise StatusError(405, "MethodNotAllowed", why, {})
    response = await handler(target, call.request, options)
    if window.declared.handler == "get" and wants_websocket(call.request):
        return as_messages(call.request, response)
    return response


def _options(declared: tuple[Option, ...], query: Query) -> Object:
    """What the query of a request says, as fields of the options object it stands for. Raises 400."""
    return {option.name: _value(option, query) for option in declared if option.name in query}


def _value(option: Option, query: Query) -> str | bool | int | list[str] | list[int | None] | None:
    if option.type == "boolean":
        return flag(query, option.name)
    if option.type == "string":
        return query[option.name] if option.many else query[option.name][0]
    if option.many:
        return [integer({option.name: [value]}, option.name) for value in query[option.name]]
    return integer(query, option.name)
