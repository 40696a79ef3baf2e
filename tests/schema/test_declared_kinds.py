"""Every declared kind, held against known objects: one of each with all its fields, as JSON and as protobuf."""

import importlib
import json
import pkgutil

import pytest

from svcsim import kinds
from svcsim.dialect import KUBERNETES
from svcsim.registry.kind import Kind
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from svcsim.schema.protobuf import decode_envelope, decode_message, encode_message
from tests.yardsticks import SHARED, yardstick


def declared():
    """All kinds there are, by the names of the yardstick's objects."""
    found = {}
    for module in pkgutil.walk_packages(kinds.__path__, f"{kinds.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Kind):
                found[f"{value.group.name(KUBERNETES) or 'core'}.{value.group.version}.{value.name}"] = value
    return {name: kind for name, kind in sorted(found.items()) if (SHARED / f"vectors/roundtrip/{name}.json").exists()}


KINDS = declared()


@pytest.fixture(params=KINDS)
def known(request):
    """A kind's whole schema, a known object of it, and that object's message."""
    path = yardstick("vectors/roundtrip")
    sent = json.loads((path / f"{request.param}.json").read_text())
    return object_struct(KINDS[request.param].schema), sent, decode_envelope((path / f"{request.param}.pb").read_bytes()).raw


def test_all_fields_are_declared_and_nothing_is_lost(known):
    schema, sent, _ = known
    assert compile_struct(schema).decode(sent) == (sent, [])


def test_messages_are_the_same_both_ways(known):
    schema, sent, message = known
    expected = {name: value for name, value in sent.items() if name not in {"kind", "apiVersion"}}
    assert decode_message(message, schema) == expected
    assert encode_message(expected, schema) == message


def test_completing_and_checking_any_object_never_fails(known):
    schema, sent, _ = known
    compiled = compile_struct(schema)
    for value in (sent, {}, {"metadata": {}, "spec": {}}):
        read, _ = compiled.decode(value)
        compiled.default(read)
        compiled.validate(read)
