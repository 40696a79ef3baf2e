"""The last requests, as they are kept to be shown."""

import json

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.http import Request
from svcsim.server.audit.recent import RecentRequests
from svcsim.server.pipeline import Observers
from tests.server.conftest import ADMIN, JANE, Server

OWN = "/svcsim/v1/audit"


@pytest.fixture
def recent(server: Server) -> RecentRequests:
    recent = RecentRequests(server.clock, OWN)
    server.pipeline.observers = Observers(recent=recent)
    return recent


async def shown(recent: RecentRequests, *, components: bool = False) -> list[dict]:
    (piece,) = [piece async for piece in recent.lines(components=components, follow=False)]
    head, *entries = map(json.loads, piece.splitlines())
    assert head == {"entries": len(entries)}
    return entries


async def test_a_request_is_told_with_who_what_and_why(server: Server, recent: RecentRequests) -> None:
    headers = {"authorization": "Bearer admin-token", "user-agent": "me/1"}
    await server.pipeline.handle(Request("GET", "/apis/apps/v1/namespaces/a/deployments/d/scale", "", headers, address="10.0.0.1"))
    (entry,) = await shown(recent)
    assert entry.pop("seconds") >= 0
    assert entry.pop("time").endswith("Z")
    assert entry == {
        "number": 1,
        "user": "admin",
        "knownBy": "static token",
        "verb": "get",
        "group": "apps",
        "resource": "deployments",
        "subresource": "scale",
        "namespace": "a",
        "name": "d",
        "path": "/apis/apps/v1/namespaces/a/deployments/d/scale",
        "code": entry["code"],
        "decision": "allow",
        "reason": "group system:masters",
        "address": "10.0.0.1",
        "agent": "me/1",
    }


async def test_refusals_say_why(server: Server, recent: RecentRequests) -> None:
    await server.ask("GET", "/api/v1/pods", user=JANE)
    await server.ask("GET", "/api/v1/pods", user=None, authorization="Bearer wrong")
    forbidden, unknown = await shown(recent)
    assert (forbidden["code"], forbidden["decision"], forbidden["user"]) == (403, "forbid", "jane")
    assert (unknown["code"], unknown["reason"], "user" in unknown) == (401, "Unauthorized", False)


async def test_components_are_apart_and_who_looks_isnt_shown(server: Server, recent: RecentRequests) -> None:
    await server.pipeline.handle(Request("GET", "/version", user=ADMIN, component=True))
    await server.ask("GET", OWN)
    await server.ask("GET", "/version")
    assert [entry["number"] for entry in await shown(recent)] == [3]
    assert [(entry["number"], entry.get("component", False)) for entry in await shown(recent, components=True)] == [(1, True), (3, False)]


async def test_no_more_is_kept_than_there_is_room_for(server: Server, recent: RecentRequests) -> None:
    for number in range(limits.RECENT_REQUESTS + 10):
        await server.ask("GET", "/version", user_agent=str(number))
    assert [entry["number"] for entry in await shown(recent)] == list(range(11, limits.RECENT_REQUESTS + 11))
    await server.ask("GET", f"/{'x' * 100_000}", user_agent="y" * 100_000)
    longest = (await shown(recent))[-1]
    assert len(longest["path"]) + len(longest["agent"]) < limits.RECENT_TEXT_CHARS


async def test_what_comes_is_followed(server: Server, recent: RecentRequests) -> None:
    lines = recent.lines(components=False, follow=True)
    assert json.loads(await anext(lines)) == {"entries": 0}
    await server.ask("GET", "/version")
    await turn()
    assert json.loads(await anext(lines))["path"] == "/version"
    await lines.aclose()
    assert not recent._followers
