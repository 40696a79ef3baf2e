"""What ``get`` asks the server for and is answered with, once or in every event of a watch."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.cli.output.table import TableOptions
from svcsim.cli.shared.arguments import Target
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.listing import list_pages, typed_items
from svcsim.cli.shared.reporting import output_format
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource
    from svcsim.cli.shared.session import Query, Session

TABLE = "application/json;as=Table;v=v1;g=meta.svcapi.io,application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
"""What we'd like to be answered with: a Table in whichever dialect the server speaks, else the objects themselves."""


def human(call: Call) -> bool:
    """Whether the answer is to be a table for people."""
    return output_format(call) in ("", "wide")


def wanted(call: Call) -> str:
    """The media type to ask for: a Table if it is for people, and the server is to make it."""
    return TABLE if human(call) and call.options.on("server-print") else "application/json"


def table_options(call: Call, resource: "Resource", *, with_kind: bool = False, with_namespace: bool = True) -> TableOptions:
    """What the command line says about tables of one type."""
    options = call.options
    return TableOptions(
        wide=options.text("output") == "wide",
        no_headers=options.on("no-headers"),
        with_namespace=options.on("all-namespaces") and with_namespace,
        show_labels=options.on("show-labels"),
        label_columns=tuple(options.items("label-columns")),
        kind=resource.print_kind if with_kind else "",
    )


def read(call: Call, target: Target, accept: str) -> list[Object]:
    """The server's answers for one target: one object or table, or a collection in chunks."""
    options, session = call.options, call.session
    resource = target.resource
    query: Query = {"includeObject": "Object"} if options.text("sort-by") and "as=Table" in accept else {}
    if target.name:
        if options.on("all-namespaces") and resource.namespaced:
            raise CommandError("a resource cannot be retrieved by name across all namespaces")
        return [session.get(resource.path(session.namespace, target.name, options.text("subresource")), query, accept)]
    namespace = "" if options.on("all-namespaces") else session.namespace
    pages = list_pages(
        session,
        resource,
        namespace,
        selector=options.text("selector"),
        field_selector=options.text("field-selector"),
        chunk_size=options.number("chunk-size"),
        query=query,
        accept=accept,
    )
    return list(pages)


def as_table(session: "Session", answer: Object) -> Object:
    """The answer as a Table, also from a server that makes none."""
    if answer.get("kind") == "Table":
        return answer
    from svcsim.cli.output.fallback import objects_table

    items = typed_items(answer) if "items" in answer else [answer]
    return objects_table(items, (answer.get("metadata") or {}).get("resourceVersion", ""), session.time.now())
