"""Cells that tables of many kinds have: ages, labels, selectors, names of containers.

A cell never fails on an object that lacks a part: it says ``<none>``, or ``<unknown>`` for a time that isn't there.
"""

from collections.abc import Iterable, Mapping

from svcsim.meta.objects import get_path, metadata_of
from svcsim.meta.selectors import from_object
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Column, Context

NONE = "<none>"
UNKNOWN = "<unknown>"


def since(timestamp: str | None, context: Context) -> str:
    """How long ago that was, as people say it: ``5m30s``."""
    return human_duration(context.now - parse_time(timestamp)) if timestamp else UNKNOWN


def text_at(path: str, missing: str = "") -> Cell:
    """A cell that shows the text at a path; ``missing`` stands where there is none."""
    return lambda obj, context: get_path(obj, path) or missing  # noqa: ARG005 - a cell's signature


def number_at(path: str) -> Cell:
    """A cell that shows the number at a path, 0 where there is none."""
    return lambda obj, context: get_path(obj, path) or 0  # noqa: ARG005 - a cell's signature


def joined(texts: Iterable[str], missing: str = NONE) -> str:
    """Texts with commas between them."""
    return ",".join(texts) or missing


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Labels as ``a=b,c=d``, sorted."""
    return joined(f"{key}={value}" for key, value in sorted((labels or {}).items()))


def selector_text(selector: Object | None) -> str:
    """A label selector as the ``-l`` option spells it."""
    return NONE if selector is None else str(from_object(selector)) or NONE


def containers_of(template: str) -> tuple[Column, Column]:
    """The names and the images of a pod template's containers, for wide output; ``template`` is its path."""

    def column(name: str, part: str, doc: str) -> Column:
        def cell(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
            return ",".join(container.get(part) or "" for container in get_path(obj, f"{template}.spec.containers") or ())

        return Column(name, cell, priority=1, doc=doc)

    return column("Containers", "name", "Names of the containers"), column("Images", "image", "Images of the containers")


def _age(obj: Object, context: Context) -> Json:
    return since(metadata_of(obj).get("creationTimestamp"), context)


AGE = Column("Age", _age, doc="How long ago the object was created")
