"""The objects a command is about, whichever way they were named: files, TYPE NAME, TYPE/NAME, or a collection with a selector.

`select` gives them as `Item`s. Most commands change what they find, so they get the objects as the server has them now.
"""

from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.arguments import Target, parse_targets, refuse_collections
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.files import load_items
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.listing import list_objects
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of

SELECTOR_FLAG = Flag("selector", doc="A label selector, such as app=web,tier!=test.", short="l")
FIELD_SELECTOR_FLAG = Flag("field-selector", doc="A field selector, such as status.phase=Running.")
ALL_FLAG = switch("all", "All objects of the given types in the namespace.")
ALL_NAMESPACES_FLAG = switch("all-namespaces", "In all namespaces.", "A")
CHUNK_FLAG = Flag("chunk-size", "int64", 500, "How many objects to request at a time; 0 means all at once.")


class SelectedItems(NamedTuple):
    """What was found, and what went wrong on the way."""

    items: list[Item]
    errors: list[Exception]
    single: bool
    """Whether exactly one object was named."""


def select(call: Call, args: list[str] | None = None, *, whole: bool = False, fetch: bool = True, named: bool = False) -> SelectedItems:
    """The objects that flags and arguments name.

    ``whole``: a type alone means its collection. ``fetch``: ask for named objects. ``named``: selectors mean something else here.
    """
    args = call.args if args is None else args
    if _given(call, "filename"):
        if args:
            raise CommandError("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
        return _from_files(call, fetch=fetch)
    selecting = not named and any(_given(call, name) for name in ("selector", "field-selector", "all"))
    targets = parse_targets(call.session.discovery, args, selecting=selecting, whole=whole)
    if _given(call, "subresource"):
        refuse_collections(targets)
    items: list[Item] = []
    errors: list[Exception] = []
    for target in targets.items:
        try:
            items += _from_target(call, target, fetch=fetch)
        except StatusError as error:
            errors.append(error)
    return SelectedItems(items, errors, targets.single)


def select_to_scale(call: Call) -> SelectedItems:
    """What is to be scaled. What a file names isn't asked for, as in kubectl: whether it is there shows when it is scaled."""
    return select(call, fetch=not _given(call, "filename"))


def _given(call: Call, name: str) -> bool:
    return name in call.options.given


def _is_on(call: Call, name: str) -> bool:
    """Whether a switch is on, which not every command has."""
    return _given(call, name) and call.options.on(name)


def _from_files(call: Call, *, fetch: bool) -> SelectedItems:
    named, errors = load_items(call.session, call.options.items("filename"), recursive=_is_on(call, "recursive"))
    items: list[Item] = []
    for item in named:
        try:
            items.append(item.with_object(call.session.get(item.path)) if fetch else item)
        except StatusError as error:
            errors.append(error)
    return SelectedItems(items, errors, len(items) + len(errors) == 1)


def _from_target(call: Call, target: Target, *, fetch: bool) -> list[Item]:
    resource, name = target
    everywhere = _is_on(call, "all-namespaces")
    namespace = call.session.namespace if resource.namespaced else ""
    if name:
        if everywhere and resource.namespaced:
            raise CommandError("a resource cannot be retrieved by name across all namespaces")
        item = Item(resource, namespace, name, {})
        return [item.with_object(call.session.get(item.path)) if fetch else item]
    objects = list_objects(
        call.session,
        resource,
        "" if everywhere else namespace,
        selector=call.options.text("selector") if _given(call, "selector") else "",
        field_selector=call.options.text("field-selector") if _given(call, "field-selector") else "",
    )
    return [Item(resource, namespace_of(obj), name_of(obj), obj) for obj in objects]
