"""What an image is known not to have can't be a container's first process either."""

import pytest

from svcsim.meta.types import Object
from tests.living import living, pod
from tests.nodes.build import Life, container, pod_object
from tests.nodes.test_processes import log

DISTROLESS = "gcr.io/distroless/static:1"
CREATE = "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
START = f"{CREATE}unable to start container process: error during container init: "
MISSING = f'{START}exec: "sh": executable file not found in $PATH: unknown'


@pytest.mark.parametrize(
    ("image", "program", "why"),
    [
        (DISTROLESS, "sh", 'exec: "sh": executable file not found in $PATH'),
        (DISTROLESS, "/bin/sh", 'exec: "/bin/sh": stat /bin/sh: no such file or directory'),
        (DISTROLESS, "sleep", 'exec: "sleep": executable file not found in $PATH'),
        ("scratch", "/usr/bin/bash", 'exec: "/usr/bin/bash": stat /usr/bin/bash: no such file or directory'),
        ("alpine:3", "bash", 'exec: "bash": executable file not found in $PATH'),
        ("busybox:1", "/bin/bash", 'exec: "/bin/bash": stat /bin/bash: no such file or directory'),
        ("nginx:1", "/nonexistent", 'exec: "/nonexistent": stat /nonexistent: no such file or directory'),
        ("busybox:1", "/bin/does-not-exist", 'exec: "/bin/does-not-exist": stat /bin/does-not-exist: no such file or directory'),
        ("python:3", "no-such-command", 'exec: "no-such-command": executable file not found in $PATH'),
    ],
)
def test_a_container_is_not_started_for_want_of_its_program(image: str, program: str, why: str):
    life = Life(pod_object(container("main", image, command=[program, "1000"]), restartPolicy="Never")).until(30)
    ended = life.state("main")["state"]["terminated"]
    assert (life.phase, ended["exitCode"], ended["reason"], ended["message"]) == ("Failed", 128, "StartError", f"{START}{why}: unknown")
    assert "Started" not in life.reasons
    assert f"Error: {START}{why}: unknown" in [message for _, _, message in life.told]


@pytest.mark.parametrize(
    "one",
    [
        container("main", DISTROLESS, command=["/app/server"]),
        container("main", DISTROLESS, command=["server"]),
        container("main", DISTROLESS, command=["/tools/sh", "-c", "sleep 1000"]),
        container("main", DISTROLESS, args=["sleep", "1000"]),
        container("main", "gcr.io/distroless/static:debug-nonroot", command=["sh", "-c", "sleep 1000"]),
        container("main", DISTROLESS, command=["sh", "-c", "sleep 1000"], env=[{"name": "PATH", "value": "/tools"}]),
        container("main", "nginx:1", command=["bash", "-c", "sleep 1000"]),
        container("main", "redis:8-alpine", command=["redis-server"]),
    ],
)
def test_what_an_image_may_have_is_started(one: Object):
    life = Life(pod_object(one)).until(30)
    assert (life.phase, life.state("main")["ready"]) == ("Running", True)


def test_of_an_image_that_starts_nothing_but_what_it_is_given_the_arguments_count():
    life = Life(pod_object(container("main", "alpine:3", args=["bash"]), restartPolicy="Never")).until(30)
    assert life.state("main")["state"]["terminated"]["reason"] == "StartError"
    assert Life(pod_object(container("main", "nginx:1", args=["/nonexistent"]))).until(30).phase == "Running"


def not_started(program: str, why: str) -> str:
    start = f'OCI runtime exec failed: exec failed: unable to start container process: exec: "{program}": {why}: unknown'
    return f"rpc error: code = Unknown desc = failed to exec in container: failed to start exec: {start}"


@pytest.mark.parametrize(
    ("image", "command", "why"),
    [
        ("nginx:1", ["/nonexistent", "now"], "stat /nonexistent: no such file or directory"),
        (DISTROLESS, ["cat", "/tmp/ready"], "executable file not found in $PATH"),
    ],
)
def test_a_probe_that_can_not_be_started_is_neither_a_success_nor_a_failure(image: str, command: list[str], why: str):
    probe = {"exec": {"command": command}, "periodSeconds": 5, "failureThreshold": 1}
    life = Life(pod_object(container("main", image, readinessProbe=probe, livenessProbe=probe))).until(60)
    assert (life.phase, life.state("main")["ready"], life.state("main")["restartCount"]) == ("Running", False, 0)
    told = {message for _, reason, message in life.told if reason == "Unhealthy"}
    said = f"probe errored and resulted in unknown state: {not_started(command[0], why)}"
    assert told == {f"Readiness {said}", f"Liveness {said}"}


def test_a_hook_that_can_not_be_started_has_failed():
    hook = {"exec": {"command": ["/nonexistent"]}}
    life = Life(pod_object(container("main", lifecycle={"postStart": hook}), container("beside")))
    while life.run.due is not None and life.state("main")["state"] == {"waiting": {"reason": "ContainerCreating"}}:
        life.step(life.run.due)
    assert "FailedPostStartHook" in life.reasons
    error = not_started("/nonexistent", "stat /nonexistent: no such file or directory")
    what = 'Exec lifecycle hook ([/nonexistent]) for Container "main" in Pod "web_default(uid-web)" failed'
    said = f'{what} - error: {error}, message: ""'
    assert life.state("main")["state"]["waiting"] == {"reason": "PostStartHookError", "message": said}


def test_it_is_tried_again_and_again():
    life = Life(pod_object(container("main", DISTROLESS, command=["sh", "-c", "sleep 1000"])))
    while life.run.due is not None and "Failed" not in life.reasons:
        life.step(life.run.due)
    assert life.state("main")["state"]["waiting"] == {"reason": "RunContainerError", "message": MISSING}
    life.until(120)
    state = life.state("main")
    assert (state["state"]["waiting"]["reason"], state["ready"]) == ("CrashLoopBackOff", False)
    assert state["restartCount"] >= 3
    assert (state["lastState"]["terminated"]["reason"], life.phase) == ("StartError", "Running")


def test_annotations_that_say_how_it_ends_go_before_that():
    one = container("main", DISTROLESS, command=["sh", "-c", "sleep 1000"])
    life = Life(pod_object(one, annotations={"svcsim.dev/run-for": "1h"})).until(30)
    assert life.state("main")["ready"]


@pytest.mark.virtual_time
async def test_another_image_heals_it_and_nothing_was_logged_before():
    async with living(nodes=1) as cluster:
        made = await cluster.pods.create(pod("web", image=DISTROLESS, command=["sh", "-c", "echo hello; sleep 1000"]))
        await cluster.sleep(30)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert status["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert await log(cluster, "web") == ""
        await cluster.pods.patch("web", {"spec": {"containers": [{**made["spec"]["containers"][0], "image": "busybox:1"}]}})
        await cluster.sleep(60)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert (status["ready"], status["lastState"]["terminated"]["reason"]) == (True, "StartError")
        assert await log(cluster, "web") == "hello\n"
