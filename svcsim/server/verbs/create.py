"""create: POST on a collection, or on a sub-resource that is created (a binding)."""

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.server.answers import record_response, shape_of, value_response
from svcsim.server.bodies import check_kind, check_namespace, read_object
from svcsim.server.call import Call
from svcsim.server.warnings import with_warnings
from svcsim.server.write_options import caller_of, write_options

CREATED: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
"""What is answered where the object that was sent (a binding) is not one that is kept."""


async def create(call: Call) -> Response:
    """Store a new object."""
    shape = shape_of(call)
    caller = caller_of(call, "CreateOptions")
    obj, duplicates = read_object(call.request, call.services.scheme, call.target)
    check_kind(call.services.scheme, call.target, obj)
    check_namespace(call.target, obj)
    options = write_options(call, "CreateOptions", duplicates)
    record = await call.services.registry.create(call.target, obj, caller, options)
    answer = value_response(call, shape, CREATED, 201) if call.target.subresource else record_response(call, shape, record, 201)
    return with_warnings(answer, caller)
