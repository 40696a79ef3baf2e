"""Objects that policies choose their parameters from, read once for all policies that a request concerns, and for the requests after it.

They are chosen by labels among all objects of their kind in a namespace, of which there may be thousands, by hundreds of policies. The
cache is valid until an object of the kind is written; while there are writes, a request reads once, and all its policies see the same
objects.
"""

from dataclasses import dataclass, field

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import labels_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.contract import Store

_READ = "params"
"""The note of a request of what its policies have read."""


@dataclass(slots=True)
class Candidates:
    """All objects of a kind in one namespace. They are shared: nobody changes one."""

    changed: int
    """The newest revision that changed any of the kind."""
    objects: list[Object] = field(default_factory=list)
    size_bytes: int = 0
    _selected: dict[bytes, list[Object]] = field(default_factory=dict)

    async def selected(self, selector: Object) -> list[Object]:
        """The parameters that a label selector selects."""
        known = encode(selector)
        if known not in self._selected:
            if len(self._selected) >= limits.PARAM_SELECTORS:
                self._selected.clear()
            self._selected[known] = await aside(self.size_bytes, _selected, self.objects, selector)
        return self._selected[known]


class ParamCache:
    """What has been read; what was asked for the longest ago is let go of first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[tuple[str, str], Candidates] = {}
        self._bytes = 0

    async def of(self, resource: str, namespace: str, request: AdmissionRequest) -> Candidates:
        """The objects of a resource, by its name in the store, in a namespace; of all of the cluster for the empty one."""
        place = resource, namespace
        read: dict[tuple[str, str], Candidates] = request.notes.setdefault(_READ, {})
        if place not in read:
            read[place] = self._valid(place) or await self._read(place)
        return read[place]

    def _valid(self, place: tuple[str, str]) -> Candidates | None:
        kept = self._kept.pop(place, None)
        if kept is None:
            return None
        if kept.changed == self._store.changed(place[0]):
            self._kept[place] = kept
            return kept
        self._bytes -= kept.size_bytes
        return None

    async def _read(self, place: tuple[str, str]) -> Candidates:
        found = Candidates(self._store.changed(place[0]))
        async for _, bodies in self._store.bodies(*place):
            size_bytes = sum(map(len, bodies))
            found.objects += await aside(size_bytes, _decoded, bodies)
            found.size_bytes += size_bytes
        if found.changed == self._store.changed(place[0]) and found.size_bytes <= limits.PARAMS_KEPT_BYTES:
            self._keep(place, found)
        return found

    def _keep(self, place: tuple[str, str], found: Candidates) -> None:
        older = self._kept.pop(place, None)
        self._kept[place] = found
        self._bytes += found.size_bytes - (0 if older is None else older.size_bytes)
        while self._bytes > limits.PARAMS_KEPT_BYTES:
            self._bytes -= self._kept.pop(next(iter(self._kept))).size_bytes


def _decoded(bodies: list[bytes]) -> list[Object]:
    return [decode_json(body) for body in bodies]


def _selected(objects: list[Object], selector: Object) -> list[Object]:
    meant = from_object(selector)
    return [obj for obj in objects if meant.matches(labels_of(obj))]
