"""Objects as protobuf: the same bytes and the same objects as others make of them."""

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.errors import StatusError
from svcsim.schema.compile import compile_struct
from svcsim.schema.protobuf import decode_envelope, decode_message, encode_envelope, encode_message
from svcsim.schema.types import Bool, Bytes, Field, Float, Int, IntOrString, List, Map, Quantity, Raw, Ref, Str, Struct, Time
from svcsim.schema.wire import LENGTH, sized, tag
from tests.schema.from_facts import Facts
from tests.schema.shapes import WHOLE, WIDGETS
from tests.yardsticks import SHARED, yardstick

UNTOLD = ("AdmissionPolicy", "AdmissionPolicyBinding", "WatchEvent")
"""Ends of the names of kinds whose facts don't tell all: structs inlined into inlined structs, or no version at all."""


def known_objects():
    """Names of the yardstick's objects whose types the facts describe, and those types' names."""
    vectors = SHARED / "vectors/roundtrip"
    if not vectors.exists():
        return {}
    types = {kind.replace("/", "."): type_name for kind, type_name in Facts().kinds.items()}
    names = sorted(path.stem for path in vectors.glob("*.pb") if not path.stem.endswith(UNTOLD))
    return {name: types[key] for name in names if (key := name.removeprefix("core.")) in types}


KNOWN = known_objects()


def one(kind, **options):
    return Struct("T", Field(1, "a", kind, **options))


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Str(), "hé", b"\x0a\x03h\xc3\xa9"),
        (Bool(), True, b"\x08\x01"),
        (Int(), 0, b"\x08\x00"),
        (Int(), 300, b"\x08\xac\x02"),
        (Int(), -1, b"\x08" + b"\xff" * 9 + b"\x01"),
        (Int(bits=64), 2**63 - 1, b"\x08" + b"\xff" * 8 + b"\x7f"),
        (Float(), 1.5, b"\x09" + struct.pack("<d", 1.5)),
        (Bytes(), "AAE=", b"\x0a\x02\x00\x01"),
        (Time(), "1970-01-01T00:00:01Z", b"\x0a\x04\x08\x01\x10\x00"),
        (Time(micro=True), "1970-01-01T00:00:01.000002Z", b"\x0a\x05\x08\x01\x10\xd0\x0f"),
        (Quantity(), "1Gi", b"\x0a\x05\x0a\x031Gi"),
        (IntOrString(), 8080, b"\x0a\x07\x08\x00\x10\x90\x3f\x1a\x00"),
        (IntOrString(), "http", b"\x0a\x0a\x08\x01\x10\x00\x1a\x04http"),
        (Raw(), {"a": [1, None]}, b'\x0a\x10\x0a\x0e{"a":[1,null]}'),
        (List(Int()), [1, 2], b"\x08\x01\x08\x02"),
        (List(Str()), ["", "a"], b"\x0a\x00\x0a\x01a"),
        (Map(Str()), {"b": "", "a": "1"}, b"\x0a\x06\x0a\x01a\x12\x011\x0a\x05\x0a\x01b\x12\x00"),
        (Map(List(Str())), {"a": ["x", "y"]}, b"\x0a\x0b\x0a\x01a\x12\x06\x0a\x01x\x0a\x01y"),
        (one(Int()), {"a": 5}, b"\x0a\x02\x08\x05"),
        (one(Int()), {}, b"\x0a\x00"),
    ],
)
def test_each_type_has_its_form(kind, value, message):
    assert encode_message({"a": value}, one(kind)) == message
    assert decode_message(message, one(kind)) == {"a": value}


def test_fields_stand_by_number_and_inlined_structs_in_a_message_of_their_own():
    inner = Struct("I", Field(1, "x", Int()), Field(2, "y", Str()))
    schema = Struct("T", Field(2, "b", Int()), Field(1, "inner", inner, inline=True), Field(0, "kind", Str()))
    message = b"\x0a\x05\x08\x01\x12\x01z\x10\x02"
    assert encode_message({"kind": "T", "b": 2, "x": 1, "y": "z"}, schema) == message
    assert decode_message(message, schema) == {"b": 2, "x": 1, "y": "z"}
    assert encode_message({"b": 2}, schema) == b"\x10\x02"


def test_zeros_that_stand_for_absence_are_dropped():
    schema = Struct(
        "T",
        Field(1, "text", Str()),
        Field(2, "meant", Str(), presence=True),
        Field(3, "count", Int()),
        Field(4, "flag", Bool(), presence=False),
        Field(5, "time", Time()),
        Field(6, "struct", one(Str())),
    )
    assert decode_message(b"\x0a\x00\x12\x00\x18\x00\x20\x00\x2a\x00\x32\x00", schema) == {"meant": "", "count": 0, "struct": {}}


def test_a_struct_that_comes_in_parts_is_merged_and_the_last_value_counts():
    inner = Struct("Inner", Field(1, "a", Str()), Field(2, "b", Str()), Field(3, "c", List(Str())))
    outer = Struct("Outer", Field(1, "at", inner), Field(2, "referred", Ref(target=lambda: inner)), Field(3, "inlined", inner, inline=True))
    one, other = {"a": "1", "b": "1", "c": ["1"]}, {"b": "2", "c": ["2"]}
    merged = {"a": "1", "b": "2", "c": ["1", "2"]}
    parts = [{"at": part, "referred": part, **part} for part in (one, other)]
    assert decode_message(b"".join(encode_message(part, outer) for part in parts), outer) == {"at": merged, "referred": merged, **merged}


@pytest.mark.parametrize(
    ("kind", "parts", "value"),
    [
        (IntOrString(), (b"\x08\x01\x1a\x03abc", b"\x10\x05"), "abc"),
        (IntOrString(), (b"\x10\x05\x1a\x03abc", b"\x08\x01"), "abc"),
        (IntOrString(), (b"\x08\x01\x10\x05\x1a\x03abc", b"\x08\x00"), 5),
        (IntOrString(), (b"\x10\x05", b""), 5),
        (Quantity(), (b"\x0a\x011", b""), "1"),
        (Quantity(), (b"\x0a\x011", b"\x0a\x012"), "2"),
        (Raw(), (b"\x0a\x011", b""), 1),
        (Raw(), (b"\x0a\x011", b"\x0a\x012\x0a\x013"), 3),
        (Time(), (b"\x08\x01\x10\x05", b"\x08\x02"), "1970-01-01T00:00:02Z"),
    ],
)
def test_a_value_that_is_a_message_is_merged_of_its_parts(kind, parts, value):
    sent = b"".join(sized(tag(1, LENGTH), part) for part in parts)
    assert decode_message(sent, one(kind)) == {"a": value}
    inner = Struct("Inner", Field(1, "a", kind))
    outer = Struct("Outer", Field(1, "at", inner), Field(2, "inlined", inner, inline=True))
    apart = b"".join(sized(tag(number, LENGTH), sized(tag(1, LENGTH), part)) for part in parts for number in (1, 2))
    assert decode_message(apart, outer) == {"at": {"a": value}, "a": value}


def test_a_message_in_very_many_parts_is_read_once():
    deep = Struct("Deep", Field(1, "a", Str()))
    sent = b"".join(sized(tag(1, LENGTH), sized(tag(1, LENGTH), str(number).encode())) for number in range(100_000))
    assert decode_message(sent, one(deep)) == {"a": {"a": "99999"}}


def test_packed_numbers_are_understood():
    assert decode_message(b"\x0a\x03\x01\xac\x02", one(List(Int()))) == {"a": [1, 300]}
    assert decode_message(b"\x0a\x10" + struct.pack("<dd", 1, 2), one(List(Float()))) == {"a": [1.0, 2.0]}


def test_unknown_fields_are_skipped():
    assert decode_message(b"\x08\x05\x10\x01\x1a\x01x\x21" + bytes(8) + b"\x2d" + bytes(4), one(Int())) == {"a": 5}


def test_missing_parts_of_map_entries_are_zero():
    assert decode_message(b"\x0a\x00\x0a\x03\x0a\x01k", one(Map(Int()))) == {"a": {"": 0, "k": 0}}


@pytest.mark.parametrize(
    ("message", "kind", "complaint"),
    [
        (b"\x0a\x05ab", Str(), "unexpected EOF"),
        (b"\x0a", Str(), "unexpected EOF"),
        (b"\x08\xff", Int(), "unexpected EOF"),
        (b"\x08" + b"\xff" * 11, Int(), "integer overflow"),
        (b"\x00\x01", Int(), "illegal tag 0"),
        (b"\x0b", Int(), "illegal wireType 3"),
        (b"\x08\x01", Str(), "wrong wireType"),
        (b"\x0a\x01x", Int(), "wrong wireType"),
        (b"\x0a\x03\x0a\x01{", Raw(), "json"),
        (b"\x0a\x0c\x08" + b"\xff" * 8 + b"\x7f\x10\x00", Time(), "beyond the year 9999"),
    ],
)
def test_what_is_no_message_is_refused(message, kind, complaint):
    with pytest.raises(StatusError, match=complaint) as refused:
        decode_message(message, one(kind))
    assert refused.value.code == 400


def test_messages_within_messages_without_end_are_refused():
    schema = WHOLE.field("spec").type.field("tree").type
    message = b""
    for _ in range(5000):
        message = sized(tag(3, LENGTH), message)
    with pytest.raises(StatusError, match="exceeded max depth"):
        decode_message(message, schema)


def test_the_envelope_says_what_it_holds():
    body = encode_envelope("apps/v1", "Deployment", b"\x08\x01")
    assert body == b"k8s\x00\x0a\x15\x0a\x07apps/v1\x12\x0aDeployment\x12\x02\x08\x01\x1a\x00\x22\x00"
    assert decode_envelope(body) == ("apps/v1", "Deployment", b"\x08\x01")


@pytest.mark.parametrize("body", [b"", b"k8s", b"k8s\x01\x0a\x00", b'{"kind":"Pod"}'])
def test_a_body_without_the_prefix_is_refused(body):
    with pytest.raises(StatusError, match=r"expected prefix \[107 56 115 0\]"):
        decode_envelope(body)


@given(WIDGETS)
def test_what_was_written_reads_as_it_was(sent):
    compiled = compile_struct(WHOLE)
    value = compiled.decode(sent)[0]
    again = compiled.decode(decode_message(encode_message(value, WHOLE), WHOLE))[0]
    assert again == without_what_messages_leave_out(value)


def without_what_messages_leave_out(value):
    """A widget without what stands in the envelope, and without the one list whose emptiness a message doesn't tell."""
    left = {name: item for name, item in value.items() if name not in {"kind", "apiVersion"}}
    if "spec" in left:
        left["spec"] = {name: item for name, item in left["spec"].items() if (name, item) != ("parts", [])}
    return left


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    try:
        decoded = decode_message(data, WHOLE)
    except StatusError as error:
        decoded = error.details or {}
    assert isinstance(decoded, dict)


def bodies(name):
    path = yardstick("vectors/roundtrip")
    return json.loads((path / f"{name}.json").read_text()), (path / f"{name}.pb").read_bytes()


@pytest.mark.parametrize("name", KNOWN)
def test_known_objects_are_the_same_both_ways(name):
    schema = Facts().struct(KNOWN[name])
    sent, body = bodies(name)
    envelope = decode_envelope(body)
    assert envelope[:2] == (sent["apiVersion"], sent["kind"])
    expected = {name: value for name, value in sent.items() if name not in {"kind", "apiVersion"}}
    assert decode_message(envelope.raw, schema) == expected
    assert encode_message(expected, schema) == envelope.raw
    assert encode_envelope(*envelope) == body
