"""The claims of a StatefulSet's pods: made before these, kept for them, and with whom they go."""

import pytest

from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, running
from tests.controllers.statefuls import PARALLEL, Statefuls, stateful_set, with_claims

NAMES = ["data-db-0", "data-db-1", "data-db-2"]


async def started(r: Running, replicas: int = 3, **spec: object) -> Statefuls:
    s = Statefuls(r)
    await s.sets.create(stateful_set(replicas=replicas, **spec))
    await s.done(replicas=replicas)
    return s


async def policy(s: Statefuls, **when: Json) -> None:
    await s.sets.patch("db", {"spec": {"persistentVolumeClaimRetentionPolicy": when}})


def claim(name: str, **metadata: object) -> Object:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": spec,
    }


@pytest.mark.virtual_time
async def test_claims_are_made_before_their_pod_from_their_templates():
    async with running() as r:
        s = Statefuls(r)
        wish = stateful_set(replicas=1, **with_claims("data", "log"))
        wish["spec"]["volumeClaimTemplates"][0]["metadata"] |= {"labels": {"tier": "fast", "app": "x"}, "annotations": {"note": "keep"}}
        wish["spec"]["template"]["spec"]["volumes"] = [{"name": "tmp", "emptyDir": {}}, {"name": "log", "emptyDir": {}}]
        await s.sets.create(wish)
        await s.done(replicas=1)
        data, log = sorted(await s.claims.list_all(), key=name_of)
        assert (name_of(data), labels_of(data)) == ("data-db-0", {"tier": "fast", "app": "db"})
        assert data["metadata"]["annotations"]["note"] == "keep"
        assert (name_of(log), labels_of(log)) == ("log-db-0", {"app": "db"})
        (pod,) = await s.pods()
        volumes = [volume for volume in pod["spec"]["volumes"] if not name_of({"metadata": volume}).startswith("kube-api-access")]
        assert volumes == [
            {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}},
            {"name": "log", "persistentVolumeClaim": {"claimName": "log-db-0"}},
            {"name": "tmp", "emptyDir": {}},
        ]
        assert data["metadata"]["creationTimestamp"] <= pod["metadata"]["creationTimestamp"]
        assert await r.events_of("db") == [
            ("SuccessfulCreate", "create Claim data-db-0 Pod db-0 in StatefulSet db success"),
            ("SuccessfulCreate", "create Claim log-db-0 Pod db-0 in StatefulSet db success"),
            ("SuccessfulCreate", "create Pod db-0 in StatefulSet db successful"),
        ]


@pytest.mark.virtual_time
async def test_claims_are_kept_when_pods_go_and_used_again_when_they_come_back():
    async with running() as r:
        s = await started(r, **with_claims("data"))
        before = {name_of(claim): claim["metadata"]["uid"] for claim in await s.claims.list_all()}
        await s.scale(1)
        await s.done(replicas=1)
        await s.scale(3)
        await s.done()
        await s.sets.delete("db")
        await r.until(lambda pods: not pods, r.pods)
        await r.clock.sleep(60)
        assert {name_of(claim): claim["metadata"]["uid"] for claim in await s.claims.list_all()} == before
        assert await s.owners() == {name: [] for name in NAMES}


@pytest.mark.virtual_time
async def test_claims_go_with_the_set():
    async with running() as r:
        s = await started(r, **with_claims("data", deleted="Delete"))
        assert await s.owners() == {name: ["StatefulSet/db"] for name in NAMES}
        await s.scale(2)
        await s.done(replicas=2)
        assert await s.owners() == {name: ["StatefulSet/db"] for name in NAMES}, "what was scaled away stays"
        await s.sets.delete("db")
        await r.until(lambda claims: not claims, s.claims)


@pytest.mark.virtual_time
@pytest.mark.parametrize("management", [{}, PARALLEL])
@pytest.mark.parametrize(("deleted", "owner"), [("Retain", []), ("Delete", ["StatefulSet/db"])])
async def test_claims_go_with_pods_that_are_given_up(management: Object, deleted: str, owner: list[str]):
    async with running() as r:
        s = await started(r, **with_claims("data", scaled="Delete", deleted=deleted), **management)
        assert await s.owners() == dict.fromkeys(NAMES, owner)
        first = {name_of(claim): claim["metadata"]["uid"] for claim in await s.claims.list_all()}
        await r.pods.patch("db-2", {"metadata": {"finalizers": ["mine.io/hold"]}})
        await s.scale(2)
        await r.until(lambda pods: any(is_terminating(pod) for pod in pods), r.pods)
        assert await s.owners() == {**dict.fromkeys(NAMES[:2], owner), "data-db-2": ["Pod/db-2"]}
        await s.release("db-2")
        await r.until(lambda claims: sorted(map(name_of, claims)) == NAMES[:2], s.claims)
        await r.pods.delete("db-1")
        await s.done(replicas=2)
        await s.scale(3)
        await s.done()
        last = {name_of(claim): claim["metadata"]["uid"] for claim in await s.claims.list_all()}
        assert [name for name in NAMES if first[name] != last[name]] == ["data-db-2"]
        await s.sets.delete("db")
        await r.until(lambda pods: not pods, r.pods)
        await r.clock.sleep(60)
        assert await s.claim_names() == ([] if owner else NAMES)


@pytest.mark.virtual_time
async def test_owners_follow_the_policy_when_it_changes():
    async with running() as r:
        s = await started(r, **with_claims("data"))
        for scaled, deleted, owner in (
            ("Retain", "Delete", ["StatefulSet/db"]),
            ("Delete", "Delete", ["StatefulSet/db"]),
            ("Delete", "Retain", []),
            ("Retain", "Delete", ["StatefulSet/db"]),
            ("Retain", "Retain", []),
        ):
            await policy(s, whenScaled=scaled, whenDeleted=deleted)
            await r.clock.sleep(5)
            assert await s.owners() == dict.fromkeys(NAMES, owner), (scaled, deleted)
        assert ("SuccessfulUpdate", "update Pod db-0 in StatefulSet db successful") in await r.events_of("db")


@pytest.mark.virtual_time
async def test_a_claim_changes_hands_while_its_pod_waits_to_be_given_up_and_back():
    async with running() as r:
        s = await started(r, **with_claims("data", scaled="Delete"), **PARALLEL)
        await r.pods.patch("db-2", {"metadata": {"finalizers": ["mine.io/hold"]}})
        await s.scale(2)
        await r.until(lambda claims: any("ownerReferences" in claim["metadata"] for claim in claims), s.claims)
        assert (await s.owners())["data-db-2"] == ["Pod/db-2"]
        await s.scale(3)
        await r.clock.sleep(5)
        assert (await s.owners())["data-db-2"] == [], "there is a place for it again"
        uid = (await s.claims.get("data-db-2"))["metadata"]["uid"]
        await s.release("db-2")
        await s.done()
        assert (await s.claims.get("data-db-2"))["metadata"]["uid"] == uid


@pytest.mark.virtual_time
async def test_a_claim_that_is_being_deleted_is_waited_for():
    async with running() as r:
        s = await started(r, **with_claims("data"))
        first = (await s.claims.get("data-db-2"))["metadata"]["uid"]
        await s.claims.patch("data-db-2", {"metadata": {"finalizers": ["mine.io/hold", "kubernetes.io/pvc-protection"]}})
        await s.scale(2)
        await s.done(replicas=2)
        await s.claims.delete("data-db-2")
        await s.scale(3)
        await r.clock.sleep(300)
        assert await s.names() == ["db-0", "db-1"]
        told = [message for reason, message in await r.events_of("db") if reason == "FailedCreate"]
        assert told == ["create Pod db-2 in StatefulSet db failed error: pvc data-db-2 is being deleted"]
        await s.claims.patch("data-db-2", {"metadata": {"finalizers": None}})
        await r.until(lambda pods: len(pods) == 3, r.pods, 5)
        await s.done()
        assert (await s.claims.get("data-db-2"))["metadata"]["uid"] != first


@pytest.mark.virtual_time
async def test_a_claim_of_an_earlier_pod_that_is_to_go_is_not_used_by_the_next_one():
    async with running() as r:
        s = await started(r, **with_claims("data", scaled="Delete"))
        first = (await s.claims.get("data-db-2"))["metadata"]["uid"]
        await s.claims.patch("data-db-2", {"metadata": {"finalizers": ["mine.io/hold", "kubernetes.io/pvc-protection"]}})
        await s.scale(2)
        await s.done(replicas=2)
        await s.scale(3)
        await r.clock.sleep(60)
        assert await s.names() == ["db-0", "db-1"]
        await s.claims.patch("data-db-2", {"metadata": {"finalizers": None}})
        await s.done()
        assert (await s.claims.get("data-db-2"))["metadata"]["uid"] != first


@pytest.mark.virtual_time
async def test_a_claim_that_is_missing_is_made_for_a_pod_that_waits_for_it():
    async with running() as r:
        s = Statefuls(r)
        wish = stateful_set(replicas=1, pod={"schedulingGates": [{"name": "mine.io/wait"}]}, **with_claims("data", deleted="Delete"))
        await s.sets.create(wish)
        await r.until(lambda pods: len(pods) == 1, r.pods)
        first = (await s.claims.get("data-db-0"))["metadata"]["uid"]
        await s.claims.delete("data-db-0")
        await r.until(lambda claims: len(claims) == 1 and claims[0]["metadata"]["uid"] != first, s.claims)
        assert await s.owners() == {"data-db-0": ["StatefulSet/db"]}


@pytest.mark.virtual_time
async def test_a_claim_that_is_there_already_is_used_and_what_else_controls_one_is_left_in_peace():
    async with running() as r:
        s = Statefuls(r)
        owner = await r.config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss", "namespace": "default"}})
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": owner["metadata"]["uid"], "controller": True}
        await s.claims.create(claim("data-db-0"))
        await s.claims.create(claim("data-db-1", ownerReferences=[reference]))
        await s.sets.create(stateful_set(replicas=2, **with_claims("data", deleted="Delete", scaled="Delete")))
        await s.done(replicas=2)
        await r.clock.sleep(10)
        assert await s.owners() == {"data-db-0": ["StatefulSet/db"], "data-db-1": ["ConfigMap/boss"]}
        await s.claims.patch("data-db-0", {"metadata": {"ownerReferences": None}})
        await r.until(lambda claims: all("ownerReferences" in claim["metadata"] for claim in claims), s.claims, 10)
        assert (await s.owners())["data-db-0"] == ["StatefulSet/db"], "what somebody takes away is given back"


@pytest.mark.virtual_time
async def test_a_claim_with_another_controller_beside_the_set_is_told_of_and_let_go():
    async with running() as r:
        s = await started(r, 1, **with_claims("data", deleted="Delete"))
        owner = await r.config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss", "namespace": "default"}})
        (own,) = (await s.claims.get("data-db-0"))["metadata"]["ownerReferences"]
        boss = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": owner["metadata"]["uid"], "controller": True}
        await s.claims.patch("data-db-0", {"metadata": {"ownerReferences": [{**own, "controller": False}, boss]}})
        await r.until(lambda claims: len(claims[0]["metadata"]["ownerReferences"]) == 1, s.claims)
        assert await s.owners() == {"data-db-0": ["ConfigMap/boss"]}
        assert "ConflictingController" in [reason for reason, _ in await r.events_of("db")]


@pytest.mark.virtual_time
async def test_a_claim_that_can_not_be_made_keeps_its_pod_from_being_made():
    async with running() as r:
        s, quotas = Statefuls(r), r.client.resource("v1", "resourcequotas", "default")
        hard = {"persistentvolumeclaims": "1"}
        metadata = {"name": "few", "namespace": "default"}
        await quotas.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}})
        await r.until(lambda items: "hard" in items[0]["status"], quotas)
        await s.sets.create(stateful_set(replicas=2, **with_claims("data")))
        await s.until(readyReplicas=1)
        await r.clock.sleep(30)
        assert await s.names() == ["db-0"]
        refused = 'persistentvolumeclaims "data-db-1" is forbidden: exceeded quota: few'
        told = sorted(message for reason, message in await r.events_of("db") if reason == "FailedCreate")
        assert told[0].startswith(f"create Claim data-db-1 for Pod db-1 in StatefulSet db failed error: {refused}")
        assert told[-1].startswith(f"create Pod db-1 in StatefulSet db failed error: failed to create PVC data-db-1: {refused}")
        await quotas.delete("few")
        await s.done(replicas=2)


@pytest.mark.virtual_time
async def test_an_adopted_pod_without_the_claims_it_should_have_is_told_of_since_nobody_can_give_it_any():
    async with running() as r:
        s = await started(r, 2)
        await s.sets.delete("db", propagation="Orphan")
        await r.until_gone(s.sets, "db")
        await s.sets.create(stateful_set(replicas=2, **with_claims("data")))
        await r.clock.sleep(60)
        told = dict(await r.events_of("db"))
        assert told["FailedUpdate"].startswith(
            'update Pod db-0 in StatefulSet db failed error: Pod "db-0" is invalid: spec: Forbidden: pod updates'
        )
        for name in ("db-0", "db-1"):
            await r.pods.delete(name)
        await r.until(lambda claims: sorted(map(name_of, claims)) == ["data-db-0", "data-db-1"], s.claims)
        await s.done(replicas=2)
