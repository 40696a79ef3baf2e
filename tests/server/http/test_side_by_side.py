"""Many long lists and watches that begin at once: each turn of the event loop has a few of their slices, so that others get theirs."""

import asyncio
from collections.abc import Callable

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.http import Response
from svcsim.registry.watch_events import WatchEvent
from svcsim.storage import hub, scan, store
from svcsim.storage.reader import Reader
from svcsim.storage.scan import Scan
from tests.calls import calls
from tests.server.conftest import Server
from tests.server.http.test_http import MAPS
from tests.server.http.test_memory import Deaf, get, listening

CLIENTS = 30
OBJECTS = 120
SLICE = 30
INITIAL = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few objects are many slices."""
    monkeypatch.setattr(scan, "LIST_SLICE_RECORDS", SLICE)
    monkeypatch.setattr(store, "LIST_SLICE_RECORDS", SLICE)
    monkeypatch.setattr(scan, "LIST_SLICE_SCANNED", SLICE)
    monkeypatch.setattr(hub, "REPLAY_SLICE_RECORDS", SLICE)
    monkeypatch.setattr(limits, "CONVERTED_SLICE_RECORDS", SLICE)


async def filled(server: Server, path: str = MAPS, **fields: object) -> None:
    for number in range(OBJECTS):
        await server.create(path, f"n{number}", **fields)


async def most_a_turn(function: Callable, *tasks: asyncio.Task) -> int:
    """How often a function is called in one turn of the event loop, at the most, until these are done."""
    most = 0
    with calls(function) as found:
        while not all(task.done() for task in tasks):
            before = len(found)
            await turn()
            most = max(most, len(found) - before)
    for task in tasks:
        await task
    return most


async def begun(server: Server, path: str, accept: str = "") -> Response:
    answer = await server.ask("GET", path, accept=accept)
    assert answer.status == 200, answer.body
    return answer


async def read(answer: Response, events: int) -> None:
    """So many events of a watch."""
    seen = 0
    async for piece in answer.stream:
        seen += piece.count(b"\n")
        if seen >= events:
            break
    await answer.stream.aclose()


@pytest.mark.parametrize("query", [INITIAL, "watch=1", "labelSelector=a!=b", "fieldSelector=metadata.name!=a", "limit=119"])
async def test_those_who_list_read_a_few_slices_a_turn(server: Server, query: str) -> None:
    await filled(server)
    asking = [asyncio.create_task(begun(server, f"{MAPS}?{query}")) for _ in range(CLIENTS)]
    assert 0 < await most_a_turn(Scan.take, *asking) <= 2 * limits.READ_SLICES_A_TURN
    for task in asking:
        if (stream := task.result().stream) is not None:
            await stream.aclose()


async def test_those_whose_list_is_sent_while_it_is_read_read_a_few_slices_a_turn(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAMED_LIST_RECORDS", OBJECTS)
    await filled(server)

    async def listed() -> None:
        async for _ in (await begun(server, MAPS)).stream:
            pass

    tasks = [asyncio.create_task(listed()) for _ in range(CLIENTS)]
    assert 0 < await most_a_turn(Scan.take_bodies, *tasks) <= 2 * limits.READ_SLICES_A_TURN


async def test_those_who_catch_up_read_a_few_slices_of_history_a_turn(server: Server) -> None:
    since = server.core.store.revision
    await filled(server)
    answers = [await begun(server, f"{MAPS}?watch=1&resourceVersion={since}") for _ in range(CLIENTS)]
    tasks = [asyncio.create_task(read(answer, OBJECTS)) for answer in answers]
    assert 0 < await most_a_turn(Reader.events, *tasks) <= 2 * limits.READ_SLICES_A_TURN


@pytest.mark.parametrize("form", ["", ";as=Table;v=v1;g="])
async def test_watches_are_given_what_there_is_a_few_slices_a_turn(server: Server, form: str) -> None:
    await filled(server)
    accept = form and f"application/json{form}{server.dialect.group('meta')}"
    answers = [await begun(server, f"{MAPS}?{INITIAL}", accept) for _ in range(CLIENTS)]
    tasks = [asyncio.create_task(read(answer, OBJECTS)) for answer in answers]
    most = await most_a_turn(WatchEvent.of, *tasks)
    assert 0 < most <= 2 * limits.GIVEN_SLICES_A_TURN * SLICE


async def test_who_reads_nothing_keeps_no_place_from_who_does(server: Server) -> None:
    await filled(server, data={"x": "x" * 60_000})
    async with listening(server) as front:
        deaf = [Deaf(front, get(f"{MAPS}?{INITIAL}")) for _ in range(CLIENTS)]
        while sum(connection._writer.full for connection in front.front.connections) < CLIENTS:
            await turn()
        await read(await begun(server, f"{MAPS}?{INITIAL}"), OBJECTS)
        for client in deaf:
            client.close()
