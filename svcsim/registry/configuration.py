"""What an applier sends, as a write means it.

A configuration says everything it says on purpose: a null, an empty list and a zero are applied and owned like any value. Not all of it
is stored. So there are two of it: as it was written, which decides about owners and conflicts, and as it would be stored.
"""

from typing import NamedTuple

from svcsim.apply.fieldset import FieldSet
from svcsim.apply.last_applied import KUBECTL, unchanged_since, with_last_applied
from svcsim.apply.ownership import unfit_configuration
from svcsim.meta import errors
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object
from svcsim.registry import write_steps
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.resource import Resource
from svcsim.schema.compile import Compiled


class Configuration(NamedTuple):
    """The fields of the object that an applier sets."""

    sent: Object
    written: Object
    stored: Object
    """The very object of ``written``, if everything that is written is stored."""


def read_configuration(target: Target, sent: Object, caller: Caller, options: WriteOptions) -> Configuration:
    """What was sent, in its kind's shape. Raises 400 for fields nobody declared, however other requests take them."""
    resource, window = target.resource, target.window
    if window is None or window.compiled is None:
        written, spelled_out = _as_written(resource.compiled, target, sent, caller, options)
        written.setdefault("metadata", {})
    else:
        if window.declared.applied is None:
            raise errors.method_not_supported(resource.group_resource, "patch")
        body, spelled_out = _as_written(window.compiled, target, sent, caller, options)
        metadata = {name: value for name, value in (body.get("metadata") or {}).items() if name == "resourceVersion"}
        written = {**window.declared.applied(body), "metadata": metadata}
    resource.stamp(written)
    if not spelled_out:
        return Configuration(sent, written, written)
    return Configuration(sent, written, as_stored(resource, written))


def _as_written(compiled: Compiled, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> tuple[Object, bool]:
    try:
        written, unknown, spelled_out = compiled.decode_as_written(sent)
    except StatusError as error:
        raise write_steps.undecodable(target.gvk, error, options) from error
    if unknown:
        raise unfit_configuration(sent, [f".{path}: field not declared in schema" for path in unknown])
    write_steps.report_findings(list(options.duplicates), target.gvk, caller, options)
    return written, spelled_out


def as_stored(resource: Resource, obj: Object) -> Object:
    """An object without nulls, and without zeros that are never stored."""
    return resource.compiled.decode(obj)[0]


def waived_conflicts(target: Target, manager: str, live: Object, key: str) -> FieldSet:
    """What an applier may change without a conflict, because it applied it itself, from the client, before: see `apply.last_applied`."""
    text = annotations_of(live).get(key) if manager == KUBECTL and target.window is None else None
    if not text:
        return {}
    try:
        last = decode_json(text.encode())
        if not isinstance(last, dict) or last.get("apiVersion") != target.resource.api_version:
            return {}
        return unchanged_since(target.resource.topology, as_stored(target.resource, last), live)
    except StatusError:
        return {}  # an annotation that holds no configuration waives nothing, and is no reason to refuse another one


def with_annotation_renewed(target: Target, manager: str, obj: Object, config: Configuration, key: str) -> Object:
    """What an apply made of an object; the configuration that a client keeps in an annotation, if there is one, is the new one."""
    if manager != KUBECTL or target.window is not None or not annotations_of(obj).get(key):
        return obj
    return with_last_applied(obj, config.sent, key)
