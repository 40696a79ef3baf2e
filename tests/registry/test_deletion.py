"""Deletion at the registry: grace, generation, dry runs, collections."""

import pytest

from svcsim import limits
from svcsim.admission.chain import Chain
from svcsim.admission.plugin import ANY, Rule
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.options import Caller, DeleteOptions, ListOptions, WriteOptions
from tests.registry.asking import ADMIN, asking

POD = {"containers": [{"name": "c", "image": "i"}], "nodeName": "elsewhere"}


@pytest.mark.virtual_time
async def test_a_placed_pod_terminates_and_a_second_delete_can_only_hasten_it():
    async with asking() as cluster:
        await cluster.create("p", "pods", spec={**POD, "terminationGracePeriodSeconds": 40})
        dying = (await cluster.delete("p", "pods"))["metadata"]
        assert dying["deletionTimestamp"] == "2026-01-01T00:00:40Z"
        assert dying["deletionGracePeriodSeconds"] == 40
        assert dying["generation"] == 2
        await cluster.sleep(10)
        sooner = (await cluster.delete("p", "pods", grace_period_s=5))["metadata"]
        assert sooner["deletionTimestamp"] == "2026-01-01T00:00:05Z", "its time is counted from the first deletion on"
        assert (await cluster.delete("p", "pods", grace_period_s=30))["metadata"] == sooner
        await cluster.delete("p", "pods", grace_period_s=0)
        with pytest.raises(StatusError, match="not found"):
            await cluster.get("p", "pods")


@pytest.mark.virtual_time
async def test_a_grace_below_nothing_is_as_short_as_grace_can_be():
    async with asking() as cluster:
        await cluster.create("p", "pods", spec=POD)
        dying = (await cluster.delete("p", "pods", grace_period_s=-5))["metadata"]
        assert (dying["deletionGracePeriodSeconds"], dying["deletionTimestamp"]) == (1, "2026-01-01T00:00:01Z")
        await cluster.delete("p", "pods", grace_period_s=0)
        with pytest.raises(StatusError, match="not found"):
            await cluster.get("p", "pods")


@pytest.mark.virtual_time
async def test_the_time_a_pod_has_is_shortened_from_where_it_began_and_by_who_says_so_alone():
    async with asking() as cluster:
        await cluster.create("p", "pods", spec=POD)
        dying = (await cluster.delete("p", "pods", grace_period_s=3600))["metadata"]
        await cluster.sleep(2)
        assert (await cluster.delete("p", "pods"))["metadata"] == dying, "who wishes for nothing shortens nothing"
        assert (await cluster.delete("p", "pods", propagation="Foreground"))["metadata"] == dying
        ends = []
        for grace_s in (100, -5):
            metadata = (await cluster.delete("p", "pods", grace_period_s=grace_s))["metadata"]
            ends.append((metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"], metadata["generation"]))
        assert ends == [("2026-01-01T00:01:40Z", 100, dying["generation"]), ("2026-01-01T00:00:01Z", 1, dying["generation"])]
        last = (await cluster.delete("p", "pods", grace_period_s=0))["metadata"]
        assert (last["deletionTimestamp"], last["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:00Z", 0)
        with pytest.raises(StatusError, match="not found"):
            await cluster.get("p", "pods")


@pytest.mark.virtual_time
async def test_of_a_pod_that_its_finalizers_hold_the_time_can_be_shortened_to_nothing():
    async with asking() as cluster:
        await cluster.create("p", "pods", spec=POD, metadata={"finalizers": ["example.com/stays"]})
        await cluster.delete("p", "pods", grace_period_s=3600)
        await cluster.sleep(2)
        metadata = (await cluster.delete("p", "pods", grace_period_s=0))["metadata"]
        assert (metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:00Z", 0)


@pytest.mark.virtual_time
async def test_a_pod_that_has_ended_meanwhile_keeps_the_time_it_has_until_somebody_takes_it():
    async with asking() as cluster:
        await cluster.create("p", "pods", spec=POD)
        await cluster.delete("p", "pods", grace_period_s=3600)
        status = cluster.target("p", "pods", subresource="status")
        ended = {"status": {"phase": "Succeeded"}}
        await cluster.registry.patch(status, lambda old: {**old, **ended}, Caller(ADMIN), WriteOptions())
        assert (await cluster.delete("p", "pods"))["metadata"]["deletionGracePeriodSeconds"] == 3600
        assert (await cluster.delete("p", "pods", grace_period_s=100))["metadata"]["deletionTimestamp"] == "2026-01-01T00:01:40Z"
        await cluster.delete("p", "pods", grace_period_s=0)
        with pytest.raises(StatusError, match="not found"):
            await cluster.get("p", "pods")


@pytest.mark.virtual_time
async def test_grace_means_nothing_to_what_ends_at_once():
    async with asking() as cluster:
        await cluster.create("a")
        await cluster.delete("a", grace_period_s=100)
        with pytest.raises(StatusError, match="not found"):
            await cluster.get("a")


@pytest.mark.virtual_time
async def test_a_dry_run_takes_no_revision():
    async with asking() as cluster:
        await cluster.sleep(5)
        kept = await cluster.create("a")
        before = cluster.cluster.store.revision
        deletion = await cluster.registry.delete(cluster.target("a"), Caller(ADMIN, dry_run=True), DeleteOptions())
        assert deletion.gone
        assert cluster.cluster.store.revision == before
        assert await cluster.get("a") == kept


@pytest.mark.virtual_time
async def test_a_collection_is_deleted_as_far_as_the_selector_reaches():
    async with asking() as cluster:
        for name, tier in (("a", "x"), ("b", "x"), ("c", "y")):
            await cluster.create(name, metadata={"labels": {"tier": tier}})
        which = ListOptions(label_selector=parse_labels("tier=x"))
        deleted = await cluster.registry.delete_collection(cluster.target(), Caller(ADMIN), which, DeleteOptions())
        assert [record.key.name for record in deleted.records] == ["a", "b"]
        assert [record.key.name for record in (await cluster.list()).records if record.envelope.labels] == ["c"]


@pytest.mark.virtual_time
async def test_of_a_collection_what_is_held_stays_and_the_rest_goes_as_it_was():
    async with asking() as cluster:
        kept = [await cluster.create(name, metadata={"labels": {"of": "test"}}) for name in ("a", "c")]
        await cluster.create("b", metadata={"labels": {"of": "test"}, "finalizers": ["example.com/x"]})
        which = ListOptions(label_selector=parse_labels("of=test"))
        deleted = await cluster.registry.delete_collection(cluster.target(), Caller(ADMIN), which, DeleteOptions())
        a, b, c = (decode_json(record.body) for record in deleted.records)
        for was, gone in zip(kept, (a, c), strict=True):
            assert gone["metadata"].pop("resourceVersion") > was["metadata"].pop("resourceVersion")
            assert gone == was
        assert b["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"
        assert [record.key.name for record in (await cluster.list()).records if record.envelope.labels] == ["b"]
        again = await cluster.registry.delete_collection(cluster.target(), Caller(ADMIN), which, DeleteOptions())
        assert [decode_json(record.body) for record in again.records] == [b]


@pytest.mark.virtual_time
async def test_what_is_deleted_as_a_collection_shares_commits():
    async with asking() as cluster:
        names = [f"o{number:03}" for number in range(100)]
        for name in names:
            await cluster.create(name)
        before = cluster.cluster.store.stats().commits
        deleted = await cluster.registry.delete_collection(cluster.target(), Caller(ADMIN), ListOptions(), DeleteOptions())
        assert [record.key.name for record in deleted.records] == names
        assert cluster.cluster.store.stats().commits - before == 1


class Refusing:
    """Lets nothing go, and asks what it is to say so of."""

    name, rules = "Refusing", (Rule(("DELETE",), ("*",), ANY),)

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.old is not None
        raise StatusError(403, "Forbidden", f"{request.name} stays")


@pytest.mark.virtual_time
async def test_who_has_a_say_in_deletions_while_a_collection_goes_has_it_in_the_rest():
    async with asking() as cluster:
        for number in range(limits.CONVERTED_SLICE_RECORDS + 10):
            await cluster.create(f"o{number:05}")
        core, store = cluster.registry.core, cluster.cluster.store
        store.on_commit(cluster.target().resource.store_name, lambda _: setattr(core, "admission", Chain((Refusing(),))))
        with pytest.raises(StatusError, match=r"^o[0-9]+ stays$"):
            await cluster.registry.delete_collection(cluster.target(), Caller(ADMIN), ListOptions(), DeleteOptions())
        left = await cluster.list()
        assert len(left.records) == 10


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("policy", "before", "after"),
    [
        ("Orphan", [], ["orphan"]),
        ("Foreground", [], ["foregroundDeletion"]),
        ("Foreground", ["orphan", "example.com/x"], ["example.com/x", "foregroundDeletion"]),
        ("Orphan", ["foregroundDeletion"], ["orphan"]),
        ("Background", ["orphan", "example.com/x"], ["example.com/x"]),
        ("", ["orphan"], ["orphan"]),
    ],
)
async def test_the_policy_decides_on_the_collectors_finalizers(policy: str, before: list[str], after: list[str]):
    async with asking() as cluster:
        await cluster.create("a", metadata={"finalizers": before})
        deletion = await cluster.registry.delete(cluster.target("a"), Caller(ADMIN, dry_run=True), DeleteOptions(propagation=policy))
        assert f'"finalizers":{str(after).replace(chr(39), chr(34)).replace(" ", "")}' in deletion.record.body.decode()


@pytest.mark.virtual_time
async def test_deleting_takes_no_room_for_what_is_kept_already():
    """The store finds the last state in the state before: both are encoded alike."""
    async with asking() as cluster:
        await cluster.create("a", data={"blob": "x" * 500_000}, metadata={"labels": {"app": "web"}})
        before = cluster.cluster.store.stats().size_bytes
        await cluster.delete("a")
        assert cluster.cluster.store.stats().size_bytes - before < 250_000
