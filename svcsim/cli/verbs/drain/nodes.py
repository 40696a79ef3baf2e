"""The nodes that are named, and whether pods may be scheduled on them."""

from typing import TYPE_CHECKING, NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import NamePrinter
from svcsim.cli.shared.arguments import Target, parse_targets
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.item import Item, check_name
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.select import SELECTOR_FLAG
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, DRY_RUN_SUFFIX, dry_query, dry_run
from svcsim.client.paths import PATCH_TYPES
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import get_path, name_of
from svcsim.printing.values import quote

if TYPE_CHECKING:
    from svcsim.meta.types import Object


class Step(NamedTuple):
    """One way to change whether a node takes pods."""

    command: str
    done: str
    unschedulable: bool


CORDONING = Step("cordon", "cordoned", unschedulable=True)
UNCORDONING = Step("uncordon", "uncordoned", unschedulable=False)


def named_nodes(call: Call, command: str, chunk_size: int = 500) -> list[Item]:
    """The nodes that names or a selector mean, as they are now. The first that can't be had ends it."""
    selector = call.options.text("selector")
    if not call.args and "selector" not in call.options.given:
        raise CommandError(f"USAGE: {command} NODE [flags]\n{_see(command)}")
    if call.args and selector:
        raise CommandError(f"error: cannot specify both a node name and a --selector option\n{_see(command)}")
    nodes = call.session.discovery.find("nodes")
    if selector:
        found = list_objects(call.session, nodes, "", selector=selector, chunk_size=chunk_size)
        return [Item(nodes, "", name_of(node), node) for node in found]
    return [_fetched(call, target) for target in [_target(call, name, Target(nodes)) for name in call.args]]


def _see(command: str) -> str:
    return f"See 'svcsim {command} -h' for help and examples"


def _target(call: Call, name: str, nodes: Target) -> Target:
    if "/" in name:
        (target,) = parse_targets(call.session.discovery, [name]).items
        return target
    check_name(name)
    return nodes._replace(name=name)


def _fetched(call: Call, target: Target) -> Item:
    resource = target.resource
    item = Item(resource, call.session.namespace if resource.namespaced else "", target.name, {})
    item = item.with_object(call.session.get(item.path))
    if (resource.group, resource.plural) != ("", "nodes"):
        found = f"{{{quote(resource.group)} {quote(resource.version)} {quote(resource.plural)}}}"
        raise CommandError(f"error: expected resource of type node, got {found}")
    return item


def set_schedulable(call: Call, nodes: list[Item], step: Step) -> None:
    """Cordon or uncordon each. One that can't be changed is reported, and doesn't affect the others."""
    dry = dry_run(call)
    for item in nodes:
        done = step.done
        if bool(get_path(item.obj, "spec.unschedulable", default=False)) == step.unschedulable:
            done = f"already {step.done}"
        elif dry != "client":
            try:
                patch: Object = {"spec": {"unschedulable": step.unschedulable or None}}
                call.session.write("PATCH", item.path, patch, dry_query(dry), PATCH_TYPES["strategic"])
            except StatusError as error:
                call.session.err.write(f"error: unable to {step.command} node {quote(item.name)}: {error.message}\n")
                continue
        NamePrinter(done + DRY_RUN_SUFFIX[dry]).print(item.obj, call.session.out)


def cordon(call: Call) -> None:
    set_schedulable(call, named_nodes(call, "cordon"), CORDONING)


def uncordon(call: Call) -> None:
    set_schedulable(call, named_nodes(call, "uncordon"), UNCORDONING)


CORDON = Command("cordon", "cordon NODE [flags]", "Keep new pods away from nodes.", (SELECTOR_FLAG, DRY_RUN_FLAG), cordon,
                 completes="name:nodes")  # fmt: skip
UNCORDON = Command("uncordon", "uncordon NODE [flags]", "Let new pods onto nodes again.", (SELECTOR_FLAG, DRY_RUN_FLAG), uncordon,
                   completes="name:nodes")  # fmt: skip
