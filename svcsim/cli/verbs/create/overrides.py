"""``--overrides``: a patch of what a command made, before it is sent."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag
from svcsim.cli.shared.command import Call
from svcsim.meta import json_patch, merge_patch
from svcsim.meta.codec import decode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

OVERRIDE_FLAGS = (
    Flag("overrides", doc="A patch for the generated object, as JSON."),
    Flag("override-type", default="merge", doc="The patch's type.", choices=("json", "merge", "strategic")),
)


def overridden(call: Call, obj: Object) -> Object:
    text, kind = call.options.text("overrides"), call.options.text("override-type")
    if not text:
        return obj
    try:
        patch = decode_yaml(text.encode())
        if kind == "strategic" and not isinstance(patch, dict):
            raise CommandError("invalid JSON document")
        if kind == "strategic":
            return _strategic(call, obj, patch)
        if kind not in ("json", "merge"):
            raise CommandError(f"invalid override type: {kind}")
        if kind == "merge" and not isinstance(patch, dict):
            raise CommandError("Invalid JSON Patch")
        patched: Object = json_patch.apply(obj, patch) if kind == "json" else merge_patch.apply(obj, patch)
    except (StatusError, json_patch.RejectedError) as error:
        raise CommandError(f"invalid --overrides: {error}") from error
    return patched


def _strategic(call: Call, obj: Object, patch: Object) -> Object:
    from svcsim.cli.shared.openapi_schema import OpenApi
    from svcsim.schema.strategic import strategic_merge

    resource = call.session.discovery.of_kind(obj["apiVersion"], obj["kind"])
    struct = None if resource is None else OpenApi(call.session).struct(resource)
    if struct is None:
        raise CommandError("the server tells no schema to merge by; use --override-type=merge")
    return strategic_merge(obj, patch, struct)
