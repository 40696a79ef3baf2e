"""The declared schemas beside the plain facts of the API they stand for: every difference is a bug."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.kinds.authentication.token_request import TOKEN_REQUEST
from svcsim.kinds.autoscaling.scale import SCALE_BODY
from svcsim.kinds.core.pod_subresources import BINDING_BODY, EVICTION_BODY
from svcsim.registry.kind import Kind
from svcsim.schema.common import object_struct
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
from tests.kinds.helpers import KINDS
from tests.yardsticks import yardstick

FACTS = "facts/kubernetes-1.36.json"


@cache
def facts() -> dict[str, Any]:
    return json.loads(yardstick(FACTS).read_text())


OLDER = ("PodSecurityPolicy", "PodMetrics", "NodeMetrics")
"""Kinds of the reference that the API no longer had when its facts were written down, and those of an addition to it."""
OLDER_FIELDS = ("PersistentVolumeClaimStatus.resizeStatus",)
"""And fields of it that were gone."""
OLDER_VERSIONS = ("MutatingWebhookConfiguration v1beta1", "ValidatingWebhookConfiguration v1beta1")
"""And versions."""
KNOWN = [kind for kind in KINDS if kind.name not in OLDER and f"{kind.name} {kind.group.version}" not in OLDER_VERSIONS]


SCALARS: dict[type[Type], str] = {
    Str: "string",
    Bool: "boolean",
    Float: "number:double",
    Bytes: "string:byte",
    Quantity: "api.resource.Quantity",
    IntOrString: "util.intstr.IntOrString",
}


def type_fact(kind: Type) -> str:
    match kind:
        case Int(bits=bits):
            return f"integer:int{bits}"
        case Time(micro=micro):
            return "meta.v1.MicroTime" if micro else "meta.v1.Time"
        case List(item=item):
            return f"[{type_fact(item)}]"
        case Map(value=value):
            return f"{{string: {type_fact(value)}}}"
        case Struct(name=name):
            return name
        case Ref(target=target):
            return target().name
        case Alternatives(message=message):
            return message.name
        case Raw(fields_v1=True):
            return "meta.v1.FieldsV1"
        case Raw():
            return "runtime.RawExtension"
    return SCALARS[type(kind)]


def flat(struct: Struct) -> Iterator[tuple[Field, Any]]:
    """Fields as JSON shows them, with their number, or the pair of numbers of an embedded message's field."""
    for field in struct.fields:
        if field.inline:
            assert isinstance(field.type, Struct)
            yield from ((inner, [field.number, number]) for inner, number in flat(field.type))
        else:
            yield field, field.number


def short(type_name: str) -> str:
    """A type without the package it comes from: structs are declared by their bare name."""
    return re.sub(r"[\w.]+\.(\w+)", r"\1", type_name)


def markers(field: Field) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(field.type, List):
        if field.type.list_type:
            found["list"] = field.type.list_type
        if field.type.keys:
            found["keys"] = list(field.type.keys)
        if field.type.merge_key:
            found["mergeKey"] = field.type.merge_key
            found["patch"] = field.patch or "merge"
    if field.patch:
        found["patch"] = field.patch
    if isinstance(field.type, Bytes) and field.type.atomic:
        found["list"] = "atomic"
    if isinstance(field.type, Map) and field.type.atomic:
        found["map"] = "atomic"
    if field.required:
        found["req"] = True
    return found


def differences(struct: Struct, fact_name: str, types: dict[str, Any], seen: set[str], path: str) -> Iterator[str]:
    """What a struct and all structs in it have otherwise than the facts say; each fact is looked at once."""
    fact = types[fact_name]
    if fact_name in seen or "fields" not in fact or "JSONSchemaProps" in fact_name:  # a schema is spelled in several ways at each place
        return
    seen.add(fact_name)
    wanted = fact["fields"]
    declared = {field.name: (field, number) for field, number in flat(struct) if f"{struct.name}.{field.name}" not in OLDER_FIELDS}
    yield from (f"{path}.{name} is missing" for name in wanted if name not in declared)
    yield from (f"{path}.{name} is unknown" for name in declared if name not in wanted)
    if (fact.get("map-type") == "atomic") != struct.atomic:
        yield f"{path}: {struct.name} atomic {struct.atomic}, facts say {fact.get('map-type')}"
    for name, (field, number) in declared.items():
        if name not in wanted:
            continue
        yield from field_differences(field, number, wanted[name], f"{path}.{name}")
        inner, inner_fact = innermost(field.type), wanted[name]["t"].strip("[]{}").removeprefix("string: ")
        if isinstance(inner, Struct) and inner_fact in types and wanted[name].get("map") != "granular":
            yield from differences(inner, inner_fact, types, seen, f"{path}.{name}")


def field_differences(field: Field, number: Any, want: dict[str, Any], path: str) -> Iterator[str]:
    if number != want.get("n", 0) and ("n" in want or not nested(number)):
        yield f"{path} has number {number}, should have {want.get('n')}"
    if type_fact(field.type) not in (want["t"], short(want["t"])):
        yield f"{path} is {type_fact(field.type)}, should be {want['t']}"
    wanted = {key: want[key] for key in ("list", "keys", "mergeKey", "patch", "map", "req") if key in want}
    if wanted.get("map") == "granular":
        del wanted["map"]  # what maps and structs are where nothing else is said
    if markers(field) != wanted:
        yield f"{path} is marked {markers(field)}, should be {wanted}"


def nested(number: Any) -> bool:
    """Whether the number is that of a field two messages deep, where facts tell none."""
    return isinstance(number, list) and isinstance(number[1], list)


def innermost(kind: Type) -> Type:
    while isinstance(kind, List | Map):
        kind = kind.item if isinstance(kind, List) else kind.value
    return kind


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.name)
def test_a_kind_has_the_fields_numbers_types_and_markers_of_its_fact(kind: Kind):
    known = facts()
    name = known["kinds"][f"{prefix(kind)}{kind.group.version}/{kind.name}"]
    assert list(differences(object_struct(kind.schema), name, known["types"], set(), kind.name)) == []


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (BINDING_BODY, "core.v1.Binding"),
        (SCALE_BODY, "autoscaling.v1.Scale"),
        (EVICTION_BODY, "policy.v1.Eviction"),
        (TOKEN_REQUEST, "authentication.v1.TokenRequest"),
    ],
    ids=["Binding", "Scale", "Eviction", "TokenRequest"],
)
def test_the_body_of_a_subresource_has_the_fields_of_its_fact(body: Struct, name: str):
    assert list(differences(object_struct(body), name, facts()["types"], set(), body.name)) == []


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.name)
def test_a_kind_has_the_scope_verbs_and_subresources_of_its_fact(kind: Kind):
    resources = facts()["resources"]
    path = f"{prefix(kind)}{kind.group.version}/{kind.plural}"
    fact = resources[path]
    assert fact["namespaced"] == kind.namespaced
    assert sorted(set(kind.verbs) - {"watch"}) == fact["verbs"]
    known = {name.removeprefix(f"{path}/") for name in resources if name.startswith(f"{path}/")}
    assert {sub.name for sub in kind.subresources} <= known


def prefix(kind: Kind) -> str:
    group = kind.group.name(KUBERNETES)
    return f"{group}/" if group else ""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_field_has_a_doc(kind: Kind):
    """``explain`` prints it."""
    seen: set[int] = set()

    def silent(struct: Struct, path: str) -> Iterator[str]:
        if id(struct) in seen:
            return
        seen.add(id(struct))
        for field, _ in flat(struct):
            if not field.doc:
                yield f"{path}.{field.name}"
            inner = innermost(field.type)
            if isinstance(inner, Struct):
                yield from silent(inner, f"{path}.{field.name}")

    assert list(silent(kind.schema, kind.name)) == []
