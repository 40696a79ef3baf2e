"""Pods whose lives go on where their status says they were, after whoever looked after them was away."""

import pytest

from svcsim.clock import format_time
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.nodes.pods.pod_updates import take_in
from svcsim.nodes.pods.resuming import resume_run
from tests.nodes.build import NOW, Life, container, pod_object, shell

CRASHING = shell("exit 1", "crashing")


def resumed(life: Life, after_s: float) -> Life:
    """The same pod, taken up by another process so many seconds later."""
    again = Life({**copy_json(life.pod), "status": life.status})
    again.now = life.now + after_s
    resume_run(again.pod, again.run, again.now)
    again.step(again.now)
    return again


def restarts(life: Life, name: str) -> int:
    found: int = life.state(name)["restartCount"]
    return found


@pytest.mark.parametrize("at_s", [5, 8, 30, 45, 100, 101, 102.5])
@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [container()], "initContainers": [{**CRASHING, "restartPolicy": "Always"}]},
        {"containers": [container(), CRASHING]},
        {"containers": [CRASHING]},
        {"containers": [container()], "initContainers": [CRASHING]},
    ],
    ids=["sidecar", "beside another", "alone", "init container"],
)
def test_a_container_in_back_off_is_started_again(spec: Object, at_s: float):
    pod = pod_object()
    life = Life({**pod, "spec": {**pod["spec"], **spec}}).until(at_s)
    again = resumed(life, 20)
    before = restarts(again, "crashing")
    assert again.phase not in {"Failed", "Succeeded"}
    again.until(at_s + 20 + 330)
    assert restarts(again, "crashing") > before
    assert again.state("crashing")["state"]["waiting"]["reason"] == "CrashLoopBackOff"


HOOKED = container("hooked", lifecycle={"postStart": {"exec": {"command": ["false"]}}})


@pytest.mark.parametrize("at_s", [step / 4 for step in range(8, 24)])
def test_a_container_whose_hook_failed_is_started_again(at_s: float):
    life = Life(pod_object(HOOKED)).until(at_s)
    before = restarts(life, "hooked")
    again = resumed(life, 20).until(at_s + 20 + 330)
    assert restarts(again, "hooked") > before
    assert again.state("hooked")["state"]["waiting"]["reason"] == "CrashLoopBackOff"


def test_a_container_whose_hook_was_at_work_is_started_anew():
    life = Life(pod_object(container(lifecycle={"postStart": {"sleep": {"seconds": 60}}}))).until(20)
    again = resumed(life, 10).until(60)
    assert "waiting" in again.state()["state"]
    again.until(120)
    assert (again.state()["ready"], again.phase) == (True, "Running")


def test_of_a_pod_that_runs_a_sidecar_in_back_off_holds_back_nothing():
    sidecar = {**shell("sleep 20; exit 1", "proxy"), "restartPolicy": "Always"}
    again = resumed(Life(pod_object(container(), initContainers=[sidecar])).until(60), 1)
    assert (again.phase, again.condition("Initialized")["status"]) == ("Running", "True")


def test_what_is_left_of_a_back_off_is_waited_for():
    life = Life(pod_object(CRASHING)).until(100)
    due = life.run.due
    assert due is not None
    again = resumed(life, 5)
    assert again.run.due == pytest.approx(due, abs=3)


def test_a_container_whose_turn_had_not_come_begins():
    life = Life(pod_object(container("first"), container("second", "other:1"))).until(3)
    assert "running" not in life.state("second")["state"]
    again = resumed(life, 60).until(120)
    assert [item["ready"] for item in again.status["containerStatuses"]] == [True, True]


@pytest.mark.parametrize(
    "spec",
    [
        {"activeDeadlineSeconds": 10},
        {"activeDeadlineSeconds": 10, "containers": [container("web", "slow:v"), container("other", "slower:v")]},
        {"activeDeadlineSeconds": 2, "containers": [container(), container("other", "other:1")]},
        {"activeDeadlineSeconds": 60, "containers": [shell("exit 7")]},
        {"activeDeadlineSeconds": 0, "initContainers": [shell("sleep 1", "first"), shell("sleep 1", "second")]},
        {"activeDeadlineSeconds": 12, "initContainers": [shell("sleep 1", "first"), shell("sleep 100", "second")]},
        {"restartPolicy": "Never", "initContainers": [shell("exit 3", "first"), shell("sleep 1", "second")]},
    ],
    ids=[
        "ran",
        "never started",
        "one started",
        "in back-off",
        "before init containers",
        "in an init container",
        "an init container failed",
    ],
)
def test_a_pod_that_failed_stays_as_it_was(spec: Object):
    life = Life(pod_object(**spec) if "containers" not in spec else {**pod_object(), "spec": {**pod_object()["spec"], **spec}}).until(90)
    assert life.phase == "Failed"
    again = resumed(life, 60).until(600)
    assert again.status == life.status
    assert again.told == []


ENDING = container("proxy", "envoy:1", restartPolicy="Always", lifecycle={"preStop": {"sleep": {"seconds": 20}}})


@pytest.mark.parametrize(
    ("work", "more", "reason"),
    [(shell("sleep 10"), {}, None), (container(), {"activeDeadlineSeconds": 14}, "DeadlineExceeded")],
)
def test_a_pod_that_was_about_to_end_ends(work: Object, more: Object, reason: str | None):
    life = Life(pod_object(work, restartPolicy="Never", initContainers=[ENDING], **more)).until(20)
    assert (life.phase, life.run.termination.done_at is None) == ("Running", False)
    again = resumed(life, 5)
    assert (again.phase, again.run.finished) == ("Running", False)
    again.until(60)
    assert (again.phase, again.status.get("reason"), again.run.due) == ("Failed" if reason else "Succeeded", reason, None)
    assert again.state("proxy")["state"]["terminated"]["exitCode"] == 0


def test_a_deadline_counts_from_the_pods_start():
    life = Life(pod_object(activeDeadlineSeconds=100)).until(20)
    assert resumed(life, 20).run.failure.deadline_at == NOW + 100
    assert resumed(life, 200).until(221).phase == "Failed"


def deleted(life: Life, grace_s: int) -> Life:
    """A pod that is deleted now, and has so much time."""
    life.pod["metadata"].update(deletionTimestamp=format_time(life.now + grace_s), deletionGracePeriodSeconds=grace_s)
    life.run.terminate(life.now, grace_s)
    return life


@pytest.mark.parametrize(("hook", "over_s"), [({}, 80), ({"lifecycle": {"preStop": {"sleep": {"seconds": 50}}}}, 82)])
def test_a_grace_period_goes_on_from_where_it_was(hook: Object, over_s: int):
    """A hook that is begun anew is cut off when the time is over; its process is then given a moment to end."""
    life = deleted(Life(pod_object({**shell("trap '' TERM; sleep 10000"), **hook})).until(20), 60).until(40)
    again = resumed(resumed(life, 10).until(55), 10).until(79)
    assert again.run.termination.done_at == NOW + over_s
    again.run.terminate(again.now, 60)
    assert again.until(over_s).run.termination.is_done
    assert again.state()["state"]["terminated"]["exitCode"] == 137


def test_a_grace_period_that_is_over_by_then_leaves_a_moment():
    again = resumed(deleted(Life(pod_object(shell("trap '' TERM; sleep 10000"))).until(20), 60), 300)
    assert again.run.termination.done_at == NOW + 322


def test_a_ready_container_stays_ready_and_is_probed_on():
    probe: Object = {"exec": {"command": ["cat", "/tmp/x"]}, "periodSeconds": 5}
    life = Life(pod_object({**shell("touch /tmp/x; sleep 60; rm /tmp/x; sleep 600"), "readinessProbe": probe})).until(20)
    again = resumed(life, 10)
    assert again.state()["ready"]
    again.until(100)
    assert not again.state()["ready"]


def test_a_container_whose_image_was_changed_meanwhile_is_started_anew():
    life = Life(pod_object(container("web", "nginx:1.28"))).until(60)
    first = life.pod["spec"]["containers"][0]
    life.pod = {**life.pod, "spec": {**life.pod["spec"], "containers": [{**first, "image": "nginx:1.29"}]}}
    take_in(life.run, life.pod, NOW + 60)
    life.step(NOW + 60)
    assert life.state()["image"] == "docker.io/library/nginx:1.28", "it is still being ended"
    again = resumed(life, 5).until(90)
    assert (again.state()["image"], again.state()["restartCount"]) == ("docker.io/library/nginx:1.29", 1)


MOMENTS = [step / 4 for step in range(17)]


@pytest.mark.parametrize("after_s", MOMENTS)
@pytest.mark.parametrize("before", [0, 4])
def test_a_container_that_was_being_started_anew_for_another_image_is_started_anew(after_s: float, before: int):
    life = Life(pod_object()).until(30)
    for number in range(before):
        life.pod["spec"]["containers"][0]["image"] = f"nginx:1.{number}"
        life.pod["metadata"]["generation"] = life.run.generation + 1
        take_in(life.run, life.pod, life.now)
        life.until(30 + 10 * (number + 1))
    life.pod["spec"]["containers"][0]["image"] = "nginx:2"
    life.pod["metadata"]["generation"] = life.run.generation + 1
    take_in(life.run, life.pod, life.now)
    again = resumed(life.until(30 + 10 * before + after_s), 2).until(30 + 10 * before + after_s + 40)
    state = again.state()
    assert (state["ready"], state["image"], state["restartCount"]) == (True, "docker.io/library/nginx:2", before + 1)


@pytest.mark.parametrize("after_s", MOMENTS)
def test_a_resize_for_which_a_container_is_started_anew_is_in_force_once_it_was(after_s: float):
    policy = [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]
    had, wanted = ({"limits": {"memory": amount}, "requests": {"memory": amount}} for amount in ("64Mi", "128Mi"))
    life = Life(pod_object(container(resources=had, resizePolicy=policy))).until(30)
    life.pod["spec"]["containers"][0]["resources"] = wanted
    life.pod["metadata"]["generation"] = life.run.generation + 1
    take_in(life.run, life.pod, life.now)
    life.run.allocation.settle(None, 0, life.now)
    again = resumed(life.until(30 + after_s), 2)
    if again.run.allocation.deferred:  # its node looks anew
        again.run.allocation.settle(None, 0, again.now)
    again.until(30 + after_s + 40)
    state = again.state()
    assert (state["ready"], state["resources"], state["restartCount"]) == (True, wanted, 1)


def test_what_containers_have_and_looks_under_way_are_taken_up():
    look = container("look", "busybox:1", command=["sleep", "900"])
    life = Life(pod_object(container(resources={"requests": {"cpu": "1"}}), ephemeralContainers=[look])).until(60)
    assert "running" in life.status["ephemeralContainerStatuses"][0]["state"]
    before = copy_json(life.status)
    life.pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "2"}}
    again = Life({**copy_json(life.pod), "status": before})
    resume_run(again.pod, again.run, NOW + 60)
    assert again.run.allocation.resize is not None, "it was asked for, and isn't in force yet"
    again.run.allocation.settle(None, 0, NOW + 60)
    again.until(70)
    status = again.status
    assert status["containerStatuses"][0]["resources"] == {"requests": {"cpu": "2"}}
    assert (status["containerStatuses"][0]["restartCount"], status["phase"]) == (0, "Running")
    assert status["ephemeralContainerStatuses"] == before["ephemeralContainerStatuses"]


def test_an_init_container_whose_image_was_changed_meanwhile_goes_on_to_its_end():
    life = Life(pod_object(initContainers=[shell("sleep 20", "init")])).until(8)
    life.pod["spec"]["initContainers"][0]["image"] = "busybox:2"
    life.pod["metadata"]["generation"] = life.run.generation + 1
    again = resumed(life, 5).until(60)
    init = again.state("init")
    assert (init["restartCount"], init["image"], again.phase) == (0, "docker.io/library/busybox:1", "Running")
