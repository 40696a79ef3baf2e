"""``taint``: what keeps pods away from nodes, set with KEY=VALUE:EFFECT and removed with KEY- or KEY:EFFECT-."""

from typing import NamedTuple

from svcsim.cli.failure import CommandError, SeveralErrors, raise_all
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.arguments import Target, parse_targets
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.discovery import Resource
from svcsim.cli.shared.item import Item, check_name
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import ALL_FLAG, SELECTOR_FLAG
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, VALIDATE_FLAG, dry_run, field_validation
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta.errors import StatusError
from svcsim.meta.names import label_value, qualified_name
from svcsim.meta.objects import get_path, name_of
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, Taint
from svcsim.meta.types import Object
from svcsim.printing.values import quote

_NODES = ("", "nodes")
"""The group and the name of their resource."""
_EFFECTS = (NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE)
_SEE = "See 'svcsim taint -h' for help and examples"


class TaintChanges(NamedTuple):
    """What to set and what to remove; what is removed may have no effect, and means all of its key."""

    add: list[Taint]
    remove: list[Taint]


def split_arguments(args: list[str]) -> tuple[list[str], list[str]]:
    """The type and the names, then what is to be changed. Raises `CommandError` where they are mixed."""
    resources: list[str] = []
    specs: list[str] = []
    for arg in args:
        if "=" in arg or ":" in arg or arg.endswith("-"):
            specs.append(arg)
        elif specs:
            raise CommandError(f"all resources must be specified before taint changes: {arg}")
        else:
            resources.append(arg)
    return resources, specs


def read_changes(specs: list[str]) -> TaintChanges:
    """What the words come to. Raises `CommandError` for what is no taint, and for one that is given twice."""
    changes = TaintChanges([], [])
    for spec in specs:
        taint = _read(spec.removesuffix("-"))
        if spec.endswith("-"):
            changes.remove.append(taint._replace(value=""))
            continue
        if not taint.effect:
            raise CommandError(f"invalid taint spec: {spec}")
        if any((taint.key, taint.effect) == (other.key, other.effect) for other in changes.add):
            shown = f"{{{taint.key} {taint.value} {taint.effect} <nil>}}"
            raise CommandError(f"duplicated taints with the same key and effect: {shown}")
        changes.add.append(taint)
    return changes


def _read(spec: str) -> Taint:
    pair, colon, effect = spec.partition(":")
    if ":" in effect:
        raise CommandError(f"invalid taint spec: {spec}")
    key, value = pair, ""
    if colon:
        if effect not in _EFFECTS:
            raise CommandError(f"invalid taint effect: {effect}, unsupported taint effect")
        key, _, value = pair.partition("=")
        if "=" in value:
            raise CommandError(f"invalid taint spec: {spec}")
        if findings := label_value(value):
            raise CommandError(f"invalid taint spec: {spec}, {'; '.join(findings)}")
    if findings := qualified_name(key):
        raise CommandError(f"invalid taint spec: {spec}, {'; '.join(findings)}")
    return Taint(key, value, effect)


def changed_taints(before: list[Object], changes: TaintChanges) -> tuple[list[Object], str]:
    """The taints as they are to be, and the word for what was done. Raises one error for each to remove that isn't there."""
    after = [_written(taint) for taint in changes.add]
    known = [_identity(taint) for taint in after]
    after += [taint for taint in before if _identity(taint) not in known]
    added = len(after) != len(before)
    missing: list[Exception] = []
    removed = False
    for taint in changes.remove:
        kept = [one for one in after if one["key"] != taint.key or taint.effect not in ("", one["effect"])]
        removed = len(kept) != len(after)
        if not removed:
            missing.append(CommandError(f"taint {quote(':'.join(filter(None, (taint.key, taint.effect))))} not found"))
        after = kept
    raise_all(missing)
    if added and removed:
        return after, "modified"
    return after, "tainted" if added else "untainted"


def _identity(taint: Object) -> tuple[str, str]:
    return taint["key"], taint["effect"]


def _written(taint: Taint) -> Object:
    return {"effect": taint.effect, "key": taint.key, **({"value": taint.value} if taint.value else {})}


def _nodes(call: Call, resources: list[str]) -> tuple[list[Item], list[Exception]]:
    """The selected nodes, and the errors of others."""
    options, session = call.options, call.session
    nodes = session.discovery.find("nodes")
    if options.on("all") or options.text("selector"):
        found = list_objects(session, nodes, "", selector=options.text("selector"))
        return [Item(nodes, "", name_of(node), node) for node in found], []
    items: list[Item] = []
    errors: list[Exception] = []
    for target in [_target(call, name, nodes) for name in resources[1:]]:
        try:
            items.append(_fetched(call, target))
        except (StatusError, CommandError) as error:
            errors.append(error)
    return items, errors


def _target(call: Call, name: str, nodes: Resource) -> Target:
    """One that is named after a type, which may have its type before it nevertheless."""
    if "/" in name:
        return parse_targets(call.session.discovery, [name]).items[0]
    check_name(name)
    return Target(nodes, name)


def _fetched(call: Call, target: Target) -> Item:
    resource, session = target.resource, call.session
    obj = session.get(resource.path(session.namespace if resource.namespaced else "", target.name))
    if (resource.group, resource.plural) != _NODES:
        raise CommandError(f"unexpected type *{resource.version}.{resource.kind}, expected Node")
    return Item(resource, "", target.name, obj)


def _check(call: Call, resources: list[str], changes: TaintChanges) -> None:
    word = resources[0].lower()
    try:
        kind = call.session.discovery.find(word.partition(".")[0])  # kubectl goes by no version and no group here
    except CommandError as error:
        raise UsageError(str(error)) from error  # as kubectl, without a word that it is one
    if (kind.group, kind.plural) != _NODES:
        raise CommandError(f"invalid resource type {word}, only node types are supported")
    conflicts = [
        f"{gone.key}={gone.effect}"
        for taint in changes.add
        for gone in changes.remove
        if taint.key == gone.key and gone.effect in ("", taint.effect)
    ]
    if conflicts:
        raise CommandError(f"can not both modify and remove the following taint(s) in the same command: {', '.join(conflicts)}")
    every, selector = call.options.on("all"), call.options.text("selector")
    if every and selector:
        raise CommandError("setting 'all' parameter with a non empty selector is prohibited")
    if not every and not selector and len(resources) < 2:
        raise CommandError("at least one resource name must be specified since 'all' parameter is not set")


def run(call: Call) -> None:
    resources, specs = split_arguments(call.args)
    if not resources:
        raise CommandError("one or more resources must be specified as <resource> <name>")
    if not specs:
        raise CommandError("at least one taint update is required")
    try:
        changes = read_changes(specs)
    except CommandError as error:
        raise CommandError(f"{error}\n{_SEE}") from None
    dry = dry_run(call)
    _check(call, resources, changes)
    report = Reporter(call, "none", typed=True)  # as in kubectl, which doesn't tell a dry run
    items, errors = _nodes(call, resources)
    for item in items:
        try:
            _taint(call, item, changes, (dry, report))
        except (StatusError, CommandError) as error:
            errors.append(error)
        except SeveralErrors as several:
            errors += several.errors
    raise_all(errors)


def _taint(call: Call, item: Item, changes: TaintChanges, how: tuple[str, Reporter]) -> None:
    dry, report = how
    options = call.options
    before: list[Object] = get_path(item.obj, "spec.taints") or []
    if not options.on("overwrite"):
        have = list(map(_identity, before))
        taken = [taint.key for taint in changes.add if (taint.key, taint.effect) in have]
        if taken:
            raise CommandError(f"node {item.name} already has {','.join(taken)} taint(s) with same effect(s) and --overwrite is false")
    after, done = changed_taints(before, changes)
    done = "modified" if options.on("overwrite") else done
    if dry == "client":
        report.done({**item.obj, "spec": {**item.obj.get("spec", {}), "taints": after}}, done)
        return
    patch: Object = {} if after == before else {"spec": {"taints": after or None}}
    query = {**field_validation(call, dry), "fieldManager": options.text("field-manager")}
    report.done(call.session.write("PATCH", item.path, patch, query, PATCH_TYPES["strategic"]), done)


TAINT = Command(
    "taint",
    "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N [flags]",
    "Set taints of nodes, or remove them with KEY- or KEY:EFFECT-.",
    (
        ALL_FLAG,
        SELECTOR_FLAG,
        DRY_RUN_FLAG,
        VALIDATE_FLAG,
        *PRINT_FLAGS,
        switch("overwrite", "Overwrite taints that are there with another value."),
        Flag("field-manager", default="kubectl-taint", doc="The name of the field manager."),
    ),
    run,
    completes="resource:nodes",
)
