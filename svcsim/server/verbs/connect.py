"""connect: sub-resources that are no objects (logs, exec). The composition root gives the handlers."""

from svcsim.meta.errors import path_not_found
from svcsim.meta.http import Response
from svcsim.server.call import Call


async def connect(call: Call) -> Response:
    """Leave the whole request to the sub-resource's handler."""
    target = call.target
    handler = call.services.connect.get((target.resource.store_name, target.subresource))
    if handler is None:
        raise path_not_found()
    return await handler(target, call.request, call.info.query)
