"""How pods and containers end that are asked to, whoever asks: hooks, SIGTERM, the grace period, sidecars last."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.nodes.pods.pod_updates import take_in
from svcsim.nodes.pods.process_ends import end
from tests.living import living, pod
from tests.nodes.build import NOW, Life, container, pod_object, shell


def sidecar(name: str, **more: Json) -> Object:
    return container(name, "envoy:1", restartPolicy="Always", **more)


def hooked(seconds: int) -> Object:
    return {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}


def finished_s(life: Life, name: str) -> float:
    """When a container ended, in seconds after the beginning."""
    return next(one.finished_at for one in life.run.containers.all if one.spec.name == name) - NOW


def killings(life: Life) -> list[tuple[int, str]]:
    return [(int(at), message) for at, reason, message in life.told if reason == "Killing"]


def code(life: Life, name: str) -> int | None:
    found: int | None = life.state(name)["state"].get("terminated", {}).get("exitCode")
    return found


# --- a pod that has done its work ---


def with_sidecars(script: str, *sidecars: Object, grace_s: int = 60, **spec: Json) -> Life:
    given = {"restartPolicy": "Never", "initContainers": list(sidecars), "terminationGracePeriodSeconds": grace_s, **spec}
    return Life(pod_object(shell(script), **given))


@pytest.mark.parametrize(("script", "phase"), [("sleep 10", "Succeeded"), ("sleep 10; exit 3", "Failed")])
def test_sidecars_end_one_after_the_other_once_the_work_is_done_and_the_pod_runs_until_then(script: str, phase: str):
    life = with_sidecars(script, sidecar("s1"), sidecar("s2", lifecycle=hooked(20))).until(30)
    done_s = finished_s(life, "main")
    assert life.phase == "Running"
    assert [message for _, message in killings(life)] == ["Stopping container s1", "Stopping container s2"]
    assert "running" in life.state("s1")["state"]
    assert "running" in life.state("s2")["state"]
    assert life.condition("Ready")["reason"] == "ContainersNotReady"
    life.until(60)
    assert finished_s(life, "s2") >= done_s + 20.5
    assert finished_s(life, "s1") >= finished_s(life, "s2") + 0.5, "the first is asked when the last has ended"
    assert finished_s(life, "s1") < done_s + 25
    assert (life.phase, code(life, "s1"), code(life, "s2")) == (phase, 0, 0)
    assert (life.run.finished, life.run.due) == (True, None)


def test_when_the_grace_period_is_over_all_sidecars_are_asked_whatever_they_wait_for():
    life = with_sidecars("sleep 10", sidecar("s1"), sidecar("s2", lifecycle=hooked(100)), grace_s=5).until(60)
    assert (code(life, "s1"), code(life, "s2")) == (0, 0)
    over_s = finished_s(life, "main") + 5
    assert all(over_s + 0.5 <= finished_s(life, name) <= over_s + 2 for name in ("s1", "s2"))
    assert life.phase == "Succeeded"


def test_a_sidecar_that_waits_for_its_next_start_is_started_no_more():
    crashing = {**shell("sleep 1; exit 1", "s1"), "restartPolicy": "Always"}
    life = with_sidecars("sleep 60", crashing, sidecar("s2", lifecycle=hooked(30))).until(80)
    assert life.phase == "Running"
    before = life.state("s1")["restartCount"]
    life.until(400)
    assert (life.phase, life.state("s1")["restartCount"]) == ("Succeeded", before)


def test_a_pod_whose_init_container_has_failed_fails_when_its_sidecars_have_ended():
    inits = [sidecar("s1", lifecycle=hooked(20)), shell("sleep 2; exit 1", "init")]
    life = Life(pod_object(restartPolicy="Never", initContainers=inits)).until(15)
    assert (life.phase, "running" in life.state("s1")["state"]) == ("Pending", True)
    assert life.condition("Ready")["reason"] == "PodFailed"
    assert life.until(40).phase == "Failed"


def test_a_pod_that_is_deleted_while_its_sidecars_end_has_no_longer_than_asked():
    life = with_sidecars("sleep 10", sidecar("s1", lifecycle=hooked(50))).until(20)
    life.run.terminate(NOW + 20, 60)
    life.step(NOW + 20)
    assert len(killings(life)) == 1
    life.run.terminate(NOW + 25, 5)
    life.until(29)
    assert 30.5 <= (life.run.termination.done_at or 0) - NOW <= 32
    life.until(32)
    assert (life.run.termination.done_at, code(life, "s1"), life.phase) == (None, 0, "Succeeded")


@pytest.mark.virtual_time
async def test_a_job_is_complete_when_the_sidecars_of_its_pod_have_ended():
    async with living(nodes=1) as cluster:
        work = pod("work", command=["sleep", "10"], restartPolicy="Never")
        work["spec"]["initContainers"] = [sidecar("s1"), sidecar("s2", lifecycle=hooked(20))]
        work["spec"]["terminationGracePeriodSeconds"] = 60
        await cluster.pods.create(work)
        await cluster.sleep(25)
        status = (await cluster.pods.get("work"))["status"]
        assert (status["phase"], list(status["containerStatuses"][0]["state"])) == ("Running", ["terminated"])
        await cluster.sleep(25)
        status = (await cluster.pods.get("work"))["status"]
        assert status["phase"] == "Succeeded"
        first, last = (one["state"]["terminated"]["finishedAt"] for one in status["initContainerStatuses"])
        assert last < first
        told = [event["message"] for event in await cluster.events("work") if event["reason"] == "Killing"]
        assert sorted(told) == ["Stopping container s1", "Stopping container s2"]


# --- deletion ---


def test_sidecars_of_a_deleted_pod_are_asked_after_the_others():
    life = Life(pod_object(container(lifecycle=hooked(10)), initContainers=[sidecar("s1"), sidecar("s2")])).until(30)
    life.run.terminate(NOW + 30, 60)
    life.until(100)
    assert 40.5 <= finished_s(life, "web") < finished_s(life, "s2") - 0.4 < finished_s(life, "s1") - 0.8
    assert [life.run.termination.done_at, code(life, "web"), code(life, "s1"), code(life, "s2")] == [None, 0, 0, 0]


def test_sidecars_that_are_left_no_time_are_asked_when_it_is_over():
    life = Life(pod_object(container(lifecycle=hooked(100)), initContainers=[sidecar("s1")])).until(30)
    life.run.terminate(NOW + 30, 10)
    life.until(100)
    assert all(40.5 <= finished_s(life, name) <= 42 for name in ("s1", "web"))
    assert (code(life, "s1"), code(life, "web")) == (0, 0)


def test_a_process_that_ends_by_itself_while_its_pod_is_stopped_ends_as_it_would():
    life = Life(pod_object(container(lifecycle=hooked(20)), container("other", lifecycle=hooked(20)))).until(30)
    life.run.terminate(NOW + 30, 60)
    life.step(NOW + 35)
    end(life.run, "web", 7, NOW + 35)
    life.step(NOW + 35)
    assert (code(life, "web"), code(life, "other"), life.run.termination.is_deleted) == (7, None, True)
    assert life.run.due is not None
    assert life.run.due > NOW + 35


# --- a deadline ---


def test_a_deadline_leaves_a_pod_its_grace_period():
    life = Life(pod_object(container(lifecycle=hooked(20)), activeDeadlineSeconds=10, terminationGracePeriodSeconds=60)).until(15)
    assert life.reasons[-2:] == ["DeadlineExceeded", "Killing"]
    assert killings(life) == [(10, "Stopping container web")]
    assert (life.phase, "running" in life.state()["state"]) == ("Running", True)
    assert not {"reason", "message"} & set(life.status), "it has not failed yet"
    assert [(life.condition(kind)["status"], life.condition(kind)["reason"]) for kind in ("Ready", "ContainersReady")] == [
        ("False", "PodFailed")
    ] * 2
    life.until(60)
    assert 30.5 <= finished_s(life, "web") <= 32.1
    assert (life.phase, life.status["reason"], code(life, "web")) == ("Failed", "DeadlineExceeded", 0)
    assert (life.run.finished, life.run.due) == (True, None)
    assert life.reasons.count("DeadlineExceeded") == 1


def test_a_hook_that_outlives_the_grace_period_after_a_deadline_is_cut_off():
    life = Life(pod_object(container(lifecycle=hooked(100)), activeDeadlineSeconds=10, terminationGracePeriodSeconds=60)).until(69)
    assert life.phase == "Running"
    life.until(72)
    assert 70.5 <= finished_s(life, "web") <= 72
    assert (code(life, "web"), life.phase) == (0, "Failed")


def test_a_pod_whose_sidecars_end_after_its_deadline_has_failed_though_its_work_was_done():
    life = with_sidecars("sleep 10", sidecar("s1", lifecycle=hooked(20)), activeDeadlineSeconds=20).until(30)
    assert life.reasons[-2:] == ["Killing", "DeadlineExceeded"]
    assert (life.phase, life.condition("Ready")["reason"]) == ("Running", "PodFailed")
    life.until(60)
    assert (life.phase, life.status["reason"], code(life, "main")) == ("Failed", "DeadlineExceeded", 0)
    in_time = with_sidecars("sleep 10", sidecar("s1", lifecycle=hooked(20)), activeDeadlineSeconds=50).until(100)
    assert (in_time.phase, in_time.run.due, "DeadlineExceeded" in in_time.reasons) == ("Succeeded", None, False)


@pytest.mark.virtual_time
async def test_a_pod_past_its_deadline_is_told_to_be_unready_and_fails_when_it_has_ended():
    async with living(nodes=1) as cluster:
        late = pod("late", activeDeadlineSeconds=10, terminationGracePeriodSeconds=60)
        late["spec"]["containers"][0]["lifecycle"] = hooked(20)
        await cluster.pods.create(late)
        await cluster.sleep(20)
        status = (await cluster.pods.get("late"))["status"]
        ready = next(one for one in status["conditions"] if one["type"] == "Ready")
        assert (status["phase"], ready["status"], ready["reason"], "reason" in status) == ("Running", "False", "PodFailed", False)
        await cluster.sleep(20)
        status = (await cluster.pods.get("late"))["status"]
        assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")


# --- containers that are ended to be started anew ---


@pytest.mark.parametrize("kind", ["liveness", "startup"])
@pytest.mark.parametrize(
    ("policy", "hook_s", "own", "exit_code", "reason"),
    [
        ("Always", 0, {}, 0, "Completed"),
        ("OnFailure", 0, {}, 143, "Error"),
        ("Always", 20, {}, 0, "Completed"),
        ("Always", 100, {}, 0, "Completed"),
        ("OnFailure", 20, {"terminationGracePeriodSeconds": 5}, 143, "Error"),
    ],
)
def test_a_failing_probe_ends_a_container_as_a_deletion_does(kind: str, policy: str, hook_s: int, own: Object, exit_code: int, reason: str):
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1, "initialDelaySeconds": 10, **own}
    given = container(lifecycle=hooked(hook_s), **{f"{kind}Probe": probe})
    life = Life(pod_object(given, restartPolicy=policy, terminationGracePeriodSeconds=60))
    moment = 20.0
    while not life.state()["lastState"]:
        life.until(moment)
        moment += 1
    ended = life.state()["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (exit_code, reason)


def test_a_container_that_is_not_restarted_fails_its_pod_when_a_probe_has_ended_it():
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1, "initialDelaySeconds": 10}
    life = Life(pod_object(container(livenessProbe=probe), restartPolicy="Never")).until(60)
    assert (code(life, "web"), life.phase) == (143, "Failed")


@pytest.mark.parametrize("hook_s", [5, 100])
def test_a_container_that_is_replaced_ends_as_a_deletion_has_it_end(hook_s: int):
    life = Life(pod_object(container(lifecycle=hooked(hook_s)))).until(30)
    life.pod["spec"]["containers"][0]["image"] = "nginx:1.30"
    take_in(life.run, life.pod, NOW + 30)
    life.until(100)
    assert life.state()["lastState"]["terminated"]["exitCode"] == 0


@pytest.mark.virtual_time
async def test_a_pod_that_says_less_than_no_time_has_a_second_to_end():
    async with living(nodes=1) as cluster:
        made = await cluster.pods.create(pod("web", terminationGracePeriodSeconds=-1))
        assert made["spec"]["terminationGracePeriodSeconds"] == 1
        await cluster.until(lambda pods: bool(pods[0]["spec"].get("nodeName")))
        await cluster.pods.patch("web", {"spec": {"terminationGracePeriodSeconds": -1}})
        found = await cluster.pods.get("web")
        assert (found["spec"]["terminationGracePeriodSeconds"], found["metadata"]["generation"]) == (1, 1)
