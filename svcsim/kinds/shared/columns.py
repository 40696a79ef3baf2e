"""Cells that tables of many kinds have: texts and numbers at a path, ages, labels, selectors, names of containers.

A cell never fails on an object that lacks a part: it says ``<none>``, or ``<unknown>`` for a time that isn't there. Where a cell has
nothing to show, that is because the field is absent or empty, never because its value is 0 or false.
"""

from collections.abc import Iterable, Mapping

from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import get_path, metadata_of, pairs_text
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Column, Context

NONE = "<none>"
UNKNOWN = "<unknown>"
UNSET = "<unset>"


def since(timestamp: str | None, context: Context) -> str:
    """How long ago that was, as people say it: ``5m30s``."""
    return human_duration(context.now - parse_time(timestamp)) if timestamp else UNKNOWN


def text_at(path: str, missing: str = "") -> Cell:
    """The value at a path as text; ``missing`` where there is none, or an empty text."""

    def cell(obj: Object, context: Context) -> Json:
        value = get_path(obj, path)
        if isinstance(value, bool):
            return "true" if value else "false"
        return missing if value is None or value == "" else str(value)

    return cell


def number_at(path: str) -> Cell:
    """The number at a path, 0 where there is none."""
    return lambda obj, context: get_path(obj, path) or 0


def truth_at(path: str) -> Cell:
    """The truth value at a path, false where there is none."""
    return lambda obj, context: bool(get_path(obj, path))


def length_at(*paths: str) -> Cell:
    """How many items or keys there are at these paths together."""
    return lambda obj, context: sum(len(get_path(obj, path) or ()) for path in paths)


def list_at(path: str) -> Cell:
    """The texts of a list, with commas between them."""
    return lambda obj, context: ",".join(get_path(obj, path) or ())


def labels_at(path: str) -> Cell:
    """The labels at a path as ``a=b,c=d``, sorted."""

    def cell(obj: Object, context: Context) -> Json:
        labels: Mapping[str, str] = get_path(obj, path) or {}
        return pairs_text(labels) or NONE

    return cell


def selector_at(path: str) -> Cell:
    """The label selector at a path as the ``-l`` option spells it."""

    def cell(obj: Object, context: Context) -> Json:
        selector = get_path(obj, path)
        return NONE if selector is None else str(from_object(selector)) or NONE

    return cell


def joined(texts: Iterable[str], missing: str = NONE) -> str:
    """Texts with commas between them."""
    return ",".join(texts) or missing


def first_few(texts: list[str], limit: int, separator: str = ",") -> str:
    """The first texts, and how many more there are."""
    shown = separator.join(texts[:limit])
    return f"{shown} + {len(texts) - limit} more..." if len(texts) > limit else shown


def containers_of(template: str) -> tuple[Column, Column]:
    """The names and the images of a pod template's containers, for wide output; ``template`` is its path."""

    def column(name: str, part: str, doc: str) -> Column:
        def cell(obj: Object, context: Context) -> Json:
            return ",".join(container.get(part) or "" for container in get_path(obj, f"{template}.spec.containers") or ())

        return Column(name, cell, priority=1, doc=doc)

    return column("Containers", "name", "Names of the containers"), column("Images", "image", "Images of the containers")


def _age(obj: Object, context: Context) -> Json:
    return since(metadata_of(obj).get("creationTimestamp"), context)


AGE = Column("Age", _age, doc="Time since the object was created")


def _created_at(obj: Object, context: Context) -> Json:
    return metadata_of(obj).get("creationTimestamp") or UNKNOWN


CREATED_AT = Column("Created At", _created_at, "date", doc="When the object was created")
"""The only column of kinds that have none of their own."""
