"""delete and deletecollection."""

from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.deletion import Deletion
from svcsim.registry.resource import Resource
from svcsim.server.content.negotiate import Shape
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import list_response, record_response, shape_of, value_response
from svcsim.server.verbs.read_options import list_options
from svcsim.server.verbs.write_options import delete_options


async def delete(call: Call) -> Response:
    """Delete one object: a Status once it is gone, the object while it is terminating."""
    shape = shape_of(call)
    deleting = await delete_options(call)
    deletion = await call.services.registry.delete(call.target, deleting.caller, deleting.options)
    if deletion.gone and not call.target.resource.kind.deletes_to_object:
        return value_response(call, Shape(shape.media), deleted_status(call.target.resource, deletion))
    return await record_response(call, shape, deletion.record, 202 if deleting.accepted and not deletion.gone else 200)


def deleted_status(resource: Resource, deletion: Deletion) -> Object:
    """The Status that says an object is gone."""
    record = deletion.record
    details: Object = {"name": record.key.name}
    if resource.group_version.group:
        details["group"] = resource.group_version.group
    details["kind"] = resource.plural
    details["uid"] = record.envelope.uid
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


async def delete_collection(call: Call) -> Response:
    """Delete all that a list with the same options would show; answers with what that was."""
    shape = shape_of(call)
    deleting = await delete_options(call)
    which = await list_options(call.info.query, call.services.dialect.group("meta"))
    listing = await call.services.registry.delete_collection(call.target, deleting.caller, which, deleting.options)
    return await list_response(call, shape, listing)
