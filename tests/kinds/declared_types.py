"""The types of declared fields as text, each listed once, under the group version in which it is first met."""

import json
from collections.abc import Iterator

from svcsim.schema.types import (
    Alternatives,
    Bool,
    Bytes,
    Field,
    Float,
    Int,
    IntOrString,
    List,
    Map,
    Quantity,
    Raw,
    Ref,
    Str,
    Struct,
    Time,
    Type,
)
from tests.kinds.said import attributes, said

SCALARS = {Str: "string", Bool: "bool", Float: "double", Bytes: "bytes", Quantity: "Quantity", IntOrString: "IntOrString"}


class Types:
    """Lists types, each once. Two of one name are told apart by a number, as in OpenAPI documents."""

    def __init__(self) -> None:
        self.group_version = ""
        """In which types are met from now on."""
        self._named: dict[int, tuple[str, Struct]] = {}
        """By identity of the struct, which is kept beside its name so that nothing else can take its identity."""
        self._names: set[str] = set()
        self._listed: set[str] = set()

    def struct(self, struct: Struct) -> Iterator[str]:
        """A type and all it refers to, unless it is listed already."""
        name = self.name(struct)
        if name in self._listed:
            return
        self._listed.add(name)
        yield " ".join([name, *_marks(dict(attributes(struct, "name", "fields", "doc")))])
        yield from (f"  {self._field(field)}" for field in struct.fields)
        yield ""
        for field in struct.fields:
            inner = innermost(field.type)
            if isinstance(inner, Struct):
                yield from self.struct(inner)

    def name(self, struct: Struct) -> str:
        """What a type is called in the list."""
        if id(struct) not in self._named:
            name, count = f"{self.group_version}.{struct.name}", 1
            while name in self._names:
                count += 1
                name = f"{self.group_version}.{struct.name}{count}"
            self._names.add(name)
            self._named[id(struct)] = (name, struct)
        return self._named[id(struct)][0]

    def _field(self, field: Field) -> str:
        marks = dict(attributes(field, "number", "name", "type", "doc", "default"))
        if field.default is not None:
            marks["default"] = json.dumps(field.default)
        return " ".join([str(field.number), field.name, self._type(field.type), *_marks(marks)])

    def _type(self, type_: Type) -> str:
        match type_:
            case Struct():
                return self.name(type_)
            case Ref(target=target):
                return self.name(target())
            case List(item=item):
                return f"[]{self._type(item)}{_in_brackets(type_, 'item', unique=True)}"
            case Map(value=value):
                return f"map[{self._type(value)}]{_in_brackets(type_, 'value')}"
            case Int(bits=bits):
                return f"int{bits}{_in_brackets(type_, 'bits')}"
            case Time(micro=micro):
                return f"{'MicroTime' if micro else 'Time'}{_in_brackets(type_, 'micro')}"
            case Raw(fields_v1=fields_v1):
                return f"{'FieldsV1' if fields_v1 else 'Raw'}{_in_brackets(type_, 'fields_v1')}"
            case Alternatives(message=message):
                return f"one of {self.name(message)}"
        return SCALARS[type(type_)] + _in_brackets(type_)


def _marks(said_of: dict[str, str]) -> list[str]:
    """``required``, ``default=3``: what holds by its name alone, because it can only be so or not, and the rest."""
    return [name if value == said(True) else f"{name}=({value})" if " " in value else f"{name}={value}" for name, value in said_of.items()]


def _in_brackets(type_: Type, *others: str, **usual: object) -> str:
    marks = _marks(dict(attributes(type_, *others, **usual)))
    return f"({', '.join(marks)})" if marks else ""


def innermost(type_: Type) -> Type:
    """What a list or a map holds in the end."""
    while isinstance(type_, List | Map):
        type_ = type_.item if isinstance(type_, List) else type_.value
    return type_
