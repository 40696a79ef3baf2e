"""``rollout``: the status and history of a Deployment's rollouts; undoing, restarting, pausing and resuming them."""

from collections.abc import Callable

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Call, Command, Flag, switch
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.following import WEEK_S, states
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter, object_printer, output_format
from svcsim.cli.shared.rollout_progress import PROGRESS
from svcsim.cli.shared.select import SELECTOR_FLAG, select
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_query, dry_run
from svcsim.client.paths import PATCH_TYPES
from svcsim.clock import format_time, wall_time
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.pods import describe_template
from svcsim.printing.describe.revisions import owned_replica_sets, revision, template_of
from svcsim.printing.describe.writer import Writer

_NOT_OF_A_REVISION = ("last-applied-configuration", "revision", "revision-history", "desired-replicas", "max-replicas")
RESTARTABLE = ("Deployment", "DaemonSet", "StatefulSet")


def _items(call: Call) -> list[Item]:
    if not call.args and not call.options.items("filename"):
        raise CommandError("required resource not specified")
    selection = select(call, whole=True)
    raise_all(selection.errors)
    return selection.items


def _items_or_word(call: Call) -> list[Item]:
    """The same; if there are none, it is said."""
    items = _items(call)
    if not items:
        call.session.err.write(f"No resources found in {call.session.namespace} namespace.\n{call.session.doubt()}")
    return items


def _only_deployments(item: Item, otherwise: str) -> None:
    if item.resource.kind != "Deployment":
        raise CommandError(otherwise)


def _wanted_revision(call: Call) -> int:
    """The revision that ``--revision`` names; 0 where it names none."""
    number = call.options.number("revision")
    if number < 0:
        raise CommandError(f"revision must be a positive integer: {number}")
    return number


# --- status ---


def rollout_status(call: Call) -> None:
    """Show the status of the rollout until it is finished."""
    options, session, wanted = call.options, call.session, _wanted_revision(call)
    for item in _items_or_word(call):
        progress = PROGRESS.get(item.resource.kind)
        if progress is None:
            raise CommandError(f"no status viewer has been implemented for {item.resource.kind}")
        printed = ""
        for obj in states(session, item.resource, item.namespace, item.name, options.seconds("timeout") or WEEK_S):
            if obj is None:
                raise CommandError("object has been deleted")
            if wanted and item.resource.kind == "Deployment" and revision(obj) != wanted:
                raise CommandError(f"desired revision ({wanted}) is different from the running revision ({revision(obj)})")
            text, done = progress(obj)
            if text != printed:
                session.out.write(text)
                session.out.flush()
                printed = text
            if done or not options.on("watch"):
                break
        else:
            raise CommandError("timed out waiting for the condition")


# --- history ---


def rollout_history(call: Call) -> None:
    """Print the revisions a Deployment still has, or one of them in detail."""
    out, wanted = call.session.out, _wanted_revision(call)
    for item in _items(call):
        _only_deployments(item, f'no history viewer has been implemented for "{item.resource.kind}"')
        sets = {revision(found): found for found in owned_replica_sets(call.session, item.obj) if revision(found)}
        title = f"{item.resource.print_kind}/{item.name}"
        if output_format(call):
            _print_sets(call, sets, wanted)
        elif not sets:
            out.write(f"{title}{f' with revision #{wanted}' if wanted else ' '}\nNo rollout history found.\n")
        elif wanted:
            if wanted not in sets:
                raise CommandError("unable to find the specified revision")
            out.write(f"{title} with revision #{wanted}\n")
            describe_template(sets[wanted]["spec"]["template"], Writer(out, aligned=False))
            out.write("\n")
        else:
            out.write(f"{title} \n")
            writer = Writer(out)
            writer.line("REVISION\tCHANGE-CAUSE")
            for number in sorted(sets):
                writer.line(f"{number}\t{_cause(sets[number])}")
            writer.flush()
            out.write("\n")


def _print_sets(call: Call, sets: dict[int, Object], wanted: int) -> None:
    """The ReplicaSets that stand for the revisions, or the one that stands for one of them, in the form that was asked for."""
    if wanted and wanted not in sets:
        raise CommandError("unable to find the specified revision")
    printer = object_printer(call, typed=True)
    for number in [wanted] if wanted else sorted(sets):
        printer.print({"kind": "ReplicaSet", "apiVersion": "apps/v1", **sets[number]}, call.session.out)


def _cause(replica_set: Object) -> str:
    notes = annotations_of(replica_set)
    return next((value for key, value in notes.items() if key.endswith("/change-cause")), "<none>")


# --- undo, restart, pause, resume ---


def rollout_undo(call: Call) -> None:
    """Roll back to an earlier revision."""

    def change(item: Item) -> Json:
        _only_deployments(item, f'no rollbacker has been implemented for "{item.resource.kind}"')
        wanted = call.options.number("to-revision")
        if wanted < 0:
            raise CommandError(f"unable to find specified revision {wanted} in history")
        target = _revision_to_go_to(call, item, wanted)
        if item.obj["spec"].get("paused"):
            raise CommandError(
                "you cannot rollback a paused deployment; resume it first with "
                f'"svcsim rollout resume deployment/{item.name}" and try again'
            )
        template = template_of(target)
        if template == item.obj["spec"]["template"]:
            return None
        return [
            {"op": "replace", "path": "/spec/template", "value": template},
            {"op": "replace", "path": "/metadata/annotations", "value": _annotations(item.obj, target)},
        ]

    _patch_all(call, _items(call), change, "rolled back", unchanged="skipped rollback (current template already matches revision {})")


def _revision_to_go_to(call: Call, item: Item, wanted: int) -> Object:
    sets = {revision(found): found for found in owned_replica_sets(call.session, item.obj) if revision(found)}
    if wanted:
        if wanted not in sets:
            raise CommandError(f"unable to find specified revision {wanted} in history")
        return sets[wanted]
    earlier = sorted(sets)[:-1]
    if not earlier:
        raise CommandError(f'no rollout history found for deployment "{item.name}"')
    return sets[earlier[-1]]


def _annotations(deployment: Object, replica_set: Object) -> dict[str, str]:
    """The annotations of the revision that comes back, beside those that are about the Deployment alone."""
    own = {key: value for key, value in annotations_of(deployment).items() if key.rpartition("/")[2] in _NOT_OF_A_REVISION}
    return own | {key: value for key, value in annotations_of(replica_set).items() if key.rpartition("/")[2] not in _NOT_OF_A_REVISION}


def rollout_restart(call: Call) -> None:
    """Replace all pods with new ones."""

    def change(item: Item) -> Object:
        if item.resource.kind not in RESTARTABLE:
            raise CommandError(f'{item.resource.plural} "{item.name}" restarting is not supported')
        if item.obj["spec"].get("paused"):
            raise CommandError(f'{item.resource.full_name} "{item.name}" can\'t restart paused deployment (run rollout resume first)')
        key = call.session.dialect.key("restartedAt", "kubectl")
        return {"spec": {"template": {"metadata": {"annotations": {key: format_time(wall_time())}}}}}

    _patch_all(call, _items_or_word(call), change, "restarted")


def rollout_pause(call: Call) -> None:
    """Pause the rollout: changes have no effect until it is resumed."""

    def change(item: Item) -> Object:
        _only_deployments(item, f'{item.resource.full_name} "{item.name}" pausing is not supported')
        if item.obj["spec"].get("paused"):
            raise CommandError(f'{item.resource.full_name} "{item.name}" is already paused')
        return {"spec": {"paused": True}}

    _patch_all(call, _items_or_word(call), change, "paused")


def rollout_resume(call: Call) -> None:
    def change(item: Item) -> Object:
        _only_deployments(item, f'{item.resource.full_name} "{item.name}" resuming is not supported')
        if not item.obj["spec"].get("paused"):
            raise CommandError(f'{item.resource.full_name} "{item.name}" is not paused')
        return {"spec": {"paused": None}}

    _patch_all(call, _items_or_word(call), change, "resumed")


def _patch_all(call: Call, items: list[Item], change: Callable[[Item], Json], operation: str, unchanged: str = "") -> None:
    """Patch each item by what ``change`` gives: a merge patch, a JSON patch, or None where there is nothing to do."""
    dry = dry_run(call) if "dry-run" in call.options.given else "none"
    report = Reporter(call, dry)
    errors: list[Exception] = []
    query = {**dry_query(dry), "fieldManager": "kubectl-rollout"}
    for item in items:
        try:
            patch = change(item)
            if patch is None:
                report.done(item.obj, unchanged.format(call.options.number("to-revision")))
                continue
            kind = PATCH_TYPES["json" if isinstance(patch, list) else "merge"]
            after = item.obj if dry == "client" else call.session.write("PATCH", item.path, patch, query, kind)
        except (CommandError, StatusError) as error:
            errors.append(error)
            continue
        report.done(after, operation)
    raise_all(errors)


_TARGETS = (*FILE_FLAGS, SELECTOR_FLAG)
_CHANGING = (*_TARGETS, *PRINT_FLAGS)
_USAGE = "(TYPE NAME | TYPE/NAME) [flags]"

ROLLOUT = Command(
    "rollout",
    "rollout SUBCOMMAND [flags]",
    "Manage the rollouts of Deployments, DaemonSets and StatefulSets.",
    subcommands=(
        Command(
            "history",
            f"history {_USAGE}",
            "Print earlier revisions.",
            (*_CHANGING, Flag("revision", "int", 0, "Print this revision in detail.")),
            rollout_history,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
        Command(
            "pause",
            f"pause {_USAGE}",
            "Pause the rollout: changes have no effect until it is resumed.",
            _CHANGING,
            rollout_pause,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
        Command(
            "restart",
            f"restart {_USAGE}",
            "Replace all pods with new ones.",
            _CHANGING,
            rollout_restart,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
        Command(
            "resume",
            f"resume {_USAGE}",
            "Resume the rollout.",
            _CHANGING,
            rollout_resume,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
        Command(
            "status",
            f"status {_USAGE}",
            "Show the status of the rollout until it is finished.",
            (
                *_TARGETS,
                switch("watch", "Follow the rollout until it is finished.", "w", default=True),
                Flag("revision", "int", 0, "Fail if a different revision is being rolled out."),
                Flag("timeout", "duration", 0.0, "How long to follow; 0 means until it is finished."),
            ),
            rollout_status,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
        Command(
            "undo",
            f"undo {_USAGE}",
            "Roll back to an earlier revision.",
            (*_CHANGING, DRY_RUN_FLAG, Flag("to-revision", "int", 0, "The revision to roll back to; 0 is the previous one.")),
            rollout_undo,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
    ),
)
