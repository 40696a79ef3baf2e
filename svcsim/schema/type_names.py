"""What OpenAPI documents call types: one name for one type, in every document of a cluster, whichever group's document it is.

A type is named ``PACKAGE.NAME``. Its package is that of the group version in which it is first met, all kinds taken in the order of their
groups: the core group's pods own ``PodSpec``, and a document about deployments calls it by that name. What all groups use belongs to the
packages of the machinery itself.
"""

from dataclasses import dataclass, field

from svcsim.schema.common import SHARED
from svcsim.schema.decode import flat_fields
from svcsim.schema.types import IntOrString, List, Map, Quantity, Raw, Ref, Struct, Time, Type


def same_fields(one: Struct, other: Struct) -> bool:
    """Whether two types differ in nothing but in being atomic: then they are one, and a field says of its own which of them it means."""
    return one.name == other.name and one.fields == other.fields


@dataclass(slots=True)
class TypeNames:
    """The names of all types of a cluster; grows with each kind that is added, and gives those it has never met their place then."""

    library: str
    """Package of the machinery's packages: ``io.k8s.apimachinery.pkg``."""
    _names: dict[int, tuple[str, Struct]] = field(default_factory=dict)
    """By identity of the struct, which is kept beside its name so that nothing else can take its identity."""
    _owners: dict[str, Struct] = field(default_factory=dict)
    """The type that has the name."""

    @property
    def shared_package(self) -> str:
        """Package of object metadata and the other types of the meta group."""
        return f"{self.library}.apis.meta.v1"

    def add(self, struct: Struct, package: str) -> None:
        """Name a type and all it refers to, under this package where they have no name yet."""
        if id(struct) in self._names:
            return
        self.of(struct, package)
        for one in flat_fields(struct):
            self._add(one.type, package)

    def _add(self, field_type: Type, package: str) -> None:
        match field_type:
            case List(item=inner) | Map(value=inner):
                self._add(inner, package)
            case Struct():
                self.add(field_type, package)
            case Ref(target=target):
                self.add(target(), package)

    def of(self, struct: Struct, package: str) -> str:
        """The type's name, of this package if it had none."""
        known = self._names.get(id(struct))
        if known is None:
            home = self.shared_package if any(struct is shared for shared in SHARED) else package
            known = self._names[id(struct)] = (self._free(struct, f"{home}.{struct.name}"), struct)
        return known[0]

    def owner(self, name: str) -> Struct:
        """The type that is described under that name."""
        return self._owners[name]

    def _free(self, struct: Struct, name: str) -> str:
        """The name, or with a number behind it where quite another type has it already."""
        candidate, count = name, 1
        while not same_fields(self._owners.setdefault(candidate, struct), struct):
            count += 1
            candidate = f"{name}{count}"
        return candidate

    def of_scalar(self, field_type: Type) -> str:
        """The name of a type without fields that has one all the same, by which clients know it."""
        match field_type:
            case Time(micro=micro):
                return f"{self.shared_package}.{'MicroTime' if micro else 'Time'}"
            case Quantity():
                return f"{self.library}.api.resource.Quantity"
            case IntOrString():
                return f"{self.library}.util.intstr.IntOrString"
            case Raw(fields_v1=True):
                return f"{self.shared_package}.FieldsV1"
            case Raw():
                return f"{self.library}.runtime.RawExtension"
        raise TypeError(f"{type(field_type).__name__} has no name of its own")
