"""Lists of resource types of servers that may be anybody's."""

import orjson
import pytest

from svcsim import limits
from svcsim.meta import resource_lists
from svcsim.meta.resource_lists import decode_entries
from svcsim.meta.types import Json

LONG = "x" * (limits.ASIDE_BYTES + 1)


def entry(number: int) -> Json:
    return {"name": f"things{number}", "kind": f"Ding\u00e9 {number}", "verbs": ["list"]}


def spelled(resources: Json, **others: Json) -> bytes:
    return orjson.dumps({"kind": "APIResourceList", "noise": LONG, "more": {"a": [1, "]}"]}, **others, "resources": resources})


@pytest.mark.parametrize("indented", [False, True])
def test_a_long_list_says_what_a_short_one_says(indented: bool):
    entries = [entry(number) for number in range(5)] + [{"name": "bars"}, None, 5]
    body = spelled(entries, after="x")
    if indented:
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2)
    read = decode_entries(body)
    assert read is not None
    assert (read.good, read.left_out, read.more) == (entries[:5], 3, False)
    assert decode_entries(body.replace(LONG.encode(), b"")) == read


def test_what_is_not_read_is_not_decoded(monkeypatch: pytest.MonkeyPatch):
    decoded: list[bytes] = []

    def counted(body: bytes) -> Json:
        decoded.append(body)
        return orjson.loads(body)

    monkeypatch.setattr(resource_lists, "decode_json", counted)
    monkeypatch.setattr(limits, "DISCOVERED_TYPES", 3)
    read = decode_entries(spelled([entry(number) for number in range(1000)]))
    assert read is not None
    assert (len(read.good), read.left_out, read.more) == (3, 0, True)
    assert max(map(len, decoded)) < 100, "no more than an entry at a time"
    assert len(decoded) == 4, "one more, to know that there are more"


def test_a_long_list_of_nothing_lists_nothing():
    for nothing in ([], None):
        read = decode_entries(spelled(nothing))
        assert read is not None
        assert read == ([], 0, False)
    read = decode_entries(orjson.dumps({"noise": LONG}))
    assert read == ([], 0, False)


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'"resources"',
        b"{",
        b'{"resources"',
        b'{"resources": [',
        b'{"resources": [{}',
        b'{"resources": [{}}',
        b'{"resources": 5}',
        b"{]",
        b"\xff",
    ],
)
@pytest.mark.parametrize("long", [False, True])
def test_what_is_no_list_is_none(body: bytes, long: bool):
    assert decode_entries(b" " * (limits.ASIDE_BYTES + 1) * long + body) is None


def test_what_nests_too_deep_is_none():
    for levels in (limits.OBJECT_LEVELS + 1, 100_000):
        deep = b'{"noise": "%b", "resources": [%b%b]}' % (LONG.encode(), b"[" * levels, b"]" * levels)
        assert decode_entries(deep) is None
