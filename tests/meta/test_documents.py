"""Files hold YAML, or JSON objects one after the other; JSON is read as JSON alone."""

import pytest

from svcsim import limits
from svcsim.meta.documents import decode_documents
from svcsim.meta.errors import StatusError


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ('{"a":1}', [{"a": 1}]),
        ('{"a":1}\n{"b":2}{}\n', [{"a": 1}, {"b": 2}, {}]),
        ('\n {"a":1}\n---\nb: 2\n', [{"a": 1}, {"b": 2}]),
        ("{a: 1,}", [{"a": 1}]),
        ("", []),
    ],
)
def test_what_is_read(text, values):
    assert list(decode_documents(text.encode())) == values


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"a": 1,}', "json: offset 9: invalid character '}' looking for beginning of object key string"),
        (b'{"a": 1}\n{"b": 2,}', "json: offset 18: invalid character '}' looking for beginning of object key string"),
        (b'{"a": 1', "unexpected EOF"),
        (b'{"a": 1} x', "json: offset 10: invalid character 'x' looking for beginning of value"),
        (b'{"a": b}', "json: offset 7: invalid character 'b' looking for beginning of value"),
        (b'{"a": "\xff"}', "json: not UTF-8 at byte 7"),
        (b'{"a":' * 100_000, f"at most {limits.OBJECT_LEVELS} levels of nesting"),
    ],
)
def test_wrong_json_is_told_as_json(body, words):
    with pytest.raises(StatusError) as raised:
        list(decode_documents(body))
    assert words in raised.value.message
