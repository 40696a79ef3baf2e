"""``rollout``: the status and history of rollouts; undoing, restarting, pausing and resuming them."""

from collections.abc import Callable
from io import StringIO
from typing import NamedTuple

from svcsim.cli.failure import CommandError, listed, raise_all
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.following import WEEK_S, states
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.known_kinds import refuse_unknown
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter, object_printer, output_format
from svcsim.cli.shared.rollout_progress import PROGRESS
from svcsim.cli.shared.select import SELECTOR_FLAG, SelectedItems, select
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_query, dry_run
from svcsim.client.paths import PATCH_TYPES
from svcsim.clock import format_time
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.pods import describe_template
from svcsim.printing.describe.revisions import kept_revisions, kept_template, revision, template_of
from svcsim.printing.describe.writer import Writer
from svcsim.wall import wall_time

_NOT_OF_A_REVISION = ("last-applied-configuration", "revision", "revision-history", "desired-replicas", "max-replicas")
RESTARTABLE = ("Deployment", "DaemonSet", "StatefulSet")
_KEPT_AS = {"Deployment": "ReplicaSet", "DaemonSet": "ControllerRevision", "StatefulSet": "ControllerRevision"}
"""The kind of object that stands for a revision of each."""
_VISITED = (*_KEPT_AS, "ReplicaSet", "ReplicationController", "Pod", "Job", "CronJob")
"""Kinds that kubectl asks for revisions at all."""


def _select(call: Call) -> SelectedItems:
    if not call.args and not call.options.items("filename"):
        raise CommandError("required resource not specified")
    return select(call, whole=True)


def _select_or_word(call: Call) -> SelectedItems:
    """The selected items; if there are none, a message says so."""
    selection = _select(call)
    if not selection.items and not selection.errors:
        call.session.err.write(f"No resources found in {call.session.namespace} namespace.\n{call.session.which.doubt()}")
    return selection


def _for_each(selection: SelectedItems, do: Callable[[Item], None], *, missing_first: bool = False) -> None:
    """Do it for every object that was found, whatever is wrong with others. Missing objects are reported among the errors."""
    errors: list[Exception] = []
    for item in selection.items:
        try:
            do(item)
        except (CommandError, StatusError) as error:
            errors.append(error)
    missing = selection.errors
    if errors and len(missing) > 1:
        missing = [CommandError(listed(missing))]
    raise_all([*missing, *errors] if missing_first else [*errors, *missing])


def _only_deployments(item: Item, otherwise: str) -> None:
    if item.resource.kind != "Deployment":
        raise CommandError(otherwise)


def _revisions(call: Call, item: Item, wanted: str, reader: str) -> dict[int, Object]:
    """What is kept of an item's revisions, by their numbers, in order. Raises `CommandError` for a kind that has none.

    ``wanted`` and ``reader`` are kubectl's words for what is asked for and for what would read it.
    """
    kind, group = item.resource.kind, item.resource.group
    if kind not in _VISITED:
        raise CommandError(f'error retrieving {wanted} for "{item.resource.group_kind}", no visitor method exists for {{{group} {kind}}}')
    kept_as = _KEPT_AS.get(kind)
    if kept_as is None:
        raise CommandError(f'no {reader} has been implemented for "{item.resource.group_kind}"')
    return kept_revisions(call.session, item.obj, kept_as)


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

    def follow(item: Item) -> None:
        refuse_unknown(item.resource, session.dialect)
        progress = PROGRESS.get(item.resource.kind)
        if progress is None:
            raise CommandError(f"no status viewer has been implemented for {item.resource.group_kind}")
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

    _for_each(_select_or_word(call), follow)


# --- history ---


def rollout_history(call: Call) -> None:
    """Print the revisions that are kept, or one of them in detail."""
    out, wanted = call.session.out, _wanted_revision(call)

    def show(item: Item) -> None:
        refuse_unknown(item.resource, call.session.dialect)
        kept = _revisions(call, item, "history", "history viewer")
        title = f"{item.resource.print_kind}/{item.name}"
        if output_format(call):
            _print_kept(call, item, kept, wanted)
        elif not kept:
            out.write(f"{title}{f' with revision #{wanted}' if wanted else ' '}\nNo rollout history found.\n")
        elif wanted:
            if wanted not in kept:
                raise CommandError("unable to find the specified revision")
            out.write(f"{title} with revision #{wanted}\n")
            describe_template(kept_template(kept[wanted]), Writer(out, aligned=False))
            out.write("\n")
        else:
            out.write(f"{title} \n")
            writer = Writer(out)
            writer.line("REVISION\tCHANGE-CAUSE")
            for number, one in kept.items():
                writer.line(f"{number}\t{_cause(one)}")
            writer.flush()
            out.write("\n")

    _for_each(_select(call), show)


def _print_kept(call: Call, item: Item, kept: dict[int, Object], wanted: int) -> None:
    """Each revision, or the wanted one, in the form that was asked for: a ReplicaSet, or the workload as it was."""
    if wanted and wanted not in kept:
        raise CommandError("unable to find the specified revision")
    printer = object_printer(call, typed=True)
    for one in [kept[wanted]] if wanted else kept.values():
        printer.print(_shown(item, one), call.session.out)


def _shown(item: Item, kept: Object) -> Object:
    if "data" not in kept:
        return {"kind": "ReplicaSet", "apiVersion": "apps/v1", **kept}
    return {**item.obj, "spec": {**item.obj["spec"], "template": kept_template(kept)}}


def _cause(kept: Object) -> str:
    notes = annotations_of(kept)
    return next((value for key, value in notes.items() if key.endswith("/change-cause")), "<none>")


# --- undo, restart, pause, resume ---


class RolloutPatch(NamedTuple):
    """A change of a workload: what is sent, as which type of patch."""

    body: Json
    type: str = "merge"
    told: str = ""
    """What a try on the client's side says of it, if that is more than that it would be done."""


def rollout_undo(call: Call) -> None:
    """Roll back to an earlier revision."""

    def change(item: Item) -> RolloutPatch | None:
        wanted = call.options.number("to-revision")
        kept = _revisions(call, item, "rollbacker", "rollbacker")
        if wanted < 0:
            raise CommandError(f"unable to find specified revision {wanted} in history")
        target = _kept_before(item, kept, wanted)
        return RolloutPatch(None, told=_preview(item, target)) if dry_run(call) == "client" else _back_to(target, item)

    unchanged = "skipped rollback (current template already matches revision {})"
    _for_each(_select(call), _patching(call, change, "rolled back", unchanged))


def _kept_before(item: Item, kept: dict[int, Object], wanted: int) -> Object:
    """What stands for the revision to go back to: the wanted one, or the last before the present."""
    if wanted:
        if wanted not in kept:
            raise CommandError(f"unable to find specified revision {wanted} in history")
        return kept[wanted]
    if len(kept) < 2:
        deployment = item.resource.kind == "Deployment"
        raise CommandError(f'no rollout history found for deployment "{item.name}"' if deployment else "no last revision to roll back to")
    return list(kept.values())[-2]


def _preview(item: Item, target: Object) -> str:
    """The template that would be gone back to."""
    text = StringIO()
    describe_template(kept_template(target), Writer(text, aligned=False))
    return text.getvalue() if item.resource.kind == "Deployment" else f"will roll back to {text.getvalue()}"


def _back_to(target: Object, item: Item) -> RolloutPatch | None:
    """What makes a workload what it was; None if it is that."""
    spec = item.obj["spec"]
    if item.resource.kind != "Deployment":
        same = _without_times(kept_template(target)) == _without_times(spec["template"])
        return None if same else RolloutPatch(target["data"], "strategic")
    if spec.get("paused"):
        resume = f'"svcsim rollout resume deployment/{item.name}"'
        raise CommandError(f"you cannot rollback a paused deployment; resume it first with {resume} and try again")
    template = template_of(target)
    if template == spec["template"]:
        return None
    changes = (("/spec/template", template), ("/metadata/annotations", _annotations(item.obj, target)))
    return RolloutPatch([{"op": "replace", "path": path, "value": value} for path, value in changes], "json")


def _without_times(template: Object) -> Object:
    """A template without the time of its creation, which has none, and is written down with some of them all the same."""
    metadata = {name: value for name, value in (template.get("metadata") or {}).items() if name != "creationTimestamp"}
    return {**template, "metadata": metadata}


def _annotations(deployment: Object, replica_set: Object) -> dict[str, str]:
    """The annotations of the revision that comes back, beside those that are about the Deployment alone."""
    own = {key: value for key, value in annotations_of(deployment).items() if key.rpartition("/")[2] in _NOT_OF_A_REVISION}
    return own | {key: value for key, value in annotations_of(replica_set).items() if key.rpartition("/")[2] not in _NOT_OF_A_REVISION}


def rollout_restart(call: Call) -> None:
    """Replace all pods with new ones."""

    def change(item: Item) -> RolloutPatch:
        if item.resource.kind not in RESTARTABLE:
            raise CommandError(f'error: {item.resource.full_name} "{item.name}" restarting is not supported')
        if item.obj["spec"].get("paused"):
            raise CommandError(
                f'error: {item.resource.full_name} "{item.name}" can\'t restart paused deployment (run rollout resume first)'
            )
        key = call.session.dialect.key("restartedAt", "kubectl")
        return RolloutPatch({"spec": {"template": {"metadata": {"annotations": {key: format_time(wall_time())}}}}})

    _for_each(_select_or_word(call), _patching(call, change, "restarted"), missing_first=True)


def rollout_pause(call: Call) -> None:
    """Pause the rollout: changes have no effect until it is resumed."""

    def change(item: Item) -> RolloutPatch:
        _only_deployments(item, f'error: {item.resource.full_name} "{item.name}" pausing is not supported')
        if item.obj["spec"].get("paused"):
            raise CommandError(f'error: {item.resource.full_name} "{item.name}" is already paused')
        return RolloutPatch({"spec": {"paused": True}})

    _for_each(_select_or_word(call), _patching(call, change, "paused"), missing_first=True)


def rollout_resume(call: Call) -> None:
    def change(item: Item) -> RolloutPatch:
        _only_deployments(item, f'error: {item.resource.full_name} "{item.name}" resuming is not supported')
        if not item.obj["spec"].get("paused"):
            raise CommandError(f'error: {item.resource.full_name} "{item.name}" is not paused')
        return RolloutPatch({"spec": {"paused": None}})

    _for_each(_select_or_word(call), _patching(call, change, "resumed"), missing_first=True)


def _patching(call: Call, change: Callable[[Item], RolloutPatch | None], operation: str, unchanged: str = "") -> Callable[[Item], None]:
    """What patches an object by what ``change`` gives; None where there is nothing to do."""
    dry = dry_run(call) if "dry-run" in call.options.given else "none"
    report = Reporter(call, dry)
    query = {**dry_query(dry), "fieldManager": "kubectl-rollout"}

    def patch_one(item: Item) -> None:
        refuse_unknown(item.resource, call.session.dialect)
        patch = change(item)
        if patch is None:
            report.done(item.obj, unchanged.format(call.options.number("to-revision")))
        elif dry == "client":
            report.done(item.obj, patch.told or operation)
        else:
            report.done(call.session.write("PATCH", item.path, patch.body, query, PATCH_TYPES[patch.type]), operation)

    return patch_one


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
            (*_CHANGING, Flag("revision", "int64", 0, "Print this revision in detail.")),
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
                Flag("revision", "int64", 0, "Fail if a different revision is being rolled out."),
                Flag("timeout", "duration", 0.0, "How long to follow; 0 means until it is finished."),
            ),
            rollout_status,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
        Command(
            "undo",
            f"undo {_USAGE}",
            "Roll back to an earlier revision.",
            (*_CHANGING, DRY_RUN_FLAG, Flag("to-revision", "int64", 0, "The revision to roll back to; 0 is the previous one.")),
            rollout_undo,
            completes="resource:deployments,daemonsets,statefulsets",
        ),
    ),
)
