"""``explain-schedule``: why a pod is where it is, or nowhere, node by node."""

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.output.printers import make_printer, print_columns
from svcsim.cli.output.schedule import Table, counts, fitting, not_ready, refusing, state
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.own_server import check_own
from svcsim.cli.verbs.why import Around
from svcsim.client.paths import SCHEDULE
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.printing.harmless import harmless
from svcsim.printing.why.explanation import Why
from svcsim.printing.why.text import lines

_FORMATS = ("json", "yaml")
_OF_PODS = ("pod", "pods", "po")


def run(call: Call) -> None:
    """Show all there is to say about one pod."""
    options, session = call.options, call.session
    output, limit = options.text("output"), options.number("limit")
    if output not in ("", *_FORMATS):
        raise CommandError(f'-o is one of {", ".join(_FORMATS)}, not "{output}"')
    if limit < 1:
        raise CommandError(f"--limit takes how many nodes to show, 1 or more; not {limit}")
    if options.on("all") and "limit" in options.given:
        raise CommandError("--all shows every node: it can't be used with --limit")
    name = _name(call.args)
    check_own(session, "only its scheduler explains itself")
    told = session.get(SCHEDULE, {"namespace": session.namespace, "pod": name})
    if output:
        make_printer(output).print(told, session.out)
    else:
        _print(call, told, -1 if options.on("all") else limit)


def _name(args: list[str]) -> str:
    """The pod that is meant: ``NAME``, ``pod/NAME`` or ``pod NAME``."""
    words = [part for word in args for part in word.split("/")]
    if len(words) == 2 and words[0] in _OF_PODS:
        words = words[1:]
    if len(words) != 1 or not words[0]:
        raise UsageError("error: name one pod: explain-schedule POD\nSee 'svcsim explain-schedule -h' for help and examples")
    return words[0]


def _print(call: Call, told: Object, limit: int) -> None:
    out = call.session.out
    out.write("".join(f"{line}\n" for line in state(told)))
    could, cant = counts(told)
    if could:
        table, left_out = fitting(told, limit)
        _section(call, could, table)
        if left_out:
            out.write(f"… and {left_out} more, with lower scores or equal ones (--all shows them)\n")
    if cant:
        _section(call, cant, refusing(told, each=limit < 0))
        for name in not_ready(told):
            _explain(call, name)


def _explain(call: Call, name: str) -> None:
    """Why a node isn't ready, as far as the user may read it."""
    try:
        node = call.session.get(f"/api/v1/nodes/{name}")
    except StatusError:
        return
    told = lines(Why(Around(call.session)).explain(node), call.session.time.now())
    call.session.out.write("".join(f"{line}\n" for line in ("", *told)))


def _section(call: Call, title: str, table: Table) -> None:
    call.session.out.write(harmless(f"\n{title}\n"))
    print_columns(table.header, table.rows, call.session.out)


EXPLAIN_SCHEDULE = Command(
    "explain-schedule",
    "explain-schedule POD [flags]",
    "Show why a pod is where it is, or nowhere: which filter refuses which node and why, and what each score gives the others. "
    "Also of pods that are placed already or held back by gates. Nothing is changed.",
    (
        Flag("output", doc="The output format: json or yaml, with everything about every node.", short="o", choices=_FORMATS),
        switch("all", "Show every node, one by one."),
        Flag("limit", "int64", 10, "How many of the nodes that could take the pod to show, the best first."),
    ),
    run,
    completes="pod",
)
