"""``top node`` and ``top pod``: how much they use, as the metrics API tells it."""

from http import HTTPStatus
from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.select import ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG
from svcsim.cli.verbs.top.table import RESOURCES, PodTable, amounts, print_nodes, print_pods
from svcsim.client.paths import resource_path
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of, name_of, namespace_of

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session
    from svcsim.meta.types import Object

_NOT_YET = "metrics not available yet"
_LATE_S = 120.0
"""From this age on a pod should have metrics."""
_VERSION = "v1beta1"


def top_node(call: Call) -> None:
    """Print what nodes use, and how large a share that is."""
    name = _name(call, "node")
    if name and call.options.text("selector"):
        raise CommandError("only one of NAME or --selector can be provided")
    metrics = _measured(call, "nodes", "", name)
    if not metrics:
        raise CommandError(_NOT_YET)
    part = "capacity" if call.options.on("show-capacity") else "allocatable"
    nodes = _items(call.session, resource_path("v1", "nodes", name=name), _selectors(call), single=bool(name))
    available = {name_of(node): amounts((node.get("status") or {}).get(part)) for node in nodes}
    print_nodes(metrics, available, headers=not call.options.on("no-headers"), sort_by=call.options.text("sort-by"), out=call.session.out)


def top_pod(call: Call) -> None:
    """Print what pods use, or their containers."""
    name, options, session = _name(call, "pod"), call.options, call.session
    if name and (options.text("selector") or options.text("field-selector")):
        raise CommandError("only one of NAME or selector can be provided")
    everywhere = options.on("all-namespaces") and not name
    namespace = "" if everywhere else session.namespace
    metrics = _measured(call, "pods", namespace, name)
    if not metrics:
        _explain_nothing(call, namespace, name)
        where = "" if everywhere else f" in {namespace} namespace."
        session.err.write(f"No resources found{where}\n")
    shown = PodTable(
        options.on("containers"),
        options.on("all-namespaces"),
        not options.on("no-headers"),
        options.text("sort-by"),
        options.on("sum"),
    )
    print_pods(metrics, shown, session.out)


def _name(call: Call, what: str) -> str:
    """The one name that may be given."""
    sort_by = call.options.text("sort-by")
    if len(call.args) > 1:
        raise UsageError(f"error: {what} [NAME | -l label]\nSee 'svcsim top {what} -h' for help and examples")
    if sort_by and sort_by not in RESOURCES:
        raise CommandError("--sort-by accepts only cpu or memory")
    return call.args[0] if call.args else ""


def _selectors(call: Call) -> dict[str, str]:
    fields = call.options.text("field-selector") if "field-selector" in call.options.given else ""
    return {"labelSelector": call.options.text("selector"), "fieldSelector": fields}


def _measured(call: Call, plural: str, namespace: str, name: str) -> "list[Object]":
    session = call.session
    path = resource_path(f"{session.dialect.group('metrics')}/{_VERSION}", plural, namespace, name)
    try:
        return _items(session, path, _selectors(call), single=bool(name))
    except StatusError as error:
        if error.code == HTTPStatus.NOT_FOUND and not (error.details or {}).get("name"):
            raise CommandError("Metrics API not available") from error
        raise


def _items(session: "Session", path: str, query: dict[str, str], *, single: bool) -> "list[Object]":
    if single:
        return [session.get(path)]
    found: list[Object] = session.get(path, query).get("items") or []
    return found


def _explain_nothing(call: Call, namespace: str, name: str) -> None:
    """Say of pods that are there why nothing is known of them."""
    from svcsim.meta.times import format_duration, parse_time

    pods = _items(call.session, resource_path("v1", "pods", namespace, name), _selectors(call), single=bool(name))
    for pod in pods:
        age_s = call.session.time.now() - parse_time(metadata_of(pod)["creationTimestamp"])
        if age_s > _LATE_S:
            where = f"{namespace_of(pod)}/{name_of(pod)}"
            raise CommandError(f"Metrics not available for pod {where}, age: {format_duration(age_s)}")
    if pods:
        raise CommandError(_NOT_YET)


_COMMON = (
    SELECTOR_FLAG,
    Flag("sort-by", doc="What uses most of this comes first: cpu or memory.", choices=RESOURCES),
    switch("no-headers", "Don't print the names of the columns."),
    switch("use-protocol-buffers", "Has no effect here.", default=True),
)
TOP = Command(
    "top",
    "top SUBCOMMAND [flags]",
    "Show how much nodes and pods use.",
    subcommands=(
        Command(
            "node",
            "node [NAME | -l label] [flags]",
            "Show how much cpu and memory nodes use.",
            (*_COMMON, switch("show-capacity", "Show shares of all that a node has, instead of what pods may have of it.")),
            top_node,
            completes="name:nodes",
            aliases=("nodes", "no"),
        ),
        Command(
            "pod",
            "pod [NAME | -l label] [flags]",
            "Show how much cpu and memory pods use.",
            (
                *_COMMON,
                FIELD_SELECTOR_FLAG,
                ALL_NAMESPACES_FLAG,
                switch("containers", "Show each container."),
                switch("sum", "Add up what is shown."),
            ),
            top_pod,
            completes="name:pods",
            aliases=("pods", "po"),
        ),
    ),
)
