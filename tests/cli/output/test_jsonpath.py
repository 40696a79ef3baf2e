"""JSONPath templates."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.cli.output.jsonpath import JsonPathError, find, parse, relaxed, render

OBJECT = {
    "kind": "List",
    "items": [
        {"kind": "Node", "name": "one", "cpu": 4, "labels": {"a.b/c": "x", "plain": "y"}, "ready": True, "addresses": [1, 2, 3, 4]},
        {"kind": "Node", "name": "two", "cpu": 12, "labels": {"plain": "z"}, "ready": False, "addresses": [5]},
        {"kind": "Other", "name": "three", "nothing": None},
    ],
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain text", "plain text"),
        ("kind is {.kind}", "kind is List"),
        ("kind is {@.kind}", "kind is List"),
        ("{.items[0].name}", "one"),
        ("{.items[-1].name}", "three"),
        ("{.items[*].name}", "one two three"),
        ("{.items[0:2].name}", "one two"),
        ("{.items[1:].name}", "two three"),
        ("{.items[:1].name}", "one"),
        ("{.items[-2:].name}", "two three"),
        ("{.items[0].addresses[::2]}", "1 3"),
        ("{.items[0].addresses[0:4:3]}", "1 4"),
        ("{.items[0,2].name}", "one three"),
        ("{.items[0]['name', 'kind']}", "one Node"),
        ("{.items[0].labels.plain}", "y"),
        ("{.items[0].labels.a\\.b/c}", "x"),
        ("{.items[0].labels['a\\.b/c']}", "x"),
        ("{.items[0]['name']}", "one"),
        ("{.items[?(@.kind=='Node')].name}", "one two"),
        ('{.items[?(@.kind=="Other")].name}', "three"),
        ("{.items[?(@.cpu>4)].name}", "two"),
        ("{.items[?(@.cpu>=4)].name}", "one two"),
        ("{.items[?(@.cpu!=4)].name}", "two"),
        ("{.items[?(@.ready==true)].name}", "one"),
        ("{.items[?(@.labels)].name}", "one two"),
        ("{..plain}", "y z"),
        ("{.items[0].labels}", '{"a.b/c":"x","plain":"y"}'),
        ("{.items[1].addresses}", "[5]"),
        ("{.items[2].nothing}", "<nil>"),
        ("{.missing.field}", ""),
        ('{range .items[*]}{.name}{"\\t"}{.cpu}{"\\n"}{end}', "one\t4\ntwo\t12\nthree\t\n"),
        ("{range .items[0:2]}[{range .addresses[*]}<{@}>{end}]{end}", "[<1><2><3><4>][<5>]"),
        ("{range .missing[*]}never{end}end", "end"),
        ("{'quoted'}", "quoted"),
        ("{.items[0].ready}", "true"),
        ("{.items[0].*}", None),
    ],
)
def test_a_template_prints_what_it_finds(template, text):
    result = render(parse(template), OBJECT)
    if text is not None:
        assert result == text


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{.kind", "unclosed action"),
        ("{.items[0}", "unterminated array"),
        ("{range .items[*]}", "unterminated range"),
        ("{end}", "not in range, nothing to end"),
        ("{.items[x]}", "invalid array index x"),
        ("{.items[?(@.a==1]}", "unterminated filter"),
        ("{'open}", "unterminated quoted string"),
        ("{word}", "unrecognized identifier word"),
        ("{#}", "unrecognized character in action: U+0023 '#'"),
    ],
)
def test_a_template_that_cannot_be_read_is_told(template, message):
    with pytest.raises(JsonPathError) as error:
        parse(template)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{.items[9]}", "array index out of bounds: index 9, length 3"),
        ("{.items[0:9]}", "array index out of bounds: index 8, length 3"),
        ("{.kind[0]}", "string is not array or slice"),
        ("{.items[?(@.cpu=='four')]}", "incompatible types for comparison"),
        ("{.items[0].addresses[0:4:0]}", "step must be > 0"),
    ],
)
def test_a_template_that_does_not_fit_the_object_is_told(template, message):
    with pytest.raises(JsonPathError) as error:
        render(parse(template), OBJECT)
    assert str(error.value) == message


@pytest.mark.parametrize("bare", ["metadata.name", ".metadata.name", "{metadata.name}", "{.metadata.name}"])
def test_a_bare_path_is_an_expression(bare):
    assert relaxed(bare) == "{.metadata.name}"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.lists(st.sampled_from(["a", "b", "c"]), max_size=4))
def test_a_path_of_keys_finds_what_walking_finds(value, keys):
    expected = [value]
    for key in keys:
        expected = [item[key] for item in expected if isinstance(item, dict) and key in item]
    template = parse("{" + "".join(f".{key}" for key in keys) + "}")
    assert find(template[0], value) == expected


@given(st.lists(st.integers(), min_size=1, max_size=9), st.integers(-9, 9))
def test_an_index_finds_what_pythons_finds(items, index):
    template = parse(f"{{.x[{index}]}}")
    if -len(items) <= index < len(items):
        assert render(template, {"x": items}) == str(items[index])
    else:
        with pytest.raises(JsonPathError):
            render(template, {"x": items})


@given(JSON)
def test_a_map_or_list_is_printed_as_json(value):
    text = render(parse("{.x}"), {"x": value})
    if isinstance(value, dict | list):
        assert json.loads(text) == value


@given(st.text("{}[].,:'\"?()@$*ab01 ", max_size=20))
def test_any_text_is_a_template_or_told_to_be_none(text):
    with contextlib.suppress(JsonPathError):
        render(parse(text), OBJECT)
