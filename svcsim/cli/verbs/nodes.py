"""``nodes``: the machines behind simulated nodes: more of them, fewer, some that fail, and what ``cordon`` and its like do with nodes."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, switch
from svcsim.cli.output.printers import FORMATS, make_printer, print_columns
from svcsim.cli.shared.command import Call, Command, no_arguments
from svcsim.cli.shared.files import read_manifests
from svcsim.cli.shared.item import check_name
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.own_server import check_own
from svcsim.cli.shared.select import SELECTOR_FLAG
from svcsim.cli.verbs.drain.command import DRAIN
from svcsim.cli.verbs.drain.nodes import CORDON, UNCORDON
from svcsim.client import paths
from svcsim.meta.nodes import internal_address
from svcsim.meta.objects import condition_is, get_path, name_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object

_COLUMNS = ("NAME", "MACHINE", "RECOVERS-IN", "ADDED")
_WIDE_COLUMNS = ("STATUS", "INTERNAL-IP", "POD-CIDR")
_WHY = "only its clusters have machines that can be added, removed or made to fail"


def add(call: Call) -> None:
    options = call.options
    if call.args and ("count" in options.given or "prefix" in options.given):
        raise CommandError("name the nodes, or say how many there are to be with --count and --prefix")
    count = options.number("count")
    if count < 1:
        raise CommandError(f"--count must be 1 or more, not {count}")
    how: Object = {"names": call.args} if call.args else {"count": count, "prefix": options.text("prefix")}
    if "template" in options.given:
        how["template"] = _template(options.text("template"))
    _do(call, {"add": how}, "added")


def _template(file: str) -> Object:
    if not file:
        raise CommandError("--template must name a file, and is empty")
    manifests = list(read_manifests([file]))
    if len(manifests) != 1 or manifests[0].obj.get("kind") != "Node":
        raise CommandError(f"{file} must hold one object, a Node")
    return manifests[0].obj


def remove(call: Call) -> None:
    _do(call, {"remove": _named(call)}, "removed")


def fail(call: Call) -> None:
    limited, seconds = "for" in call.options.given, call.options.seconds("for")
    if limited and seconds <= 0:
        raise CommandError(
            "--for must be a duration greater than 0, such as 30s or 10m; without it they stay down until they are told to recover"
        )
    _do(call, {"fail": _named(call), **({"forSeconds": seconds} if limited else {})}, "failed")


def recover(call: Call) -> None:
    names = _named(call)
    done = _do(call, {"recover": names}, "recovered")
    machines: list[Object] = call.session.get(paths.NODES)["nodes"] if len(done) < len(names) else []
    down = {machine["name"] for machine in machines if machine["down"]}
    for name in names:
        if name not in done:
            by_fault = ": a fault of a scenario has it down, and ends with that" if name in down else ""
            call.session.out.write(f"node/{name} had not failed{by_fault}\n")


def _named(call: Call) -> list[str]:
    """The nodes that names or a selector mean."""
    selector = call.options.text("selector")
    if bool(call.args) == bool(selector):
        raise CommandError("name nodes, or give a --selector" if not call.args else "name nodes or give a --selector, not both")
    if selector:
        found = list_objects(call.session, call.session.discovery.find("nodes"), "", selector=selector)
        if not found:
            raise CommandError(f'no node has labels that match "{selector}"')
        return [name_of(node) for node in found]
    names = [arg.removeprefix("node/").removeprefix("nodes/") for arg in call.args]
    for name in names:
        check_name(name)
    return names


def _do(call: Call, wish: Json, done: str) -> list[str]:
    session = call.session
    check_own(session, _WHY)
    answer: Object = session.write("POST", paths.NODES, wish)
    names: list[str] = answer["nodes"]
    session.out.write("".join(f"node/{name} {done}\n" for name in names))
    if unused := answer.get("notTaken"):
        session.warn(f"not taken from the template, since each node has its own: {', '.join(unused)}")
    return names


def show(call: Call) -> None:
    """What ``get nodes`` can't tell: which machine was added, and which is down on purpose, until when."""
    no_arguments(call, "nodes list")
    options, session = call.options, call.session
    output, selector = options.text("output"), options.text("selector")
    printer = None if output in ("", "wide", "name") else make_printer(output, formats=(*FORMATS, "wide"))
    check_own(session, _WHY)
    machines: list[Object] = session.get(paths.NODES)["nodes"]
    nodes: dict[str, Object] = {}
    if selector or output == "wide":
        found = list_objects(session, session.discovery.find("nodes"), "", selector=selector)
        nodes = {name_of(node): node for node in found}
    if selector:
        machines = [one for one in machines if one["name"] in nodes]
    if printer is not None:
        printer.print({"nodes": machines}, session.out)
    elif not machines:
        session.err.write("No machines found\n")
    elif output == "name":
        session.out.writelines(f"node/{one['name']}\n" for one in machines)
    else:
        rows = [[*_row(call, one), *(_node_cells(nodes.get(one["name"])) if output == "wide" else ())] for one in machines]
        header = [*_COLUMNS, *(_WIDE_COLUMNS if output == "wide" else ())]
        print_columns(header, rows, session.out, no_headers=options.on("no-headers"))


def _row(call: Call, machine: Object) -> list[str]:
    return [machine["name"], _status(machine), _left(call, machine), "yes" if machine["added"] else "no"]


def _status(machine: Object) -> str:
    if machine["failed"]:
        return "Failed"
    return "Down" if machine["down"] else "Running"  # by a fault of a scenario, which ends with that


def _node_cells(node: Object | None) -> list[str]:
    """What its Node says of a machine."""
    if node is None:
        return ["<none>"] * len(_WIDE_COLUMNS)
    status = "Ready" if condition_is(node, "Ready") else "NotReady"
    if get_path(node, "spec.unschedulable"):
        status += ",SchedulingDisabled"
    return [status, internal_address(node) or "<none>", get_path(node, "spec.podCIDR") or "<none>"]


def _left(call: Call, machine: Object) -> str:
    if not machine["failed"]:
        return "<none>"
    until = machine.get("until")
    return "<never>" if until is None else human_duration(max(0.0, parse_time(until) - call.session.time.now()))


_LIST_FLAGS = (
    Flag("output", doc="The output format: wide, json, yaml, name, jsonpath=…, go-template=….", short="o",
         choices=("wide", "json", "yaml", "name", "jsonpath=", "go-template=")),
    SELECTOR_FLAG,
    switch("no-headers", "Don't print headers."),
)  # fmt: skip
NODES = Command(
    "nodes",
    "nodes COMMAND",
    "Add, remove, fail and recover simulated nodes, and take them out of service.",
    subcommands=(
        Command("list", "list [flags]", "List the machines, and which of them are down on purpose.", _LIST_FLAGS, show),
        Command(
            "add",
            "add [NAME...] [--count=N] [--prefix=PREFIX] [--template=FILE] [flags]",
            """Add simulated nodes.

A template is a Node, such as `get node NAME -o yaml` prints. Nodes get its labels, annotations, finalizers, taints, capacity, allocatable
amounts, whether they are unschedulable, and of its status the versions in nodeInfo, images, runtimeHandlers, features and
daemonEndpoints. Whatever else it says, such as its addresses, is each node's own, and a warning names it.""",
            (
                Flag("count", "int64", 1, "How many."),
                Flag("prefix", default="node", doc="What their names begin with; a dash and a number follow."),
                Flag("template", doc="A file with a Node after which they are made.", metavar="file"),
            ),
            add,
        ),
        Command(
            "remove",
            "remove (NAME... | -l SELECTOR) [flags]",
            "Remove simulated nodes, as if their machines had vanished.",
            (SELECTOR_FLAG,),
            remove,
            completes="name:nodes",
        ),
        Command(
            "fail",
            "fail (NAME... | -l SELECTOR) [--for=DURATION] [flags]",
            "Have machines fall silent, for good or for a while of the cluster's time.",
            (SELECTOR_FLAG, Flag("for", "duration", 0.0, "How long, such as 10m; without it, until they are told to recover.")),
            fail,
            completes="name:nodes",
        ),
        Command(
            "recover",
            "recover (NAME... | -l SELECTOR) [flags]",
            "Have machines go on that were made to fail.",
            (SELECTOR_FLAG,),
            recover,
            completes="name:nodes",
        ),
        CORDON,
        UNCORDON,
        DRAIN,
    ),
)
