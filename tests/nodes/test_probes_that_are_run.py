"""Probes that look at what a container's own script, its traps and its hook do with files: only running them tells what they find."""

import pytest

from svcsim.meta.objects import condition_is
from svcsim.meta.types import Json, Object
from svcsim.nodes.shell.programs import sort
from tests.calls import calls
from tests.living import Living, living
from tests.nodes.build import Life, pod_object, shell
from tests.nodes.test_processes import of_containers, script
from tests.nodes.test_traps import lasted_s, statuses

LOOP = "while :; do sleep 1; done"


def probe(*command: str, **more: Json) -> Object:
    return {"exec": {"command": list(command)}, "periodSeconds": 1, "failureThreshold": 1, **more}


async def restarted(cluster: Living, within_s: float) -> Object:
    """The container's status once it was started anew."""
    await cluster.until(lambda pods: any(one["restartCount"] == 1 for pod in pods for one in statuses(pod)), within_s)
    (pod,) = (await cluster.pods.list())[0]
    return statuses(pod)[0]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "text",
    [
        f"trap 'echo term; sleep 1; exit 3' TERM; touch /tmp/h; sleep 3; rm /tmp/h; {LOOP}",
        "trap 'exit 3' TERM; touch /tmp/h; sleep 3; rm /tmp/h; while :; do sleep 2; done",
        f"touch /tmp/h; for i in 1 2 3; do sleep 1; done; mv /tmp/h /tmp/gone; {LOOP}",
        f"touch /tmp/h; i=0; while [ $i -lt 3 ]; do i=$((i+1)); sleep 1; done; rm -f /tmp/h; {LOOP}",
    ],
)
async def test_a_container_ends_whose_script_takes_away_what_its_liveness_probe_looks_for(text: str):
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(script(text, livenessProbe=probe("cat", "/tmp/h", initialDelaySeconds=1))))
        one = await restarted(cluster, 30)
        assert 3 <= lasted_s(one["lastState"]["terminated"]) <= 8
        assert "Unhealthy" in await cluster.reasons("web")


@pytest.mark.virtual_time
async def test_a_probe_sees_what_comes_and_what_is_in_it():
    readiness = probe("sh", "-c", "test $(cat /tmp/n) -ge 3")
    text = "for i in 1 2 3 4 5 6; do echo $i > /tmp/n; sleep 2; done; echo 0 > /tmp/n; sleep 600"
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(script(text, readinessProbe=readiness)))
        for is_ready in (False, True, False):
            await cluster.until(lambda pods, is_ready=is_ready: bool(pods) and condition_is(pods[0], "Ready") is is_ready, 30)
        (pod,) = (await cluster.pods.list())[0]
        assert statuses(pod)[0]["restartCount"] == 0


@pytest.mark.virtual_time
async def test_a_heartbeat_in_a_file_keeps_its_container_alive():
    beats = "date +%s > /tmp/hb; while :; do sleep 2; date +%s > /tmp/hb; done"
    liveness = probe("sh", "-c", "[ $(( $(date +%s) - $(cat /tmp/hb) )) -lt 10 ]")
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(script(beats, livenessProbe=liveness)))
        await cluster.sleep(120)
        (pod,) = (await cluster.pods.list())[0]
        assert (statuses(pod)[0]["restartCount"], "Unhealthy" in await cluster.reasons("web")) == (0, False)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "lifecycle"),
    [
        (f"trap 'rm /tmp/ready; sleep 6; exit 0' TERM; touch /tmp/ready; {LOOP}", {}),
        (f"touch /tmp/ready; {LOOP}", {"preStop": {"exec": {"command": ["sh", "-c", "rm /tmp/ready; sleep 6"]}}}),
    ],
)
async def test_a_pod_that_takes_itself_out_of_service_before_it_ends_is_not_ready_meanwhile(text: str, lifecycle: Object):
    one = script(text, readinessProbe=probe("cat", "/tmp/ready"), lifecycle=lifecycle)
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(one))
        await cluster.until(lambda pods: bool(pods) and condition_is(pods[0], "Ready"), 30)
        await cluster.pods.delete("web")
        await cluster.until(
            lambda pods: bool(pods) and not condition_is(pods[0], "Ready") and "running" in statuses(pods[0])[0]["state"], 5
        )


@pytest.mark.parametrize("text", ["echo up; sleep 1000", "touch /tmp/a; sleep 1000", "sleep 1000"])
def test_what_touches_no_files_that_may_change_is_not_probed_again_and_again(text: str):
    look = probe("cat", "/tmp/a") if "touch" in text else probe("true")
    life = Life(pod_object({**shell(text), "readinessProbe": look, "livenessProbe": look})).until(60)
    assert life.state()["ready"]
    assert life.run.due is None or life.run.due > life.now + 300


@pytest.mark.virtual_time
async def test_a_probe_that_is_much_work_is_cut_off_when_its_time_is_over(caplog: pytest.LogCaptureFixture):
    text = "for i in $(seq 500); do seq 20000 | sort -r > /tmp/s; done"
    async with living(nodes=1) as cluster:
        writes = script("while true; do echo x >> /tmp/x; sleep 1; done", readinessProbe=probe("sh", "-c", text, periodSeconds=10))
        with calls(sort._with_line) as sorted_by:
            await cluster.pods.create(of_containers(writes))
            await cluster.sleep(8)
        (pod,) = (await cluster.pods.list())[0]
        assert not condition_is(pod, "Ready")
        assert 1 <= len(sorted_by) <= 15
        (message,) = {event["message"] for event in await cluster.events("web") if event["reason"] == "Unhealthy"}
        assert "timed out after 1s" in message
        assert [record for record in caplog.records if record.exc_info] == [], "in the middle of what is written to a file"
