"""Everything the kinds declare, as text, one fact a line: names, verbs, flags, columns, selectable fields, subresources, hooks and types.

Clients and stored objects rely on all of it, so `declared.txt` beside this file holds it, and a test compares. After a change that is
meant, write it anew and read the difference:

    python -m tests.kinds.declared > tests/kinds/declared.txt

Texts for people (`doc`) are not in it; nor are the bodies of functions, of which it has the names.
"""

from collections.abc import Iterable, Iterator

from svcsim.registry.kind import Column, Kind, Strategy, Subresource
from svcsim.schema.common import object_struct
from tests.kinds.declared_types import Types
from tests.kinds.helpers import CATALOGUED
from tests.kinds.said import attributes, group_version

HEAD = """\
# What the kinds declare. Made by
#     python -m tests.kinds.declared > tests/kinds/declared.txt
# which is to be run after a change that is meant. Read the difference before you commit it.
# A hook is called by the name of its function; (argument=value) is what a function was made of. What is empty is left out, and what is
# usual: items of sets and maps are unique, a change through a subresource is a new generation, a create there is answered with a Status.
"""

SPOKEN_OF = (
    "group",
    "schema",
    "name",
    "singular",
    "columns",
    "selectable",
    "subresources",
    "strategy",
    "conversion",
    "deprecated",
    "status",
)
"""What a kind has that takes more than a line, or is in its heading."""

NEVER_SLOW = Kind.__dataclass_fields__["slow"].default
NO_HOOKS = {hook: getattr(Strategy(), hook) for hook in Strategy._fields}


def listed(kind: Kind, types: Types) -> Iterator[str]:
    """A kind, its types, and the bodies of its subresources."""
    types.group_version = group_version(kind.group)
    yield f"== {types.group_version} {kind.name}"
    yield f"singular: {kind.singular or kind.name.lower()}"
    yield from _lines(kind, *SPOKEN_OF, slow=NEVER_SLOW)
    for part in (kind.deprecated, kind.conversion, kind.status):
        if part is not None:
            yield from (f"{type(part).__name__.lower()} {line}" for line in _lines(part, "subresource"))
    yield from (f"hook {line}" for line in _lines(kind.strategy, **NO_HOOKS))
    for selectable in kind.selectable:
        yield " ".join([f"selectable: {selectable.path}", *_pairs(selectable, "path")])
    yield from map(_column, kind.columns)
    for subresource in kind.subresources:
        yield from _subresource(subresource, types)
    yield ""
    yield from types.struct(object_struct(kind.schema))
    for body in (subresource.body for subresource in kind.subresources if subresource.body):
        yield from types.struct(object_struct(body))


def _lines(thing: object, *others: str, **usual: object) -> Iterator[str]:
    return (f"{name}: {value}" for name, value in attributes(thing, *others, **usual))


def _pairs(thing: object, *others: str) -> Iterator[str]:
    return (f"{name}={value}" for name, value in attributes(thing, *others))


def _column(column: Column) -> str:
    """Type and priority always, and what is shown."""
    return " ".join(
        [f"column: {column.name}: {column.type} priority={column.priority}", *_pairs(column, "name", "type", "priority", "doc")]
    )


def _subresource(subresource: Subresource, types: Types) -> Iterator[str]:
    yield f"subresource {subresource.name}"
    yield from (f"  {line}" for line in _lines(subresource, "name", "body", "options", answers="Status", generation=True))
    if subresource.body:
        yield f"  body: {types.name(object_struct(subresource.body))}"
    yield from (
        " ".join([f"  option: {option.name} {option.type}", *_pairs(option, "name", "type", "doc")]) for option in subresource.options
    )


def declared(kinds: Iterable[Kind] = CATALOGUED) -> str:
    """Kinds as text."""
    types = Types()
    return "\n".join([HEAD, *(line for kind in kinds for line in listed(kind, types))]).rstrip()


if __name__ == "__main__":
    print(declared())
