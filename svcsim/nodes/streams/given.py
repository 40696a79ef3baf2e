"""What containers were given when they were started, and what volumes showed last.

The environment of a container, and parts of volumes that are mounted by themselves (``subPath``), are as they were when it was started,
whatever becomes of the config maps, the secrets and the fields of the pod that they come from. Whole volumes follow these, and keep what
they had when one is deleted that they can't do without. So it is noted here what a container was started with, of those alone that are
given anything that may change. The same state of an object is kept once for all of them, and in memory: after a new start of the cluster,
what is there when somebody first looks counts as what a container was started with. What there is no room for
(`limits.GIVEN_TO_CONTAINERS_BYTES`) is read anew whenever somebody looks.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from weakref import WeakValueDictionary, finalize

from svcsim import limits
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import metadata_of, namespace_of, uid_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.sources import Keys, Named, Read, Settled, Sources, keys_of, named_amount, named_field
from svcsim.nodes.shell.tree import Disk, FileError
from svcsim.nodes.streams.former_services import FormerServices

Find = Callable[[str, str], Awaitable[Object | None]]
"""A config map or a secret of the pod's namespace, by its plural and its name. Raises `StatusError`."""
Source: TypeAlias = tuple[str, str]
"""A plural, and a name."""
_REFERENCES = (
    ("configMapRef", "configmaps"), ("configMapKeyRef", "configmaps"), ("configMap", "configmaps"),
    ("secretRef", "secrets"), ("secretKeyRef", "secrets"), ("secret", "secrets"),
)  # fmt: skip
_CHANGING = ("metadata.labels", "metadata.annotations")
"""Fields of a pod that may become others while it runs."""
_RUNS = 2
"""How many runs of a container are remembered: others may still ask for what the one before has said."""


def reading(find: Find) -> Read:
    """What is in each of them."""

    async def read(plural: str, name: str) -> Keys:
        return keys_of(plural, await find(plural, name))

    return read


class GivenKeys:
    """What is in one state of a config map or a secret."""

    __slots__ = ("__weakref__", "keys")

    def __init__(self, keys: Keys) -> None:
        self.keys = keys


class StartedWith:
    """What a container was given when it was started. Equal ones are shared."""

    __slots__ = ("__weakref__", "objects", "texts")

    def __init__(self, objects: tuple[tuple[Source, GivenKeys], ...], texts: tuple[tuple[Named, str], ...]) -> None:
        self.objects = objects
        self.texts = texts

    @property
    def settled(self) -> Settled:
        return Settled({source: given.keys for source, given in self.objects}, dict(self.texts))


class ShownObject:
    """What volumes show of a config map or a secret: its newest state, and the last one when it is gone."""

    __slots__ = ("__weakref__", "given", "source")

    def __init__(self, source: Source, given: GivenKeys | None) -> None:
        self.source = source
        self.given = given


class _Run(NamedTuple):
    container: str
    started_at: float
    given: StartedWith


@dataclass(slots=True)
class _GivenToPod:
    runs: tuple[_Run, ...] = ()
    """The oldest first."""
    shown: tuple[ShownObject, ...] = ()


class Taken(NamedTuple):
    """What a container takes of what may change, once it is started."""

    objects: tuple[Source, ...]
    fields: tuple[str, ...]
    amounts: tuple[Object, ...]


def taken_at_start(spec: Object, container: Object) -> Taken | None:
    """What a container's environment says of other things, and parts of volumes that are mounted by themselves; None if nothing does."""
    parts = list(_parts(spec, container))
    if not parts:
        return None
    objects = dict.fromkeys(source for part in parts for source in _sources(part))
    fields = [(part.get("fieldRef") or {}).get("fieldPath") or "" for part in parts]
    amounts = tuple(part["resourceFieldRef"] for part in parts if part.get("resourceFieldRef"))
    taken = Taken(tuple(objects), tuple(dict.fromkeys(path for path in fields if path.startswith(_CHANGING))), amounts)
    return taken if any(taken) else None


def sources_shown(spec: Object) -> list[Source]:
    """The config maps and secrets that a pod's volumes show."""
    parts = (part for volume in spec.get("volumes") or () for part in _parts_of_volume(volume))
    return list(dict.fromkeys(source for part in parts for source in _sources(part)))


def _parts(spec: Object, container: Object) -> Iterator[Object]:
    yield from container.get("envFrom") or ()
    for variable in container.get("env") or ():
        if variable.get("valueFrom"):
            yield variable["valueFrom"]
    for mount in container.get("volumeMounts") or ():
        if mount.get("subPath") or mount.get("subPathExpr"):
            for volume in spec.get("volumes") or ():
                if volume["name"] == mount["name"]:
                    yield from _parts_of_volume(volume)


def _parts_of_volume(volume: Object) -> Iterator[Object]:
    for source in (volume, *((volume.get("projected") or {}).get("sources") or ())):
        yield source
        yield from (source.get("downwardAPI") or {}).get("items") or ()


def _sources(part: Object) -> Iterator[Source]:
    for field, plural in _REFERENCES:
        reference = part.get(field)
        if isinstance(reference, dict):
            yield plural, reference.get("secretName") or reference.get("name") or ""


class GivenToPods:
    """Of all pods on simulated nodes, by their UIDs."""

    def __init__(self, informers: Informers, clock: Clock, always_there: str) -> None:
        """``always_there`` is a config map that is published for everybody, and not worth a note."""
        self._always_there = always_there
        self.services = FormerServices(informers, clock)
        self._room = Disk(limits.GIVEN_TO_CONTAINERS_BYTES)
        self._keys: WeakValueDictionary[tuple[str, str, str], GivenKeys] = WeakValueDictionary()
        """By plural, UID and revision."""
        self._equal: WeakValueDictionary[tuple[object, object], StartedWith] = WeakValueDictionary()
        self._shown: WeakValueDictionary[tuple[str, Source], ShownObject] = WeakValueDictionary()
        """By namespace, plural and name."""
        self._pods: dict[str, _GivenToPod] = {}
        self._nothing = GivenKeys({})
        for plural in ("configmaps", "secrets"):
            informers.of("v1", plural).follow(_ShownObjects(plural, self))

    @property
    def used_bytes(self) -> int:
        """What is kept in all."""
        return self._room.used_bytes

    def __len__(self) -> int:
        return len(self._pods)

    def begin(self, pod: Object) -> None:
        """It is taken up as it ran: what it was given nobody knows any more, and will be noted when somebody looks."""
        spec = pod["spec"]
        every = (one for field in ("initContainers", "containers", "ephemeralContainers") for one in spec.get(field) or ())
        if any(name != self._always_there for _, name in sources_shown(spec)) or any(
            taken_at_start(spec, one) is not None for one in every
        ):
            self._pods.setdefault(uid_of(pod), _GivenToPod())

    async def now(self, pod: Object, container: Object, find: Find, allocatable: dict[str, str]) -> StartedWith | None:
        """What a container is given that is started now; None if that is nothing that may change. Raises `StatusError`."""
        taken = taken_at_start(pod["spec"], container)
        if taken is None:
            return None
        kept = [(source, self._kept(source[0], await find(*source))) for source in taken.objects]
        objects = tuple((source, keys) for source, keys in kept if keys is not None)
        sources = Sources(pod, _unread, allocatable)
        texts = (
            *((named_field(path), sources.field(path)) for path in taken.fields),
            *((named_amount(container, wanted), sources.amount(container, wanted)) for wanted in taken.amounts),
        )
        found = self._equal.get((objects, texts))
        if found is None:
            found = self._equal[objects, texts] = StartedWith(objects, texts)
        return found

    def started(self, uid: str, container: str, started_at: float, given: StartedWith) -> None:
        """A container has been started with this."""
        of_pod = self._pods.setdefault(uid, _GivenToPod())
        before = [run for run in of_pod.runs if run.container == container and run.started_at < started_at][1 - _RUNS :]
        others = [run for run in of_pod.runs if run.container != container]
        of_pod.runs = (*others, *before, _Run(container, started_at, given))

    def at_start(self, uid: str, container: str, started_at: float) -> StartedWith | None:
        """What a run of a container was started with; None if that isn't known."""
        of_pod = self._pods.get(uid)
        runs = [run for run in of_pod.runs if run.container == container] if of_pod is not None else []
        return next((run.given for run in reversed(runs) if run.started_at <= started_at), None)

    def knows(self, uid: str) -> bool:
        """Whether it is a pod of which anything is to be noted."""
        return uid in self._pods

    def shows(self, uid: str, namespace: str, source: Source, obj: Object | None) -> Keys:
        """What a pod's volumes show of a config map or a secret: what is in it, or, if it has gone, what was there before."""
        of_pod = self._pods.get(uid)
        before = next((one for one in of_pod.shown if one.source == source), None) if of_pod is not None else None
        if obj is None:
            return before.given.keys if before is not None and before.given is not None else {}
        given = self._kept(source[0], obj)
        if of_pod is not None:
            self._show(of_pod, before, (namespace, source), given)
        return keys_of(source[0], obj) if given is None else given.keys

    def mounted(self, pod: Object, source: Source, obj: Object) -> None:
        """A pod that is set up shows a config map or a secret."""
        self._pods.setdefault(uid_of(pod), _GivenToPod())
        self.shows(uid_of(pod), namespace_of(pod), source, obj)

    def _show(self, of_pod: _GivenToPod, before: ShownObject | None, key: tuple[str, Source], given: GivenKeys | None) -> None:
        shown = self._shown.get(key)
        if shown is None:
            shown = self._shown[key] = ShownObject(key[1], given)
        shown.given = given
        if before is None:
            of_pod.shown = (*of_pod.shown, shown)

    def changed(self, plural: str, obj: Object) -> None:
        """A config map or a secret is as given now."""
        key = object_key(obj)
        shown = self._shown.get((key.namespace, (plural, key.name)))
        if shown is not None:
            shown.given = self._kept(plural, obj)

    def forget(self, uid: str) -> None:
        """The pod is gone from its node."""
        self._pods.pop(uid, None)

    def _kept(self, plural: str, obj: Object | None) -> GivenKeys | None:
        """What is in a state of an object; None where there is no room to keep it."""
        if obj is None:
            return self._nothing
        key = (plural, uid_of(obj), metadata_of(obj)["resourceVersion"])
        found = self._keys.get(key)
        if found is None:
            keys = keys_of(plural, obj)
            size = limits.GIVEN_OBJECT_COSTS_BYTES + sum(len(name) + len(content) for name, content in keys.items())
            try:
                self._room.take(size)
            except FileError:
                return None
            found = self._keys[key] = GivenKeys(keys)
            finalize(found, self._room.take, -size).atexit = False
        return found


async def _unread(_plural: str, _name: str) -> Keys:
    return {}


class _ShownObjects:
    """Follows the config maps, or the secrets."""

    def __init__(self, plural: str, given: GivenToPods) -> None:
        self._plural = plural
        self._given = given

    def seen(self, _key: ObjectKey, obj: Object) -> None:
        self._given.changed(self._plural, obj)

    def gone(self, _key: ObjectKey, _uid: str) -> None:
        """What it showed last stays."""
