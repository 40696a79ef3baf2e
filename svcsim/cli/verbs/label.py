"""``label`` and ``annotate``: setting and removing what is written on objects."""

from typing import NamedTuple

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter, output_format
from svcsim.cli.shared.select import ALL_FLAG, ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG, select
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, dry_query, dry_run
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta import merge_patch
from svcsim.meta.errors import StatusError
from svcsim.meta.names import label_value
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object
from svcsim.printing.tabs import escape
from svcsim.printing.values import quote


class Changes(NamedTuple):
    """What to set and what to remove."""

    set: dict[str, str]
    remove: list[str]


class Notes(NamedTuple):
    """Labels or annotations: how they are called and where they are."""

    word: str
    field: str
    """Below ``metadata``."""


LABELS = Notes("label", "labels")
ANNOTATIONS = Notes("annotation", "annotations")


def split_arguments(args: list[str], word: str) -> tuple[list[str], Changes]:
    """Resources, then ``KEY=VALUE`` and ``KEY-``."""
    resources: list[str] = []
    pairs: list[str] = []
    for arg in args:
        if ("=" in arg and not arg.startswith("=")) or (arg.endswith("-") and arg != "-"):
            pairs.append(arg)
        elif pairs:
            raise CommandError(f"all resources must be specified before {word} changes: {arg}")
        else:
            resources.append(arg)
    if word == LABELS.word:
        _check(pairs)
    setting = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    removing = [pair[:-1] for pair in pairs if "=" not in pair]
    both = [key for key in removing if key in setting]
    if both and word == ANNOTATIONS.word:
        raise CommandError(f"can not both modify and remove the following annotation(s) in the same command: {','.join(both)}")
    if both:
        raise CommandError("can not both modify and remove a label in the same command")
    return resources, Changes(setting, removing)


def _check(pairs: list[str]) -> None:
    for pair in pairs:
        if pair.count("=") > 1:
            raise CommandError(f"invalid label spec: {pair}")
        findings = label_value(pair.partition("=")[2])
        if findings:
            raise CommandError(f"invalid label value: {quote(pair)}: {';'.join(findings)}")


def _run(call: Call, notes: Notes) -> None:
    options, session = call.options, call.session
    resources, changes = split_arguments(call.args, notes.word)
    if not resources and not options.items("filename"):
        raise CommandError("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if not changes.set and not changes.remove and not options.on("list"):
        raise CommandError(f"at least one {notes.word} update is required")
    for name in ("selector", "field-selector"):
        if options.on("all") and options.text(name):
            raise CommandError(f"cannot set --all and --{name} at the same time")
    if notes is LABELS and options.on("list") and output_format(call):
        raise CommandError("--list and --output may not be specified together")
    dry = dry_run(call)
    report = Reporter(call, dry)
    selection = select(call, resources)
    if options.text("resource-version") and len(selection.items) != 1:
        raise CommandError("--resource-version may only be used with a single resource")
    errors = selection.errors
    for item in selection.items:
        try:
            if options.on("list"):
                _list(call, item, notes, changes, several=len(selection.items) > 1)
            else:
                _change(call, item, notes, changes, (dry, report))
        except (StatusError, CommandError) as error:
            errors.append(error)
    session.out.flush()
    raise_all(errors)


def _list(call: Call, item: Item, notes: Notes, changes: Changes, *, several: bool) -> None:
    """Print what is on an object, as it would be with the changes: a list changes nothing."""
    after = merge_patch.apply(item.obj, _patch(call, item, notes, changes))
    if several:
        call.session.out.write(f"Listing {notes.field} for {item.resource.kind}.{item.resource.group}/{item.name}:\n")
    indent = " " if several else ""
    for key, value in sorted((metadata_of(after).get(notes.field) or {}).items()):
        call.session.out.write(escape(f"{indent}{key}={value}\n"))


def _patch(call: Call, item: Item, notes: Notes, changes: Changes) -> Object:
    """The merge patch that makes the changes; empty where all is so already."""
    before: dict[str, str] = metadata_of(item.obj).get(notes.field) or {}
    if not call.options.on("overwrite"):
        taken = [
            f"'{key}' already has a value ({before[key]})" for key, value in changes.set.items() if key in before and before[key] != value
        ]
        if taken and notes is LABELS:
            raise CommandError(f"{taken[0]}, and --overwrite is false")
        if taken:
            raise CommandError(f"--overwrite is false but found the following declared annotation(s): {'; '.join(taken)}")
    if notes is LABELS:
        for key in changes.remove:
            if key not in before:
                call.session.out.write(f'label "{key}" not found.\n')
    metadata: Object = {key: None for key in changes.remove if key in before}
    metadata |= {key: value for key, value in changes.set.items() if before.get(key) != value}
    return {"metadata": {notes.field: metadata}} if metadata else {}


def _change(call: Call, item: Item, notes: Notes, changes: Changes, how: tuple[str, Reporter]) -> None:
    dry, report = how
    patch = _patch(call, item, notes, changes)
    if patch and call.options.text("resource-version"):
        patch["metadata"]["resourceVersion"] = call.options.text("resource-version")
    if not patch or dry == "client":
        after = merge_patch.apply(item.obj, patch)
    else:
        query = {**dry_query(dry), "fieldManager": call.options.text("field-manager")}
        after = call.session.write("PATCH", item.path, patch, query, PATCH_TYPES["merge"])
    report.done(after, _done(notes, changes, changed=bool(patch)))


def _done(notes: Notes, changes: Changes, *, changed: bool) -> str:
    if notes is ANNOTATIONS:
        return "annotated"
    if not changed:
        return "not labeled"
    return "labeled" if changes.set else "unlabeled"


def label(call: Call) -> None:
    _run(call, LABELS)


def annotate(call: Call) -> None:
    _run(call, ANNOTATIONS)


def _flags(word: str, manager: str) -> tuple[Flag, ...]:
    return (
        *FILE_FLAGS,
        ALL_FLAG,
        ALL_NAMESPACES_FLAG,
        SELECTOR_FLAG,
        FIELD_SELECTOR_FLAG,
        DRY_RUN_FLAG,
        *PRINT_FLAGS,
        switch("list", f"Print the {word}s."),
        switch("overwrite", f"Overwrite {word}s that already have a value."),
        Flag("resource-version", doc="Change the object only if this is its resource version."),
        Flag("field-manager", default=manager, doc="The name of the field manager."),
    )


_USAGE = "(-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N KEY- [flags]"

LABEL = Command(
    "label",
    f"label [--overwrite] {_USAGE}",
    "Set labels of objects, or remove them with KEY-.",
    _flags("label", "kubectl-label"),
    label,
    completes="resource",
)
ANNOTATE = Command(
    "annotate",
    f"annotate [--overwrite] {_USAGE}",
    "Set annotations of objects, or remove them with KEY-.",
    _flags("annotation", "kubectl-annotate"),
    annotate,
    completes="resource",
)
