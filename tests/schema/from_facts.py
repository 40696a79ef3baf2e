"""The public API's types, built from the plain facts about them: so that all of them can be tried before they are declared."""

import functools
import json
import re

from svcsim.schema.types import Bool, Bytes, Field, Float, Int, IntOrString, List, Map, Quantity, Raw, Ref, Str, Struct, Time
from tests.yardsticks import yardstick

_SCALARS = {
    "string": Str(),
    "boolean": Bool(),
    "string:byte": Bytes(),
    "integer:int32": Int(),
    "integer:int64": Int(bits=64),
    "number:double": Float(),
    "meta.v1.Time": Time(),
    "meta.v1.MicroTime": Time(micro=True),
    "api.resource.Quantity": Quantity(),
    "util.intstr.IntOrString": IntOrString(),
    "meta.v1.FieldsV1": Raw(fields_v1=True),
    "runtime.RawExtension": Raw(),
    "apiextensions.v1.JSON": Raw(),
}


class Facts:
    """The facts, and the structs they describe."""

    def __init__(self):
        facts = json.loads(yardstick("facts/kubernetes-1.36.json").read_text())
        self.types, self.kinds = facts["types"], facts["kinds"]

    @functools.cache  # noqa: B019 - one instance
    def struct(self, name):
        """The struct of that name, without kind and apiVersion."""
        fields, inlined = [], {}
        for field, facts in self.types[name].get("fields", {}).items():
            number = facts.get("n", 0)
            if isinstance(number, list):
                inlined.setdefault(number[0], []).append(self.field(field, facts, number[1]))
            elif number:
                fields.append(self.field(field, facts, number))
        for number, parts in inlined.items():
            fields.append(Field(number, f"inline{number}", Struct(f"Inline{number}", *parts), inline=True))
        return Struct(name.rpartition(".")[2], *fields, atomic=self.types[name].get("map-type") == "atomic")

    def field(self, name, facts, number):
        """One field as it would be declared."""
        kind = self.type(facts["t"])
        if isinstance(kind, List):
            kind = List(kind.item, facts.get("list"), tuple(facts.get("keys", ())), facts.get("mergeKey", ""))
        elif isinstance(kind, Map):
            kind = Map(kind.value, facts.get("map") == "atomic")
        return Field(number, name, kind, required=facts.get("req", False), patch=facts.get("patch", ""))

    def type(self, spelled):
        """The type that facts spell ``[string]``, ``{string: core.v1.Secret}`` or ``boolean``."""
        if spelled in _SCALARS:
            return _SCALARS[spelled]
        if spelled.startswith("["):
            return List(self.type(spelled[1:-1]))
        if found := re.fullmatch(r"\{string: (.*)\}", spelled):
            return Map(self.type(found[1]))
        return Ref(target=lambda: self.struct(spelled))
