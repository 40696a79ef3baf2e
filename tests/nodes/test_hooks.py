"""What hooks do to the lives of containers: `postStart` before they count as running, `preStop` before they are asked to end."""

from itertools import pairwise

import pytest

from svcsim.meta.types import Object
from svcsim.nodes.containers.hooks import Hook, read_hook
from svcsim.nodes.pods.pod_updates import take_in
from tests.living import living, pod
from tests.nodes.build import NOW, Life, container, pod_object, shell

CREATING = {"waiting": {"reason": "ContainerCreating"}}


def running(script: str) -> Object:
    return {"exec": {"command": ["sh", "-c", script]}}


def after_start(hook: Object, name: str = "web", **more: object) -> Object:
    return container(name, lifecycle={"postStart": hook}, **more)


def before_stop(hook: Object, **more: object) -> Object:
    return container(lifecycle={"preStop": hook}, **more)


@pytest.mark.parametrize(
    ("hook", "takes_s", "exit_code"),
    [
        ({"sleep": {"seconds": 7}}, 7, 0),
        ({"exec": {"command": ["sleep", "3"]}}, 3.05, 0),
        (running("sleep 2; exit 3"), 2.05, 3),
        (running("false"), 0.05, 1),
        ({"exec": {"command": ["/usr/sbin/nginx", "-s", "quit"]}}, 0, 0),
        ({"exec": {"command": ["sleep", "infinity"]}}, float("inf"), 0),
        (running("while true; do sleep 1; done"), float("inf"), 0),
        ({"httpGet": {"port": 80}}, 0, 0),
        ({"tcpSocket": {"port": 80}}, 0, 0),
    ],
)
def test_what_hooks_do_is_read_as_command_lines_are(hook: Object, takes_s: float, exit_code: int):
    found = read_hook(after_start(hook), "postStart")
    assert found is not None
    assert (found.takes_s, found.exit_code) == (pytest.approx(takes_s), exit_code)
    assert read_hook(after_start(hook), "preStop") is None
    assert read_hook(container(), "postStart") is None


def test_an_old_hook_without_a_handler_does_nothing():
    assert read_hook(after_start({"other": {}}), "postStart") == Hook()


# --- postStart ---


def test_a_container_counts_as_running_when_its_hook_has_ended():
    slow = after_start({"sleep": {"seconds": 20}}, readinessProbe={"httpGet": {"port": 80}, "periodSeconds": 1})
    life = Life(pod_object(slow)).until(15)
    assert life.reasons == ["Pulling", "Pulled", "Created", "Started"]
    state = life.state()
    assert (state["state"], state["started"], state["ready"], life.phase) == (CREATING, False, False, "Pending")
    assert not life.run.starting, "its node tells of the pod meanwhile"
    started_at = life.told[-1][0]
    life.until(started_at + 19.9)
    assert life.state()["state"] == CREATING
    life.until(started_at + 21)
    state = life.state()
    assert (state["ready"], life.phase) == (True, "Running")
    assert state["state"]["running"]["startedAt"] == f"2026-01-01T00:00:0{int(started_at)}Z", "that is when its process began"
    assert life.reasons == ["Pulling", "Pulled", "Created", "Started"]
    assert life.run.due is None


@pytest.mark.parametrize("hook", [running("echo hi > /usr/share/message"), {"httpGet": {"port": 80}}, {"tcpSocket": {"port": 80}}])
def test_a_hook_that_takes_no_time_changes_nothing(hook: Object):
    assert Life(pod_object(after_start(hook))).until(10).state()["ready"]


def test_the_containers_after_it_wait_for_its_hook():
    life = Life(pod_object(after_start(running("sleep 10"), "one"), container("two"), container("three"))).until(9)
    assert [life.state(name)["state"] for name in ("one", "two", "three")] == [CREATING] * 3
    life.until(20)
    assert life.condition("Ready")["status"] == "True"
    begun = {message: at for at, reason, message in life.told if reason in ("Started", "Created")}
    assert begun["Created container: two"] - begun["Started container one"] > 10


def test_a_sidecar_with_a_hook_is_waited_for():
    sidecar = after_start(running("sleep 10"), "proxy", restartPolicy="Always")
    life = Life(pod_object(initContainers=[sidecar])).until(9)
    assert (life.state("proxy")["started"], life.state("web")["state"]) == (False, {"waiting": {"reason": "PodInitializing"}})
    assert life.condition("Initialized")["status"] == "False"
    assert life.until(20).condition("Ready")["status"] == "True"


def test_a_hook_that_never_ends_keeps_its_container_from_ever_running():
    life = Life(pod_object(after_start({"exec": {"command": ["sleep", "infinity"]}}))).until(10_000)
    assert (life.state()["state"], life.run.due) == (CREATING, None)
    life.run.terminate(NOW + 10_000, 30)
    life.until(10_040)
    assert life.told[-1][1:] == ("Killing", "Stopping container web")
    assert life.state()["state"]["terminated"]["startedAt"]


def test_a_hook_that_fails_ends_its_container_which_is_started_again_later_and_later():
    life = Life(pod_object(after_start(running("sleep 1; echo no; exit 3")), container("beside"))).until(7)
    assert life.reasons[:6] == ["Pulling", "Pulled", "Created", "Started", "FailedPostStartHook", "Killing"]
    assert [message for _, _, message in life.told[4:6]] == ["PostStartHook failed", "FailedPostStartHook"]
    state = life.state()
    said = (
        'Exec lifecycle hook ([sh -c sleep 1; echo no; exit 3]) for Container "web" in Pod "web_default(uid-web)" failed - '
        "error: command 'sh -c sleep 1; echo no; exit 3' exited with 3: , message: \"no\\n\""
    )
    assert state["state"] == {"waiting": {"reason": "PostStartHookError", "message": said}}
    assert (state["lastState"]["terminated"]["exitCode"], state["lastState"]["terminated"]["reason"]) == (0, "Completed")
    life.until(200)
    assert life.state()["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    tries = [at for at, reason, _ in life.told if reason == "FailedPostStartHook"]
    gaps = [later - earlier for earlier, later in pairwise(tries)]
    assert [gap // 10 for gap in gaps] == [0, 1, 2, 4, 8]
    assert life.state()["restartCount"] == len(tries) - 1
    assert (life.state("beside")["ready"], life.phase) == (True, "Running")


def test_one_that_is_not_started_again_has_failed():
    life = Life(pod_object(after_start(running("exit 1")), restartPolicy="Never")).until(20)
    assert (life.state()["state"]["terminated"]["exitCode"], life.state()["restartCount"], life.phase) == (143, 0, "Failed")
    assert life.run.due is None


def test_a_hook_ends_with_its_container():
    short = {**shell("sleep 5; exit 4"), "lifecycle": {"postStart": running("sleep 60")}}
    life = Life(pod_object(short, restartPolicy="Never")).until(20)
    ended = life.state()["state"]["terminated"]
    assert (ended["exitCode"], life.phase) == (4, "Failed")
    assert "FailedPostStartHook" in life.reasons
    again = Life(pod_object(short)).until(10)
    assert "exited with 137" in again.state()["state"]["waiting"]["message"]


def test_a_container_that_crashed_and_whose_hook_is_at_work_again_waits_as_before():
    crashing = {**shell("sleep 30; exit 1"), "lifecycle": {"postStart": running("sleep 20")}}
    life = Life(pod_object(crashing)).until(22)
    assert "running" in life.state()["state"]
    life.until(40)
    state = life.state()
    assert (state["state"]["terminated"]["exitCode"], state["restartCount"], state["ready"], life.phase) == (1, 1, False, "Running")
    assert "running" in life.until(60).state()["state"]


def test_another_image_counts_at_once_while_the_hook_is_at_work():
    life = Life(pod_object(after_start({"sleep": {"seconds": 50}}))).until(20)
    life.pod["spec"]["containers"][0]["image"] = "nginx:1.30"
    take_in(life.run, life.pod, NOW + 20)
    life.until(100)
    assert (life.state()["image"], life.state()["ready"]) == ("docker.io/library/nginx:1.30", True)


# --- preStop ---


def stopped(life: Life, grace_s: float) -> list[tuple[float, str, str]]:
    """What is told of a pod that runs and is deleted, with the seconds since then."""
    life.until(30)
    told = len(life.told)
    life.run.terminate(NOW + 30, grace_s)
    life.step(NOW + 30)
    life.until(200)
    assert life.run.termination.done_at is None
    return [(round(at - 30, 2), reason, message) for at, reason, message in life.told[told:]]


STOPPING = (0.0, "Killing", "Stopping container web")


def test_a_hook_before_the_stop_that_fails_is_told_and_the_stop_goes_on():
    life = Life(pod_object(before_stop(running("sleep 2; exit 1"))))
    assert stopped(life, 30) == [STOPPING, (2.05, "FailedPreStopHook", "PreStopHook failed")]
    assert life.state()["state"]["terminated"]["exitCode"] == 0


def test_a_hook_that_is_cut_off_has_failed():
    assert stopped(Life(pod_object(before_stop(running("sleep 60")))), 10) == [STOPPING, (10, "FailedPreStopHook", "PreStopHook failed")]
    assert stopped(Life(pod_object(before_stop({"exec": {"command": ["sleep", "infinity"]}}))), 10)[-1][0] == 10


@pytest.mark.parametrize("hook", [running("sleep 2"), {"sleep": {"seconds": 60}}, {"httpGet": {"port": 80}}])
def test_of_a_hook_that_does_not_fail_nothing_is_told(hook: Object):
    assert stopped(Life(pod_object(before_stop(hook))), 10) == [STOPPING]


def test_without_any_grace_no_hook_is_called():
    assert stopped(Life(pod_object(before_stop(running("exit 1")))), 0) == [STOPPING]


def test_a_hook_that_was_to_fail_later_is_told_before_the_pod_goes():
    life = Life(pod_object(before_stop(running("sleep 20; exit 1")))).until(30)
    life.run.terminate(NOW + 30, 60)
    life.step(NOW + 31)
    life.run.terminate(NOW + 31, 5)
    life.step(NOW + 38)
    assert (life.run.termination.done_at, life.told[-1][1]) == (None, "FailedPreStopHook")


def test_a_container_that_a_probe_has_killed_tells_of_its_hook_too():
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1, "initialDelaySeconds": 10}
    life = Life(pod_object(before_stop(running("exit 1"), livenessProbe=probe))).until(18)
    assert life.reasons[4:] == ["Unhealthy", "Killing", "FailedPreStopHook", *life.reasons[7:]]
    assert life.state()["restartCount"] == 1


# --- over the API ---


@pytest.mark.virtual_time
async def test_hooks_count_over_the_api():
    async with living(nodes=1) as cluster:
        web = pod("web")
        web["spec"]["containers"][0]["lifecycle"] = {"postStart": running("sleep 30"), "preStop": running("exit 1")}
        web["spec"]["initContainers"] = [container("proxy", restartPolicy="Always")]
        await cluster.pods.create(web)
        await cluster.sleep(20)
        status = (await cluster.pods.get("web"))["status"]
        assert (status["phase"], status["containerStatuses"][0]["state"]) == ("Pending", {"waiting": {"reason": "PodInitializing"}})
        assert "running" in status["initContainerStatuses"][0]["state"], "what is beside it is told meanwhile"
        await cluster.sleep(20)
        assert (await cluster.pods.get("web"))["status"]["phase"] == "Running"
        await cluster.pods.delete("web")
        await cluster.sleep(10)
        assert await cluster.pods.find("web") is None
        failed = [event for event in await cluster.events("web") if event["reason"] == "FailedPreStopHook"]
        assert [(event["type"], event["message"]) for event in failed] == [("Warning", "PreStopHook failed")]
        assert failed[0]["involvedObject"]["fieldPath"] == "spec.containers{main}"
