"""The class that is marked as the default one, of those that objects name: of storage, of Ingresses.

Where several are, the newest counts, and of those as new as each other the first by name.
"""

from svcsim.meta.objects import annotations_of, metadata_of, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.registry.lister import Lister


class DefaultClass:
    """Gives objects the default class."""

    def __init__(self, classes: Lister, *, marks: tuple[str, ...], field: str, annotation: str) -> None:
        """Any of ``marks``, annotations, makes a class the default by saying ``true``. ``field`` of an object's spec names its class.

        What ``annotation`` names was its class before there was the field: an object that has it is left alone.
        """
        self._classes = classes
        self._marks = marks
        self._field = field
        self._annotation = annotation

    def fill(self, obj: Object) -> None:
        """Name it in an object that says nothing of its class. The empty class is one, too."""
        if obj["spec"].get(self._field) is not None or self._annotation in annotations_of(obj):
            return
        marked = [one for one in self._classes.list() if any(annotations_of(one).get(mark) == "true" for mark in self._marks)]
        if marked:
            obj["spec"][self._field] = name_of(min(marked, key=_newest_first))


def _newest_first(one: Object) -> tuple[float, str]:
    return -parse_time(metadata_of(one)["creationTimestamp"]), name_of(one)
