"""create: POST on a collection, or on a subresource that is created (a binding)."""

from svcsim.meta.aside import aside
from svcsim.meta.codec import encode
from svcsim.meta.errors import bad_request, path_not_found
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.server.content.bodies import check_kind, check_namespace, metadata_of, read_object
from svcsim.server.content.negotiate import Shape
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import object_response, record_response, shape_of, value_response
from svcsim.server.verbs.write_options import caller_of, write_options

_HANDED = WriteOptions("CreateOptions", read=True)
_DROPPED_OFF = _HANDED._replace(waits=False)
CREATED: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
"""What is answered where the object that was sent (a binding) is not one that is kept."""


async def create(call: Call) -> Response:
    """Store a new object, answer one that is never stored, or do what creating a subresource stands for."""
    if call.request.handed is not None:
        return await _handed(call, call.request.handed)
    shape = shape_of(call)
    caller = caller_of(call, "CreateOptions")
    obj, duplicates = await read_object(call.request, call.services.scheme, call.target)
    check_kind(call.services.scheme, call.target, obj)
    check_namespace(call.target, obj)
    options = write_options(call, "CreateOptions", duplicates)
    registry, target, asked = call.services.registry, call.target, call.target
    if target.resource.kind.stands_for:
        target = _meant(call, obj)
        asked = asked._replace(name=target.name)
    if target.window is not None:
        return await _act(call, target, shape, obj, caller, options, asked)
    if target.resource.kind.answered:
        answer = await registry.answer(target, obj, caller, options)
        return await aside(options.size_bytes, object_response, call, shape, answer, 201)
    return await record_response(call, shape, await registry.create(target, obj, caller, options), 201)


async def _handed(call: Call, obj: Object) -> Response:
    """Take what a component hands over: all that is wanted of the answer is the name of an object that is kept for good."""
    registry, target, caller = call.services.registry, call.target, caller_of(call, "CreateOptions")
    if target.window is not None:
        await registry.act(target, target.window, obj, caller, _HANDED)
    elif call.request.for_good:
        record = await registry.create(target, obj, caller, _HANDED)
        return Response(201, encode({"metadata": {"name": record.key.name}}))
    else:
        await registry.create(target, obj, caller, _DROPPED_OFF)
    return Response(201)


def _meant(call: Call, obj: Object) -> Target:
    """The subresource that an object stands for. Raises 400 where it isn't named after anything."""
    target = call.target
    name = metadata_of(target, obj).get("name")
    if not isinstance(name, str) or not name:
        raise bad_request("Name parameter required.")
    plural, _, subresource = target.resource.kind.stands_for.partition("/")
    resource = call.services.scheme.find(target.resource.group_version, plural)
    if resource is None:
        raise path_not_found()
    return Target(resource, target.namespace, name, resource.windows[subresource])


async def _act(call: Call, target: Target, shape: Shape, obj: Object, caller: Caller, options: WriteOptions, asked: Target) -> Response:
    window = target.window
    assert window is not None
    outcome = await call.services.registry.act(target, window, obj, caller, options, asked)
    if isinstance(outcome, dict):
        return await aside(options.size_bytes, value_response, call, shape, outcome, 201)
    if window.declared.answers == "object":
        return await record_response(call, shape, outcome, 201)
    return value_response(call, shape, CREATED, 201)
