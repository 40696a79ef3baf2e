"""``certificate``: approving and denying requests for certificates."""

from functools import partial
from typing import NamedTuple

from svcsim import limits
from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.retry import retry_on_conflict
from svcsim.cli.shared.select import select
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.printing.values import quote


class Decision(NamedTuple):
    """What is decided, and what it rules out."""

    condition: str
    other: str
    reason: str
    done: str


_APPROVE = Decision("Approved", "Denied", "KubectlApprove", "approved")
_DENY = Decision("Denied", "Approved", "KubectlDeny", "denied")


def _decide(call: Call, decision: Decision) -> None:
    if not call.args and not call.options.items("filename"):
        raise CommandError("one or more CSRs must be specified as <name> or -f <filename>")
    report = Reporter(call, "none", typed=True)
    names = [name if "/" in name else f"certificatesigningrequests/{name}" for name in call.args]
    selection = select(call, names)
    errors = list(selection.errors)
    for item in selection.items:
        try:
            read = partial(call.session.get, item.path)
            fetched = retry_on_conflict(partial(_decided, call, item, decision), item.obj, read, tries=limits.DECISION_TRIES)
            report.done(fetched, decision.done)
        except (StatusError, CommandError) as error:
            errors.append(error)
    if not selection.items and not errors:
        call.session.err.write("No resources found\n")
    raise_all(errors)


def _decided(call: Call, item: Item, decision: Decision, obj: Object) -> Object:
    """Decide; the request as it was before, which is what kubectl prints. The time is for the server to say, whose clock may be another."""
    if item.resource.plural != "certificatesigningrequests":
        raise CommandError(f"{item.resource.plural}/{item.name} is no certificate signing request")
    changed = copy_json(obj)
    conditions = changed.setdefault("status", {}).setdefault("conditions", [])
    types = [one["type"] for one in conditions]
    if decision.other in types:
        raise CommandError(f"certificate signing request {quote(item.name)} is already {decision.other}")
    if decision.condition in types and not call.options.on("force"):
        return obj
    if decision.condition not in types:
        message = f"This CSR was {decision.done} by kubectl certificate {_verb(decision)}."
        conditions.append({"type": decision.condition, "status": "True", "reason": decision.reason, "message": message})
    path = item.resource.path(item.namespace, item.name, "approval")
    call.session.write("PUT", path, changed, {}, "application/json")
    return obj


def _verb(decision: Decision) -> str:
    """What the command is called."""
    return "approve" if decision is _APPROVE else "deny"


_FLAGS = (*FILE_FLAGS, *PRINT_FLAGS)

CERTIFICATE = Command(
    "certificate",
    "certificate SUBCOMMAND [flags]",
    "Approve or deny requests for certificates.",
    subcommands=(
        Command(
            "approve",
            "approve (-f FILENAME | NAME) [flags]",
            "Approve a certificate signing request.",
            (*_FLAGS, switch("force", "Update the request even if it is already approved.")),
            partial(_decide, decision=_APPROVE),
            completes="name:certificatesigningrequests",
        ),
        Command(
            "deny",
            "deny (-f FILENAME | NAME) [flags]",
            "Deny a certificate signing request.",
            (*_FLAGS, switch("force", "Update the request even if it is already denied.")),
            partial(_decide, decision=_DENY),
            completes="name:certificatesigningrequests",
        ),
    ),
)
