"""The mutating pass of admission, and what it leaves: nothing is taken from outside that wouldn't be taken from a client.

The server's own plugins leave objects that fit the schema and have all defaults, so these are taken as they are. Plugins that let external
code change an object don't know the result. So if any of them was called and the bytes have changed, the object is decoded again by the
schema and completed with defaults, and fields that belong to the server or the path are reset. If none applies to a request, this costs one
look into a table.
"""

from svcsim.apply import managers as managed
from svcsim.meta import errors
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.types import Json, Object
from svcsim.registry import write_steps
from svcsim.registry.admission import AdmissionRequest, ConcernedPlugins
from svcsim.registry.kind import Context, Option
from svcsim.registry.options import Target
from svcsim.registry.preconditions import check_preconditions, check_revision

_OPTION_TYPES: dict[str, type] = {"string": str, "boolean": bool, "integer": int}
_INVALID_MANAGERS = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; "
    "please fix your requests: {}"
)


class NotUsableError(Exception):
    """Why what plugins left can't be used."""


async def mutated(concerned: ConcernedPlugins, request: AdmissionRequest, context: Context) -> Object:
    """What mutating plugins make of what was sent; ``request.obj`` from now on, and ``request.size_bytes`` if it has become longer.

    Raises whatever `StatusError` a plugin does, 400 for another namespace or name than the path's, 409 for another version than the
    object's, and 500 for what is no such object.
    """
    assert request.obj is not None
    if not concerned.names:
        return request.obj
    plugins = concerned.asking
    if not plugins:
        await concerned.mutate(request)
        return request.obj
    before = await aside(request.size_bytes, encode, request.obj)
    request.is_as_long_as(len(before))  # with its defaults it may be many times as long as what was sent
    await concerned.mutate(request)
    try:
        after = await aside(request.size_bytes, encode, request.obj)
        request.is_as_long_as(len(after))
        left = None if after == before else await aside(request.size_bytes, decode_json, after)
    except (TypeError, errors.StatusError) as error:  # what JSON has no form for, and what nests too deep
        raise _broken(request, plugins, str(error)) from error
    if after != before:
        try:
            request.obj = await aside(request.size_bytes, _taken, request, decode_json(before), left, context)
        except NotUsableError as error:
            raise _broken(request, plugins, str(error)) from error
    return request.obj


def _broken(request: AdmissionRequest, plugins: tuple[str, ...], why: str) -> errors.StatusError:
    names = ", ".join(f'"{name}"' for name in plugins)
    what = f"admission plugin{'s' if len(plugins) > 1 else ''} {names} returned an invalid {request.kind.kind}: {why}"
    return errors.internal_error(what)


def _taken(request: AdmissionRequest, was: Object, left: Json, context: Context) -> Object:
    """What plugins left, as it would be read from a client, under the identity the request had."""
    if not isinstance(left, dict):
        raise NotUsableError("it is no map")
    target = request.target
    if request.operation == "CONNECT":
        assert target.window is not None
        return _taken_options(target.window.declared.options, was, left)
    metadata = left.get("metadata")
    if not isinstance(metadata, dict):
        raise NotUsableError("it has no metadata")
    if metadata == was["metadata"]:
        return read_again(target, was, left, context)
    owners = metadata.pop("managedFields", None)
    obj = read_again(target, was, left, context)
    if _is_whole(request):
        _keep_identity(request, obj)
        _keep_owners(request, obj, was, owners)
        write_steps.merge_owner_references(obj["metadata"], request.caller, admitted=True)
    elif request.operation == "UPDATE":
        assert request.old is not None
        check_preconditions(target, obj, request.old)
    return obj


def read_again(target: Target, was: Object, left: Object, context: Context) -> Object:
    """What plugins left, read by the schema as far as it isn't what it was."""
    try:
        changed, _ = target.compiled.decode(changed_fields(was, left))
    except errors.StatusError as error:
        raise NotUsableError(error.message) from error
    return completed(target, was, left, changed, context)


def changed_fields(was: Object, left: Object) -> Object:
    """What of an object isn't what it was."""
    return {name: value for name, value in left.items() if name not in was or value != was[name]}


def completed(target: Target, was: Object, left: Object, changed: Object, context: Context) -> Object:
    """What plugins left, of which ``changed`` has been read, with its defaults and as what it was."""
    obj: Object = {}
    for name, value in was.items():  # in their order; what has become null is gone
        if name in changed:
            obj[name] = changed[name]
        elif name in left and left[name] == value:
            obj[name] = value
    obj.update(changed)
    obj["kind"], obj["apiVersion"] = was["kind"], was["apiVersion"]
    write_steps.fill_defaults_of(target, obj, context)
    return obj


def _is_whole(request: AdmissionRequest) -> bool:
    """Whether what is sent is the whole object as it is to be."""
    window = request.target.window
    if window is None:
        return not request.resource.kind.answered
    return window.compiled is None and request.operation == "UPDATE"


def _keep_identity(request: AdmissionRequest, obj: Object) -> None:
    """What is the path's or the server's to say is not a plugin's. Raises 400 for what is somewhere else, and 409 for what is no longer.

    That an object which is there can't become another one is said where it is validated.
    """
    target, metadata = request.target, obj["metadata"]
    if target.resource.namespaced and (metadata.get("namespace") or target.namespace) != target.namespace:
        raise errors.namespace_mismatch()
    if request.operation == "CREATE":
        if target.name and (metadata.get("name") or target.name) != target.name:  # an apply creates what its path names
            raise errors.name_mismatch(metadata["name"], target.name)
        write_steps.wipe_admitted_fields(target, metadata)
    else:
        assert request.old is not None
        check_revision(target, metadata, request.old["metadata"])
        write_steps.keep_system_fields(target.resource, obj, request.old)


def _keep_owners(request: AdmissionRequest, obj: Object, was: Object, left: Json) -> None:
    """Owners as plugins left them, if they can be read; else as they were, with a warning."""
    metadata, before = obj["metadata"], was["metadata"].get("managedFields")
    metadata.pop("managedFields", None)
    if left != before:
        try:
            left = _owners(request.target, left)
        except (errors.StatusError, ValueError) as error:
            request.warn(_INVALID_MANAGERS.format(error))
            left = before
    if left:
        metadata["managedFields"] = left


def _owners(target: Target, left: Json) -> Json:
    read, _ = target.resource.compiled.decode({"metadata": {"managedFields": left}})
    return managed.write(managed.read(read["metadata"].get("managedFields") or ()))


def _taken_options(options: tuple[Option, ...], was: Object, left: Object) -> Object:
    """Options of a connection: those there are, as what they are."""
    taken: Object = {name: was[name] for name in ("kind", "apiVersion")}
    for option in options:
        if left.get(option.name) is not None:
            value, expected = left[option.name], _OPTION_TYPES[option.type]
            values = value if option.many else [value]
            if type(values) is not list or any(type(each) is not expected for each in values):
                raise NotUsableError(f"{option.name} is {'a list of' if option.many else 'one'} {option.type}")
            taken[option.name] = value
    return taken
