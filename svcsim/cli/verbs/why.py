"""``why``: tells in plain words why objects are in the state they are in, down to the cause, and what comes next."""

from collections.abc import Iterable

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Call, Command, Flag
from svcsim.cli.shared.arguments import MISSING_RESOURCE
from svcsim.cli.shared.select import ALL_FLAG, ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG, select
from svcsim.cli.shared.session import Session
from svcsim.printing.values import indented_json
from svcsim.printing.why.explanation import Why
from svcsim.printing.why.text import as_json, lines

_OWNED_BY_NOBODY = ("componentstatuses", "endpoints", "events")
"""Types that aren't asked for what an object owns: there are very many of them, or asking is warned of."""


class Around:
    """A session's cluster. See `svcsim.printing.why.explanation.Surroundings`."""

    def __init__(self, session: Session) -> None:
        self.reader = session
        self._session = session

    def now(self) -> float:
        return self._session.time.now()

    def collections(self, namespace: str) -> Iterable[str]:
        for resource in self._session.discovery.resources:
            if resource.plural in _OWNED_BY_NOBODY or not resource.preferred or "list" not in resource.verbs:
                continue
            if resource.namespaced or not namespace:
                yield resource.path(namespace)


def run(call: Call) -> None:
    """Explain what is named."""
    options, session = call.options, call.session
    output = options.text("output")
    if output not in ("", "json"):
        raise CommandError(f'unable to match a printer suitable for the output format "{output}", allowed formats are: json')
    if not call.args:
        raise CommandError(MISSING_RESOURCE)
    selection = select(call, whole=True)
    why = Why(Around(session))
    explained = [why.explain(item.obj) for item in selection.items]
    if output:
        shown = [as_json(one) for one in explained]
        session.out.write(indented_json(shown[0] if selection.single and shown else shown, in_order=True) + "\n")
    else:
        for one in explained:
            session.out.writelines(f"{line}\n" for line in lines(one, session.time.now(), with_namespace=options.on("all-namespaces")))
        if not selection.items and not selection.errors:
            session.err.write(f"No resources found\n{session.doubt()}")
    raise_all(selection.errors)


WHY = Command(
    "why",
    "why (TYPE/NAME... | TYPE [NAME... | -l label]) [flags]",
    "Tell in plain words why objects are in the state they are in, and what comes next.",
    (
        ALL_FLAG,
        ALL_NAMESPACES_FLAG,
        SELECTOR_FLAG,
        FIELD_SELECTOR_FLAG,
        Flag("output", doc="The output format: json.", short="o", choices=("json",)),
    ),
    run,
    completes="resource",
)
