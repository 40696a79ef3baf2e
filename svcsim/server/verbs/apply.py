"""Server-side apply: a PATCH whose body is what its manager wants of an object, and nothing else."""

from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_yaml_strict
from svcsim.meta.errors import bad_request
from svcsim.meta.http import Response
from svcsim.server.content.bodies import as_object, check_kind, check_name, check_namespace, metadata_of
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import record_response, shape_of
from svcsim.server.verbs.write_options import caller_of, write_options

MEDIA_TYPE = "application/apply-patch+yaml"


async def apply(call: Call) -> Response:
    """Bring a configuration into an object; 201 where that created it. JSON is YAML too."""
    shape = shape_of(call)
    caller = caller_of(call, "PatchOptions", manager_required=True)
    value, duplicates = await aside(len(call.request.body), decode_yaml_strict, call.request.body)
    obj = as_object(value)
    obj["metadata"] = {"name": call.target.name, **metadata_of(call.target, obj)}
    expected = str(call.target.gvk.group_version)
    if obj.get("apiVersion") != expected or not obj.get("kind"):
        mismatch = f"Specified patch version: {obj.get('apiVersion') or ''}, expected: {expected}"
        raise bad_request(f"Incorrect version specified in apply patch. {mismatch}; an applied configuration says its apiVersion and kind")
    check_kind(call.services.scheme, call.target, obj)
    check_namespace(call.target, obj)
    check_name(call.target, obj)
    options = write_options(call, "PatchOptions", tuple(duplicates), apply=True)
    record, created = await call.services.registry.apply(call.target, obj, caller, options)
    return await record_response(call, shape, record, 201 if created else 200)
