"""The seat of audit in the pipeline: what events tell of requests that end in unusual ways."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from svcsim.chance import Chance
from svcsim.clock import turn
from svcsim.meta.errors import too_many_requests
from svcsim.meta.http import Request, Response, end_stream
from svcsim.meta.incidents import Incidents
from svcsim.server.audit.auditing import Auditing
from svcsim.server.audit.counted import AuditCounted
from svcsim.server.audit.delivery import BackendError, Delivery, DeliveryOptions
from svcsim.server.audit.event import AuditEvent
from svcsim.server.audit.policy import Level, Policy, Recording, Rule
from svcsim.server.pipeline import Observers
from tests.server.conftest import JANE, Server

# The fixture `server` is that of the whole room.
PODS = "/api/v1/namespaces/default/pods"


class Kept:
    """A backend that keeps events, and refuses them while it is told to."""

    name = "log"

    def __init__(self) -> None:
        self.events: list[dict] = []
        self.full = False

    def form(self, event: AuditEvent) -> bytes:
        return event.body

    async def write(self, batch: list[bytes]) -> None:
        if self.full:
            raise BackendError("no room")
        self.events += [json.loads(body) for body in batch]


@pytest.fixture
async def kept(server: Server) -> AsyncIterator[Kept]:
    """What is kept of requests to the server, at the highest level; they wait for it, and are refused where it can't be."""
    backend, counted = Kept(), AuditCounted()
    delivery = Delivery(backend, DeliveryOptions("blocking-strict", 100, 100, 0.0), counted, Incidents(Chance(1)), "truncated")
    policy = Policy((Rule(Recording(Level.REQUEST_RESPONSE)),))
    auditing = Auditing(policy, (delivery,), server.scheme, server.clock, Chance(1), counted)
    server.pipeline.observers = Observers(audit=auditing)
    auditing.start()
    yield backend
    await auditing.stop()


def stages(kept: Kept) -> list[tuple[str, int]]:
    return [(event["stage"], event.get("responseStatus", {}).get("code", 0)) for event in kept.events]


async def test_a_panic_is_a_stage_of_its_own_and_tells_no_more_than_the_incident(
    server: Server, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise KeyError("a secret")

    monkeypatch.setattr(type(server.pipeline), "_answer", broken)
    response = await server.ask("GET", PODS)
    assert response.status == 500
    assert stages(kept) == [("RequestReceived", 0), ("Panic", 500)]
    status = kept.events[-1]["responseStatus"]
    assert (status["reason"], status["message"].startswith("APIServer panic'd: ")) == ("InternalError", True)
    assert "a secret" not in json.dumps(kept.events)


async def test_too_many_requests_are_told(server: Server, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_info: object) -> int:
        raise too_many_requests("later")

    monkeypatch.setattr(server.pipeline._in_flight, "enter", full)
    assert (await server.ask("GET", PODS)).status == 429
    assert stages(kept) == [("RequestReceived", 0), ("ResponseComplete", 429)]
    assert "annotations" not in kept.events[-1], "nobody had decided yet"


async def test_a_refused_request_has_the_decision_and_the_answer(server: Server, kept: Kept) -> None:
    assert (await server.ask("GET", PODS, user=JANE)).status == 403
    complete = kept.events[-1]
    domain = server.dialect.group("authorization")
    assert complete["annotations"] == {f"{domain}/decision": "forbid", f"{domain}/reason": ""}
    assert complete["responseObject"]["reason"] == "Forbidden"


async def test_what_cant_be_kept_isnt_done_in_strict_mode(server: Server, kept: Kept) -> None:
    kept.full = True
    response = await server.ask("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "never"}})
    assert response.status == 500
    assert "failed to store audit event" in json.loads(response.body)["message"]
    kept.full = False
    assert (await server.ask("GET", "/api/v1/namespaces/default/configmaps/never")).status == 404


async def test_a_stream_that_nobody_begins_to_read_is_over_all_the_same(server: Server, kept: Kept) -> None:
    for accept in ("application/json", "application/yaml"):
        response = await server.ask("GET", f"{PODS}?watch=1&resourceVersion=1", accept=accept)
        assert stages(kept)[-1] == ("ResponseStarted", 200)
        await end_stream(response.stream)
        await settled(kept, "ResponseComplete")


async def test_answers_in_pieces_are_told_whole_where_they_are_short_enough(server: Server, kept: Kept) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"a":'
        yield b"1}"

    async def answer(*_: object) -> Response:
        return Response(200, stream=pieces())

    server.pipeline._answer = answer
    response = await server.ask("GET", PODS)
    assert b"".join([piece async for piece in response.stream]) == b'{"a":1}'
    await settled(kept, "ResponseComplete")
    assert kept.events[-1]["responseObject"] == {"a": 1}


async def test_an_answer_that_is_kept_for_others_is_left_as_it_is(server: Server, kept: Kept) -> None:
    first, second = [await server.ask("GET", "/version", audit_id=audit_id) for audit_id in ("one", "two")]
    assert (first.headers["Audit-Id"], second.headers["Audit-Id"]) == ("one", "two")


async def test_what_admission_notes_stands_beside_the_event(server: Server, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = type(server.pipeline._services.registry)
    really = registry.create

    async def noting(self: object, target: object, obj: object, caller: object, options: object) -> object:
        caller.audit_annotations["policy.example.com/found"] = "something"
        return await really(self, target, obj, caller, options)

    monkeypatch.setattr(registry, "create", noting)
    await server.ask("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "noted"}})
    assert kept.events[-1]["annotations"]["policy.example.com/found"] == "something"


async def test_protobuf_is_told_as_json(server: Server, kept: Kept) -> None:
    await server.create("/api/v1/namespaces/default/configmaps", "a")
    await server.ask("GET", "/api/v1/namespaces/default/configmaps/a", accept=server.dialect.protobuf_media_type)
    assert kept.events[-1]["responseObject"]["metadata"]["name"] == "a"


async def settled(kept: Kept, stage: str) -> None:
    for _ in range(100):
        if kept.events and kept.events[-1]["stage"] == stage:
            return
        await turn()
    raise AssertionError(kept.events)


async def test_bodies_that_are_no_objects_are_not_told(server: Server, kept: Kept) -> None:
    response = await server.pipeline.handle(Request("POST", "/api/v1/namespaces/default/configmaps", "", {}, b"{no json", JANE))
    assert response.status == 403
    assert "requestObject" not in kept.events[-1]
    await asyncio.gather(*[server.ask("POST", "/api/v1/namespaces/default/configmaps", body) for body in (b"{", b"[1]", b"\xff")])
    assert [event["responseStatus"]["code"] for event in kept.events if event["stage"] == "ResponseComplete"] == [403, 400, 400, 400]
