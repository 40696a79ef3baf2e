"""What OpenAPI documents call types: one name for one type, in every document of a cluster, whichever group's document it is.

A type is named ``PACKAGE.NAME``. Its package is that of the group version in which it is first met, all kinds taken in the order of their
groups: the core group's pods own ``PodSpec``, and a document about deployments calls it by that name. What all groups use belongs to the
packages of the machinery itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from svcsim.schema.common import SHARED
from svcsim.schema.decode import flat_fields
from svcsim.schema.types import IntOrString, List, Map, Quantity, Raw, Ref, Struct, Time, Type


def same_fields(one: Struct, other: Struct) -> bool:
    """Whether two types differ in nothing but in being atomic: then they are one, and a field says of its own which of them it means."""
    return one.name == other.name and one.fields == other.fields


_SCALARS = (Time(), Time(micro=True), Quantity(), IntOrString(), Raw(), Raw(fields_v1=True), Raw(json=True))
"""Types without fields that have names all the same."""


@dataclass(slots=True)
class TypeNames:
    """The names of all types of a cluster; grows with each kind that is added."""

    library: str
    """Package of the machinery's packages: ``io.k8s.apimachinery.pkg``."""
    _names: dict[int, tuple[str, Struct]] = field(default_factory=dict)
    """By identity of the struct, which is kept beside its name so that nothing else can take its identity."""
    _owners: dict[str, Struct] = field(default_factory=dict)
    """The type that has the name."""
    _package_of_json: str = ""
    """Any JSON value has its name where it is first met, as a struct has."""

    @property
    def shared_package(self) -> str:
        """Package of object metadata and the other types of the meta group."""
        return f"{self.library}.apis.meta.v1"

    @property
    def _core_package(self) -> str:
        return f"{self.library.removesuffix('.apimachinery.pkg')}.api.core.v1"

    def add(self, struct: Struct, package: str) -> None:
        """Name a type and all it refers to, under this package where they have no name yet."""
        if id(struct) in self._names:
            return
        self._call(struct, package)
        for one in flat_fields(struct):
            self._add(one.type, package)

    def _add(self, field_type: Type, package: str) -> None:
        match field_type:
            case List(item=inner) | Map(value=inner):
                self._add(inner, package)
            case Struct():
                self.add(field_type, package)
            case Raw(json=True):
                self._package_of_json = self._package_of_json or package
            case Ref(target=target):
                self.add(target(), package)

    def _call(self, struct: Struct, package: str) -> None:
        home = self.shared_package if any(struct is shared for shared in SHARED) else self._core_package if struct.of_core else package
        self._names[id(struct)] = (self._free(struct, f"{home}.{struct.name}"), struct)

    def name(self, struct: Struct) -> str:
        """The name of a type that has been added, by itself or with one that refers to it."""
        return self._names[id(struct)][0]

    def owner(self, name: str) -> Type | None:
        """The type that is described under that name; None where there is none."""
        return self._owners.get(name) or next((one for one in _SCALARS if self.of_scalar(one) == name), None)

    def described_by(self, struct: Struct) -> Struct:
        """The type under whose name this one is described: itself mostly, or one that differs in being atomic alone."""
        return self._owners[self.name(struct)]

    def keeps(self, before: "TypeNames") -> bool:
        """Whether all types that are still there are called, and described, as they were."""
        return not any(
            id(struct) in self._names and (self.name(struct) != name or self._owners[name] is not owner)
            for struct, name, owner in before.entries()
        )

    def entries(self) -> Iterator[tuple[Struct, str, Struct]]:
        """Each type, its name, and the type that is described under that name."""
        return ((struct, name, self._owners[name]) for name, struct in self._names.values())

    def _free(self, struct: Struct, name: str) -> str:
        """The name, or with a number behind it where quite another type has it already."""
        candidate, count = name, 1
        while not same_fields(self._owners.setdefault(candidate, struct), struct):
            count += 1
            candidate = f"{name}{count}"
        return candidate

    def of_scalar(self, field_type: Type) -> str:
        """The name of such a type without fields, by which clients know it."""
        match field_type:
            case Time(micro=micro):
                return f"{self.shared_package}.{'MicroTime' if micro else 'Time'}"
            case Quantity():
                return f"{self.library}.api.resource.Quantity"
            case IntOrString():
                return f"{self.library}.util.intstr.IntOrString"
            case Raw(fields_v1=True):
                return f"{self.shared_package}.FieldsV1"
            case Raw(json=True):
                return f"{self._package_of_json or self.shared_package}.JSON"
            case Raw():
                return f"{self.library}.runtime.RawExtension"
        raise TypeError(f"{type(field_type).__name__} has no name of its own")
