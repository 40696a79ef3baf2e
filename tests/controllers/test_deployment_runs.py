"""Deployments in a running cluster: rollouts, rollbacks, pauses, deadlines."""

import asyncio
import contextlib

import pytest

from svcsim.meta.objects import condition
from svcsim.meta.types import Object
from tests.controllers.running import Running, deployment, running
from tests.virtual import run_virtual

REVISION = "deployment.kubernetes.io/revision"


def image(tag: str) -> Object:
    """A patch to another image."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": f"nginx:{tag}"}]}}}}


def set_sizes(sets: list[Object]) -> dict[str, int]:
    """Sizes of ReplicaSets by their image."""
    return {item["spec"]["template"]["spec"]["containers"][0]["image"]: item["spec"]["replicas"] for item in sets}


@contextlib.asynccontextmanager
async def pods_watched(r: Running):
    """Notes how many pods there are and how many are ready, whenever that changes."""
    seen: list[tuple[int, int]] = []

    async def note() -> None:
        page = await r.pods.list()
        pods = {pod["metadata"]["name"]: pod for pod in page.items}
        async with r.pods.watch(page.revision) as events:
            async for change, pod in events:
                if change == "DELETED":
                    del pods[pod["metadata"]["name"]]
                else:
                    pods[pod["metadata"]["name"]] = pod
                living = [p for p in pods.values() if "deletionTimestamp" not in p["metadata"]]
                ready = [p for p in living if (condition(p, "Ready") or {}).get("status") == "True"]
                seen.append((len(living), len(ready)))

    task = asyncio.create_task(note())
    await r.clock.turn()
    yield seen
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.mark.virtual_time
async def test_it_comes_up_and_says_so():
    async with running() as r:
        await r.deployments.create(deployment("web", 3))
        made = await r.rolled_out("web")
        assert made["metadata"]["annotations"][REVISION] == "1"
        assert (condition(made, "Available") or {})["reason"] == "MinimumReplicasAvailable"
        (replica_set,) = await r.sets.list_all()
        name = replica_set["metadata"]["name"]
        fingerprint = replica_set["metadata"]["labels"]["pod-template-hash"]
        assert name == f"web-{fingerprint}"
        assert replica_set["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": fingerprint}
        assert replica_set["metadata"]["annotations"] == {
            "deployment.kubernetes.io/desired-replicas": "3",
            "deployment.kubernetes.io/max-replicas": "4",
            REVISION: "1",
        }
        progressing = condition(made, "Progressing") or {}
        assert progressing["reason"] == "NewReplicaSetAvailable"
        assert progressing["message"] == f'ReplicaSet "{name}" has successfully progressed.'
        assert await r.events_of("web") == [("ScalingReplicaSet", f"Scaled up replica set {name} from 0 to 3")]


@pytest.mark.virtual_time
async def test_a_rolling_update_stays_within_surge_and_unavailability():
    async with running() as r:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}
        await r.deployments.create(deployment("web", 10, strategy=strategy))
        await r.rolled_out("web")
        async with pods_watched(r) as seen:
            await r.deployments.patch("web", image("2"))
            await r.rolled_out("web", 300)
        assert max(pods for pods, _ in seen) == 12
        assert min(ready for _, ready in seen) == 9
        assert set_sizes(await r.sets.list_all()) == {"nginx:1": 0, "nginx:2": 10}


@pytest.mark.virtual_time
async def test_a_recreate_ends_all_old_pods_before_it_makes_new_ones():
    async with running() as r:
        await r.deployments.create(deployment("web", 3, strategy={"type": "Recreate"}))
        await r.rolled_out("web")
        await r.deployments.patch("web", image("2"))
        await r.until(lambda pods: any(pod["spec"]["containers"][0]["image"] == "nginx:2" for pod in pods), r.pods)
        pods = await r.pods.list_all()
        assert {pod["spec"]["containers"][0]["image"] for pod in pods} == {"nginx:2"}
        await r.rolled_out("web")


@pytest.mark.virtual_time
async def test_going_back_uses_the_old_set_again_as_a_new_revision():
    async with running() as r:
        await r.deployments.create(deployment("web", 2))
        await r.rolled_out("web")
        (first,) = await r.sets.list_all()
        await r.deployments.patch("web", image("2"))
        await r.rolled_out("web")
        await r.deployments.patch("web", image("1"))
        back = await r.rolled_out("web")
        assert back["metadata"]["annotations"][REVISION] == "3"
        again = await r.sets.get(first["metadata"]["name"])
        assert again["metadata"]["annotations"][REVISION] == "3"
        assert again["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"
        assert set_sizes(await r.sets.list_all()) == {"nginx:1": 2, "nginx:2": 0}


@pytest.mark.virtual_time
async def test_no_more_old_revisions_are_kept_than_asked_for():
    async with running() as r:
        await r.deployments.create(deployment("web", 1, revisionHistoryLimit=2))
        for tag in ("2", "3", "4", "5"):
            await r.rolled_out("web")
            await r.deployments.patch("web", image(tag))
        await r.rolled_out("web")
        await r.until(lambda sets: len(sets) <= 3, r.sets)
        revisions = sorted(item["metadata"]["annotations"][REVISION] for item in await r.sets.list_all())
        assert revisions == ["3", "4", "5"]


@pytest.mark.virtual_time
async def test_a_paused_deployment_can_be_scaled_but_does_not_roll():
    async with running() as r:
        await r.deployments.create(deployment("web", 2))
        await r.rolled_out("web")
        await r.deployments.patch("web", {"spec": {**image("2")["spec"], "paused": True, "replicas": 4}})
        await r.until(lambda sets: set_sizes(sets) == {"nginx:1": 4}, r.sets)
        await r.clock.sleep(60)
        paused = await r.deployments.get("web")
        assert (condition(paused, "Progressing") or {})["reason"] == "DeploymentPaused"
        assert set_sizes(await r.sets.list_all()) == {"nginx:1": 4}
        await r.deployments.patch("web", {"spec": {"paused": False}})
        await r.rolled_out("web")
        assert set_sizes(await r.sets.list_all()) == {"nginx:1": 0, "nginx:2": 4}


@pytest.mark.virtual_time
async def test_scaling_in_the_middle_of_a_rollout_keeps_the_proportions():
    async with running() as r:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
        await r.deployments.create(deployment("web", 10, strategy=strategy))
        await r.rolled_out("web")
        await r.deployments.patch("web", image("broken"))
        never_pulled = {"type": "image-pull-failure", "target": {"image": "nginx:broken"}}
        await r.client.request("POST", "/svcsim/v1/faults", body=never_pulled)
        await r.until(lambda sets: set_sizes(sets) == {"nginx:1": 8, "nginx:broken": 5}, r.sets)
        await r.deployments.patch("web", {"spec": {"replicas": 15}})
        await r.until(lambda sets: set_sizes(sets) == {"nginx:1": 11, "nginx:broken": 7}, r.sets)


@pytest.mark.virtual_time
async def test_a_rollout_without_progress_is_told_to_have_timed_out():
    async with running() as r:
        await r.deployments.create(deployment("web", 2, progressDeadlineSeconds=60))
        await r.rolled_out("web")
        await r.client.request("POST", "/svcsim/v1/faults", body={"type": "image-pull-failure", "target": {"image": "nginx:broken"}})
        await r.deployments.patch("web", image("broken"))
        begun = r.clock.now()

        def timed_out(items: list[Object]) -> bool:
            progressing = condition(items[0], "Progressing") or {}
            return (progressing["status"], progressing["reason"]) == ("False", "ProgressDeadlineExceeded")

        (stuck,) = await r.until(timed_out, r.deployments, 300)
        assert 60 <= r.clock.now() - begun <= 75
        assert "has timed out progressing." in (condition(stuck, "Progressing") or {})["message"]
        assert (condition(stuck, "Available") or {})["status"] == "True"


@pytest.mark.virtual_time
async def test_deleting_it_takes_its_sets_and_pods_along():
    async with running() as r:
        await r.deployments.create(deployment("web", 3))
        await r.rolled_out("web")
        await r.deployments.delete("web")
        await r.until(lambda items: not items, r.sets)
        await r.until(lambda items: not items, r.pods)


@pytest.mark.virtual_time
async def test_deleting_it_as_an_orphaner_leaves_sets_and_pods_to_be_adopted():
    async with running() as r:
        await r.deployments.create(deployment("web", 2))
        await r.rolled_out("web")
        names = sorted(pod["metadata"]["name"] for pod in await r.pods.list_all())
        await r.deployments.delete("web", propagation="Orphan")
        await r.until_gone(r.deployments, "web")
        (orphan,) = await r.sets.list_all()
        assert "ownerReferences" not in orphan["metadata"]
        made = await r.deployments.create(deployment("web", 2))
        await r.rolled_out("web")
        (adopted,) = await r.sets.list_all()
        assert adopted["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert sorted(pod["metadata"]["name"] for pod in await r.pods.list_all()) == names


@pytest.mark.virtual_time
@pytest.mark.parametrize("left", [{"controller": False}, {"controller": None, "blockOwnerDeletion": None}])
async def test_what_names_its_owner_but_no_controller_is_adopted_with_the_same_reference(left):
    async with running() as r:
        await r.deployments.create(deployment("web", 1))
        await r.rolled_out("web")
        for collection in (r.sets, r.pods):
            (owned,) = await collection.list_all()
            (reference,) = owned["metadata"]["ownerReferences"]
            changed = {name: value for name, value in {**reference, **left}.items() if value is not None}
            await collection.patch(owned["metadata"]["name"], {"metadata": {"ownerReferences": [changed]}})
            await r.clock.sleep(5)
            (adopted,) = await collection.list_all()
            assert adopted["metadata"]["uid"] == owned["metadata"]["uid"]
            assert adopted["metadata"]["ownerReferences"] == [reference]


def test_the_same_seed_gives_the_same_history():
    def history() -> list[tuple[str, str, str]]:
        async def main() -> list[tuple[str, str, str]]:
            async with running(seed=7) as r:
                await r.deployments.create(deployment("web", 4))
                await r.rolled_out("web")
                await r.deployments.patch("web", image("2"))
                await r.rolled_out("web")
                pods = await r.pods.list_all()
                return [(p["metadata"]["name"], p["metadata"]["uid"], p["metadata"]["resourceVersion"]) for p in pods]

        return run_virtual(main())

    assert history() == history()
