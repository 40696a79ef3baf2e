"""How answers of webhooks are remembered, and what is not: against a real server, on a clock of the test's own."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from svcsim import limits
from svcsim.auth.authentication import Identity, Rejected
from svcsim.auth.webhook.decisions import Decisions, Kept
from svcsim.auth.webhook.reviewer import Reviewer, WebhookError
from svcsim.auth.webhook.token_webhook import TokenWebhook
from svcsim.clock import Clock, turn
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import Remote, Trust
from svcsim.outbound.services import Services
from svcsim.rest import Work
from svcsim.wall import stopwatch
from tests.outbound.tls import Authority, listening

AUTHORITY = Authority()
API = ("https://api",)


class NoServices:
    def get(self, _namespace, _name):
        return None


async def no_slices(_namespace, _name):
    return []


@asynccontextmanager
async def webhook(tmp_path, handler, deadline_s=5.0, ttl_s=60.0):
    """A token webhook that asks a server which answers by ``handler``."""
    out = Outbound(Services(NoServices(), no_slices), Work())
    context = AUTHORITY.server_context(tmp_path, "127.0.0.1")
    try:
        async with listening(handler, context) as port:
            remote = Remote("token-webhook", f"https://127.0.0.1:{port}", trust=Trust(AUTHORITY.pem))
            reviewer = Reviewer(out, remote, "authentication.k8s.io/v1", "TokenReview", deadline_s)
            yield TokenWebhook(reviewer, Clock(), API, ttl_s)
    finally:
        await out.close()


async def alice(request):
    review = await request.json()
    return web.json_response({**review, "status": {"authenticated": True, "user": {"username": "alice"}}})


async def test_who_takes_too_long_is_given_up_on(tmp_path):
    async def never(_request):
        await asyncio.Event().wait()

    async with webhook(tmp_path, never, deadline_s=0.3) as asked:
        began = stopwatch()
        answer = await asked.authenticate_token("secret-7", API)
        assert isinstance(answer, Rejected)
        assert answer.told == ""
        assert "context deadline exceeded" in answer.reason
        assert stopwatch() - began < 3


async def test_who_keeps_failing_is_asked_a_few_times_within_the_deadline(tmp_path):
    calls = []

    async def failing(request):
        calls.append(await request.json())
        return web.Response(status=500, text="no: " + calls[-1]["spec"]["token"])

    async with webhook(tmp_path, failing, deadline_s=1.6) as asked:
        answer = await asked.authenticate_token("secret-7", API)
        assert len(calls) == 3
        assert "secret-7" not in answer.reason
        assert "…" in answer.reason


async def test_one_who_hangs_up_takes_the_answer_from_nobody_else(tmp_path):
    let_go = asyncio.Event()
    calls = []

    async def slow(request):
        calls.append(1)
        await let_go.wait()
        return await alice(request)

    async with webhook(tmp_path, slow) as asked:
        first = asyncio.create_task(asked.authenticate_token("t", API))
        second = asyncio.create_task(asked.authenticate_token("t", API))
        while not calls:
            await turn()
        first.cancel()
        let_go.set()
        answer = await second
        assert isinstance(answer, Identity)
        assert answer.user.name == "alice"
        assert calls == [1]


async def test_without_a_time_to_keep_them_decisions_are_not_kept(tmp_path):
    calls = []

    async def counting(request):
        calls.append(json.loads(await request.text()))
        return await alice(request)

    async with webhook(tmp_path, counting, ttl_s=0) as asked:
        for _ in range(3):
            assert isinstance(await asked.authenticate_token("t", API), Identity)
        assert len(calls) == 3


async def test_the_same_token_for_other_audiences_is_another_question(tmp_path):
    async with webhook(tmp_path, alice) as asked:
        assert isinstance(await asked.authenticate_token("t", API), Identity)
        assert isinstance(await asked.authenticate_token("t", ("vault",)), Rejected)


async def test_a_token_that_is_no_text_is_refused(tmp_path):
    async with webhook(tmp_path, alice) as asked:
        assert isinstance(await asked.authenticate_token("\udcff", API), Rejected)


async def test_no_more_is_remembered_than_may_be(monkeypatch):
    monkeypatch.setattr(limits, "WEBHOOK_DECISIONS", 3)
    monkeypatch.setattr(limits, "WEBHOOK_DECISIONS_BYTES", 100)
    decisions, asked = Decisions(Clock()), []

    async def decide(name, size_bytes=1):
        async def ask():
            asked.append(name)
            return Kept(name, 60.0, size_bytes)

        return await decisions.decided(name.encode(), ask)

    for name in ("a", "b", "c", "d", "d", "a"):
        assert await decide(name) == name
    assert asked == ["a", "b", "c", "d", "a"], "the oldest gives way"
    asked.clear()
    await decide("long", 99)
    await decide("a")
    assert asked == ["long"]
    await decide("d")
    assert asked == ["long", "d"]


async def test_only_so_many_wait_for_a_webhook(monkeypatch):
    monkeypatch.setattr(limits, "WEBHOOK_REVIEWS_UNDER_WAY", 1)
    decisions, let_go = Decisions(Clock()), asyncio.Event()

    async def ask():
        await let_go.wait()
        return Kept("yes", 60.0, 1)

    first = asyncio.create_task(decisions.decided(b"1", ask))
    await turn()
    with pytest.raises(WebhookError, match="too many questions"):
        await decisions.decided(b"2", ask)
    let_go.set()
    assert await first == "yes"
