"""Long lists that are made of objects: what is made is encoded at once, and never all there together."""

from weakref import WeakSet

import orjson
import pytest

from svcsim import limits
from svcsim.meta.types import Object
from svcsim.server.content.table import TableView
from svcsim.server.verbs import answers
from tests.server.conftest import Server

PATH = "/api/v1/namespaces/default/configmaps"


class Made(dict[str, object]):
    """One that can be counted."""

    __hash__ = object.__hash__


@pytest.mark.parametrize("form", ["Table", "PartialObjectMetadataList"])
async def test_what_is_made_of_long_lists_is_encoded_part_by_part(server: Server, monkeypatch: pytest.MonkeyPatch, form: str):
    for number in range(12):
        await server.ask("POST", PATH, {"metadata": {"name": f"c{number:02}"}, "data": {"a": "b"}})
    accept = f"application/json;as={form};v=v1;g={server.dialect.group('meta')}"
    pretty = orjson.loads((await server.ask("GET", f"{PATH}?pretty=true", accept=accept)).body)
    alive: WeakSet[Made] = WeakSet()
    most = 0

    def counted(made: Object) -> Made:
        nonlocal most
        one = Made(made)
        alive.add(one)
        most = max(most, len(alive))
        return one

    row, partial = TableView.row, answers.partial_object
    monkeypatch.setattr(limits, "CONVERTED_SLICE_RECORDS", 3)
    monkeypatch.setattr(TableView, "row", lambda view, obj: counted(row(view, obj)))
    monkeypatch.setattr(answers, "partial_object", lambda *given: counted(partial(*given)))
    plain = await server.ask("GET", PATH, accept=accept)
    assert orjson.loads(plain.body) == pretty
    assert len(pretty["rows" if form == "Table" else "items"]) == 12
    assert plain.body.endswith(b"}\n")
    assert 0 < most <= 2


async def test_a_table_of_nothing_is_one(server: Server):
    accept = f"application/json;as=Table;v=v1;g={server.dialect.group('meta')}"
    assert orjson.loads((await server.ask("GET", PATH, accept=accept)).body)["rows"] == []
