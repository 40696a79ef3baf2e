"""What a policy's JSON patch leaves is read as a client's body is that must be right: nothing in it may be what nobody declares.

A patch that leaves something else is a mistake of the policy, and a failure policy doesn't let it through.
"""

from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError, internal_error, invalid, invalid_value
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind, GroupVersion, Object
from svcsim.registry.kind import Context
from svcsim.registry.mutating_admission import NotUsableError, changed_fields, completed
from svcsim.registry.options import Target
from svcsim.registry.other_kinds import not_convertible, not_registered
from svcsim.registry.scheme import Scheme
from svcsim.schema.compile import Compiled
from svcsim.schema.scalars import kind_of


def read_strictly(scheme: Scheme, target: Target, was: Object, left: Object, context: Context) -> Object:
    """The object with its defaults. Raises `StatusError` 500, 422 for a custom resource of another kind, and `NotUsableError`."""
    for field in ("kind", "apiVersion"):
        if not isinstance(left.get(field), str | None):
            what = f"json: cannot unmarshal {kind_of(left[field])} into Go struct field .{field} of type string"
            raise internal_error(f"couldn't get version/kind; json parse error: {what}")
    if target.custom:
        _check_custom_kind(scheme, target, left)
    else:
        _check_kind(scheme, target, left)
    left.setdefault("metadata", {})
    return completed(target, was, left, _declared(target, target.compiled, changed_fields(was, left)), context)


def _declared(target: Target, compiled: Compiled, left: Object) -> Object:
    """Read by a schema; of custom resources what nobody declares is left out without a word."""
    try:
        read, unknown = compiled.decode(left)
    except StatusError as error:
        raise internal_error(error.message) from error
    if unknown and not target.custom:
        raise internal_error(f"strict decoding error: {', '.join(f'unknown field {quoted(path)}' for path in unknown)}")
    return read


def _check_kind(scheme: Scheme, target: Target, left: Object) -> None:
    """What it doesn't say is as it was."""
    gvk = target.gvk
    kind, version = left.get("kind") or gvk.kind, GroupVersion.parse(left.get("apiVersion") or str(gvk.group_version))
    if (kind, version) == (gvk.kind, gvk.group_version):
        return
    other = scheme.find_kind(version, kind)
    if other is None:
        raise internal_error(not_registered(version, kind))
    _declared(target, other.compiled, left)
    if version.group != gvk.group:
        raise NotUsableError(f"{version.version}.{kind} is not suitable for converting to {quoted(str(gvk.group_version))}")
    if version != gvk.group_version:
        raise NotUsableError(f"converting ({version.version}.{kind}) to ({gvk.version}.{kind}): unknown conversion")
    raise internal_error(f"failed to convert object: {not_convertible(version.version, kind, gvk)}")


def _check_custom_kind(scheme: Scheme, target: Target, left: Object) -> None:
    """It has to say itself what it is. Its version may be any of those that its definition has."""
    gvk, kind, version = target.gvk, left.get("kind") or "", left.get("apiVersion") or ""
    if not kind:
        raise internal_error(f"Object 'Kind' is missing in '{encode(left).decode()}'")
    if version != str(gvk.group_version) and scheme.version(target.resource, version) is None:
        raise internal_error(f"failed to convert object: request to convert CR from an invalid group/version: {version}")
    if kind != gvk.kind:
        metadata = left.get("metadata")
        name = str(metadata.get("name") or "") if isinstance(metadata, dict) else ""
        raise invalid(GroupKind(gvk.group, kind), name, [invalid_value("kind", kind, f"must be {gvk.kind}")])
