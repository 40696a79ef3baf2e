"""Many selectors, and which of them select an object: of thousands those alone are asked that can.

A selector that wants a label to have a certain value can select nothing without it, so it is found by that label. What changes then asks
as many selectors as it has to do with, not all of a namespace.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import LabelSelector

Label: TypeAlias = tuple[str, str]
"""A label's name and value."""

_ANY: Label = ("", "")
"""Where those stand that no label finds; no label has an empty name."""


class _Entry(NamedTuple):
    """A selector, where it is to be found, and when it came among the others."""

    number: int
    key: ObjectKey
    place: tuple[str, Label]
    selector: LabelSelector


_Places: TypeAlias = dict[tuple[str, Label], dict[ObjectKey, _Entry]]


class SelectorIndex:
    """Selectors of objects in the same namespace, each by what it belongs to."""

    def __init__(self) -> None:
        self._entries: dict[ObjectKey, _Entry] = {}
        self._places: _Places = {}
        self._last = 0

    def get(self, key: ObjectKey) -> LabelSelector | None:
        """The selector of one of them."""
        entry = self._entries.get(key)
        return None if entry is None else entry.selector

    def put(self, key: ObjectKey, selector: LabelSelector) -> None:
        """Take a selector in, in the place of the one before."""
        before = self._entries.get(key)
        if before is not None:
            if before.selector == selector:
                return
            self._leave(before)
        self._last += 1
        # What all have in common finds all of them; by what few have, few are found.
        places = [(key.namespace, label) for label in selector.exact.items()] or [(key.namespace, _ANY)]
        place = min(places, key=lambda one: len(self._places.get(one, ())))
        entry = _Entry(self._last if before is None else before.number, key, place, selector)
        self._entries[key] = self._places.setdefault(place, {})[key] = entry

    def remove(self, key: ObjectKey) -> None:
        """Let a selector go, if it is there."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._leave(entry)

    def selecting(self, namespace: str, *states: Mapping[str, str]) -> list[ObjectKey]:
        """Whose selectors match any of these labels, in the order in which they came."""
        if not self._entries:
            return []
        found = {
            entry.number: entry.key for labels in states for entry in self._candidates(namespace, labels) if entry.selector.matches(labels)
        }
        return list(found.values()) if len(found) < 2 else [found[number] for number in sorted(found)]

    def _candidates(self, namespace: str, labels: Mapping[str, str]) -> Iterable[_Entry]:
        for label in (*labels.items(), _ANY):
            yield from self._places.get((namespace, label), {}).values()

    def _leave(self, entry: _Entry) -> None:
        others = self._places[entry.place]
        del others[entry.key]
        if not others:
            del self._places[entry.place]
