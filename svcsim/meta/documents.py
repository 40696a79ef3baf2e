"""The documents of a file as people keep them: YAML, or JSON objects one after the other.

A file in JSON is parsed as JSON, and errors are reported for JSON: YAML would accept a superfluous comma.
"""

import re
from collections.abc import Iterator

from svcsim.meta.codec import decode_json, decode_yaml_documents
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.json_syntax import JsonSyntaxError, end_of_value
from svcsim.meta.types import Json

_JSON = re.compile(rb'\s*\{\s*["}]')
"""How JSON begins. ``{kind: Pod}`` is YAML."""
_SPACE = re.compile(rb"\s*")


def decode_documents(body: bytes) -> Iterator[Json]:
    """The values of all documents, empty ones left out. Raises a 400 at the first that can't be read."""
    if not _JSON.match(body):
        yield from (document.value for document in decode_yaml_documents(body))
        return
    try:
        yield decode_json(body)
    except StatusError:
        yield from _one_after_the_other(body)


def _one_after_the_other(body: bytes) -> Iterator[Json]:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise bad_request(f"json: not UTF-8 at byte {error.start}") from error
    end = 0
    while (start := _behind_space(body, end)) < len(body):
        if body.startswith(b"---", start):
            yield from decode_documents(body[start:])
            return
        end = _end_of_value(body, start)
        yield decode_json(body[start:end])


def _behind_space(body: bytes, position: int) -> int:
    found = _SPACE.match(body, position)
    return found.end() if found else position


def _end_of_value(body: bytes, start: int) -> int:
    try:
        return end_of_value(body, start)
    except JsonSyntaxError as error:
        raise bad_request(str(error) if error.offset is None else f"json: offset {error.offset}: {error}") from None
