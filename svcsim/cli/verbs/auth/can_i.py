"""``auth can-i``: whether one may do something, or all that one may do."""

from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.output.printers import print_columns
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.discovery import lookup
from svcsim.meta.types import Object
from svcsim.printing.describe.access import rule_rows

RESOURCE_VERBS = (
    *("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"),
    *("use", "bind", "impersonate", "escalate", "approve", "sign", "attest"),
)
PATH_VERBS = ("get", "put", "post", "head", "options", "delete", "patch", "*")
_NO_KINDS = ("users", "groups")
"""Resources that stand in rules alone."""
_MISUSE = "you must specify two arguments: verb resource or verb resource/resourceName."


class _Asked(NamedTuple):
    """What one would do it with."""

    group: str
    resource: str
    name: str
    namespaced: bool | None
    """None where it isn't known."""


def run(call: Call) -> int:
    """Ask, print the answer, and tell it by the exit status."""
    _check(call)
    if call.options.on("list"):
        _list(call)
        return 0
    spec = _question(call)
    group = call.session.dialect.group("authorization")
    review = {"kind": "SelfSubjectAccessReview", "apiVersion": f"{group}/v1", "spec": spec}
    status = call.session.write("POST", f"/apis/{group}/v1/selfsubjectaccessreviews", review).get("status") or {}
    allowed = bool(status.get("allowed"))
    if not call.options.on("quiet"):
        why = [status[name] for name in ("reason", "evaluationError") if status.get(name)]
        call.session.out.write("yes\n" if allowed else f"{' - '.join(['no', *why])}\n")
    return 0 if allowed else 1


def _check(call: Call) -> None:
    options = call.options
    if options.on("list"):
        if call.args:
            raise CommandError("list option must be specified with no arguments")
        if options.on("quiet") or options.on("all-namespaces") or options.text("subresource"):
            raise CommandError("list option can't be specified with neither quiet, all-namespaces nor subresource options")
    elif len(call.args) != 2:
        raise UsageError(f"error: {_MISUSE}\nSee 'svcsim auth can-i -h' for help and examples.")
    elif options.on("no-headers"):
        raise CommandError("--no-headers cannot be set without --list specified")


def _question(call: Call) -> Object:
    verb, what = call.args
    if what.startswith("/"):
        if call.options.text("subresource"):
            raise CommandError("--subresource can not be used with NonResourceURL")
        _warn_of_verb(call, verb, PATH_VERBS)
        return {"nonResourceAttributes": {"path": what, "verb": verb}}
    asked = _asked(call, what)
    everywhere = call.options.on("all-namespaces")
    if asked.namespaced is False and not everywhere:
        where = f" in group '{asked.group}'" if asked.group else ""
        _warn(call, f"resource '{asked.resource}' is not namespace scoped{where}")
    _warn_of_verb(call, verb, RESOURCE_VERBS)
    attributes = {
        "namespace": "" if everywhere else call.session.namespace,
        "verb": verb,
        "group": asked.group,
        "resource": asked.resource,
        "subresource": call.options.text("subresource"),
        "name": asked.name,
    }
    return {"resourceAttributes": {name: value for name, value in attributes.items() if value}}


def _asked(call: Call, what: str) -> _Asked:
    kind, _, name = what.partition("/")
    if kind == "*":
        return _Asked("", kind, name, None)
    found = lookup(call.session.discovery.resources, kind.lower())
    if found is not None:
        return _Asked(found.group, found.plural, name, found.namespaced)
    resource, dot, group = kind.lower().partition(".")
    if kind.lower() not in _NO_KINDS:
        where = f" in group '{group}'" if dot else ""
        _warn(call, f"the server doesn't have a resource type '{resource}'{where}")
    return _Asked("", kind, name, None)


def _warn_of_verb(call: Call, verb: str, known: tuple[str, ...]) -> None:
    if verb not in known:
        _warn(call, f"verb '{verb}' is not a known verb")


def _warn(call: Call, text: str) -> None:
    call.session.warn(text)
    call.session.err.write("\n")


def _list(call: Call) -> None:
    session = call.session
    group = session.dialect.group("authorization")
    review = {"kind": "SelfSubjectRulesReview", "apiVersion": f"{group}/v1", "spec": {"namespace": session.namespace}}
    status = session.write("POST", f"/apis/{group}/v1/selfsubjectrulesreviews", review).get("status") or {}
    if status.get("incomplete"):
        session.err.write(f"warning: the list may be incomplete: {status.get('evaluationError', '')}\n")
    rules = [*(status.get("resourceRules") or ()), *(status.get("nonResourceRules") or ())]
    rows = [list(row) for row in rule_rows(rules)]
    header = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]
    print_columns(header, rows, session.out, no_headers=call.options.on("no-headers"))


CAN_I = Command(
    "can-i",
    "can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL] [flags]",
    "Check whether an action is allowed.",
    (
        switch("all-namespaces", "Ask about all namespaces at once.", "A"),
        switch("list", "Print all that is allowed in the namespace."),
        switch("no-headers", "With --list: print no header."),
        switch("quiet", "Print nothing: the exit status is 0 where it is allowed, else 1.", "q"),
        Flag("subresource", doc="The subresource it is about, such as log or scale."),
    ),
    run,
)
