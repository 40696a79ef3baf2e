"""Tokens of service accounts where no socket is: the same seed gives the same ones, and what comes of them is remembered within limits."""

import pytest

from svcsim import limits
from svcsim.auth import jws
from svcsim.auth.authentication import Identity
from svcsim.auth.signing_keys import derived_signing_key
from svcsim.dialect import DIALECTS
from svcsim.meta.http import Request
from svcsim.meta.types import Json, Object
from tests.registry.asking import Asking, asking

pytestmark = [pytest.mark.virtual_time, pytest.mark.parametrize("dialect", list(DIALECTS))]


async def token_of(asked: Asking, **spec: Json) -> str:
    accounts = asked.cluster.client("test").resource("v1", "serviceaccounts", "default")
    return (await accounts.create_subresource("default", "token", {"spec": spec}))["status"]["token"]


async def judged(asked: Asking, token: str) -> Object:
    reviews = asked.cluster.client("test").resource(f"{asked.cluster.dialect.group('authentication')}/v1", "tokenreviews")
    return (await reviews.create({"spec": {"token": token}}))["status"]


async def test_the_same_seed_gives_the_same_token(dialect: str):
    tokens = []
    for seed in (1, 1, 2):
        async with asking(dialect=dialect, seed=seed) as asked:
            await asked.sleep(1)
            tokens.append(await token_of(asked))
            assert (await judged(asked, tokens[-1]))["authenticated"] is True
    assert tokens[0] == tokens[1]
    assert tokens[0] != tokens[2]


async def test_a_token_of_another_cluster_is_none(dialect: str):
    async with asking(dialect=dialect, seed=2) as other:
        await other.sleep(1)
        token = await token_of(other)
    async with asking(dialect=dialect) as asked:
        assert (await judged(asked, token))["error"] == "[invalid bearer token, invalid signature]"


async def test_the_clusters_clock_says_when_a_token_ends(dialect: str):
    async with asking(dialect=dialect) as asked:
        await asked.sleep(1)
        token = await token_of(asked, expirationSeconds=600)
        await asked.sleep(655)
        assert "authenticated" in await judged(asked, token)
        await asked.sleep(10)
        assert (await judged(asked, token))["error"] == "[invalid bearer token, service account token has expired]"


async def test_a_pods_token_ends_with_its_time_to_end_in(dialect: str):
    async with asking(dialect=dialect) as asked:
        pods = asked.cluster.client("test").resource("v1", "pods", "default")
        hold = {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
        await pods.create(hold)
        token = await token_of(asked, boundObjectRef={"kind": "Pod", "apiVersion": "v1", "name": "a"})
        await pods.delete("a", grace_period_s=0)
        await asked.sleep(55)
        assert "authenticated" in await judged(asked, token)
        await asked.sleep(10)
        assert (await judged(asked, token))["error"] == "[invalid bearer token, service account token has been invalidated]"


async def test_a_token_that_should_have_been_replaced_is_noted(dialect: str):
    async with asking(dialect=dialect) as asked:
        pods = asked.cluster.client("test").resource("v1", "pods", "default")
        await pods.create({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a"}]}})
        token = await token_of(asked, boundObjectRef={"kind": "Pod", "apiVersion": "v1", "name": "a"}, expirationSeconds=3607)
        key = f"{asked.cluster.dialect.group('authentication')}/stale-token"
        assert (await identity(asked, token)).annotations == ()
        await asked.sleep(3700)
        noted = dict((await identity(asked, token)).annotations)[key]
        assert noted.startswith("subject: system:serviceaccount:default:default, seconds after warning threshold: 9")


async def identity(asked: Asking, token: str) -> Identity:
    request = Request("GET", "/", headers={"authorization": f"Bearer {token}"})
    return await asked.cluster.pipeline._deciders.authenticator.authenticate(request)


async def test_claims_that_make_no_sense_let_nobody_in(dialect: str):
    async with asking(dialect=dialect) as asked:
        await asked.sleep(1)
        good = jws.read(await token_of(asked))
        assert good is not None
        key, own = derived_signing_key(f"service accounts/{asked.cluster.seed}"), asked.cluster.dialect.domain
        wrong: list[Object] = [
            {own: None},
            {own: []},
            {own: {}},
            {own: {"namespace": "default", "serviceaccount": "default"}},
            {own: {"namespace": 5, "serviceaccount": {"name": "default", "uid": "x"}}},
            {own: {"namespace": "default", "serviceaccount": {"name": "default"}}},
            {own: {**good.claims[own], "pod": {"name": "none", "uid": "x"}}},
            {own: {**good.claims[own], "pod": []}},
            {own: {**good.claims[own], "warnafter": "soon"}},
            {"exp": None},
            {"exp": "never"},
            {"exp": True},
            {"nbf": good.claims["nbf"] + 3600},
            {"iat": good.claims["iat"] + 3600},
            {"aud": 5},
            {"aud": [5]},
            {"aud": ["somebody"]},
            {"sub": None},
            {"iss": f"{dialect}/serviceaccount"},
        ]
        for change in wrong:
            status = await judged(asked, key.sign({**good.claims, **change}))
            assert "authenticated" not in status, change
            assert status["error"].startswith("[invalid bearer token, "), change
        assert "authenticated" in await judged(asked, key.sign(good.claims))


async def test_no_more_tokens_are_remembered_than_the_limit_says(dialect: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "VERIFIED_TOKENS", 2)
    async with asking(dialect=dialect) as asked:
        await asked.sleep(1)
        tokens = [await token_of(asked) for _ in range(4)]
        for token in (*tokens, *tokens):
            assert "authenticated" in await judged(asked, token)
        assert (await judged(asked, "a.b.c"))["error"] == "invalid bearer token"
