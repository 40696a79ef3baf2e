"""The documents of a file as people keep them: YAML, or JSON objects one after the other.

Whoever writes JSON means JSON, and is told what is wrong with it as JSON: YAML would let a comma too many pass.
"""

import json
import re
from collections.abc import Iterator

from svcsim.meta.codec import decode_json, decode_yaml_documents
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.types import Json

_JSON = re.compile(rb'\s*\{\s*["}]')
"""How JSON begins. ``{kind: Pod}`` is YAML."""
_SPACE = re.compile(r"\s*")


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
        text = body.decode()
    except UnicodeDecodeError as error:
        raise bad_request(f"json: not UTF-8 at byte {error.start}") from error
    end = 0
    while (start := _behind_space(text, end)) < len(text):
        if text.startswith("---", start):
            yield from decode_documents(text[start:].encode())
            return
        end = _end_of_value(text, start)
        yield decode_json(text[start:end].encode())


def _behind_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _end_of_value(text: str, start: int) -> int:
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except json.JSONDecodeError as error:
        words = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise bad_request(f"json: line {error.lineno}, column {error.colno}: {words}") from None
    except RecursionError:
        return len(text)  # nests too deep, as decoding it will say
