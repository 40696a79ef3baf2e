"""update: PUT replaces an object, or the part of it that a subresource stands for."""

from svcsim.meta.http import Response
from svcsim.server.content.bodies import check_kind, check_name, read_object
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import record_response, shape_of
from svcsim.server.verbs.write_options import caller_of, write_options


async def update(call: Call) -> Response:
    """Replace an object; 201 where that created it."""
    shape = shape_of(call)
    caller = caller_of(call, "UpdateOptions")
    obj, duplicates = await read_object(call.request, call.services.scheme, call.target)
    check_kind(call.services.scheme, call.target, obj)
    check_name(call.target, obj)
    options = write_options(call, "UpdateOptions", duplicates)
    record, created = await call.services.registry.update(call.target, obj, caller, options)
    return await record_response(call, shape, record, 201 if created else 200)
