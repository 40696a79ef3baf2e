"""What probes find, and what becomes of a container by it."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.probes import LIVENESS, Check, Probe, begin_probing
from svcsim.nodes.pods.pod_updates import is_behind, take_in
from tests.nodes.build import NOW, Life, container, pod_object, shell

HEALTHY = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"
HTTP: Object = {"httpGet": {"port": 80}}


def exec_probe(*command: str, **more: Json) -> Object:
    return {"exec": {"command": list(command)}, "periodSeconds": 5, **more}


@pytest.mark.parametrize(
    ("command", "ready"),
    [
        (("true",), True),
        (("/bin/false",), False),
        (("sh", "-c", "exit 1"), False),
        (("sh", "-c", "exit 0"), True),
        (("sh", "-c", "false || true"), True),
        (("sh", "-c", "true && false"), False),
        (("sleep", "10"), False),
        (("sleep", "infinity"), False),
        (("sleep", "0.5"), True),
        (("curl", "-f", "http://localhost/healthz"), True),
        (("redis-cli", "ping"), True),
        (("sh", "-c", "pg_isready || exit 1"), True),
        (("cat", "/etc/passwd"), True),
        (("sh", "-c", "cat /tmp/n | awk '{ if ($1 > 5) exit 0; exit 1 }'"), True),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_container_is_ready_if_its_readiness_command_succeeds(command, ready):
    life = Life(pod_object(container(readinessProbe=exec_probe(*command)))).until(120)
    assert (life.phase, life.state()["ready"]) == ("Running", ready)
    assert ("Unhealthy" in life.reasons) is not ready
    assert life.state()["restartCount"] == 0
    assert (life.run.due is None) is ready


@pytest.mark.parametrize("kind", ["httpGet", "tcpSocket", "grpc"])
def test_a_probe_of_a_port_succeeds(kind):
    probe: Object = {kind: {"port": 80}, "initialDelaySeconds": 5}
    life = Life(pod_object(container(readinessProbe=probe, livenessProbe=probe, startupProbe=probe))).until(60)
    assert life.state()["ready"]
    assert "Unhealthy" not in life.reasons
    assert life.run.due is None


def test_a_readiness_command_that_fails_says_so_every_period():
    probe = exec_probe("sh", "-c", "echo not yet; exit 1", initialDelaySeconds=10)
    life = Life(pod_object(container(readinessProbe=probe))).until(62)
    started = next(at for at, reason, _ in life.told if reason == "Started")
    failures = [(round(at - started), message) for at, reason, message in life.told if reason == "Unhealthy"]
    assert failures[:3] == [(seconds, "Readiness probe failed: not yet\n") for seconds in (10, 15, 20)]
    assert life.condition("Ready")["reason"] == "ContainersNotReady"


def test_a_liveness_command_that_fails_restarts_the_container_at_its_threshold():
    probe = exec_probe("false", initialDelaySeconds=7, failureThreshold=2)
    life = Life(pod_object(container(livenessProbe=probe))).until(40)
    started = [at for at, reason, _ in life.told if reason == "Started"]
    killed = [(at, message) for at, reason, message in life.told if reason == "Killing"]
    assert round(killed[0][0] - started[0]) == 12
    assert killed[0][1] == "Container web failed liveness probe, will be restarted"
    assert [reason for _, reason, _ in life.told][:8] == [
        "Pulling", "Pulled", "Created", "Started", "Unhealthy", "Unhealthy", "Killing", "Pulled",
    ]  # fmt: skip
    assert life.state()["lastState"]["terminated"]["exitCode"] == 0
    assert life.state()["restartCount"] >= 1


def test_a_container_that_is_not_restarted_fails_its_pod_with_its_liveness_probe():
    life = Life(pod_object(container(livenessProbe=exec_probe("false")), restartPolicy="Never")).until(60)
    assert life.phase == "Failed"
    assert (life.told[-1][1], life.told[-1][2]) == ("Killing", "Container web failed liveness probe")


def test_the_others_wait_for_the_startup_probe_which_kills_where_it_never_succeeds():
    probes = {"startupProbe": exec_probe("false", failureThreshold=4), "livenessProbe": exec_probe("false", failureThreshold=1)}
    life = Life(pod_object(container(readinessProbe=HTTP, **probes))).until(17)
    assert (life.state()["started"], life.state()["ready"]) == (False, False)
    life.until(30)
    assert [message for _, reason, message in life.told if reason == "Killing"] == ["Container web failed startup probe, will be restarted"]
    assert all(message.startswith("Startup") for _, reason, message in life.told if reason == "Unhealthy")


def test_a_container_that_keeps_failing_its_liveness_probe_backs_off():
    life = Life(pod_object(container(livenessProbe=exec_probe("false", failureThreshold=1)))).until(120)
    assert life.state()["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert "BackOff" in life.reasons


def test_the_file_that_a_probe_looks_for_is_there_as_long_as_the_script_has_it():
    probe = exec_probe("cat", "/tmp/healthy", initialDelaySeconds=5, failureThreshold=3)
    life = Life(pod_object({**shell(HEALTHY), "livenessProbe": probe, "readinessProbe": probe})).until(30)
    assert life.state()["ready"]
    life.until(48)
    assert not life.state()["ready"]
    killed = next(at for at, reason, _ in life.told if reason == "Killing")
    started = next(at for at, reason, _ in life.told if reason == "Started")
    assert 40 <= killed - started <= 46
    unhealthy = [message for _, reason, message in life.told if reason == "Unhealthy"]
    assert "Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory\n" in unhealthy
    life.until(56)
    assert (life.state()["ready"], life.state()["restartCount"]) == (True, 1)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["cat", "/tmp/h"], "cat: can't open '/tmp/h': No such file or directory\n"),
        (["/bin/sh", "-c", "cat /tmp/h"], "cat: can't open '/tmp/h': No such file or directory\n"),
        (["ls", "/tmp/h"], "ls: /tmp/h: No such file or directory\n"),
        (["stat", "/tmp/h"], "stat: can't stat '/tmp/h': No such file or directory\n"),
        (["test", "-f", "/tmp/h"], ""),
        (["sh", "-c", "[ -e /tmp/h ]"], ""),
    ],
)
def test_what_is_told_of_a_file_that_is_not_there_is_what_the_command_says(command: list[str], told: str):
    late = {**shell("sleep 20; touch /tmp/h; sleep 3600"), "readinessProbe": exec_probe(*command)}
    life = Life(pod_object(late)).until(15)
    assert {message for _, reason, message in life.told if reason == "Unhealthy"} == {f"Readiness probe failed: {told}"}


def test_a_file_that_comes_late_makes_ready_late():
    late = {**shell("sleep 20; echo ok > /tmp/ready; sleep 3600"), "readinessProbe": exec_probe("sh", "-c", "test -f /tmp/ready")}
    life = Life(pod_object(late)).until(20)
    assert not life.state()["ready"]
    life.until(30)
    assert life.state()["ready"]


def test_an_annotation_has_probes_fail_while_it_stands():
    life = Life(pod_object(container(readinessProbe=HTTP, livenessProbe=HTTP))).until(30)
    assert life.state()["ready"]

    def annotate(value: str) -> None:
        life.pod["metadata"]["annotations"] = {"svcsim.dev/failing-probes": value} if value else {}
        assert is_behind(life.run, life.pod)
        take_in(life.run, life.pod, life.now)

    annotate("readiness")
    life.until(70)
    assert (life.state()["ready"], life.state()["restartCount"]) == (False, 0)
    assert life.told[-1][2] == "Readiness probe failed: HTTP probe failed with statuscode: 503"
    annotate("")
    life.until(90)
    assert life.state()["ready"]
    annotate("liveness, readiness")
    life.until(130)
    assert life.state()["restartCount"] >= 1


def test_a_probe_needs_as_many_successes_as_it_says():
    probe = {**HTTP, "successThreshold": 3, "periodSeconds": 5}
    life = Life(pod_object(container(readinessProbe=probe))).until(10)
    assert not life.state()["ready"]
    life.until(16)
    assert life.state()["ready"]
    assert life.now == NOW + 16


def test_an_init_container_that_fails_is_tried_again_as_the_pod_says():
    init = {**shell("exit 3", "prepare")}
    life = Life(pod_object(initContainers=[init])).until(60)
    assert (life.phase, life.state("prepare")["state"]["waiting"]["reason"]) == ("Pending", "CrashLoopBackOff")
    assert life.state("prepare")["lastState"]["terminated"]["exitCode"] == 3
    once = Life(pod_object(initContainers=[{**container("prepare"), "command": ["/bin/false"]}], restartPolicy="Never")).until(60)
    assert (once.phase, once.state("prepare")["state"]["terminated"]["exitCode"]) == ("Failed", 1)
    assert once.state("web")["state"] == {"waiting": {"reason": "PodInitializing"}}


@pytest.mark.parametrize(("of_probe", "of_pod", "hook_s"), [({}, 30, 30), ({"terminationGracePeriodSeconds": 5}, 30, 5), ({}, 1, 1)])
def test_a_probe_gives_its_container_its_own_time_to_end(of_probe: Object, of_pod: int, hook_s: float):
    late = {"lifecycle": {"preStop": {"sleep": {"seconds": 60}}}}

    def took_s(seed: int) -> float:
        probe = exec_probe("false", **of_probe)
        life = Life(pod_object(container(livenessProbe=probe, **late), terminationGracePeriodSeconds=of_pod), seed=seed)
        while "Killing" not in life.reasons:
            life.step(life.run.due or life.now)
        killed_at, ended = life.now, life.state()["state"]
        while life.state()["state"] == ended:
            life.step(life.run.due or life.now)
        return life.now - killed_at

    assert all(hook_s + 0.5 <= took_s(seed) <= hook_s + 2 for seed in range(8))


@pytest.mark.parametrize(
    ("image", "path", "restarts"),
    [
        ("registry.k8s.io/e2e-test-images/agnhost:2.40", "/healthz", True),
        ("registry.k8s.io/e2e-test-images/agnhost:2.40", "/redirect?loc=%2Fhealthz", True),
        ("registry.k8s.io/e2e-test-images/agnhost:2.40", "/redirect?loc=http%3A%2F%2F0.0.0.0%2F", False),
        ("registry.k8s.io/e2e-test-images/agnhost:2.40", "/started", False),
        ("somebody/server:1", "/healthz", False),
    ],
)
def test_the_server_that_shows_what_becomes_of_the_sick_is_well_for_ten_seconds(image, path, restarts):
    probe: Object = {"httpGet": {"path": path, "port": 8080}, "initialDelaySeconds": 3, "periodSeconds": 3}
    life = Life(pod_object(container(image=image, args=["liveness"], livenessProbe=probe))).until(40)
    started = next(at for at, reason, _ in life.told if reason == "Started")
    unwell = [(round(at - started), message) for at, reason, message in life.told if reason == "Unhealthy"][:3]
    failure = "Liveness probe failed: HTTP probe failed with statuscode: 500"
    assert unwell == ([(seconds, failure) for seconds in (12, 15, 18)] if restarts else [])
    assert (life.state()["restartCount"] > 0) is restarts


@pytest.mark.parametrize(
    ("probe", "address"),
    [
        ({"port": "web"}, "10.244.0.2:8080"),
        ({"port": 80}, "10.244.0.2:80"),
        ({"port": "web", "host": "192.0.2.7"}, "192.0.2.7:8080"),
        ({"port": 80, "host": "fd00::7"}, "[fd00::7]:80"),
    ],
)
def test_a_connection_that_fails_is_told_with_its_address(probe: Object, address: str):
    one = container(readinessProbe={"tcpSocket": probe}, ports=[{"name": "web", "containerPort": 8080}])
    life = Life(pod_object(one, annotations={"svcsim.dev/failing-probes": "readiness"})).until(30)
    told = {message for _, reason, message in life.told if reason == "Unhealthy"}
    assert told == {f"Readiness probe failed: dial tcp {address}: connect: connection refused"}


@pytest.mark.parametrize("kind", ["httpGet", "tcpSocket"])
def test_a_port_that_a_container_has_not_can_not_be_probed(kind: str):
    probe = {kind: {"port": "ghost"}, "periodSeconds": 5, "failureThreshold": 1}
    life = Life(pod_object(container(readinessProbe=probe, livenessProbe=probe, ports=[{"name": "web", "containerPort": 80}]))).until(60)
    assert (life.phase, life.state()["ready"], life.state()["restartCount"]) == ("Running", False, 0)
    told = {message for _, reason, message in life.told if reason == "Unhealthy"}
    why = 'probe errored and resulted in unknown state: strconv.Atoi: parsing "ghost": invalid syntax'
    assert told == {f"Readiness {why}", f"Liveness {why}"}


def test_the_probes_of_one_container_alone_fail_or_those_of_all_but_init_containers():
    sidecar = container("side", readinessProbe=HTTP, restartPolicy="Always")
    pod = pod_object(container("one", readinessProbe=HTTP), container("two", readinessProbe=HTTP), initContainers=[sidecar])

    def ready(**failing: str) -> list[bool]:
        keys = {whom: "svcsim.dev" if whom == "all" else f"{whom}.svcsim.dev" for whom in failing}
        pod["metadata"]["annotations"] = {f"{keys[whom]}/failing-probes": kinds for whom, kinds in failing.items()}
        life = Life(pod).until(60)
        return [life.state(name)["ready"] for name in ("side", "one", "two")]

    assert ready() == [True, True, True]
    assert ready(one="readiness") == [True, False, True]
    assert ready(all="readiness") == [True, False, False]
    assert ready(all="readiness", two="startup", side="readiness") == [False, False, True]


@pytest.mark.parametrize("goes_s", [3.1, 3.0, 30.1])
def test_a_file_that_goes_at_the_very_moment_of_a_probe_is_missed_by_the_next_one_at_the_latest(goes_s: float):
    probe = Probe(LIVENESS, 1.0, 1.0, 1, 1, Check("gone", edges=((0.0, True), (goes_s, False))), 30.0)
    for nth in range(500):
        started_at = NOW + nth * 0.137
        probing, now, wrong = begin_probing(probe, started_at, started_at, ()), started_at, None
        while wrong is None:
            next_at = probing.next_at or 0.0
            assert next_at > now, "no probe is made twice at one moment"
            now = next_at
            wrong = probing.make(now, started_at, ())
        assert goes_s - 1e-6 < now - started_at < goes_s + 1.2
