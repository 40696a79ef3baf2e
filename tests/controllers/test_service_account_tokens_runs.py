"""Secrets with tokens of service accounts: filled, filled again, and gone with the account."""

import base64

import jwt
import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, running

pytestmark = [pytest.mark.virtual_time, pytest.mark.parametrize("dialect", list(DIALECTS))]


class Accounts:
    """The accounts and secrets of a namespace, and who changes them."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.accounts = run.client.resource("v1", "serviceaccounts", "default")
        self.secrets = run.client.resource("v1", "secrets", "default")

    async def account(self, name: str = "robot", **fields: Json) -> Object:
        return await self.accounts.create({"metadata": {"name": name}, **fields})

    async def token_secret(self, name: str = "t", account: str = "robot", **fields: Json) -> Object:
        key = self.run.dialect.key
        metadata = {"name": name, "annotations": {key("service-account.name"): account, **fields.pop("annotations", {})}}
        return await self.secrets.create({"metadata": metadata, "type": key("service-account-token"), **fields})

    async def filled(self, name: str = "t") -> Object:
        [found] = await self.run.until(lambda items: [one for one in items if held(one)], self.secrets)
        assert found["metadata"]["name"] == name
        return found


def held(secret: Object) -> str:
    return base64.b64decode((secret.get("data") or {}).get("token", "")).decode()


async def test_a_secret_is_filled(dialect: str):
    async with running(dialect=dialect) as run:
        given = Accounts(run)
        account = await given.account()
        await given.token_secret(data={"own": "eA=="})
        secret, key = await given.filled(), run.dialect.key
        assert secret["metadata"]["annotations"] == {
            key("service-account.name"): "robot",
            key("service-account.uid"): account["metadata"]["uid"],
        }
        assert list(secret["data"]) == ["own", "namespace", "token"]
        assert base64.b64decode(secret["data"]["namespace"]) == b"default"
        claims = jwt.decode(held(secret), options={"verify_signature": False})
        assert claims == {
            "iss": f"{dialect}/serviceaccount",
            "sub": "system:serviceaccount:default:robot",
            key("serviceaccount/namespace"): "default",
            key("serviceaccount/secret.name"): "t",
            key("serviceaccount/service-account.name"): "robot",
            key("serviceaccount/service-account.uid"): account["metadata"]["uid"],
        }


async def test_what_is_taken_out_is_filled_in_again(dialect: str):
    async with running(dialect=dialect) as run:
        given = Accounts(run)
        await given.account()
        await given.token_secret()
        before = await given.filled()
        await given.secrets.patch("t", {"data": {"token": None, "namespace": "eA=="}})
        after = await given.filled()
        assert after["data"] == before["data"], "the same is signed alike"


async def test_a_secret_goes_with_its_account(dialect: str):
    async with running(dialect=dialect) as run:
        given = Accounts(run)
        await given.account()
        await given.token_secret()
        await given.filled()
        await given.secrets.create({"metadata": {"name": "other"}})
        await given.accounts.delete("robot")
        [left] = await run.until(lambda items: len(items) == 1, given.secrets)
        assert left["metadata"]["name"] == "other"


async def test_a_secret_of_nobody_goes_at_once(dialect: str):
    async with running(dialect=dialect) as run:
        given = Accounts(run)
        await given.token_secret(account="none")
        await run.until(lambda items: not items, given.secrets)
        await given.account()
        await given.token_secret(annotations={run.dialect.key("service-account.uid"): "another's"})
        await run.until(lambda items: not items, given.secrets)


async def test_an_account_lists_no_secret_that_is_gone(dialect: str):
    async with running(dialect=dialect) as run:
        given = Accounts(run)
        await given.account(secrets=[{"name": "t"}, {"name": "own"}])
        await given.token_secret()
        await given.filled()
        await given.secrets.delete("t")
        await run.until(lambda items: any(one.get("secrets") == [{"name": "own"}] for one in items), given.accounts)


async def test_a_secret_that_may_not_change_is_left_alone(dialect: str):
    async with running(dialect=dialect) as run:
        given = Accounts(run)
        await given.account()
        made = await given.token_secret(immutable=True)
        await run.clock.sleep(60)
        assert await given.secrets.get("t") == made


async def test_an_account_that_has_a_token_and_is_not_there_is_no_account(dialect: str):
    async with running(dialect=dialect) as run:
        with pytest.raises(StatusError, match="not found"):
            await run.client.resource("v1", "serviceaccounts", "default").create_subresource("none", "token", {"spec": {}})
