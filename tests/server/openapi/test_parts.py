"""A change of what is served costs what has changed: OpenAPI documents are put together of parts, and the others are kept."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

import pytest

from svcsim import limits
from svcsim.registry.kind import Group, Kind
from svcsim.schema.openapi import Schemas
from svcsim.schema.types import Field, Int, Str, Struct
from svcsim.server.openapi.media_types import PROTOBUF_TYPES
from svcsim.server.openapi.resource_paths import ResourcePaths
from tests.server.conftest import Server

RESOURCE, TYPE = ResourcePaths.__init__.__code__, Schemas.described.__code__
FORMS = {"v2": ("/openapi/v2", "*/*"), "protobuf": ("/openapi/v2", PROTOBUF_TYPES[1]), "v3": ("/openapi/v3/apis/acme.io/v1", "*/*")}


def thing(number: int, *more: Field, group: str = "acme.io") -> Kind:
    spec = Struct(f"Thing{number}Spec", Field(1, "size", Int()), *more)
    return Kind(Group(group, "v1"), f"things{number}", Struct(f"Thing{number}", Field(2, "spec", spec)))


@contextmanager
def described() -> Iterator[Counter[CodeType]]:
    """How many resource types and types are described meanwhile."""
    counted: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code in (RESOURCE, TYPE):
            counted[frame.f_code] += 1

    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("form", FORMS)
async def test_of_many_kinds_the_one_that_changed_is_described_anew(server: Server, form: str) -> None:
    path, accept = FORMS[form]
    things = [thing(number) for number in range(30)]
    server.scheme.serve(things)
    with described() as first:
        before = (await server.ask("GET", path, accept=accept)).body
    assert first[RESOURCE] >= 30

    server.scheme.replace((things[7],), (thing(7, Field(2, "colour", Str())),))
    with described() as then:
        after = (await server.ask("GET", path, accept=accept)).body
    # The object, the list of them, and what is wanted.
    assert (then[RESOURCE], then[TYPE]) == (1, 3)
    assert b"colour" in after
    assert b"colour" not in before

    server.scheme.replace((things[8],), ())
    with described() as at_last:
        without = (await server.ask("GET", path, accept=accept)).body
    assert not at_last
    assert b"Thing8" in after
    assert b"Thing8" not in without


@pytest.mark.parametrize("form", FORMS)
async def test_a_document_of_kept_parts_is_the_one_that_is_built_at_once(server: Server, form: str) -> None:
    path, accept = FORMS[form]
    things = [thing(number) for number in range(3)]
    server.scheme.serve((things[2], things[0]))
    at_once = (await server.ask("GET", path, accept=accept)).body
    server.scheme.serve((things[1],))
    assert (await server.ask("GET", path, accept=accept)).body != at_once
    server.scheme.replace((things[1],), ())
    assert (await server.ask("GET", path, accept=accept)).body == at_once


async def test_where_types_get_other_names_all_is_described_by_those(server: Server) -> None:
    """A list's type has the name that a kind takes later: then it has to be called otherwise."""
    server.scheme.serve((thing(1),))
    assert "io.acme.v1.Thing1List" in (await server.get("/openapi/v2"))["definitions"]
    taker = Kind(Group("acme.io", "v1"), "thing1lists", Struct("Thing1List", Field(2, "own", Str())))
    server.scheme.serve((taker,))
    document = await server.get("/openapi/v2")
    assert "own" in document["definitions"]["io.acme.v1.Thing1List"]["properties"]
    listed = document["paths"]["/apis/acme.io/v1/things1"]["get"]["responses"]["200"]["schema"]["$ref"]
    assert listed == "#/definitions/io.acme.v1.Thing1List2"
    assert "items" in document["definitions"]["io.acme.v1.Thing1List2"]["properties"]


async def test_what_there_is_no_room_for_is_described_again(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (await server.ask("GET", "/openapi/v2")).body
    monkeypatch.setattr(limits, "OPENAPI_PARTS_BYTES", 10_000)
    monkeypatch.setattr(limits, "OPENAPI_DOCUMENTS_BYTES", 10_000)
    things = [thing(number) for number in range(2)]
    for number in (0, 1):
        server.scheme.serve((things[number],))
        with described() as counted:
            document = await server.get("/openapi/v2")
        assert counted[RESOURCE] == number + 1
        assert [name for name in document["definitions"] if name.endswith("Spec") and "Thing" in name] == [
            f"io.acme.v1.Thing{one}Spec" for one in range(number + 1)
        ]
    await server.get("/openapi/v3")
    server.scheme.replace(things, ())
    with described() as counted:
        assert (await server.ask("GET", "/openapi/v2")).body == whole
    assert not counted, "what was kept before, is kept"
