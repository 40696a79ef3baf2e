"""Deleting one object and waiting until it is gone: what ``delete`` does, and whatever makes room for something new."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.write_options import DRY_RUN_SUFFIX
from svcsim.meta.objects import uid_of

if TYPE_CHECKING:
    from svcsim.meta.types import Object

CASCADE_FLAG = Flag(
    "cascade", default="background", bare="background", choices=("background", "foreground", "orphan"),
    doc="How dependents are treated: background (deleted afterwards), foreground (deleted first) or orphan (kept).",
)  # fmt: skip


def cascade(call: Call) -> str:
    """The propagation policy ``--cascade`` stands for."""
    value = call.options.text("cascade")
    policies = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan", "true": "Background", "false": "Orphan"}
    if value not in policies:
        raise CommandError(f'invalid cascade value ({value}). Must be "background", "foreground", or "orphan"')
    if value in ("true", "false"):
        instead = policies[value].lower()
        call.options.set("cascade", instead)  # said once
        call.session.err.write(f"warning: --cascade={value} is deprecated (boolean value) and can be replaced with --cascade={instead}.\n")
    return policies[value]


def delete_item(call: Call, item: Item, grace: int, policy: str, dry: str) -> str:
    """Send one deletion; the uid of what is being deleted, as far as the answer tells."""
    if dry == "client":
        return uid_of(call.session.get(item.path))
    body: Object = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy}
    if grace >= 0:
        body["gracePeriodSeconds"] = grace
    if dry == "server":
        body["dryRun"] = ["All"]
    answer = call.session.write("DELETE", item.path, body, {"dryRun": "All" if dry == "server" else ""})
    if answer.get("kind") == "Status":
        return str((answer.get("details") or {}).get("uid", ""))
    return uid_of(answer)


def deletion_told(item: Item, grace: int = -1, dry: str = "none") -> str:
    """The line that says that something was deleted."""
    done = "force deleted" if grace == 0 else "deleted"
    return f'{item.resource.print_kind} "{item.name}" {done}{DRY_RUN_SUFFIX[dry]}\n'


def wait_deleted(call: Call, deleted: list[tuple[Item, str]], timeout_s: float | None) -> list[Exception]:
    """Wait until objects are gone, or others have taken their names; what took too long."""
    from svcsim.cli.shared.following import WEEK_S, states, timed_out

    errors: list[Exception] = []
    for item, uid in deleted:
        for obj in states(call.session, item.resource, item.namespace, item.name, timeout_s or WEEK_S):
            if obj is None or (uid and uid_of(obj) != uid):
                break
        else:
            errors.append(timed_out(item.resource, item.name))
    return errors
