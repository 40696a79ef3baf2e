"""``rollout``: how far a Deployment's change has got, what it was before, back to that, anew, or not now."""

from collections.abc import Callable

from svcsim.cli.delete import DRY_RUN_FLAG, dry_run
from svcsim.cli.describe.pods import describe_template
from svcsim.cli.describe.writer import Writer
from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.files import FILE_FLAGS
from svcsim.cli.flags import Call, Command, Flag, switch
from svcsim.cli.output.printers import print_columns
from svcsim.cli.revisions import owned_replica_sets, revision, template_of
from svcsim.cli.select import SELECTOR_FLAG, Item, select
from svcsim.cli.waiting import WEEK_S, states
from svcsim.cli.writing import MANAGED_FIELDS_FLAG, OUTPUT_FLAG, Reporter, dry_query
from svcsim.client.paths import PATCH_TYPES
from svcsim.clock import format_time, wall_time
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, condition, metadata_of, name_of
from svcsim.meta.types import Object

RESTARTABLE = ("Deployment", "DaemonSet", "StatefulSet")


def _items(call: Call) -> list[Item]:
    if not call.args and not call.options.items("filename"):
        raise CommandError("required resource not specified")
    selection = select(call, whole=True)
    raise_all(selection.errors)
    return selection.items


def _only_deployments(item: Item, otherwise: str) -> None:
    if item.resource.kind != "Deployment":
        raise CommandError(otherwise)


# --- status ---


def rollout_status(call: Call) -> None:
    """Follow a rollout to its end."""
    options, session = call.options, call.session
    wanted = options.number("revision")
    for item in _items(call):
        _only_deployments(item, f"no status viewer has been implemented for {item.resource.kind}")
        told = ""
        for obj in states(session, item.resource, item.namespace, item.name, options.seconds("timeout") or WEEK_S):
            if obj is None:
                raise CommandError("object has been deleted")
            if wanted and revision(obj) != wanted:
                raise CommandError(f"desired revision ({wanted}) is different from the running revision ({revision(obj)})")
            text, done = progress(obj)
            if text != told:
                session.out.write(text)
                session.out.flush()
                told = text
            if done or not options.on("watch"):
                break
        else:
            raise CommandError("timed out waiting for the condition")


def progress(deployment: Object) -> tuple[str, bool]:
    """What to say about a Deployment's rollout, and whether it is over. Raises `CommandError` for one that takes too long."""
    name, spec, status = name_of(deployment), deployment.get("spec") or {}, deployment.get("status") or {}
    if metadata_of(deployment).get("generation", 0) > status.get("observedGeneration", 0):
        return "Waiting for deployment spec update to be observed...\n", False
    if (condition(deployment, "Progressing") or {}).get("reason") == "ProgressDeadlineExceeded":
        raise CommandError(f'deployment "{name}" exceeded its progress deadline')
    wanted, updated = spec.get("replicas", 1), status.get("updatedReplicas", 0)
    total, available = status.get("replicas", 0), status.get("availableReplicas", 0)
    waiting = f'Waiting for deployment "{name}" rollout to finish: '
    if updated < wanted:
        return f"{waiting}{updated} out of {wanted} new replicas have been updated...\n", False
    if total > updated:
        return f"{waiting}{total - updated} old replicas are pending termination...\n", False
    if available < updated:
        return f"{waiting}{available} of {updated} updated replicas are available...\n", False
    return f'deployment "{name}" successfully rolled out\n', True


# --- history ---


def rollout_history(call: Call) -> None:
    """Print the revisions a Deployment still has, or one of them in detail."""
    out, wanted = call.session.out, call.options.number("revision")
    for item in _items(call):
        _only_deployments(item, f'no history viewer has been implemented for "{item.resource.kind}"')
        sets = {revision(found): found for found in owned_replica_sets(call.session, item.obj) if revision(found)}
        title = f"{item.resource.print_kind}/{item.name}"
        if not sets:
            out.write(f"{title}{f' with revision #{wanted}' if wanted else ' '}\nNo rollout history found.\n")
        elif wanted:
            if wanted not in sets:
                raise CommandError("unable to find the specified revision")
            out.write(f"{title} with revision #{wanted}\n")
            writer = Writer(out)
            describe_template(sets[wanted]["spec"]["template"], writer)
            writer.flush()
        else:
            out.write(f"{title} \n")
            rows = [[str(number), _cause(sets[number])] for number in sorted(sets)]
            print_columns(["REVISION", "CHANGE-CAUSE"], rows, _Narrow(out))
            out.write("\n")


class _Narrow:
    """Takes text for an output with two blanks between columns."""

    def __init__(self, out: object) -> None:
        self._out = out

    def write(self, text: str) -> object:
        """Take text."""
        return self._out.write(text)  # type: ignore[attr-defined]


def _cause(replica_set: Object) -> str:
    notes = annotations_of(replica_set)
    return next((value for key, value in notes.items() if key.endswith("/change-cause")), "<none>")


# --- undo, restart, pause, resume ---


def rollout_undo(call: Call) -> None:
    """Go back to an earlier revision."""

    def change(item: Item) -> Object:
        _only_deployments(item, f'no rollbacker has been implemented for "{item.resource.kind}"')
        wanted = call.options.number("to-revision")
        if wanted < 0:
            raise CommandError("unable to find specified revision {wanted} in history")
        if item.obj["spec"].get("paused"):
            raise CommandError(
                f'you cannot rollback a paused deployment; resume it first with "svcsim rollout resume deployment/{item.name}" and try again'
            )
        target = _revision_to_go_to(call, item, wanted)
        template = template_of(target)
        if template == item.obj["spec"]["template"]:
            return {}
        return {"spec": {"template": _replacing(item.obj["spec"]["template"], template)}}

    _patch_all(call, change, "rolled back", unchanged="skipped rollback (current template already matches revision {})")


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


def _replacing(before: Object, after: Object) -> Object:
    """A merge patch that leaves nothing of ``before`` that isn't in ``after``."""
    from svcsim.meta import merge_patch  # noqa: PLC0415 - only undo needs it

    patch: Object = merge_patch.diff(before, after)
    return patch


def rollout_restart(call: Call) -> None:
    """Replace all pods by new ones."""

    def change(item: Item) -> Object:
        if item.resource.kind not in RESTARTABLE:
            raise CommandError(f'{item.resource.plural} "{item.name}" restarting is not supported')
        if item.obj["spec"].get("paused"):
            raise CommandError(f"can't restart paused deployment (run rollout resume first)")
        key = call.session.dialect.key("restartedAt", "kubectl")
        return {"spec": {"template": {"metadata": {"annotations": {key: format_time(wall_time())}}}}}

    _patch_all(call, change, "restarted")


def rollout_pause(call: Call) -> None:
    """Let changes wait."""

    def change(item: Item) -> Object:
        _only_deployments(item, f'{item.resource.full_name} "{item.name}" pausing is not supported')
        if item.obj["spec"].get("paused"):
            raise CommandError(f'{item.resource.full_name} "{item.name}" is already paused')
        return {"spec": {"paused": True}}

    _patch_all(call, change, "paused")


def rollout_resume(call: Call) -> None:
    """Let changes go on."""

    def change(item: Item) -> Object:
        _only_deployments(item, f'{item.resource.full_name} "{item.name}" resuming is not supported')
        if not item.obj["spec"].get("paused"):
            raise CommandError(f'{item.resource.full_name} "{item.name}" is not paused')
        return {"spec": {"paused": None}}

    _patch_all(call, change, "resumed")


def _patch_all(call: Call, change: Callable[[Item], Object], operation: str, unchanged: str = "") -> None:
    dry = dry_run(call) if "dry-run" in call.options.given else "none"
    report = Reporter(call, dry)
    errors: list[Exception] = []
    query = {**dry_query(dry), "fieldManager": "kubectl-rollout"}
    for item in _items(call):
        try:
            patch = change(item)
            if not patch and unchanged:
                report.done(item.obj, unchanged.format(call.options.number("to-revision")))
                continue
            after = item.obj if dry == "client" else call.session.write("PATCH", item.path, patch, query, PATCH_TYPES["merge"])
        except (CommandError, StatusError) as error:
            errors.append(error)
            continue
        report.done(after, operation)
    raise_all(errors)


_TARGETS = (*FILE_FLAGS, SELECTOR_FLAG)
_CHANGING = (*_TARGETS, OUTPUT_FLAG, MANAGED_FIELDS_FLAG)
_USAGE = "(TYPE NAME | TYPE/NAME) [flags]"

ROLLOUT = Command(
    "rollout",
    "rollout SUBCOMMAND [flags]",
    "Manage the rollouts of Deployments.",
    subcommands=(
        Command(
            "history",
            f"history {_USAGE}",
            "Print earlier revisions.",
            (*_CHANGING, Flag("revision", "int", 0, "Print this revision in detail.")),
            rollout_history,
            completes="resource",
        ),
        Command("pause", f"pause {_USAGE}", "Let changes wait.", _CHANGING, rollout_pause, completes="resource"),
        Command("restart", f"restart {_USAGE}", "Replace all pods by new ones.", _CHANGING, rollout_restart, completes="resource"),
        Command("resume", f"resume {_USAGE}", "Let changes go on.", _CHANGING, rollout_resume, completes="resource"),
        Command(
            "status",
            f"status {_USAGE}",
            "Follow a rollout to its end.",
            (
                *_TARGETS,
                switch("watch", "Follow it until it is done.", "w", default=True),
                Flag("revision", "int", 0, "Fail if another revision than this is being rolled out."),
                Flag("timeout", "duration", 0.0, "How long to follow; 0 means to its end."),
            ),
            rollout_status,
            completes="resource",
        ),
        Command(
            "undo",
            f"undo {_USAGE}",
            "Go back to an earlier revision.",
            (*_CHANGING, DRY_RUN_FLAG, Flag("to-revision", "int", 0, "The revision to go back to; 0 is the one before.")),
            rollout_undo,
            completes="resource",
        ),
    ),
)
