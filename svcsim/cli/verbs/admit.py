"""``admit``: what admission would make of the objects in files, plugin by plugin, webhook by webhook and policy by policy.

Each object is sent as a dry run that answers with its way through admission: created where it isn't there, and otherwise changed as
``apply`` would change it, or whatever ``--operation`` says. Nothing is written. What is refused ends the command with a failure.
"""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from shutil import get_terminal_size

from svcsim.cli.failure import CommandError, raise_all, with_source
from svcsim.cli.flags import Flag
from svcsim.cli.output.admission_trace import Style, lines
from svcsim.cli.output.printers import make_printer
from svcsim.cli.shared.colours import coloured
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.creation import create_item
from svcsim.cli.shared.files import FILE_FLAGS, load_items, require_files
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key, with_last_applied
from svcsim.cli.shared.openapi_schema import OpenApi
from svcsim.cli.shared.own_server import check_own
from svcsim.cli.shared.session import load
from svcsim.cli.shared.write_options import VALIDATE_FLAG, field_validation, validates
from svcsim.cli.verbs.apply.client_side import Patcher
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object
from svcsim.printing.harmless import harmless

_OPERATIONS = ("create", "update", "delete")
_FORMATS = ("json", "yaml")
_TRACE = {"svcsimTrace": "admission"}


def run(call: Call) -> None:
    """Show every object's way, and raise the refusals."""
    options, session = call.options, call.session
    if not call.args and not options.items("filename"):
        raise CommandError("say which objects: give a file with -f")
    require_files(call, "admit")
    operation, output = options.text("operation").lower(), options.text("output")
    if operation not in ("", *_OPERATIONS):
        raise CommandError(f'--operation is one of {", ".join(_OPERATIONS)}, not "{options.text("operation")}"')
    if output not in ("", *_FORMATS):
        raise CommandError(f'-o is one of {", ".join(_FORMATS)}, not "{output}"')
    loaded, errors = load_items(session, options.items("filename"), recursive=options.on("recursive"), validated=validates(call))
    if loaded:
        check_own(session, "only those tell their way through admission")
    traces: list[Object] = []
    for number, item in enumerate(loaded):
        try:
            asked, trace = _asked(call, item, operation)
            if trace is None:
                session.err.write(harmless(f"{item.resource.plural}/{item.name} is as the file has it: nothing would be sent\n"))
                traces += [_nothing(item)] if output else []
                continue
        except (StatusError, CommandError) as error:
            errors.append(with_source(error, "admitting", item.source))
            continue
        refused = StatusError.from_status(trace["refusal"]) if "refusal" in trace else None
        if refused is not None:
            errors.append(with_source(refused, "admitting", item.source))
        if output:
            traces.append(trace)
            continue
        style = Style(coloured(session.out), item.resource.kind == "Secret", get_terminal_size((0, 0)).columns)
        text = "\n".join([_title(item, asked), *lines(trace, style), f"  {_end(trace)}", *_hints(trace, item, loaded[:number])])
        session.out.write(("\n" if number else "") + text + "\n")
    if traces:
        whole = traces[0] if len(traces) == 1 else {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": traces}
        make_printer(output).print(whole, session.out)
    if not loaded and not errors:
        raise CommandError("no objects passed to admit")
    raise_all(errors)


def _asked(call: Call, item: Item, operation: str) -> tuple[str, Object | None]:
    """What is asked about an object, and its way through admission; None where there is nothing to ask."""
    session, query = call.session, {**field_validation(call, "server"), **_TRACE}
    if operation in ("update", "delete") and not item.name:
        raise CommandError(f"{item.resource.plural} without a name can only be created: the server makes the name up")
    if operation == "delete":
        return "delete", _trace(load(session.send("DELETE", item.path, query).body))
    current = _current(call, item, operation) if operation != "create" else None
    if current is None:
        if operation == "update":
            raise CommandError(f"{item.resource.plural}/{item.name} isn't there: nothing can be updated")
        return "create", _trace(create_item(session, item, item.obj, query))
    wanted = with_last_applied(item.obj, last_applied_key(session))
    patched = Patcher(session, OpenApi(session), query).patch(item, wanted, current)
    return "update", _trace(patched.obj) if patched.patch else None


def _current(call: Call, item: Item, operation: str) -> Object | None:
    """The object as it is; None if there is none, or if the user may not read it and named no operation: then a create is tried."""
    if not item.name and metadata_of(item.obj).get("generateName"):
        return None
    try:
        return call.session.get(item.path)
    except StatusError as error:
        if (error.code, error.reason) == (404, "NotFound"):
            return None
        if error.code == HTTPStatus.FORBIDDEN and not operation:
            return None
        raise


def _nothing(item: Item) -> Object:
    """The way of what isn't sent."""
    return {"kind": "AdmissionTrace", "apiVersion": "svcsim/v1", "request": {"verb": "patch", "path": item.path}, "steps": []}


def _trace(answer: Object) -> Object:
    if answer.get("kind") != "AdmissionTrace":
        raise CommandError("this server doesn't tell its way through admission: it is of an older svcsim")
    return answer


def _title(item: Item, asked: str) -> str:
    name = item.name or f"{metadata_of(item.obj).get('generateName', '')}*"
    where = f" in namespace {item.namespace}" if item.namespace else ""
    return harmless(f"{asked} {item.resource.plural}/{name}{where}")


def _end(trace: Object) -> str:
    if "refusal" not in trace:
        return "let through; nothing was written"
    refusal = trace["refusal"]
    who = next((step["name"] for step in trace["steps"] if step["result"] == "refused"), "")
    reason = f": {refusal['reason']}" if refusal.get("reason") else ""
    return harmless(f"refused {_by(who, refusal)}{reason} ({refusal.get('code')})")


def _by(who: str, refusal: Object) -> str:
    """What refused it, if it was refused by admission."""
    if who:
        return f"by {who}"
    if refusal.get("code") == HTTPStatus.NOT_FOUND:
        return "not by admission: it isn't there"
    if refusal.get("reason") == "AlreadyExists":
        return "not by admission: it is there already"
    return "not by admission, but by what every such object has to keep to"


def _hints(trace: Object, item: Item, before: Sequence[Item]) -> Iterator[str]:
    """What isn't there only because nothing was written of what stands before it."""
    if trace.get("refusal", {}).get("code") != HTTPStatus.NOT_FOUND or not item.namespace:
        return
    if any(one.resource.kind == "Namespace" and one.name == item.namespace for one in before):
        yield harmless(f"  (namespace {item.namespace} would be created first, but nothing is written here: create it, and try this again)")


ADMIT = Command(
    "admit",
    "admit -f FILENAME [flags]",
    "Show what admission would do with the objects in files: what each plugin, webhook and policy changes, refuses or warns of, "
    "and how long it takes. Nothing is written.",
    (
        *FILE_FLAGS,
        Flag("operation", doc="Try this, instead of create or, where the object is there, update.", choices=_OPERATIONS),
        Flag("output", doc="The output format: json or yaml, with everything that is known.", short="o", choices=_FORMATS),
        VALIDATE_FLAG,
    ),
    run,
)
