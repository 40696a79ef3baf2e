"""create: POST on a collection, or on a subresource that is created (a binding)."""

from svcsim.meta.aside import aside
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.options import Caller, WriteOptions
from svcsim.server.content.bodies import check_kind, check_namespace, read_object
from svcsim.server.content.negotiate import Shape
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import object_response, record_response, shape_of, value_response
from svcsim.server.verbs.write_options import caller_of, write_options

CREATED: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
"""What is answered where the object that was sent (a binding) is not one that is kept."""


async def create(call: Call) -> Response:
    """Store a new object, answer one that is never stored, or do what creating a subresource stands for."""
    shape = shape_of(call)
    caller = caller_of(call, "CreateOptions")
    obj, duplicates = await read_object(call.request, call.services.scheme, call.target)
    check_kind(call.services.scheme, call.target, obj)
    check_namespace(call.target, obj)
    options = write_options(call, "CreateOptions", duplicates)
    registry, target = call.services.registry, call.target
    if target.window is not None:
        return await _act(call, shape, obj, caller, options)
    if target.resource.kind.answered:
        answer = await registry.answer(target, obj, caller, options)
        return await aside(options.size_bytes, object_response, call, shape, answer, 201)
    return await record_response(call, shape, await registry.create(target, obj, caller, options), 201)


async def _act(call: Call, shape: Shape, obj: Object, caller: Caller, options: WriteOptions) -> Response:
    window = call.target.window
    assert window is not None
    outcome = await call.services.registry.act(call.target, window, obj, caller, options)
    if isinstance(outcome, dict):
        return await aside(options.size_bytes, value_response, call, shape, outcome, 201)
    if window.declared.answers == "object":
        return await record_response(call, shape, outcome, 201)
    return value_response(call, shape, CREATED, 201)
