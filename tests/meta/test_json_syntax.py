"""What is told of text that is no JSON: Go's words, and the byte. Each of these texts and answers is kubectl's own."""

import json

import pytest

from svcsim import limits
from svcsim.meta.json_syntax import JsonSyntaxError, end_of_value, wrong_with

WRONG = [
    ('{"a" 1}', "invalid character '1' after object key", 6),
    ('{"a":1 "b":2}', "invalid character '\"' after object key:value pair", 8),
    ('{"a":tru}', "invalid character '}' in literal true (expecting 'e')", 9),
    ('{"a":nulL}', "invalid character 'L' in literal null (expecting 'l')", 9),
    ('{"a":1.}', "invalid character '}' after decimal point in numeric literal", 8),
    ('{"a":1e}', "invalid character '}' in exponent of numeric literal", 8),
    ('{"a":1e+}', "invalid character '}' in exponent of numeric literal", 9),
    ('{"a":-}', "invalid character '}' in numeric literal", 7),
    ('{"a":01}', "invalid character '1' after object key:value pair", 7),
    ('{"a":"x\n', "invalid character '\\n' in string literal", 8),
    ('{"a":"\\q"}', "invalid character 'q' in string escape code", 8),
    ('{"a":"\\u00g0"}', "invalid character 'g' in \\u hexadecimal character escape", 11),
    ('{"a":[1 2]}', "invalid character '2' after array element", 9),
    ('{"a":[1,]}', "invalid character ']' looking for beginning of value", 9),
    ('{"a":}', "invalid character '}' looking for beginning of value", 6),
    ("{1:2}", "invalid character '1' looking for beginning of object key string", 2),
    ('{"a":1,}', "invalid character '}' looking for beginning of object key string", 8),
    ("{'a':1}", "invalid character '\\'' looking for beginning of object key string", 2),
    ('{"a":1\x01}', "invalid character '\\x01' after object key:value pair", 7),
    ('{"a":1ä}', "invalid character 'Ã' after object key:value pair", 7),
    ('{"a":1\x7f}', "invalid character '\\x7f' after object key:value pair", 7),
    ('{"a":1\u0085}', "invalid character 'Â' after object key:value pair", 7),
]


@pytest.mark.parametrize(("text", "words", "offset"), WRONG)
def test_what_is_wrong_and_where(text, words, offset):
    with pytest.raises(JsonSyntaxError) as raised:
        end_of_value(text.encode(), 0)
    assert (str(raised.value), raised.value.offset) == (words, offset)


@pytest.mark.parametrize("text", ["{", '{"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":[', '{"a":t', '{"a":-', '{"a":"\\', '{"a":"\\u1'])
def test_what_ends_too_early(text):
    with pytest.raises(JsonSyntaxError, match=r"^unexpected EOF$") as raised:
        end_of_value(text.encode(), 0)
    assert raised.value.offset is None


@pytest.mark.parametrize(
    "value",
    [{}, [], {"a": {}, "b": [[], {}, [1, -2.5e-3, 0, 1e9]], "c": '"\\/\b\u20ac\x7f'}, None, True, False, -0.5, "", [[[[{"a": [1]}]]]]],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_what_is_json_is_read_to_its_end(value, indent):
    text = json.dumps(value, indent=indent).encode()
    assert end_of_value(text + b" {", 0) == len(text)
    assert end_of_value(b"[1] " + text, 4) == len(text) + 4


def test_it_nests_no_deeper_than_objects_may():
    most = b"[" * limits.OBJECT_LEVELS + b"]" * limits.OBJECT_LEVELS
    assert end_of_value(most, 0) == len(most)
    with pytest.raises(JsonSyntaxError, match="exceeded max depth") as raised:
        end_of_value(b"[" + most + b"]", 0)
    assert raised.value.offset == limits.OBJECT_LEVELS + 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1} ', ""),
        ("nope", "invalid character 'o' in literal null (expecting 'u')"),
        ("", "unexpected end of JSON input"),
        ('[{"key": ', "unexpected end of JSON input"),
        ("[] x", "invalid character 'x' after top-level value"),
    ],
)
def test_what_is_wrong_with_a_text_that_should_be_one_value(text: str, words: str):
    assert wrong_with(text.encode()) == words
