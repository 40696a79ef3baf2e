"""StatefulSets where something comes between: caches that are behind, two controllers, deaths at every step, restarts of the server."""

import asyncio
from pathlib import Path

import pytest

from svcsim.controllers.statefulset.controller import StatefulSetController
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from tests.controllers.beside import Beside, beside, without_controller
from tests.controllers.running import Running, running
from tests.controllers.statefuls import PARALLEL, Statefuls, images, rolling, serving, stateful_set, with_claims, with_image
from tests.virtual import run_virtual

NAMES = ["db-0", "db-1", "db-2"]
CLAIMS = ["data-db-0", "data-db-1", "data-db-2"]
MANAGEMENTS = [pytest.param({}, id="ordered"), pytest.param(PARALLEL, id="parallel")]
MAKER = {"maker": StatefulSetController}


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    without_controller(monkeypatch, StatefulSetController)


ALONE = pytest.mark.usefixtures("_alone")
"""The cluster has no such controller of its own."""


async def through_its_life(r: Running, wish: Object) -> None:
    """A set of two is made, updated, scaled down and up, and deleted; its claims go with it and with what is scaled away."""
    s = Statefuls(r)
    await s.sets.create(wish)
    await s.done(replicas=2)
    await s.sets.patch("db", with_image("db:2"))
    await s.done(replicas=2)
    await s.scale(1)
    await s.done(replicas=1)
    await r.until(lambda claims: len(claims) == 1, s.claims)
    await s.scale(2)
    await s.done(replicas=2)
    assert images(await s.pods()) == {"db-0": "db:2", "db-1": "db:2"}
    await r.until(lambda claims: sorted(map(name_of, claims)) == CLAIMS[:2], s.claims)
    assert list(await s.revisions()) == [1, 2]
    await s.sets.delete("db")
    await r.until(lambda pods: not pods, r.pods)
    await r.until(lambda claims: not claims, s.claims)


@pytest.mark.virtual_time
@ALONE
@pytest.mark.parametrize("management", MANAGEMENTS)
async def test_wherever_a_controller_dies_the_next_one_comes_to_the_same_end(management: Object):
    wish = stateful_set(replicas=2, **with_claims("data", scaled="Delete", deleted="Delete"), **management)

    async def one(r: Running, dies_after: int) -> bool:
        first = Beside(r, dies_after=dies_after, **MAKER)
        first.start()
        life = asyncio.ensure_future(through_its_life(r, wish))
        death = asyncio.ensure_future(first.dead.wait())
        await asyncio.wait((life, death), return_when=asyncio.FIRST_COMPLETED)
        await first.stop()
        death.cancel()
        if first.dead.is_set():
            async with beside(r, **MAKER):
                await life
        await life
        return first.changes < dies_after

    dies_after = 1
    async with running() as r:
        while not await one(r, dies_after):
            dies_after += 1
    assert dies_after > 20, "it died at every step in turn"


@pytest.mark.virtual_time
@ALONE
@pytest.mark.parametrize("management", MANAGEMENTS)
@pytest.mark.parametrize(
    "behind_s",
    [
        {"pods": 3.0},
        {"statefulsets": 3.0},
        {"persistentvolumeclaims": 4.0},
        {"controllerrevisions": 4.0},
        {"pods": 7.0, "persistentvolumeclaims": 1.0, "statefulsets": 2.0, "controllerrevisions": 5.0},
    ],
)
async def test_caches_that_are_behind_come_to_the_same_end(management: Object, behind_s: dict[str, float]):
    wish = stateful_set(replicas=2, **with_claims("data", scaled="Delete", deleted="Delete"), **management)
    async with running() as r, beside(r, behind_s=behind_s, **MAKER):
        await through_its_life(r, wish)


@pytest.mark.virtual_time
@ALONE
@pytest.mark.parametrize("management", MANAGEMENTS)
@pytest.mark.parametrize("most", [1, 2])
async def test_by_caches_that_are_behind_no_more_are_taken_down_than_may_be(management: Object, most: int):
    async with running() as r, beside(r, behind_s={"pods": 3.0, "statefulsets": 1.0}, **MAKER):
        s = Statefuls(r)
        await s.sets.create(stateful_set(replicas=5, **management, **rolling(maxUnavailable=most)))
        await s.done(replicas=5)
        await r.clock.sleep(30)
        await s.sets.patch("db", with_image("db:2"))
        states = await s.observed(300)
        await s.done(replicas=5)
        assert min(map(serving, states)) == 5 - most
        told = [message for reason, message in await r.events_of("db") if reason == "SuccessfulDelete"]
        assert sorted(told) == [f"delete Pod db-{ordinal} in StatefulSet db successful" for ordinal in range(5)], "each once"


@pytest.mark.virtual_time
@ALONE
@pytest.mark.parametrize("management", MANAGEMENTS)
async def test_two_controllers_at_once_come_to_the_same_end(management: Object):
    wish = stateful_set(replicas=2, **with_claims("data", scaled="Delete", deleted="Delete"), **management)
    async with running() as r, beside(r, **MAKER), beside(r, **MAKER):
        await through_its_life(r, wish)


@pytest.mark.virtual_time
@ALONE
async def test_a_controller_that_is_replaced_again_and_again_keeps_the_order():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        for image in ("db:1", "db:2"):
            await s.sets.patch("db", with_image(image))
            for _ in range(100):
                async with beside(r, **MAKER):
                    await r.clock.sleep(1.3)
                assert len(await s.names()) <= 3
            await s.done(within_s=1)
        assert await s.names() == NAMES
        assert list(await s.revisions()) == [1, 2]


@pytest.mark.virtual_time
@ALONE
async def test_what_happens_while_no_controller_runs_is_put_right_by_the_next():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(**with_claims("data", deleted="Delete")))
        async with beside(r, **MAKER):
            await s.done()
        await r.pods.delete("db-0")
        await r.pods.delete("db-2")
        await r.until(lambda pods: len(pods) == 1, r.pods)
        await s.claims.patch("data-db-1", {"metadata": {"ownerReferences": None}})
        await s.sets.patch("db", with_image("db:2"))
        await s.scale(4)
        async with beside(r, **MAKER):
            await s.done(replicas=4)
            await r.clock.sleep(10)
        assert await s.owners() == {f"data-db-{ordinal}": ["StatefulSet/db"] for ordinal in range(4)}
        assert set(images(await s.pods()).values()) == {"db:2"}


@pytest.mark.parametrize("after_s", [0.01, 1, 3, 8, 15, 40])
@pytest.mark.parametrize("management", MANAGEMENTS)
def test_a_server_that_is_started_again_in_the_middle_of_an_update_goes_on(tmp_path: Path, after_s: float, management: Object):
    stopped_at = 0.0

    async def before() -> None:
        nonlocal stopped_at
        async with running(data_dir=tmp_path) as r:
            s = Statefuls(r)
            await s.sets.create(stateful_set(**with_claims("data"), **management))
            await s.done()
            await s.sets.patch("db", with_image("db:2"))
            await r.clock.sleep(after_s)
            stopped_at = r.clock.now()

    async def after() -> None:
        async with running(data_dir=tmp_path, start_s=stopped_at + 5) as r:
            s = Statefuls(r)
            await s.done()
            assert images(await s.pods()) == dict.fromkeys(NAMES, "db:2")
            assert list(await s.revisions()) == [1, 2]
            assert sorted(map(name_of, await s.claims.list_all())) == CLAIMS

    run_virtual(before())
    run_virtual(after())
