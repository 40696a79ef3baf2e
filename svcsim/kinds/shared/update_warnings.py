"""Warnings of updates, made of those of new objects: clients are told again of what is still there, or told once of what they change."""

from collections.abc import Callable, Iterable, Iterator

from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import UpdateWarnings, Warnings


def of_every_update(*warnings: Warnings) -> UpdateWarnings:
    """The warnings for a new object, at every update."""

    def told(new: Object, old: Object) -> Iterator[str]:
        for each in warnings:
            yield from each(new)

    return told


def where_changed(value: Callable[[Object], Json], *warnings: Warnings) -> UpdateWarnings:
    """The warnings for a new object, if the update changes that value."""

    def told(new: Object, old: Object) -> Iterable[str]:
        return () if value(new) == value(old) else of_every_update(*warnings)(new, old)

    return told


def of_new_generations(*warnings: Warnings) -> UpdateWarnings:
    """The warnings for a new object, if the update changes the spec: changes of labels and status cause none."""
    return where_changed(_generation, *warnings)


def _generation(obj: Object) -> Json:
    return metadata_of(obj).get("generation")
