"""How a StatefulSet's pods get to a new template, in part or whole, and back."""

import pytest

from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, running
from tests.controllers.statefuls import (
    NEVER_STARTS,
    ON_DELETE,
    PARALLEL,
    Statefuls,
    comings,
    images,
    rolling,
    serving,
    stateful_set,
    with_image,
)


async def started(r: Running, replicas: int = 3, **spec: object) -> Statefuls:
    """A set that is up."""
    s = Statefuls(r)
    await s.sets.create(stateful_set(replicas=replicas, **spec))
    await s.done(replicas=replicas)
    return s


def of_images(*wanted: str) -> dict[str, str]:
    return {f"db-{ordinal}": f"db:{image}" for ordinal, image in enumerate(wanted)}


@pytest.mark.virtual_time
async def test_pods_are_replaced_one_after_another_from_the_last_one():
    async with running() as r:
        s = await started(r)
        before = (await s.sets.get("db"))["status"]
        await s.sets.patch("db", with_image("db:2"))
        item = await s.until(updatedReplicas=1)
        assert item["status"]["currentRevision"] == before["currentRevision"]
        assert item["status"]["updateRevision"] != before["currentRevision"]
        states = await s.observed(200)
        await s.done()
        assert min(map(serving, states)) == 2
        order = [name for name in comings(states) if name.startswith("-")]
        assert order[-2:] == ["-db-1", "-db-0"]
        assert images(await s.pods()) == of_images("2", "2", "2")
        assert list(await s.revisions()) == [1, 2]


@pytest.mark.virtual_time
async def test_pods_below_the_partition_stay_and_come_back_as_they_were():
    async with running() as r:
        s = await started(r, 4, **rolling(partition=2))
        await s.sets.patch("db", with_image("db:2"))
        item = await s.until(updatedReplicas=2, readyReplicas=4)
        await r.clock.sleep(120)
        assert images(await s.pods()) == of_images("1", "1", "2", "2")
        status = (await s.sets.get("db"))["status"]
        assert (status["currentReplicas"], status["updatedReplicas"]) == (2, 2)
        assert status["currentRevision"] != status["updateRevision"]
        revisions = await s.revisions_of_pods()
        assert revisions == {
            "db-0": status["currentRevision"], "db-1": status["currentRevision"],
            "db-2": status["updateRevision"], "db-3": status["updateRevision"],
        }  # fmt: skip
        for name in ("db-0", "db-3"):
            await r.pods.delete(name)
            await s.until(replicas=3)
            await s.until(readyReplicas=4)
        assert await s.revisions_of_pods() == revisions
        await s.scale(6)
        await s.until(readyReplicas=6)
        assert images(await s.pods()) == of_images("1", "1", "2", "2", "2", "2")
        await s.sets.patch("db", {"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})
        item = await s.done(replicas=6)
        assert item["status"]["currentRevision"] == status["updateRevision"]


@pytest.mark.virtual_time
async def test_a_partition_counts_from_the_first_ordinal_and_one_beyond_the_last_keeps_all():
    async with running() as r:
        s = await started(r, 3, ordinals={"start": 4}, **rolling(partition=2))
        await s.sets.patch("db", with_image("db:2"))
        await s.until(updatedReplicas=1, readyReplicas=3)
        await r.clock.sleep(60)
        assert images(await s.pods()) == {"db-4": "db:1", "db-5": "db:1", "db-6": "db:2"}
        await s.sets.patch("db", {"spec": {"updateStrategy": {"rollingUpdate": {"partition": 10}}}})
        await s.sets.patch("db", with_image("db:3"))
        await r.clock.sleep(60)
        assert images(await s.pods()) == {"db-4": "db:1", "db-5": "db:1", "db-6": "db:2"}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("most", "fewest"), [(1, 4), (2, 3), ("50%", 3), ("10%", 4), (5, 0)])
async def test_in_parallel_as_many_are_replaced_at_a_time_as_may_be_unavailable(most: Json, fewest: int):
    async with running() as r:
        s = await started(r, 5, **PARALLEL, **rolling(maxUnavailable=most))
        await s.sets.patch("db", with_image("db:2"))
        states = await s.observed(240)
        await s.done(replicas=5)
        assert min(map(serving, states)) == fewest
        assert images(await s.pods()) == of_images(*"22222")


@pytest.mark.virtual_time
async def test_in_order_several_may_go_at_a_time_and_come_back_one_after_another():
    async with running() as r:
        s = await started(r, 5, **rolling(maxUnavailable=2))
        await s.sets.patch("db", with_image("db:2"))
        states = await s.observed(240)
        await s.done(replicas=5)
        assert min(map(serving, states)) == 3
        told = comings(states)
        changes = told[next(at for at, name in enumerate(told) if name.startswith("-")) :]
        assert sorted(changes[:2]) == ["-db-3", "-db-4"]
        assert changes[2:4] == ["db-3", "db-4"], "the lower one first"


@pytest.mark.virtual_time
async def test_on_delete_pods_stay_until_somebody_deletes_them():
    async with running() as r:
        s = await started(r, **ON_DELETE)
        await s.sets.patch("db", with_image("db:2"))
        await r.clock.sleep(120)
        assert images(await s.pods()) == of_images("1", "1", "1")
        await r.pods.delete("db-1")
        await s.until(updatedReplicas=1, readyReplicas=3)
        assert images(await s.pods()) == of_images("1", "2", "1")
        status = (await s.sets.get("db"))["status"]
        assert (status["currentReplicas"], status["currentRevision"] == status["updateRevision"]) == (2, False)


@pytest.mark.virtual_time
async def test_in_order_a_broken_update_stays_broken_until_its_pod_is_deleted():
    """As Kubernetes documents: a template that is put right again is not enough ("forced rollback")."""
    async with running() as r:
        s = await started(r)
        await s.sets.patch("db", with_image("db:2", **NEVER_STARTS))
        await s.until(updatedReplicas=1, readyReplicas=2)
        await r.clock.sleep(600)
        assert images(await s.pods()) == of_images("1", "1", "2")
        await s.sets.patch("db", with_image("db:1", resources=None))
        await r.clock.sleep(600)
        assert images(await s.pods()) == of_images("1", "1", "2")
        await r.pods.delete("db-2")
        await s.done()
        assert images(await s.pods()) == of_images("1", "1", "1")


@pytest.mark.virtual_time
async def test_in_parallel_broken_pods_of_an_old_template_are_replaced_at_once():
    async with running() as r:
        s = await started(r, 4, **PARALLEL)
        await s.sets.patch("db", with_image("db:2", **NEVER_STARTS))
        await s.until(updatedReplicas=1, readyReplicas=3)
        await r.clock.sleep(300)
        assert images(await s.pods()) == of_images("1", "1", "1", "2"), "no more than one may be unavailable"
        await s.sets.patch("db", with_image("db:3", resources=None))
        states = await s.observed(200)
        await s.done(replicas=4)
        assert min(map(serving, states)) >= 2
        assert images(await s.pods()) == of_images("3", "3", "3", "3")


@pytest.mark.virtual_time
async def test_a_first_template_that_does_not_work_is_mended_by_an_update_in_parallel():
    async with running() as r:
        s = Statefuls(r)
        wish = stateful_set(**PARALLEL)
        wish["spec"]["template"]["spec"]["containers"][0] |= NEVER_STARTS
        await s.sets.create(wish)
        await s.until(replicas=3)
        await s.sets.patch("db", with_image("db:2", resources=None))
        await s.done()


@pytest.mark.virtual_time
async def test_an_update_goes_on_when_the_new_pod_has_been_ready_long_enough():
    async with running() as r:
        s = await started(r, minReadySeconds=60)
        since = r.clock.now()
        await s.sets.patch("db", with_image("db:2"))
        await s.done(within_s=900)
        assert 180 <= r.clock.now() - since <= 330


@pytest.mark.virtual_time
async def test_what_was_before_comes_back_as_the_newest_revision():
    async with running() as r:
        s = await started(r)
        first = (await s.revisions())[1]
        await s.sets.patch("db", with_image("db:2"))
        await s.done()
        second = (await s.revisions())[2]
        (target,) = [item for item in await s.kept.list_all() if item["revision"] == 1]
        await s.sets.patch("db", target["data"], "strategic")
        item = await s.done()
        assert images(await s.pods()) == of_images("1", "1", "1")
        assert await s.revisions() == {2: second, 3: first}
        assert item["status"]["currentRevision"] == first


@pytest.mark.virtual_time
async def test_an_update_that_is_taken_back_half_way_replaces_only_what_was_updated():
    async with running() as r:
        s = await started(r, 4)
        before = {name_of(pod): pod["metadata"]["uid"] for pod in await s.pods()}
        await s.sets.patch("db", with_image("db:2"))
        await s.until(updatedReplicas=2, readyReplicas=4)
        await s.sets.patch("db", with_image("db:1"))
        await s.done(replicas=4)
        after = {name_of(pod): pod["metadata"]["uid"] for pod in await s.pods()}
        assert images(await s.pods()) == of_images("1", "1", "1", "1")
        assert after["db-0"] == before["db-0"]
        assert after["db-3"] != before["db-3"]


@pytest.mark.virtual_time
async def test_as_many_old_revisions_are_kept_as_are_asked_for_beside_those_in_use():
    async with running() as r:
        s = await started(r, 1, revisionHistoryLimit=2)
        for number in range(2, 7):
            await s.sets.patch("db", with_image(f"db:{number}"))
            await s.done(replicas=1)
        await r.clock.sleep(10)
        assert list(await s.revisions()) == [4, 5, 6]
        await s.sets.patch("db", {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}, "revisionHistoryLimit": 0}})
        await r.until(lambda items: len(items) == 1, s.kept)
        for number in (7, 8):
            await s.sets.patch("db", with_image(f"db:{number}"))
            await s.until()
        await r.until(lambda items: sorted(item["revision"] for item in items) == [6, 8], s.kept)
        await s.sets.patch("db", {"spec": {"revisionHistoryLimit": -1}})
        for number in (9, 10):
            await s.sets.patch("db", with_image(f"db:{number}"))
            await s.until()
        await r.clock.sleep(10)
        assert list(await s.revisions()) == [6, 8, 9, 10]


@pytest.mark.virtual_time
async def test_a_revisions_name_that_is_taken_is_counted_and_another_one_found():
    async with running() as r:
        s = await started(r, 1, revisionHistoryLimit=0)
        await s.sets.patch("db", with_image("db:2"))
        await s.done(replicas=1)
        (wish,) = await r.until(lambda items: len(items) == 1, s.kept)
        await s.sets.patch("db", with_image("db:1"))
        await s.done(replicas=1)
        await r.until(lambda items: len(items) == 1, s.kept)
        metadata = {"name": name_of(wish), "labels": {"of": "another"}}
        await s.kept.create({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "data": {}, "revision": 1})
        await s.sets.patch("db", with_image("db:2"))
        item = await s.done(replicas=1)
        assert item["status"]["collisionCount"] == 1
        assert item["status"]["updateRevision"] != name_of(wish)


@pytest.mark.virtual_time
async def test_revisions_that_fit_are_adopted_and_those_that_do_not_any_more_are_let_go():
    async with running() as r:
        s = await started(r, 1)
        (kept,) = await s.kept.list_all()
        metadata = {"name": "mine", "labels": {"app": "db"}}
        await s.kept.create({**kept, "metadata": metadata, "revision": 0, "data": {"spec": {"template": {"$patch": "replace"}}}})
        adopted = await r.until(lambda items: all("ownerReferences" in item["metadata"] for item in items), s.kept)
        assert len(adopted) == 2
        await s.kept.patch("mine", {"metadata": {"labels": {"app": "other"}}})
        await r.until(lambda items: any("ownerReferences" not in item["metadata"] for item in items), s.kept)


@pytest.mark.virtual_time
async def test_a_revision_that_somebody_deletes_is_made_again():
    async with running() as r:
        s = await started(r, 2)
        before = await s.revisions()
        await s.kept.delete(before[1])
        await r.until(lambda items: len(items) == 1, s.kept)
        assert await s.revisions() == before
        await r.clock.sleep(60)
        assert set((await s.revisions_of_pods()).values()) == set(before.values())


@pytest.mark.virtual_time
async def test_pods_below_the_partition_are_of_the_new_template_where_the_old_one_is_lost():
    async with running() as r:
        s = await started(r, 2, **rolling(partition=1))
        await s.sets.patch("db", with_image("db:2"))
        item = await s.until(updatedReplicas=1, readyReplicas=2)
        await s.kept.delete(item["status"]["currentRevision"])
        await s.until(currentRevision=item["status"]["updateRevision"])
        await r.pods.delete("db-0")
        await s.done(replicas=2)
        assert images(await s.pods()) == of_images("2", "2")


@pytest.mark.virtual_time
async def test_scaling_goes_before_an_update():
    async with running() as r:
        s = await started(r)
        patch: Object = with_image("db:2")
        patch["spec"]["replicas"] = 5
        await s.sets.patch("db", patch)
        states = await s.observed(300)
        await s.done(replicas=5)
        told = comings(states)
        assert told[:5] == ["db-0", "db-1", "db-2", "db-3", "db-4"], "none is replaced before all are there"
        assert all(is_ready(pod) and not is_terminating(pod) for pod in states[-1])
        assert {labels_of(pod)["app"] for pod in states[-1]} == {"db"}
