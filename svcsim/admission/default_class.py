"""The class that is marked as the default one, of those that objects name: of storage, of Ingresses.

Where several are, the newest counts, and of those as new as each other the first by name.
"""

from collections.abc import Iterable

from svcsim.meta.objects import annotations_of, metadata_of, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object


def default_class(classes: Iterable[Object], marks: tuple[str, ...]) -> str | None:
    """Its name; None where there is none. ``marks`` are the annotations any of which makes a class the default by saying ``true``."""
    marked = [one for one in classes if any(annotations_of(one).get(mark) == "true" for mark in marks)]
    return name_of(min(marked, key=_newest_first)) if marked else None


def _newest_first(one: Object) -> tuple[float, str]:
    return -parse_time(metadata_of(one)["creationTimestamp"]), name_of(one)
