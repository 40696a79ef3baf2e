"""Scripts for server-side apply: who writes what in which version, and what must hold afterwards.

A script is a list of operations. It runs against one object, of which a test names the fields of ``spec`` alone::

    run(
        SCHEMA,
        Apply("alice", {"size": 1}),
        Update("bob", {"size": 2}),
        Apply("alice", {"size": 1}, conflicts=['"bob" using v1 at T2: .size']),
        Expect({"size": 2}, {"bob": [".size"]}),
    )

Managers are named ``name``, with ``@version`` where that isn't v1 and ``/subresource`` where there is one. The operation with number N
happens at time TN (from the tenth on TTN, so that times have their order), which is how messages can name it. A kind with several
versions has a schema for each, and a function that converts the fields of ``spec`` from one to another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import pytest

from svcsim.apply import ownership
from svcsim.apply.conversion import ConversionRequest, Conversions, Converted, KeptRequest
from svcsim.apply.fieldset import paths, spell
from svcsim.apply.managers import APPLY, UPDATE, Manager, Managers
from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import topology
from svcsim.apply.typed_write import TypedWrite
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.schema.common import object_struct
from svcsim.schema.types import Field, Struct

T = TypeVar("T")
Convert: TypeAlias = Callable[[Object, str, str], Object]
Versions: TypeAlias = Mapping[str, Struct]


def run_steps(steps: Conversions[T], convert: Callable[[ConversionRequest], Converted | None], write: TypedWrite | None = None) -> T:
    """The result of `update` or `apply`, with conversions that are answered at once. An apply needs its ``write``, to say what is kept."""
    answer: Converted | None = None
    while True:
        try:
            wanted = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        if isinstance(wanted, KeptRequest):
            assert write is not None
            assert write.before is not None
            answer = Converted((write.written.restored(wanted.obj, write.before),), write.node, write.written)
        else:
            answer = convert(wanted)


def same_fields(spec: Object, _: str, __: str) -> Object:
    """The conversion between versions that differ in name alone."""
    return spec


class State:
    """One object, its managers, and the versions it is served in."""

    def __init__(self, schema: Struct | Versions, convert: Convert = same_fields) -> None:
        self.serve({"v1": schema} if isinstance(schema, Struct) else schema)
        self._convert_spec = convert
        self.written: Mapping[str, FieldFilter] = {}
        self.obj: Object | None = None
        self.version = ""
        self.managers: Managers = {}
        self.operations = 0

    def serve(self, versions: Versions) -> None:
        """Serve the object in these versions from now on."""
        self._topologies = {
            name: topology(object_struct(Struct("Thing", Field(2, "spec", schema, default={}), Field(3, "status", schema, default={}))))
            for name, schema in versions.items()
        }

    def time(self) -> str:
        self.operations += 1
        return f"T{self.operations}" if self.operations < 10 else f"TT{self.operations}"

    def seen(self, version: str) -> Object | None:
        """The object as a version shows it."""
        return None if self.obj is None else self._converted(self.obj, self.version, version)

    def _converted(self, obj: Object, source: str, target: str) -> Object:
        converted = {**obj, "apiVersion": target}
        if "spec" in obj:
            converted["spec"] = self._convert_spec(obj["spec"], source, target)
        return converted

    def _write(self, version: str, new: Object) -> TypedWrite:
        return TypedWrite(self._topologies[version], self.seen(version), new, self.written.get(version, ALL_FIELDS))

    def _convert(self, wanted: ConversionRequest) -> Converted | None:
        node = self._topologies.get(wanted.target)
        if node is None:
            return None
        objects = tuple(self._converted(obj, wanted.source, wanted.target) for obj in wanted.objects)
        return Converted(objects, node, self.written.get(wanted.target, ALL_FIELDS))

    def apply(self, manager: Manager, config: Object, *, force: bool) -> None:
        write = self._write(manager.api_version, config)
        applied = run_steps(ownership.apply(write, self.managers, manager, self.time(), force=force), self._convert, write)
        self.obj, self.managers, self.version = applied.obj, applied.managers, manager.api_version

    def update(self, manager: Manager, new: Object) -> None:
        write = self._write(manager.api_version, new)
        self.managers = run_steps(ownership.update(write, self.managers, manager, self.time()), self._convert)
        self.obj, self.version = new, manager.api_version

    @property
    def spec(self) -> Object:
        return {} if self.obj is None else self.obj.get("spec", {})

    def owned(self) -> dict[str, list[str]]:
        """Who owns which fields, as paths below ``spec``."""
        return {
            f"{name}{'' if version == 'v1' else '@' + version}{subresource and '/' + subresource}": [
                spell(path).removeprefix(".spec") for path in paths(owned.fields)
            ]
            for (name, _, version, subresource), owned in self.managers.items()
        }


def thing(version: str, spec: Object | None) -> Object:
    obj: Object = {"apiVersion": version, "kind": "Thing", "metadata": {"name": "x"}}
    return obj if spec is None else {**obj, "spec": spec}


@dataclass(frozen=True)
class Apply:
    """An applier's configuration; an empty one has no ``spec`` at all. ``conflicts`` are written ``owner: field``."""

    manager: str
    config: Object = field(default_factory=dict)
    version: str = "v1"
    conflicts: list[str] = field(default_factory=list)
    refused: str = ""
    """How the message of another refusal ends."""
    subresource: str = ""

    force = False

    def run(self, state: State) -> None:
        manager = Manager(self.manager, APPLY, self.version, self.subresource)
        config = thing(self.version, self.config or None)
        if not self.conflicts and not self.refused:
            state.apply(manager, config, force=self.force)
            return
        with pytest.raises(StatusError) as raised:
            state.apply(manager, config, force=self.force)
        if self.refused:
            assert raised.value.code == 400
            assert raised.value.message.endswith(self.refused)
        else:
            assert raised.value.code == 409
            causes = (raised.value.details or {})["causes"]
            found = [f"{cause['message'].removeprefix('conflict with ')}: {cause['field'].removeprefix('.spec')}" for cause in causes]
            assert found == self.conflicts


@dataclass(frozen=True)
class ForceApply(Apply):
    """The same, taking what others own."""

    force = True


@dataclass(frozen=True)
class Update:
    """The object as somebody leaves it, by whatever means."""

    manager: str
    spec: Object
    version: str = "v1"
    subresource: str = ""

    def run(self, state: State) -> None:
        state.update(Manager(self.manager, UPDATE, self.version, self.subresource), thing(self.version, self.spec))


@dataclass(frozen=True)
class Serve:
    """From now on the object is served in other versions, or with other schemas."""

    schema: Struct | Versions

    def run(self, state: State) -> None:
        state.serve({"v1": self.schema} if isinstance(self.schema, Struct) else self.schema)


@dataclass(frozen=True)
class Expect:
    """What must hold: the fields of ``spec`` as a version shows them, and who owns which of them. Either may be left out."""

    spec: Object | None = None
    managed: dict[str, list[str]] | None = None
    version: str = ""

    def run(self, state: State) -> None:
        if self.spec is not None:
            shown = state.seen(self.version) if self.version else state.obj
            assert (shown or {}).get("spec", {}) == self.spec
        if self.managed is not None:
            assert state.owned() == self.managed


Step: TypeAlias = Apply | Update | Serve | Expect


def run(schema: Struct | Versions, *steps: Step, convert: Convert = same_fields) -> State:
    """Run a script on an object that isn't there yet."""
    state = State(schema, convert)
    for step in steps:
        step.run(state)
    return state
