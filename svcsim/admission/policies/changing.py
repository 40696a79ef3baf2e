"""Evaluates mutating policies. It is loaded when there is one in force: the CEL library takes long, and much memory."""

from dataclasses import dataclass

from svcsim.admission.expressions.asker import Asker, View, Views
from svcsim.admission.expressions.conditions import unmet_condition
from svcsim.admission.policies.invocations import Invocation
from svcsim.admission.policies.outcome import Changed
from svcsim.admission.policies.strictly import read_strictly
from svcsim.admission.versions import Versions, in_version
from svcsim.apply.overlay import OverlayError, overlaid
from svcsim.meta import json_patch
from svcsim.meta.aside import aside
from svcsim.meta.codec import encode, same_json
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.kind import Context
from svcsim.registry.mutating_admission import NotUsableError, read_again
from svcsim.registry.options import Target
from svcsim.schema.cel.constructions import misplaced
from svcsim.schema.cel.made_json import NoJsonError, as_exact_json, as_json, formless
from svcsim.schema.cel.requests import RequestExpressionError, RequestScope

_NO_JSON = "the expression evaluated to a type that could not marshal to JSON: {}"


class _MutationError(Exception):
    """A mutation comes to nothing; the text says why."""


@dataclass(frozen=True, slots=True)
class Changer:
    """Asks one policy at a time."""

    asker: Asker
    versions: Versions

    async def change(self, invocation: Invocation, request: AdmissionRequest, views: Views) -> Changed:
        """Change the object by one mutation after the other, each about what those before it left."""
        try:
            if invocation.policy.conditions:
                view = await views.of(invocation.matched)
                if unmet := await unmet_condition(invocation.policy.conditions, view.scope_of_conditions(invocation.params)):
                    return Changed([], unmet)
        except RequestExpressionError as error:
            return Changed([str(error)])
        failures: list[str] = []
        for mutation in invocation.policy.mutations:
            if request.obj is None:
                break
            try:
                await self._mutate(mutation, invocation, request, await views.of(invocation.matched))
            except (_MutationError, RequestExpressionError) as error:
                failures.append(str(error))
        return Changed(failures)

    async def _mutate(self, mutation: Object, invocation: Invocation, request: AdmissionRequest, view: View) -> None:
        matched, shown = invocation.matched, view.obj
        assert shown is not None
        scope = view.scope(invocation.params, invocation.policy.variables)
        target = in_version(request.target, matched)
        if mutation["patchType"] == "ApplyConfiguration":
            partial = await _made(scope, (mutation.get("applyConfiguration") or {}).get("expression") or "", dict)
            size_bytes, read = request.size_bytes + len(encode(partial)), _read_applied
            left = await aside(size_bytes, _overlaid, target, shown, partial)
        else:
            operations = await _made(scope, (mutation.get("jsonPatch") or {}).get("expression") or "", list)
            size_bytes = (request.size_bytes + len(encode(operations))) * json_patch.growth(operations)
            left, read = await aside(size_bytes, _patched, shown, operations), self._read_patched
        if await aside(size_bytes, same_json, left, shown):
            return
        request.is_as_long_as(len(await aside(size_bytes, encode, left)))
        if request.operation != "CONNECT":  # options are read once all have been asked
            left = await aside(request.size_bytes, read, target, shown, left, self.versions.context())
        request.obj = await self.versions.convert(request, left, matched, request.resource)

    def _read_patched(self, target: Target, shown: Object, left: Object, context: Context) -> Object:
        try:
            return read_strictly(self.versions.scheme, target, shown, left, context)
        except NotUsableError as error:
            raise _MutationError(str(error)) from error


def _read_applied(target: Target, shown: Object, left: Object, context: Context) -> Object:
    try:
        return read_again(target, shown, left, context)
    except (StatusError, NotUsableError) as error:
        raise _MutationError(f"error applying patch: {error}") from error


async def _made(scope: RequestScope, text: str, expected: type) -> Json:
    """What a mutation's expression has constructed."""
    value = await scope.of(text, constructs=True)
    why = misplaced(text)
    if why:
        raise _MutationError(f"type mismatch: {why}")
    if kind := formless(text):
        raise _MutationError(_NO_JSON.format(kind))
    try:
        made = as_json(value) if expected is dict else as_exact_json(value)
    except NoJsonError as error:
        raise _MutationError(_NO_JSON.format(error)) from error
    if not isinstance(made, expected):
        raise _MutationError(f"the expression must evaluate to a {expected.__name__}")
    return made


def _patched(shown: Object, operations: Json) -> Object:
    """The object after a patch; as it was where a test in it fails. An operation without a value has null, which is what isn't there."""
    try:
        left = json_patch.apply(shown, [{"value": None, **one} if isinstance(one, dict) else one for one in operations])
    except json_patch.FailedTestError:
        return shown
    except (json_patch.RejectedError, StatusError) as error:
        raise _MutationError(f"JSONPath: {error}") from error
    if not isinstance(left, dict):
        raise _MutationError("JSONPath: what it leaves is no object")
    found: Object = left
    return found


def _overlaid(target: Target, shown: Object, partial: Object) -> Object:
    for field in ("kind", "apiVersion"):
        if partial.get(field, shown.get(field)) != shown.get(field):
            raise _MutationError(f"error applying patch: patch and original object are not of the same {field}")
    try:
        return overlaid(target.topology, shown, _read(target, partial))
    except (OverlayError, StatusError) as error:
        raise _MutationError(f"error applying patch: {error}") from error


def _read(target: Target, partial: Object) -> Object:
    """The constructed object, decoded by its schema, without further checks: its author knows what it is."""
    if target.window is not None and target.window.declared.options:
        return partial
    written, unknown, _ = target.compiled.decode_as_written(partial)
    if unknown:
        raise OverlayError(f"failed to convert patch object to typed object: .{unknown[0]}: field not declared in schema")
    return written
