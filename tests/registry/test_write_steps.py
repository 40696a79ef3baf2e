"""What an object is given when it is created, and what an update leaves it."""

import pytest

from svcsim.meta.errors import StatusError
from tests.registry.asking import asking


@pytest.mark.virtual_time
async def test_what_is_the_servers_is_not_the_clients_to_write():
    async with asking() as cluster:
        forged = {
            "uid": "mine",
            "creationTimestamp": "1999-01-01T00:00:00Z",
            "deletionTimestamp": "1999-01-01T00:00:00Z",
            "deletionGracePeriodSeconds": 7,
            "generation": 7,
            "selfLink": "/here",
            "managedFields": [{"manager": "forged", "operation": "Update"}],
        }
        metadata = (await cluster.create("a", metadata=forged))["metadata"]
        assert metadata["uid"] != "mine"
        assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
        assert set(metadata) == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields"} - (
            set() if "managedFields" in metadata else {"managedFields"}
        )
        assert "forged" not in str(metadata)


@pytest.mark.virtual_time
async def test_an_update_keeps_identity_age_and_deletion():
    async with asking() as cluster:
        created = await cluster.create("a", metadata={"finalizers": ["example.com/hold"]})
        dying = (await cluster.delete("a"))["metadata"]
        sent = {"name": "a", "finalizers": ["example.com/hold"], "labels": {"new": "yes"}, "generation": 99}
        sent["creationTimestamp"] = "1999-01-01T00:00:00Z"
        metadata = (await cluster.patch("a", {"metadata": sent}))["metadata"]
        for name in ("uid", "creationTimestamp"):
            assert metadata[name] == created["metadata"][name]
        assert metadata["deletionTimestamp"] == dying["deletionTimestamp"]
        assert "generation" not in metadata
        assert metadata["labels"] == {"new": "yes"}


@pytest.mark.virtual_time
@pytest.mark.parametrize("field", ["uid", "namespace"])
async def test_an_identity_cant_be_changed(field: str):
    async with asking() as cluster:
        await cluster.create("a")
        with pytest.raises(StatusError) as refused:
            await cluster.patch("a", {"metadata": {"name": "a", field: "other"}})
        assert refused.value.code == (409 if field == "uid" else 422)


@pytest.mark.virtual_time
async def test_names_are_generated_within_the_length_of_a_label():
    async with asking() as cluster:
        for base in ("web-", "x" * 100):
            made = await cluster.registry.create(cluster.target(), {"metadata": {"generateName": base}}, *(await _options()))
            name = made.key.name
            assert len(name) == min(len(base), 58) + 5
            assert name.startswith(base[:58])


async def _options():
    from svcsim.registry.options import Caller, WriteOptions
    from tests.registry.asking import ADMIN

    return Caller(ADMIN, "test"), WriteOptions()


@pytest.mark.virtual_time
async def test_generation_counts_changes_of_the_spec_alone():
    async with asking() as cluster:
        pod = {"containers": [{"name": "c", "image": "i"}]}
        created = await cluster.create("p", "pods", spec={**pod, "activeDeadlineSeconds": 100})
        assert created["metadata"]["generation"] == 1
        meta = {"name": "p", "labels": {"a": "b"}}
        assert (await cluster.patch("p", {"metadata": meta}, "pods"))["metadata"]["generation"] == 1
        spec = {**created["spec"], "activeDeadlineSeconds": 50}
        assert (await cluster.patch("p", {"spec": spec}, "pods"))["metadata"]["generation"] == 2


@pytest.mark.virtual_time
async def test_a_status_sent_with_a_new_object_or_an_update_is_dropped():
    async with asking() as cluster:
        spec = {"containers": [{"name": "c", "image": "i"}]}
        created = await cluster.create("p", "pods", spec=spec, status={"phase": "Failed"})
        assert created["status"]["phase"] == "Pending"
        changed = await cluster.patch("p", {"status": {"phase": "Failed"}}, "pods")
        assert changed["status"]["phase"] == "Pending"
        assert changed["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"], "nothing changed, nothing written"


@pytest.mark.virtual_time
@pytest.mark.parametrize("name", ["example.com/x", "orphan", "svcapi"])
async def test_a_finalizer_may_be_qualified_or_one_the_cluster_knows(name: str):
    async with asking() as cluster:
        assert (await cluster.create("m", metadata={"finalizers": [name]}))["metadata"]["finalizers"] == [name]


@pytest.mark.virtual_time
async def test_no_other_finalizer_may_be_without_a_domain():
    async with asking() as cluster:
        with pytest.raises(StatusError, match="name is neither a standard finalizer name nor is it fully qualified"):
            await cluster.create("m", metadata={"finalizers": ["foo"]})
