"""What stages have in store for an object, as the cluster tells it."""

from pathlib import Path

import pytest
import yaml

from svcsim.clock import format_time
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.living import Living, living, pod

pytestmark = pytest.mark.virtual_time


def stage(stage_name: str, app: str, when: str, **fields: Json) -> Object:
    match = {"kind": "Pod", "labels": {"app": app}}
    return {"apiVersion": "svcsim.dev/v1", "kind": "Stage", "metadata": {"name": stage_name}, "match": match, "when": when, **fields}


def file_of(directory: Path, *documents: Object) -> tuple[str]:
    (directory / "stages.yaml").write_text(yaml.safe_dump_all(documents))
    return (str(directory / "stages.yaml"),)


def labelled(app: str, **spec: Json) -> Object:
    made = pod(app, **spec)
    made["metadata"]["labels"] = {"app": app}
    return made


async def told(cluster: Living, pod_name: str) -> Object:
    found = await cluster.cluster.nodes.tell("v1", "Pod", "default", pod_name)
    stages: Object = found["stages"]
    return stages


START = stage("start", "web", ".status.podIP == null", delay="30s", patch={"status": {"phase": "Running", "podIP": "10.9.9.9"}})
END = stage("end", "web", ".metadata.deletionTimestamp", delay="20s", delete=True)


async def test_the_stage_that_comes_next_is_told_with_its_time(tmp_path: Path):
    async with living(stages=file_of(tmp_path, START, END)) as cluster:
        await cluster.pods.create(labelled("web"))
        await cluster.sleep(1)
        begun = cluster.cluster.clock.now()
        coming = await told(cluster, "web")
        assert coming["lives"]
        assert coming["next"] == {"stage": "start", "at": coming["next"]["at"], "deletes": False, "held": False}
        assert format_time(begun + 27) < coming["next"]["at"] <= format_time(begun + 30)
        await cluster.sleep(31)
        settled = await told(cluster, "web")
        assert (settled["lives"], settled["unmet"]) == (
            True,
            [
                {"stage": "start", "needs": [".status.podIP == null"]},
                {"stage": "end", "needs": [".metadata.deletionTimestamp"]},
            ],
        )
        await cluster.pods.delete("web")
        await cluster.sleep(1)
        assert (await told(cluster, "web"))["next"]["deletes"]


async def test_what_a_stage_could_not_do_is_told_until_the_object_changes(tmp_path: Path):
    wrong = stage("wrong", "web", ".metadata.annotations.mended == null", patch="status: {{ index .spec.containers 5 }}")
    async with living(stages=file_of(tmp_path, wrong)) as cluster:
        await cluster.pods.create(labelled("web"))
        await cluster.sleep(2)
        failed = await told(cluster, "web")
        assert failed["next"]["stage"] == "wrong"
        assert failed["failure"].startswith("Stage wrong can't be played: template: ")
        await cluster.pods.patch("web", {"metadata": {"annotations": {"mended": "yes"}}})
        await cluster.sleep(2)
        assert "failure" not in await told(cluster, "web")


async def test_what_is_held_up_by_its_node_is_told(tmp_path: Path):
    async with living(nodes=1, stages=file_of(tmp_path, START)) as cluster:
        await cluster.pods.create(labelled("web"))
        await cluster.sleep(1)
        await cluster.cluster.nodes.handle({"fail": ["node-1"], "forSeconds": 60})
        assert (await told(cluster, "web"))["next"]["held"]
        until = format_time(cluster.cluster.clock.now() + 60)
        assert (await cluster.cluster.nodes.tell("v1", "Node", "", "node-1"))["failed"] == {"until": until}
        await cluster.sleep(61)
        assert "failed" not in await cluster.cluster.nodes.tell("v1", "Node", "", "node-1")


async def test_a_stage_that_was_played_and_changed_nothing_is_told(tmp_path: Path):
    idle = stage("idle", "web", ".status.phase", patch={"metadata": {"labels": {"app": "web"}}})
    async with living(stages=file_of(tmp_path, idle)) as cluster:
        await cluster.pods.create(labelled("web"))
        await cluster.sleep(5)
        assert (await told(cluster, "web"))["played"] == ["idle"]


async def test_stages_about_others_are_told_apart_from_those_that_wait_for_something(tmp_path: Path):
    late = stage("late", "api", ".status.never", delete=True)
    crowd = [stage(f"of-{number}", f"app-{number}", ".status.phase", delete=True) for number in range(7)]
    async with living(stages=file_of(tmp_path, late, *crowd)) as cluster:
        await cluster.pods.create(labelled("api"))
        await cluster.sleep(5)
        found = await told(cluster, "api")
        assert (found["lives"], found["machine"], found["about"], found["aboutOthers"]) == (False, True, 1, 7)
        assert found["unmet"] == [{"stage": "late", "needs": [".status.never"]}]
        assert found["unlike"][0] == {"stage": "of-0", "needs": ["the label app=app-0"]}
        assert len(found["unlike"]) == 5


async def test_nothing_is_told_where_stages_have_no_say(tmp_path: Path):
    async with living(stages=file_of(tmp_path, START)) as cluster:
        await cluster.pods.create(labelled("web", nodeSelector={"disk": "none"}))
        await cluster.sleep(1)
        assert await cluster.cluster.nodes.tell("v1", "Pod", "default", "web") == {}, "it has no node yet"
        assert await cluster.cluster.nodes.tell("v1", "Node", "", "node-1") == {"machine": True, "registered": True}
        fault = cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"name": "node-1"}})
        assert await cluster.cluster.nodes.tell("v1", "Node", "", "node-1") == {
            "machine": True,
            "registered": False,
            "failed": {"fault": True},
        }
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "theirs"}})
        assert await cluster.cluster.nodes.tell("v1", "Node", "", "theirs") == {"machine": False}
        with pytest.raises(StatusError) as refused:
            await cluster.cluster.nodes.tell("v1", "Pod", "default", "never")
        assert refused.value.code == 404


async def test_when_the_grace_period_of_a_pod_is_over_its_node_tells(tmp_path: Path):
    async with living(stages=file_of(tmp_path, START)) as cluster:
        tell = cluster.cluster.nodes.tell
        await cluster.run_pod(
            labelled("api", containers=[{"name": "c", "image": "busybox", "command": ["sh", "-c", "trap '' TERM; sleep 1h"]}])
        )
        assert "graceOver" not in await tell("v1", "Pod", "default", "api")
        await cluster.pods.delete("api", grace_period_s=30)
        await cluster.sleep(5)
        assert (await tell("v1", "Pod", "default", "api"))["graceOver"] == format_time(cluster.cluster.clock.now() + 25)
