"""Options of the writing verbs, from query parameters and DeleteOptions bodies, with the API's own answers to bad ones."""

from typing import NamedTuple, cast

from svcsim import limits
from svcsim.meta.errors import FieldError, bad_request, invalid, invalid_value, required, too_long, unsupported
from svcsim.meta.types import GroupKind, Json, Object
from svcsim.registry.core import IGNORE_READ_ERROR
from svcsim.registry.options import Caller, DeleteOptions, FieldValidation, OptionsKind, WriteOptions
from svcsim.server.content.bodies import JSON_TYPE, as_object, go_name, media_type, read_value
from svcsim.server.requests.call import Call
from svcsim.server.requests.deadlines import longest_s
from svcsim.server.requests.query import Query, flag, integer, text
from svcsim.wall import stopwatch

_VALIDATIONS = ("", "Ignore", "Strict", "Warn")
_PROPAGATIONS = ("Foreground", "Background", "Orphan")
_KINDS: tuple[OptionsKind, ...] = ("CreateOptions", "UpdateOptions", "PatchOptions")
_DEFAULTS: dict[OptionsKind, WriteOptions] = {kind: WriteOptions(kind) for kind in _KINDS}


def caller_of(call: Call, kind: OptionsKind, *, manager_required: bool = False) -> Caller:
    """Who writes, under which manager, and whether it is a dry run. Raises 422."""
    query = call.info.query
    if not query:
        if manager_required:
            raise _refused(call, kind, [required("fieldManager", "is required for apply patch")])
        manager = default_manager(call.request.headers.get("user-agent", ""))
        ends_s = stopwatch() + limits.REQUEST_S
        return Caller(call.user, manager, False, call.warnings, call.notes, ends_s=ends_s, made_at=call.request.made_at)
    findings: list[FieldError] = []
    manager = text(query, "fieldManager")
    if len(manager.encode()) > limits.FIELD_MANAGER_CHARS:
        findings.append(too_long("fieldManager", limits.FIELD_MANAGER_CHARS))
    if not manager.isprintable():
        findings += _unprintable(manager)
    if manager_required and not manager:
        findings.append(required("fieldManager", "is required for apply patch"))
    dry_run = query.get("dryRun") or []
    findings += _dry_run_findings(dry_run)
    if findings:
        raise _refused(call, kind, findings)
    manager = manager or default_manager(call.request.headers.get("user-agent", ""))
    caller = Caller(call.user, manager, "All" in dry_run, call.warnings, call.notes, ends_s=stopwatch() + longest_s(query))
    caller.trace = call.trace
    return caller


def _unprintable(manager: str) -> list[FieldError]:
    """A finding for each letter that can't be shown, by its place in bytes."""
    found: list[FieldError] = []
    for index, letter in enumerate(manager):
        if not letter.isprintable():
            why = f"invalid character U+{ord(letter):04X} (at position {len(manager[:index].encode())})"
            found.append(invalid_value("fieldManager", manager, why))
    return found


def _dry_run_findings(values: list[str]) -> list[FieldError]:
    return [] if all(value in ("", "All") for value in values) else [unsupported("dryRun", values, ("All",))]


def _refused(call: Call, kind: str, findings: list[FieldError]) -> Exception:
    return invalid(GroupKind(call.services.dialect.group("meta"), kind), "", findings)


def default_manager(user_agent: str) -> str:
    """The field manager of a client that names none: its user agent up to the first slash."""
    name = user_agent.partition("/")[0][: limits.FIELD_MANAGER_CHARS]
    if not name.isprintable():
        name = "".join([letter for letter in name if letter.isprintable()])
    return name or "unknown"


def write_options(call: Call, kind: OptionsKind, duplicates: tuple[str, ...] = (), *, apply: bool = False) -> WriteOptions:
    """How a sent object is taken. Raises 422."""
    query, size_bytes = call.info.query, len(call.request.body)
    if not query and not duplicates and size_bytes <= limits.ASIDE_BYTES:
        return _DEFAULTS[kind]
    validation = text(query, "fieldValidation")
    findings: list[FieldError] = []
    if validation not in _VALIDATIONS:
        findings.append(unsupported("fieldValidation", validation, _VALIDATIONS))
    force = flag(query, "force")
    if "force" in query and kind == "PatchOptions" and not apply:
        findings.append(FieldError("FieldValueForbidden", "force", "Forbidden: may not be specified for non-apply patch"))
    if findings:
        raise _refused(call, kind, findings)
    given: Object = {"dryRun": query.get("dryRun"), "fieldManager": query.get("fieldManager", [""])[0], "fieldValidation": validation}
    if "force" in query:
        given["force"] = force
    body = call.request.body if duplicates and kind != "PatchOptions" and media_type(call.request) == JSON_TYPE else b""
    return WriteOptions(kind, given, cast("FieldValidation", validation or "Warn"), duplicates, body, force, size_bytes)


class Deleting(NamedTuple):
    """How to delete, and by whom."""

    options: DeleteOptions
    caller: Caller
    accepted: bool
    """Whether an object that is not gone at once is answered 202."""


async def delete_options(call: Call) -> Deleting:
    """From the body where there is one, from the query otherwise. Raises 400, 415, 422."""
    body = await _delete_body(call) if call.request.body else _from_query(call.info.query)
    findings = _dry_run_findings(body.get("dryRun") or [])
    propagation = body.get("propagationPolicy")
    if propagation is not None and body.get("orphanDependents") is not None:
        findings.append(invalid_value("propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"))
    elif propagation not in (None, *_PROPAGATIONS):
        findings.append(unsupported("propagationPolicy", propagation, (*_PROPAGATIONS, "nil")))
    if body.get(IGNORE_READ_ERROR):
        beside = [name for name in _NOT_BESIDE_IGNORING if body.get(name) not in (None, [], {})]
        findings += [invalid_value(IGNORE_READ_ERROR, True, f"cannot be set together with .{name}") for name in beside]
    if findings:
        raise _refused(call, "DeleteOptions", findings)
    caller = caller_of(call, "DeleteOptions")
    caller.dry_run = "All" in (body.get("dryRun") or [])
    accepted = body.get("orphanDependents") is False
    return Deleting(DeleteOptions.from_object(body), caller, accepted)


def _from_query(query: Query) -> Object:
    body: Object = {"dryRun": query.get("dryRun") or []}
    if (grace := integer(query, "gracePeriodSeconds")) is not None:
        body["gracePeriodSeconds"] = grace
    if "orphanDependents" in query:
        body["orphanDependents"] = flag(query, "orphanDependents")
    if propagation := text(query, "propagationPolicy"):
        body["propagationPolicy"] = propagation
    if IGNORE_READ_ERROR in query:
        body[IGNORE_READ_ERROR] = flag(query, IGNORE_READ_ERROR)
    return body


_NOT_BESIDE_IGNORING = ("preconditions", "orphanDependents", "dryRun", "gracePeriodSeconds", "propagationPolicy")
"""What needs the object, and so can't be asked for where that is unreadable."""


async def _delete_body(call: Call) -> Object:
    body = as_object((await read_value(call.request, call.services.scheme, call.target)).value)
    if body.get("kind") not in (None, "", "DeleteOptions"):
        raise bad_request("decoded object cannot be converted to DeleteOptions")
    _check_type(body, "gracePeriodSeconds", int)
    _check_type(body, "orphanDependents", bool)
    _check_type(body, "propagationPolicy", str)
    _check_type(body, "preconditions", dict)
    _check_type(body, "dryRun", list)
    _check_type(body, IGNORE_READ_ERROR, bool)
    for name in ("uid", "resourceVersion"):
        _check_type(body.get("preconditions") or {}, name, str)
    return body


def _check_type(body: Object, name: str, expected: type) -> None:
    value: Json = body.get(name)
    if value is not None and type(value) is not expected:
        raise bad_request(f"json: cannot unmarshal {go_name(value)} into Go struct field DeleteOptions.{name}")
