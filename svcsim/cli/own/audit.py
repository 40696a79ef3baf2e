"""``audit``: the last requests, as people read them.

The server keeps them whether or not it audits anything (`svcsim.server.audit.recent`). It gives all it has; what is wanted of that is
picked out here.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, NamedTuple

import orjson
import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import print_columns
from svcsim.cli.own.parameters import ClusterOption, ContextOption, KubeconfigOption, Name, connect, one_name
from svcsim.client import paths
from svcsim.meta.times import human_duration, parse_duration, parse_time
from svcsim.meta.types import Object
from svcsim.printing.harmless import one_line

_FORMATS = ("json", "wide")
_FORBIDDEN, _UNAUTHORIZED = 403, 401
VERBS = (
    *("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"),
    *("head", "post", "put", "options"),
)
"""The verbs of resources, and besides those of other paths."""
_NOTHING = "nothing allows it"
_MOST_CHARS = 253
"""The longest text of a cell: as long as a name may be."""
_WIDTHS = (15, 28, 10, 36, 16, 6, 8, 20, 30, 16)
"""The widths of the columns while following: lines come one by one, and later texts aren't known yet."""

Follow = Annotated[bool, typer.Option("--follow", "-f", help="Keep printing requests as they come.")]
Tail = Annotated[int, typer.Option("--tail", help="Print only this many of the last ones.", metavar="N", show_default="50, -1 is all")]
User = Annotated[
    str | None,
    typer.Option(
        "--user",
        help="Only those of this user, or as this user (for this command alone: it asks as you).",
        metavar="NAME",
        show_default=False,
    ),
]
Verb = Annotated[str | None, typer.Option("--verb", help="Only those with this verb, or these.", metavar="VERB[,VERB]", show_default=False)]
Resource = Annotated[
    str | None,
    typer.Option("--resource", help="Only those for this resource, such as pods, pods/log or deployments.apps.", show_default=False),
]
Namespace = Annotated[
    str | None, typer.Option("--namespace", "-n", metavar="NAME", help="Only those in this namespace.", show_default=False)
]
Code = Annotated[str | None, typer.Option("--code", help="Only those answered so: 404, or 4xx.", metavar="CODE", show_default=False)]
Denied = Annotated[bool, typer.Option("--denied", help="Only those that were refused: 401 and 403.")]
Since = Annotated[
    str | None,
    typer.Option("--since", help="Only those of the last 10m, or so, of the cluster's time.", metavar="TIME", show_default=False),
]
Components = Annotated[bool, typer.Option("--components", help="Those of the cluster's own components too.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FORMAT", help="The output format: json or wide.", show_default=False)]


class Wanted(NamedTuple):
    """Which requests to show."""

    user: str = ""
    verbs: tuple[str, ...] = ()
    resource: str = ""
    namespace: str = ""
    code: str = ""
    denied: bool = False

    def take(self, entry: Object) -> bool:
        code = str(entry["code"])
        return (
            self.user in ("", entry.get("user"), entry.get("impersonated"))
            and (not self.verbs or entry["verb"] in self.verbs)
            and self.resource in ("", *_resource_names(entry))
            and self.namespace in ("", entry.get("namespace"))
            and (not self.code or code == self.code or (self.code.endswith("xx") and code[0] == self.code[0]))
            and (not self.denied or entry["code"] in (_UNAUTHORIZED, _FORBIDDEN))
        )


def audit(  # noqa: PLR0913, PLR0917 - the command's options
    name: Name = "",
    cluster: ClusterOption = "",
    kubeconfig: KubeconfigOption = "",
    context: ContextOption = "",
    follow: Follow = False,
    tail: Tail = 50,
    user: User = None,
    verb: Verb = None,
    resource: Resource = None,
    namespace: Namespace = None,
    code: Code = None,
    denied: Denied = False,
    since: Since = None,
    components: Components = False,
    output: Output = "",
) -> None:
    """Show the last requests: who asked what, what came of it and why."""
    if output and output not in _FORMATS:
        allowed = ", ".join(_FORMATS)
        raise CommandError(f'unable to match a printer suitable for the output format "{output}", allowed formats are: {allowed}')
    since_s = None if since is None else _duration(since)
    wanted = Wanted(user or "", _verbs(verb), "", namespace or "", _checked_code(code), denied)
    if tail < -1:
        raise CommandError(f"--tail takes how many of the last requests to show, or -1 for all; not {tail}")
    with connect(one_name(name, cluster), kubeconfig=kubeconfig, context=context).told_of() as session:
        if resource is not None:
            kind, slash, below = resource.partition("/")
            wanted = wanted._replace(resource=f"{session.discovery.find(kind.lower()).full_name}{slash}{below}")
        oldest_s = parse_time(session.get(paths.CLOCK)["now"]) - since_s if since_s is not None else None
        with session.stream(paths.AUDIT, {"components": components, "follow": follow}) as stream:
            pieces = iter(stream)
            shown = _last(_picked(_there_already(pieces), wanted, oldest_s), tail)
            _print(shown, output, aligned=not follow)
            if follow:
                for entry in _picked(map(orjson.loads, pieces), wanted, oldest_s):
                    _print([entry], output, aligned=False, headed=False)
                raise CommandError("the cluster has stopped: no more requests come")


def _there_already(lines: Iterator[bytes]) -> Iterator[Object]:
    """What the server has. It says how much that is, so that what follows is told apart."""
    head: Object = orjson.loads(next(lines))
    for _ in range(head["entries"]):
        yield orjson.loads(next(lines))


def _duration(since: str) -> float:
    try:
        seconds = parse_duration(since)
    except ValueError as error:
        raise CommandError(f"--since takes a duration such as 90s or 10m: {error}") from error
    if seconds <= 0:
        raise CommandError(f'--since takes a duration such as 90s or 10m; not "{since}"')
    return seconds


def _verbs(verb: str | None) -> tuple[str, ...]:
    if verb is None:
        return ()
    for one in verb.split(","):
        if one not in VERBS:
            raise CommandError(f'--verb takes some of {", ".join(VERBS)}; not "{one}"')
    return tuple(verb.split(","))


def _checked_code(code: str | None) -> str:
    if code is None:
        return ""
    code = code.lower()
    if not (len(code) == 3 and code[0] in "12345" and (code[1:] == "xx" or code.isdecimal())):
        raise CommandError(f'--code takes a status such as 404, or a class of them such as 4xx; not "{code}"')
    return code


def _picked(entries: Iterable[Object], wanted: Wanted, oldest_s: float | None) -> Iterator[Object]:
    for entry in entries:
        if wanted.take(entry) and (oldest_s is None or parse_time(entry["time"]) >= oldest_s):
            yield entry


def _last(entries: Iterable[Object], tail: int) -> list[Object]:
    found = list(entries)
    return found if tail < 0 else found[max(len(found) - tail, 0) :]


def _resource_names(entry: Object) -> tuple[str, ...]:
    """All that its resource may be called."""
    plural, group, sub = entry.get("resource", ""), entry.get("group", ""), entry.get("subresource", "")
    below = f"{plural}/{sub}" if sub else plural
    return (plural, below, f"{plural}.{group}", f"{plural}.{group}/{sub}") if plural else ()


def _print(entries: list[Object], output: str, *, aligned: bool, headed: bool = True) -> None:
    if output == "json":
        sys.stdout.writelines(orjson.dumps(entry).decode() + "\n" for entry in entries)
    else:
        wide = output == "wide"
        columns = _COLUMNS if wide else _COLUMNS[:_USUAL_COLUMNS]
        header, rows = [title for title, _ in columns], [[_cell(cell(entry)) for _, cell in columns] for entry in entries]
        if aligned and rows:
            print_columns(header, rows, sys.stdout)
        elif aligned:
            typer.echo("No requests found.", err=True)
        else:
            sys.stdout.writelines(_padded(row) for row in ([header, *rows] if headed else rows))
    sys.stdout.flush()


def _cell(text: str) -> str:
    """The text of a cell. Clients without any rights can influence it, so it is kept on its line and not too long."""
    shown = one_line(text)
    return shown if len(shown) <= _MOST_CHARS else f"{shown[: _MOST_CHARS - 1]}…"


def _padded(row: list[str]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, _WIDTHS, strict=False)]
    return "  ".join(cells).rstrip() + "\n"


def _who(entry: Object) -> str:
    user: str = entry.get("user") or "<unknown>"
    return f"{user} as {entry['impersonated']}" if entry.get("impersonated") else user


def _what(entry: Object) -> str:
    if not entry.get("resource"):
        return str(entry["path"])
    plural, group, sub = entry["resource"], entry.get("group", ""), entry.get("subresource", "")
    kind = f"{plural}.{group}" if group else str(plural)
    return "/".join(filter(None, (kind, entry.get("name"), sub)))


def _took(entry: Object) -> str:
    seconds: float = entry["seconds"]
    return f"{seconds * 1000:.1f}ms" if seconds < 1 else human_duration(seconds) if seconds > 60 else f"{seconds:.1f}s"


def _why(entry: Object) -> str:
    if entry.get("decision") == "forbid" and not entry.get("reason"):
        return _NOTHING
    return str(entry.get("reason") or entry.get("decision") or "<none>")


_COLUMNS: tuple[tuple[str, Callable[[Object], str]], ...] = (
    ("TIME", lambda entry: str(entry["time"])[11:26]),
    ("USER", _who),
    ("VERB", lambda entry: str(entry["verb"])),
    ("WHAT", _what),
    ("NAMESPACE", lambda entry: str(entry.get("namespace") or "<none>")),
    ("CODE", lambda entry: str(entry["code"])),
    ("TOOK", _took),
    ("KNOWN BY", lambda entry: str(entry.get("knownBy") or "<none>")),
    ("WHY", _why),
    ("FROM", lambda entry: str(entry.get("address") or "<in process>")),
    ("CLIENT", lambda entry: str(entry.get("agent") or "<none>")),
)
_USUAL_COLUMNS = 9
