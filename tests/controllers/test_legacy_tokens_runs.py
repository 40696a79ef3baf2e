"""Tokens in Secrets that nobody uses: marked as invalid after a year, deleted after another."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, running
from tests.virtual import START_S

pytestmark = [pytest.mark.virtual_time, pytest.mark.parametrize("dialect", list(DIALECTS))]

DAY_S = 86_400.0
FIRST_DAY = "2026-01-01"


class Tokens:
    """Secrets with tokens of one account that lists some of them."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.accounts = run.client.resource("v1", "serviceaccounts", "default")
        self.secrets = run.client.resource("v1", "secrets", "default")
        self.notes = run.client.resource("v1", "configmaps", run.dialect.system_namespace)
        self.last_used = run.dialect.key("legacy-token-last-used")
        self.invalid_since = run.dialect.key("legacy-token-invalid-since")

    async def made(self, *names: str, listed: tuple[str, ...] = (), labels: Object | None = None) -> None:
        key = self.run.dialect.key
        await self.accounts.create({"metadata": {"name": "robot"}, "secrets": [{"name": name} for name in listed]})
        for name in names:
            metadata = {"name": name, "annotations": {key("service-account.name"): "robot"}, "labels": labels or {}}
            await self.secrets.create({"metadata": metadata, "type": key("service-account-token")})

    async def invalid(self) -> dict[str, Json]:
        """The Secrets that are there, and since when they are marked."""
        found = await self.secrets.list_all()
        return {one["metadata"]["name"]: (one["metadata"].get("labels") or {}).get(self.invalid_since) for one in found}

    async def noted(self) -> Object:
        data: Object = (await self.notes.get(self.run.dialect.token_tracking_config_map))["data"]
        return data


async def test_it_is_noted_since_when_use_is_noted(dialect: str):
    async with running(dialect=dialect, nodes=0) as run:
        tokens = Tokens(run)
        await run.clock.sleep(1)
        assert await tokens.noted() == {"since": FIRST_DAY}


@pytest.mark.parametrize("nonsense", ["", "yesterday", "2026-02-30", "2026-1-1", "2026-01-01T00:00:00Z"])
async def test_a_note_that_says_no_day_is_mended(dialect: str, nonsense: str):
    async with running(dialect=dialect, nodes=0) as run:
        tokens, name = Tokens(run), run.dialect.token_tracking_config_map
        await run.clock.sleep(2 * DAY_S)
        await tokens.notes.patch(name, {"data": {"since": nonsense, "mine": "x"}})
        await run.clock.sleep(1)
        assert await tokens.noted() == {"since": "2026-01-03", "mine": "x"}


async def test_a_deleted_note_is_made_again_but_not_again_and_again(dialect: str):
    async with running(dialect=dialect, nodes=0) as run:
        tokens, name = Tokens(run), run.dialect.token_tracking_config_map
        await run.clock.sleep(DAY_S)
        await tokens.notes.delete(name)
        await run.clock.sleep(1)
        assert await tokens.noted() == {"since": "2026-01-02"}
        await tokens.notes.delete(name)
        await run.clock.sleep(1790)
        assert not await run.exists(tokens.notes, name)
        await run.clock.sleep(20)
        assert await tokens.noted() == {"since": "2026-01-02"}


@asynccontextmanager
async def on_day(day: int, dialect: str, directory: Path) -> AsyncIterator[Tokens]:
    """The cluster of a directory, started so many days after its first, when all that is unused has been looked at."""
    start_s = START_S + day * DAY_S
    async with running(dialect=dialect, nodes=0, start_s=start_s, data_dir=directory / "cluster") as run:
        await run.clock.sleep(1)
        yield Tokens(run)


async def test_a_token_that_nobody_uses_is_marked_after_a_year_and_goes_after_another(dialect: str, tmp_path: Path):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("listed", "by-hand", listed=("listed",))
    async with on_day(365, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"listed": None, "by-hand": None}
        await tokens.run.clock.sleep(DAY_S)
        assert await tokens.invalid() == {"listed": "2027-01-02", "by-hand": None}
    async with on_day(366 + 365, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"listed": "2027-01-02", "by-hand": None}
        await tokens.run.clock.sleep(DAY_S)
        assert await tokens.invalid() == {"by-hand": None}


async def test_a_token_that_is_used_stays(dialect: str, tmp_path: Path):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("used", listed=("used",), labels={tokens.last_used: "2026-06-01"})
    async with on_day(516, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"used": None}
        await tokens.run.clock.sleep(DAY_S)
        assert await tokens.invalid() == {"used": "2027-06-02"}


async def test_a_token_that_a_pod_mounts_stays(dialect: str, tmp_path: Path):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("mounted", "free", listed=("mounted", "free"))
        volume = {"name": "token", "secret": {"secretName": "mounted"}}
        spec = {"containers": [{"name": "main", "image": "nginx:1"}], "volumes": [volume]}
        await tokens.run.pods.create({"metadata": {"name": "old"}, "spec": spec})
    async with on_day(366, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"mounted": None, "free": "2027-01-02"}


async def test_who_takes_the_mark_off_has_another_year(dialect: str, tmp_path: Path):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("needed", listed=("needed",))
    async with on_day(366, dialect, tmp_path) as tokens:
        labels = {tokens.invalid_since: None, tokens.last_used: "2027-01-02"}
        await tokens.secrets.patch("needed", {"metadata": {"labels": labels}})
    async with on_day(366 + 365, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"needed": None}


@pytest.mark.parametrize("spelled", ["yesterday", "2026-02-30", ""])
async def test_a_token_whose_last_use_can_not_be_read_stays(dialect: str, tmp_path: Path, spelled: str):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("odd", listed=("odd",), labels={tokens.last_used: spelled})
    async with on_day(400, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"odd": None}


async def test_a_mark_that_is_no_day_is_made_anew(dialect: str, tmp_path: Path):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("marked", listed=("marked",), labels={tokens.invalid_since: "long-ago"})
    async with on_day(800, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"marked": "2028-03-11"}


async def test_nothing_goes_while_it_is_not_known_what_was_used(dialect: str, tmp_path: Path):
    async with on_day(0, dialect, tmp_path) as tokens:
        await tokens.made("listed", listed=("listed",))
    async with on_day(200, dialect, tmp_path) as tokens:
        await tokens.notes.delete(tokens.run.dialect.token_tracking_config_map)
    async with on_day(500, dialect, tmp_path) as tokens:
        assert await tokens.invalid() == {"listed": None}
