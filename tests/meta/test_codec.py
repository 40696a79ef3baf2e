"""JSON and YAML at the door: what is read, what is refused, and how it is told."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim import limits
from svcsim.meta import codec
from svcsim.meta.errors import StatusError
from tests.yardsticks import yardstick

SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20)


@given(VALUES)
def test_json_comes_back_as_it_went(value):
    assert codec.decode_json(codec.encode(value)) == value


@given(VALUES)
def test_yaml_comes_back_as_it_went(value):
    documents = list(codec.decode_yaml_documents(codec.encode_yaml(value)))
    assert [document.value for document in documents] == ([] if value is None else [value])


@given(st.binary() | st.text(alphabet="{}[],:\"\\ab1 \n-&*!|>'#?<").map(str.encode))
def test_arbitrary_bytes_are_read_or_refused(body):
    """Never anything but a value or a StatusError."""
    for decode in (codec.decode_json, codec.decode_yaml):
        with contextlib.suppress(StatusError):
            decode(body)


@pytest.mark.parametrize("body", [b"", b"  ", b"{", b"{} {}", b'{"a":NaN}', b"\xff", b'{"a":1,}', b'"\\ud800"'])
def test_what_is_no_json_is_a_bad_request(body):
    with pytest.raises(StatusError) as told:
        codec.decode_json(body)
    assert told.value.code == 400
    assert "json parse error" in told.value.message


@pytest.mark.parametrize("levels", [limits.OBJECT_LEVELS + 1, 900, 10_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_refused(levels, opening, closing):
    inner = b"1"
    with pytest.raises(StatusError, match="exceeded max depth"):
        codec.decode_json(opening * levels + inner + closing * levels)
    with pytest.raises(StatusError, match="error converting YAML to JSON"):
        codec.decode_yaml(opening * levels + inner + closing * levels)


def test_what_is_let_in_can_be_encoded():
    body = b'{"a":[' * (limits.OBJECT_LEVELS // 2) + b'"]]}}{{"' + b"]}" * (limits.OBJECT_LEVELS // 2)
    value = codec.decode_json(body)
    assert codec.depth(value) == limits.OBJECT_LEVELS
    assert codec.encode({"type": "ADDED", "object": value})


def test_what_has_come_to_nest_too_deep_is_not_encoded():
    value = 0
    for _ in range(300):
        value = [value]
    with pytest.raises(StatusError, match="exceeded max depth"):
        codec.encode(value)


def test_what_contains_itself_is_not_encoded():
    value = {"list": [1]}
    value["list"] += [value, value["list"]]
    value["again"] = [value, value]
    with pytest.raises(StatusError, match="exceeded max depth"):
        codec.encode(value)


def test_json_can_be_printed_for_people():
    assert codec.encode_pretty({"a": [1]}) == b'{\n  "a": [\n    1\n  ]\n}'


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ('{"a":1,"b":{"a":2}}', []),
        ('{"a":1,"a":2}', ["a"]),
        ('{"spec":{"replicas":1,"x":0,"replicas":2}}', ["spec.replicas"]),
        ('{"spec":{"containers":[{"name":"a","name":"b"}]}}', ["spec.containers[0].name"]),
        ('{"a" :1,"b":1,"b":2}', ["b"]),
        ('{"a\\\\":1,"b":1,"b":2}', ["b"]),
        ('{"note":"{\\"a\\":1,\\"a\\":2}"}', []),
        ('{"note":"\\"a\\":1","b":1,"b":2}', ["b"]),
        ('{"a":{"x":1,"x":2},"a":3}', ["a.x", "a"]),
        ('[{"a":1,"a":2}]', ["[0].a"]),
        ('{"a":1,"a":"\\u003a"}', ["a"]),
        ('{"a":1,"a":"\\u003A"}', ["a"]),
        ('{"a:b":1,"a:b":"::"}', ["a:b"]),
        ('{"a":"\\\\u003a"}', []),
    ],
)
def test_duplicate_keys_are_told_by_path(body, paths):
    assert codec.duplicate_keys(body.encode(), codec.decode_json(body.encode())) == paths


@given(VALUES, st.sampled_from([None, (",", ":"), (" , ", " : ")]), st.booleans())
def test_what_has_no_duplicates_is_never_accused(value, separators, ascii_only):
    body = json.dumps(value, separators=separators, ensure_ascii=ascii_only).encode()
    assert codec.duplicate_keys(body, json.loads(body)) == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", ":", "\\u003a", '\\"', "\\\\"]), st.sampled_from(["1", '":"', '"\\u003A"', '{":":1}', "[]"])),
        max_size=5,
    ),
    st.sampled_from([":", " :", ": "]),
)
def test_a_key_that_stands_twice_is_always_found(pairs, colon):
    body = ("{" + ",".join(f'"{key}"{colon}{value}' for key, value in pairs) + "}").encode()
    keys = [json.loads(f'"{key}"') for key, _ in pairs]
    assert codec.duplicate_keys(body, codec.decode_json(body)) == list(
        dict.fromkeys(key for at, key in enumerate(keys) if key in keys[:at])
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes", True),
        ("a: off", False),
        ("a: ~", None),
        ("a:", None),
        ("a: 0x1F", 31),
        ("a: 010", 8),
        ("a: 1_000", 1000),
        ("a: 1.5", 1.5),
        ("a: 1e3", 1000.0),
        ("a: 1:30", "1:30"),
        ("a: 2024-01-01", "2024-01-01"),
        ("a: 2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("a: '1'", "1"),
        ("a: !!str 1", "1"),
        ("a: !!binary aGk=", "hi"),
        ("a: 08", 8.0),
        ("a: =", "="),
        ("a: 100m", "100m"),
    ],
)
def test_plain_scalars_are_read_as_yaml_1_1(text, value):
    read = codec.decode_yaml(text.encode())["a"]
    assert (read, type(read)) == (value, type(value))


def test_keys_become_strings():
    assert codec.decode_yaml(b"1: a\ntrue: b\n1.5: c\n") == {"1": "a", "true": "b", "1.5": "c"}


def test_merge_keys_give_what_the_map_lacks():
    assert codec.decode_yaml(b"base: &b {x: 1, z: 2}\nmine:\n  <<: *b\n  z: 3\n")["mine"] == {"z": 3, "x": 1}


def test_aliases_are_copies():
    value = codec.decode_yaml(b"a: &x [1]\nb: *x\n")
    value["b"].append(2)
    assert value == {"a": [1], "b": [1, 2]}


def test_an_alias_bomb_is_refused():
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    with pytest.raises(StatusError, match="excessive aliasing"):
        codec.decode_yaml("\n".join(lines).encode())


def test_an_alias_inside_of_its_anchor_is_refused():
    with pytest.raises(StatusError, match="contains itself"):
        codec.decode_yaml(b"a: &a [*a]")


def test_yaml_errors_name_the_line():
    with pytest.raises(StatusError, match=r"^error converting YAML to JSON: yaml: line 2: "):
        codec.decode_yaml(b"a: 1\nb: [1\n")


def test_yaml_tells_duplicates_by_line():
    value, duplicates = codec.decode_yaml_strict(b"a: 1\nb: 2\na: 3\n")
    assert value == {"a": 3, "b": 2}
    assert duplicates == ['line 3: key "a" already set in map']


def test_documents_come_with_the_line_they_begin_at():
    stream = b"---\nkind: A\n---\n# nothing here\n---\n\nkind: B\n...\n"
    assert [(d.value, d.line) for d in codec.decode_yaml_documents(stream)] == [({"kind": "A"}, 2), ({"kind": "B"}, 7)]


def test_a_body_with_two_documents_is_refused():
    with pytest.raises(StatusError, match="second at line 3"):
        codec.decode_yaml(b"a: 1\n---\nb: 1\n")


def test_yaml_is_printed_as_kubectl_prints_it():
    """The whole of the style in one object."""
    value = {
        "spec": {"list": ["a", {"b": 1, "a": [1, [2]]}], "empty": {}, "none": []},
        "metadata": {"name": "x", "labels": {"item10": "y", "item9": "n"}},
        "text": "one\ntwo\n",
        "open": "one\ntwo",
        "float": 0.5,
        "big": 1234567.5,
        "small": 0.00001,
        "null": None,
        "yes": True,
    }
    assert codec.encode_yaml(value).decode() == (
        "big: 1.2345675e+06\n"
        "float: 0.5\n"
        "metadata:\n"
        "  labels:\n"
        '    item9: "n"\n'
        '    item10: "y"\n'
        "  name: x\n"
        '"null": null\n'
        "open: |-\n"
        "  one\n"
        "  two\n"
        "small: 1e-05\n"
        "spec:\n"
        "  empty: {}\n"
        "  list:\n"
        "  - a\n"
        "  - a:\n"
        "    - 1\n"
        "    - - 2\n"
        "    b: 1\n"
        "  none: []\n"
        "text: |\n"
        "  one\n"
        "  two\n"
        '"yes": true\n'
    )


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", '""'),
        ("true", '"true"'),
        ("on", '"on"'),
        ("1", '"1"'),
        ("1.5", '"1.5"'),
        ("0x1F", '"0x1F"'),
        ("1e3", '"1e3"'),
        ("2024-01-01", '"2024-01-01"'),
        ("2024-01-01T00:00:00Z", '"2024-01-01T00:00:00Z"'),
        ("1:30", '"1:30"'),
        ("null", '"null"'),
        ("~", '"~"'),
        ("a: b", "'a: b'"),
        ("a #b", "'a #b'"),
        ("*a", "'*a'"),
        ("{a}", "'{a}'"),
        ("- a", "'- a'"),
        ("@a", "'@a'"),
        (" a", "' a'"),
        ("it's", "it's"),
        ("'a'", "'''a'''"),
        ("a:b", "a:b"),
        ("10.0.0.1", "10.0.0.1"),
        ("100m", "100m"),
        ("12:00x", "12:00x"),
        ("nginx:1.27", "nginx:1.27"),
        ("tab\there", '"tab\\there"'),
        ("é", "é"),
        ("-", "'-'"),
        ("...", "'...'"),
        ("=", "="),
    ],
)
def test_strings_are_quoted_only_where_needed(text, printed):
    assert codec.encode_yaml({"a": text}).decode() == f"a: {printed}\n"
    assert codec.decode_yaml(codec.encode_yaml({"a": text})) == {"a": text}


def test_long_strings_fold_at_eighty_columns():
    words = " ".join(["word"] * 20)
    assert codec.encode_yaml({"message": words}).decode() == f"message: {' '.join(['word'] * 15)}\n  {' '.join(['word'] * 5)}\n"


def test_objects_of_every_kind_survive_yaml():
    for path in sorted(yardstick("vectors/roundtrip").glob("*.json")):
        value = codec.decode_json(path.read_bytes())
        assert codec.decode_yaml(codec.encode_yaml(value)) == value, path.name


@pytest.mark.parametrize(
    ("item", "values"),
    [('"a"', 1), ('"[,{"', 1), (r'"\\\",["', 1), (r'"\\\\"', 1), (r'{"\\\\\",":"\\"}', 2), ("[]", 2), ('{"a":[1]}', 3)],
)
def test_values_are_counted_without_what_stands_in_strings(item, values, monkeypatch):
    monkeypatch.setattr(limits, "OBJECT_VALUES", 1_000)
    fits, too_many = 900 // values, 1_100 // values
    assert len(codec.decode_sent_json(b"[" + b",".join([item.encode()] * fits) + b" " * 2_000 + b"]")) == fits
    with pytest.raises(StatusError) as refused:
        codec.decode_sent_json(b"[" + b",".join([item.encode()] * too_many) + b" " * 2_000 + b"]")
    assert refused.value.code == 413
