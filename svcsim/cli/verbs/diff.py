"""``diff``: what apply would change, shown by a diff program.

The objects as they are and as they would be (the server says so, in a dry run) are written as YAML into two directories, which the
program compares: ``diff -u -N``, or what ``$SVCSIM_EXTERNAL_DIFF`` or ``$KUBECTL_EXTERNAL_DIFF`` says. Exit status 0: no differences,
1: differences, more: something went wrong.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.cli.failure import CommandError, error_text
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.creation import create_item
from svcsim.cli.shared.files import FILE_FLAGS, load_items, require_files
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key, without_last_applied
from svcsim.cli.shared.openapi_schema import OpenApi
from svcsim.cli.shared.select import SELECTOR_FLAG
from svcsim.cli.verbs.apply.client_side import Patcher
from svcsim.cli.verbs.apply.command import CLIENT_SIDE_MANAGER, PRUNE_FLAGS, selected
from svcsim.cli.verbs.apply.server_side import MANAGER, Applier
from svcsim.meta.codec import encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of, unmanaged
from svcsim.meta.types import Json, Object
from svcsim.printing.harmless import harmless

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Query

TROUBLE = 2
"""The exit status where something went wrong; 1 means that there are differences."""


class States(NamedTuple):
    """An object as it is and as it would be; None where it isn't there."""

    live: Object | None
    merged: Object | None


def run(call: Call) -> int:
    """Compare. The exit status says how it went."""
    try:
        return _compare(call)
    except (CommandError, StatusError, UsageError) as error:
        call.session.err.write((harmless(str(error)) if isinstance(error, UsageError) else error_text(error)).rstrip("\n") + "\n")
        return TROUBLE


def _compare(call: Call) -> int:
    options = call.options
    require_files(call, "diff")
    if options.on("force-conflicts") and not options.on("server-side"):
        raise CommandError("--force-conflicts only works with --server-side")
    if options.on("prune") and options.on("server-side"):
        raise CommandError("--prune is in alpha and doesn't currently work on objects created by server-side apply")
    loaded, errors = load_items(call.session, options.items("filename"), recursive=options.on("recursive"))
    if errors:
        raise errors[0]
    with tempfile.TemporaryDirectory(prefix="LIVE-") as live, tempfile.TemporaryDirectory(prefix="MERGED-") as merged:
        writer = _Writer(Path(live), Path(merged), managed=options.on("show-managed-fields"))
        _write_all(call, [item for item in loaded if selected(call, item.obj)], writer)
        return _differences(live, merged)


def _write_all(call: Call, items: list[Item], writer: "_Writer") -> None:
    options, session = call.options, call.session
    manager = options.text("field-manager")
    if options.on("server-side") and "field-manager" not in options.given:
        manager = MANAGER
    query: Query = {"dryRun": "All", "fieldManager": manager}
    patcher = Patcher(session, OpenApi(session), query)
    applier = Applier(session, {"dryRun": "All"}, manager, force=options.on("force-conflicts"))
    key = last_applied_key(session)
    pruner = None
    if options.on("prune"):
        from svcsim.cli.verbs.apply.prune import Pruner

        pruner = Pruner(session, options.items("prune-allowlist"), "Background", -1, "server")

    def merge(item: Item, live: Object | None) -> Object:
        if options.on("server-side"):
            return applier.send(item, item.obj)
        if live is None:
            return create_item(session, item, item.obj, query)
        return patcher.patch(item._replace(source=""), without_last_applied(item.obj, key), live).obj

    for item in items:
        live, merged = _of_one_version(call, item, merge)
        writer.write(item, States(live, merged))
        if pruner is not None:
            pruner.seen(item, merged)
    if pruner is not None:
        for item in pruner.candidates(options.text("selector")):
            writer.write(item, States(item.obj, None))


def _of_one_version(call: Call, item: Item, merge: Callable[[Item, Object | None], Object]) -> tuple[Object | None, Object]:
    """An object as it is and as it would be, before anybody else changes it in between: that would be no difference of the file's."""
    for _ in range(limits.DIFF_TRIES):
        live = _live(call, item)
        merged = merge(item, live)
        if live is None or metadata_of(live).get("resourceVersion") == metadata_of(merged).get("resourceVersion"):
            break
    return live, merged


def _live(call: Call, item: Item) -> Object | None:
    try:
        return call.session.get(item.path)
    except StatusError as error:
        if error.code != 404:
            raise
        return None


class _Writer:
    """Puts the states of objects into two directories."""

    def __init__(self, live: Path, merged: Path, *, managed: bool) -> None:
        self._directories = (live, merged)
        self._managed = managed

    def write(self, item: Item, states: States) -> None:
        """Write an object's two states, as far as it has them."""
        if item.resource.kind == "Secret" and not item.resource.group:
            states = masked(states)
        group = f"{item.resource.group}." if item.resource.group else ""
        name = f"{group}{item.resource.version}.{item.resource.kind}.{item.namespace}.{item.name}"
        for directory, obj in zip(self._directories, states, strict=True):
            if obj is not None:
                (directory / name).write_bytes(encode_yaml(obj if self._managed else unmanaged(obj)))


def masked(states: States) -> States:
    """A secret's states with its values hidden; where they differ, only that they do is shown."""
    live, merged = (None if obj is None else obj.get("data") or {} for obj in states)
    before, after = dict(live or {}), dict(merged or {})
    for key in {**before, **after}:
        changed = key in before and key in after and before[key] != after[key]
        if key in before:
            before[key] = "*** (before)" if changed else "***"
        if key in after:
            after[key] = "*** (after)" if changed else "***"
    return States(_with_data(states.live, before), _with_data(states.merged, after))


def _with_data(obj: Object | None, data: Json) -> Object | None:
    return obj if not obj or "data" not in obj else {**obj, "data": data}


def _differences(live: str, merged: str) -> int:
    command = _program()
    if not command:
        raise CommandError("there is no program named diff on your PATH; install one, or name another in SVCSIM_EXTERNAL_DIFF")
    sys.stdout.flush()
    try:
        status = subprocess.run([*command, live, merged], check=False).returncode  # noqa: S603 - the user's own diff program
    except OSError as error:
        raise CommandError(f'failed to run "{command[0]}": executable file not found in $PATH') from error
    if status > 1:
        raise CommandError(f"exit status {status}")
    return status


def _program() -> list[str]:
    """The words of the command to compare with; arguments with anything but letters, digits, dashes and equal signs are left out."""
    named = os.environ.get("SVCSIM_EXTERNAL_DIFF") or os.environ.get("KUBECTL_EXTERNAL_DIFF")
    if named:
        program, *arguments = named.split(" ")
        return [program, *(word for word in arguments if re.fullmatch(r"[a-zA-Z0-9-=]+", word))]
    return ["diff", "-u", "-N"] if shutil.which("diff") else []


DIFF = Command(
    "diff",
    "diff -f FILENAME [flags]",
    "Show what apply would change. Exit status 0: no differences; 1: differences; more than 1: an error.",
    (
        *FILE_FLAGS,
        SELECTOR_FLAG,
        switch("server-side", "Merge on the server, by field ownership."),
        switch("force-conflicts", "With --server-side: take over fields that other managers own."),
        Flag("field-manager", default=CLIENT_SIDE_MANAGER, doc="The name of the field manager; kubectl with --server-side."),
        switch("show-managed-fields", "Also compare metadata.managedFields."),
        Flag("concurrency", "int64", 1, "Has no effect here."),
        *PRUNE_FLAGS,
    ),
    run,
)
