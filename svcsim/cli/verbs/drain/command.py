"""``drain``: nodes are cordoned, and their pods made to go, as far as their budgets let them."""

from svcsim.cli.failure import CommandError, SeveralErrors, listed
from svcsim.cli.flags import Flag, switch
from svcsim.cli.output.printers import NamePrinter
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.select import CHUNK_FLAG, SELECTOR_FLAG
from svcsim.cli.shared.write_options import DRY_RUN_FLAG, DRY_RUN_SUFFIX, dry_run
from svcsim.cli.verbs.drain.leaving import Leave, Manner
from svcsim.cli.verbs.drain.nodes import CORDONING, named_nodes, set_schedulable
from svcsim.cli.verbs.drain.pods import PodFilters, PodsToGo, Wishes
from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.values import quote


class _Drain:
    """One command line's drain, node after node."""

    def __init__(self, call: Call) -> None:
        options, session = call.options, call.session
        self._call = call
        self._out, self._err = session.out, session.err
        self._dry = dry_run(call)
        self._filters = PodFilters(Wishes.of(options), session.get, session.time.now, session.dialect)
        evict = not options.on("disable-eviction")
        self._manner = Manner(evict, options.number("grace-period"), options.seconds("timeout"), self._dry)

    def node(self, item: Item) -> list[Exception]:
        """Drain one; what keeps it from being drained."""
        found = self._to_go(item)
        if found.errors:
            return list(found.errors)
        if found.warnings:
            self._err.write(f"Warning: {found.warnings}\n")
        if self._dry == "client":
            for pod in found.pods:
                self._out.write(f"evicting pod {namespace_of(pod)}/{name_of(pod)} (dry run)\n")
            return []
        try:
            errors: list[Exception] = list(
                Leave(self._call.session, self._manner, self._filters, lambda: self._on_node(item)).all(found.pods)
            )
        except StatusError as error:
            errors = [error]
        if errors:
            self._tell_pending(item, errors)
        return errors

    def _tell_pending(self, item: Item, errors: list[Exception]) -> None:
        left = self._to_go(item)
        if left.pods:
            self._err.write(f"There are pending pods in node {quote(item.name)} when an error occurred: {_told(errors)}\n")
            self._err.writelines(f"pod/{name_of(pod)}\n" for pod in left.pods)
        if left.errors:
            self._err.write(f"Following errors occurred while getting the list of pods to delete:\n{_told(left.errors)}")

    def _to_go(self, item: Item) -> PodsToGo:
        return self._filters.decide(self._on_node(item))

    def _on_node(self, item: Item) -> list[Object]:
        call = self._call
        pods = call.session.discovery.find("pods")
        selector, chunk_size = call.options.text("pod-selector"), call.options.number("chunk-size")
        return list_objects(call.session, pods, "", selector=selector, field_selector=f"spec.nodeName={item.name}", chunk_size=chunk_size)


def _told(errors: "list[Exception] | list[CommandError]") -> str:
    return listed([CommandError(error.message) if isinstance(error, StatusError) else error for error in errors])


def run(call: Call) -> None:
    selector = call.options.text("pod-selector")
    try:
        parse_labels(selector)
    except StatusError:
        raise CommandError("--pod-selector=<pod_selector> must be a valid label selector") from None
    nodes = named_nodes(call, "drain", call.options.number("chunk-size"))
    set_schedulable(call, nodes, CORDONING)
    drain = _Drain(call)
    fatal: list[Exception] = []
    remaining: list[str] = []
    for item in nodes:
        errors = drain.node(item)
        if errors:
            call.session.err.write(f"error: unable to drain node {quote(item.name)} due to error: {_told(errors)}, continuing command...\n")
            fatal += errors
            remaining.append(item.name)
        else:
            NamePrinter("drained" + DRY_RUN_SUFFIX[dry_run(call)]).print(item.obj, call.session.out)
    if remaining:
        call.session.err.write("There are pending nodes to be drained:\n" + "".join(f" {name}\n" for name in remaining))
        raise SeveralErrors(fatal)


DRAIN = Command(
    "drain",
    "drain NODE [flags]",
    "Drain nodes: keep new pods away, and evict those that are there.",
    (
        SELECTOR_FLAG,
        CHUNK_FLAG,
        DRY_RUN_FLAG,
        switch("force", "Also delete pods that declare no controller, which nothing makes anew."),
        switch("ignore-daemonsets", "Leave pods of DaemonSets where they are."),
        switch("delete-emptydir-data", "Also delete pods with emptyDir volumes, whose content is lost."),
        Flag("grace-period", "int64", -1, "Seconds each pod gets to end; below zero it is the pod's own."),
        Flag("timeout", "duration", 0.0, "How long to go on; 0 means as long as it takes."),
        Flag("pod-selector", doc="A label selector of the pods that are to go."),
        switch("disable-eviction", "Delete the pods instead of evicting them: no disruption budget is asked."),
        Flag(
            "skip-wait-for-delete-timeout", "int64", 0,
            "Leave pods alone that have been going for longer than so many seconds; 0 means none.",
        ),
    ),
    run,
    completes="name:nodes",
)  # fmt: skip
