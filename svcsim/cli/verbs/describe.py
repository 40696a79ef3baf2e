"""``describe``: finds the objects and has each written by its kind's describer."""

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import switch
from svcsim.cli.shared.arguments import parse_targets
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.select import ALL_NAMESPACES_FLAG, CHUNK_FLAG, SELECTOR_FLAG, select
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.kinds import describe


def run(call: Call) -> None:
    options, session = call.options, call.session
    if not call.args and not options.items("filename"):
        raise CommandError(
            'You must specify the type of resource to describe. Use "svcsim api-resources" for a complete list of supported resources.'
        )
    selection = select(call, whole=True)
    if selection.errors and len(call.args) == 2 and (matching := _by_prefix(call, selection.errors[0])):
        for item in matching:
            describe_object(call, item.obj)
            session.out.write("\n")
        return
    for index, item in enumerate(selection.items):
        if index:
            session.out.write("\n\n")
        describe_object(call, item.obj)
    if not selection.items and not selection.errors:
        where = "" if options.on("all-namespaces") else f" in {session.namespace} namespace."
        session.err.write(f"No resources found{where}\n{session.which.doubt()}")
    raise_all(selection.errors)


def describe_object(call: Call, obj: Object) -> None:
    describe(obj, call.session.out, call.session, call.session.time.now, show_events=call.options.on("show-events"))


def _by_prefix(call: Call, error: Exception) -> list[Item]:
    """A name nobody has may be the beginning of some."""
    if not isinstance(error, StatusError) or error.code != 404:
        return []
    kind, prefix = call.args
    target = parse_targets(call.session.discovery, [kind], whole=True).items[0]
    found = list_objects(call.session, target.resource, call.session.namespace)
    return [Item(target.resource, namespace_of(obj), name_of(obj), obj) for obj in found if name_of(obj).startswith(prefix)]


DESCRIBE = Command(
    "describe",
    "describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME) [flags]",
    "Show objects in detail, with their events.",
    (
        *FILE_FLAGS,
        ALL_NAMESPACES_FLAG,
        SELECTOR_FLAG,
        CHUNK_FLAG,
        switch("show-events", "Show the events of the object.", default=True),
    ),
    run,
    completes="resource",
)
