"""The life of a pod, stage by stage, without a cluster."""

from itertools import pairwise

import pytest

from svcsim.chance import Chance
from svcsim.meta.types import Object
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.pod_updates import is_behind, take_in
from svcsim.nodes.pods.process_ends import crash
from tests.nodes.build import NOW, Life, container, pod_object, shell

SIDECAR = container("proxy", "envoy:1", restartPolicy="Always")


def test_a_server_is_pulled_created_started_and_ready_in_plausible_time():
    life = Life(pod_object())
    assert (life.phase, life.state()["state"]) == ("Pending", {"waiting": {"reason": "ContainerCreating"}})
    assert life.condition("Ready")["message"] == "containers with unready status: [web]"
    life.until(30)
    assert life.reasons == ["Pulling", "Pulled", "Created", "Started"]
    assert 0.8 < life.told[-1][0] < 5
    assert life.phase == "Running"
    assert life.state()["ready"]
    assert life.status["podIP"] == "10.244.0.2"
    assert {item["type"]: item["status"] for item in life.status["conditions"]} == {
        "PodReadyToStartContainers": "True",
        "Initialized": "True",
        "Ready": "True",
        "ContainersReady": "True",
        "PodScheduled": "True",
    }
    assert life.run.due is None


def test_events_use_the_words_people_know():
    life = Life(pod_object()).until(30)
    pulling, pulled, created, started = (message for _, _, message in life.told)
    assert pulling == 'Pulling image "nginx:1.29"'
    assert pulled.startswith('Successfully pulled image "nginx:1.29" in ')
    assert pulled.endswith(" bytes.")
    assert " including waiting). Image size: " in pulled
    assert (created, started) == ("Created container: web", "Started container web")


def test_a_second_container_of_the_same_image_finds_it_there():
    life = Life(pod_object(container("a"), container("b"))).until(30)
    assert life.told[4][2] == 'Container image "nginx:1.29" already present on machine'
    assert [item["ready"] for item in life.status["containerStatuses"]] == [True, True]


def test_readiness_waits_for_the_probes():
    probes = {
        "startupProbe": {"initialDelaySeconds": 5, "periodSeconds": 1},
        "readinessProbe": {"initialDelaySeconds": 20, "periodSeconds": 2},
    }
    life = Life(pod_object(container(**probes))).until(20)
    state = life.state()
    assert (life.phase, state["started"], state["ready"]) == ("Running", True, False)
    assert life.condition("Ready")["reason"] == "ContainersNotReady"
    life.until(30)  # both delays count from the start of the container
    assert life.state()["ready"]


def test_init_containers_run_one_after_the_other_before_the_rest():
    inits = [shell("sleep 5", "first"), shell("sleep 5", "second")]
    life = Life(pod_object(initContainers=inits)).until(4)
    assert life.state("second")["state"] == {"waiting": {"reason": "PodInitializing"}}
    assert life.state("web")["state"] == {"waiting": {"reason": "PodInitializing"}}
    assert life.condition("Initialized")["message"] == "containers with incomplete status: [first second]"
    life.until(9)
    assert life.condition("Initialized")["message"] == "containers with incomplete status: [second]"
    life.until(30)
    assert life.phase == "Running"
    assert life.condition("Initialized")["status"] == "True"


def test_a_sidecar_is_only_waited_for_until_it_has_started_and_ends_with_the_pod():
    life = Life(pod_object(shell("sleep 20"), restartPolicy="Never", initContainers=[SIDECAR])).until(15)
    assert life.phase == "Running"
    assert "running" in life.state("proxy")["state"]
    life.until(60)
    assert life.phase == "Succeeded"
    assert "terminated" in life.state("proxy")["state"]


FLEETING = {**shell("sleep 15; exit 1", "proxy"), "restartPolicy": "Always"}


def test_a_pod_whose_containers_have_started_runs_whatever_becomes_of_its_sidecar():
    life = Life(pod_object(initContainers=[FLEETING])).until(15)
    assert (life.phase, life.state("proxy")["started"]) == ("Running", True)
    life.until(40)
    proxy = life.state("proxy")
    assert (proxy["state"]["waiting"]["reason"], proxy["started"]) == ("CrashLoopBackOff", False)
    assert "running" in life.state("web")["state"]
    assert (life.phase, life.condition("Initialized")["status"]) == ("Running", "True")
    assert life.condition("Ready")["message"] == "containers with unready status: [proxy]"


def test_a_container_is_started_though_a_sidecar_ends_before_its_turn():
    brief = {**shell("sleep 1; exit 1", "proxy"), "restartPolicy": "Always"}
    life = Life(pod_object(container("one"), container("two", "mongo:7"), initContainers=[brief])).until(12)
    assert life.state("proxy")["lastState"] or "terminated" in life.state("proxy")["state"]
    assert "running" in life.state("two")["state"]
    assert life.phase == "Running"


def test_a_sidecar_that_never_starts_keeps_the_pod_pending():
    life = Life(pod_object(initContainers=[container("proxy", "nginx:404", restartPolicy="Always")])).until(40)
    assert (life.phase, life.condition("Initialized")["status"]) == ("Pending", "False")
    assert life.state("web")["state"] == {"waiting": {"reason": "PodInitializing"}}


NEVER = {"imagePullPolicy": "Never"}


@pytest.mark.parametrize(
    ("unstartable", "reason"),
    [(container("bad", "Nginx"), "InvalidImageName"), (container("bad", "bad:1", **NEVER), "ErrImageNeverPull"),
     (container("bad", "nginx:404"), "ImagePullBackOff"), (container("bad"), "CreateContainerConfigError")],
)  # fmt: skip
def test_a_container_that_can_not_be_started_holds_up_none_after_it(unstartable: Object, reason: str):
    life = Life(pod_object(unstartable, container("web"), container("last")))
    life.run.around.config_errors = {"bad": 'secret "gone" not found'} if reason == "CreateContainerConfigError" else {}
    life.until(30)
    assert life.state("bad")["state"]["waiting"]["reason"] == reason
    assert [life.state(name)["ready"] for name in ("web", "last")] == [True, True]
    assert life.phase == "Pending"
    tries = [at for at, told, message in life.told if message in (f"Error: {reason}", 'Error: secret "gone" not found')]
    assert len(tries) > 1, "it is tried again"


def test_one_that_can_be_started_after_all_is_started_beside_the_others():
    life = Life(pod_object(container("bad"), container("web")))
    life.run.around.config_errors = {"bad": "gone"}
    life.until(25)
    life.run.around.config_errors = {}
    life.until(40)
    assert [(state["ready"], state["restartCount"]) for state in life.status["containerStatuses"]] == [(True, 0), (True, 0)]
    assert life.phase == "Running"


def test_an_init_container_that_can_not_be_started_holds_up_all_after_it():
    life = Life(pod_object(initContainers=[container("first", "Nginx"), shell("true", "second")])).until(40)
    assert life.state("first")["state"]["waiting"]["reason"] == "InvalidImageName"
    assert life.state("second")["state"] == {"waiting": {"reason": "PodInitializing"}}
    assert life.phase == "Pending"


@pytest.mark.parametrize(
    ("script", "policy", "phase"), [("exit 0", "Never", "Succeeded"), ("exit 1", "Never", "Failed"), ("true", "OnFailure", "Succeeded")]
)
def test_a_job_ends_as_its_command_does(script, policy, phase):
    life = Life(pod_object(shell(script), restartPolicy=policy)).until(60)
    assert life.phase == phase
    assert life.run.finished
    assert life.run.due is None
    assert life.condition("Ready")["reason"] == ("PodCompleted" if phase == "Succeeded" else "PodFailed")


def test_a_failed_init_container_that_is_not_restarted_fails_the_pod():
    life = Life(pod_object(restartPolicy="Never", initContainers=[shell("exit 2", "init")])).until(30)
    assert life.phase == "Failed"
    assert life.state("web")["state"] == {"waiting": {"reason": "PodInitializing"}}


def test_a_crashing_container_backs_off_longer_and_longer():
    life = Life(pod_object(shell("exit 7"))).until(200)
    starts = [at for at, reason, _ in life.told if reason == "Started"]
    gaps = [round(later - earlier) for earlier, later in pairwise(starts)]
    assert gaps[0] <= 2
    assert [gap // 10 for gap in gaps[1:]] == [1, 2, 4, 8]
    state = life.state()
    assert state["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert state["state"]["waiting"]["message"] == "back-off 2m40s restarting failed container=main pod=web_default(uid-web)"
    assert state["lastState"]["terminated"]["exitCode"] == 7
    assert state["restartCount"] == len(starts) - 1
    assert life.phase == "Running"


def test_one_that_ran_long_enough_starts_its_back_off_anew():
    life = Life(pod_object(shell("sleep 700; exit 1"))).until(3000)
    assert "BackOff" not in life.reasons
    assert life.state()["restartCount"] == 4


def test_an_image_that_can_not_be_pulled_is_told_and_tried_again():
    faults = Faults(Chance(0))
    fault = faults.add({"type": "image-pull-failure", "image": "nginx*"})
    life = Life(pod_object(), faults).until(2)
    assert life.state()["state"]["waiting"]["reason"] == "ErrImagePull"
    life.until(10)
    waiting = life.state()["state"]["waiting"]
    assert waiting["reason"] == "ImagePullBackOff"
    assert waiting["message"].startswith('Back-off pulling image "nginx:1.29": ErrImagePull: rpc error: code = NotFound')
    assert life.reasons == ["Pulling", "Failed", "Failed", "BackOff", "Failed"]
    faults.remove(fault)
    life.until(60)
    assert life.phase == "Running"


def test_a_slow_start_takes_longer():
    faults = Faults(Chance(0))
    usual = Life(pod_object(), faults).until(100).told[-1][0]
    faults.add({"type": "slow-start", "factor": 5})
    assert Life(pod_object(), faults).until(100).told[-1][0] > usual * 3


def test_termination_asks_waits_and_ends_everything():
    life = Life(pod_object()).until(30)
    life.run.terminate(NOW + 30, 30.0)
    life.step(NOW + 30)
    assert life.told[-1][1:] == ("Killing", "Stopping container web")
    assert "running" in life.state()["state"]
    assert life.run.due is not None
    assert 0.5 <= life.run.due - NOW - 30 <= 2.0
    life.until(40)
    assert life.run.finished
    assert life.state()["state"]["terminated"]["exitCode"] == 0
    assert life.phase == "Succeeded"
    assert life.run.due is None


def test_a_short_grace_period_is_kept():
    life = Life(pod_object()).until(30)
    life.run.terminate(NOW + 30, 0.1)
    assert life.run.termination.done_at == pytest.approx(NOW + 30.1)


def test_a_pod_deleted_before_it_began_is_gone_at_once():
    life = Life(pod_object())
    life.run.terminate(NOW, 30.0)
    assert life.run.termination.done_at is None
    assert life.run.finished


def test_a_deadline_fails_the_pod():
    life = Life(pod_object(activeDeadlineSeconds=10)).until(20)
    assert life.phase == "Failed"
    assert life.status["reason"] == "DeadlineExceeded"
    assert "terminated" in life.state()["state"]


LOST = {"exitCode": 137, "reason": "ContainerStatusUnknown", "message": "The container could not be located when the pod was terminated"}


def test_containers_that_a_deadline_keeps_from_starting_have_ended():
    life = Life(pod_object(container("one", "slow:v"), container("two", "slower:v"), activeDeadlineSeconds=1)).until(4)
    assert (life.phase, life.status["reason"]) == ("Failed", "DeadlineExceeded")
    assert [state["state"] for state in life.status["containerStatuses"]] == [{"terminated": LOST}] * 2


def test_a_container_that_waits_to_be_started_again_has_ended_with_its_pod():
    life = Life(pod_object(shell("exit 7"), activeDeadlineSeconds=60)).until(59)
    assert life.state()["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    life.until(61)
    assert (life.state()["state"], life.state()["lastState"]["terminated"]["exitCode"]) == ({"terminated": LOST}, 7)


def test_of_a_pod_that_was_never_initialized_only_what_was_tried_has_ended():
    inits = [shell("sleep 1", "first"), shell("sleep 100", "second"), shell("sleep 1", "third")]
    life = Life(pod_object(initContainers=inits, activeDeadlineSeconds=30)).until(33)
    ended = [list(state["state"]) for state in life.status["initContainerStatuses"] + life.status["containerStatuses"]]
    assert ended == [["terminated"], ["terminated"], ["waiting"], ["waiting"]]
    early = Life(pod_object(initContainers=inits, activeDeadlineSeconds=0)).until(1)
    ended = [list(state["state"]) for state in early.status["initContainerStatuses"] + early.status["containerStatuses"]]
    assert ended == [["terminated"], ["waiting"], ["waiting"], ["waiting"]]


def test_a_deadline_that_is_brought_nearer_is_kept():
    life = Life(pod_object(activeDeadlineSeconds=100)).until(20)
    life.pod["spec"]["activeDeadlineSeconds"] = 30
    life.pod["metadata"]["generation"] = 2
    assert is_behind(life.run, life.pod)
    take_in(life.run, life.pod, NOW + 20)
    assert not is_behind(life.run, life.pod)
    life.until(29)
    assert life.phase == "Running"
    life.until(33)
    assert (life.phase, life.status["reason"]) == ("Failed", "DeadlineExceeded")
    assert life.reasons[-2:] == ["DeadlineExceeded", "Killing"]


def test_a_crash_on_purpose_is_a_crash():
    life = Life(pod_object()).until(30)
    crash(life.run, "", 137, NOW + 30)
    life.step(NOW + 30)
    assert life.state()["state"]["terminated"]["exitCode"] == 137
    life.until(60)
    assert (life.phase, life.state()["restartCount"]) == ("Running", 1)


def test_a_readiness_gate_holds_readiness_back():
    life = Life(pod_object(readinessGates=[{"conditionType": "example.com/lb"}])).until(30)
    ready = life.condition("Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ReadinessGatesNotReady")
    assert ready["message"] == 'corresponding condition of pod readiness gate "example.com/lb" does not exist.'
    life.pod["status"] = {"conditions": [{"type": "example.com/lb", "status": "True"}]}
    assert life.condition("Ready")["status"] == "True"


def test_the_same_seed_lives_the_same_life():
    assert Life(pod_object()).until(60).told == Life(pod_object()).until(60).told
    assert Life(pod_object(), seed=2).until(60).told != Life(pod_object()).until(60).told


def with_image(life: Life, image: str, at_s: float) -> Life:
    """The same pod after somebody gave its first container another image."""
    first, *others = life.pod["spec"]["containers"]
    life.step(NOW + at_s)
    life.pod = {**life.pod, "spec": {**life.pod["spec"], "containers": [{**first, "image": image}, *others]}}
    take_in(life.run, life.pod, NOW + at_s)
    return life


@pytest.mark.parametrize(("policy", "exit_code"), [("Always", 0), ("OnFailure", 143), ("Never", 143)])
def test_a_container_of_another_image_is_started_anew_in_its_place(policy: str, exit_code: int):
    life = Life(pod_object(container("web", "nginx:1.28"), container("other", "redis:7"), restartPolicy=policy)).until(60)
    other, told = life.state("other"), len(life.told)
    with_image(life, "nginx:1.29", 60).until(90)
    since = life.told[told:]
    assert [reason for _, reason, _ in since] == ["Killing", "Pulling", "Pulled", "Created", "Started"]
    assert since[0][2] == "Container web definition changed, will be restarted"
    web = life.state("web")
    assert (web["restartCount"], web["image"], web["ready"]) == (1, "docker.io/library/nginx:1.29", True)
    assert web["lastState"]["terminated"]["exitCode"] == exit_code
    assert life.state("other") == other
    assert life.phase == "Running"


def test_a_wrong_image_is_mended_at_once():
    faults = Faults(Chance(0))
    faults.add({"type": "image-pull-failure", "image": "wrong*"})
    life = Life(pod_object(container("web", "wrong:1")), faults).until(400)
    assert life.state()["state"]["waiting"]["reason"] == "ImagePullBackOff"
    with_image(life, "nginx:1.29", 401).until(412)
    assert (life.phase, life.state()["restartCount"], life.state()["ready"]) == ("Running", 0, True)


def test_a_crashing_container_of_another_image_is_tried_at_once():
    life = Life(pod_object(container("main", "busybox:1", command=["sh", "-c", "exit 1"]))).until(200)
    before = life.state()["restartCount"]
    with_image(life, "busybox:2", 200).until(206)
    assert life.state()["restartCount"] > before, "the next start was due minutes later"


def test_a_container_that_has_ended_for_good_stays_as_it_was():
    life = Life(pod_object(container("main", "busybox:1", command=["true"]), container("web"), restartPolicy="Never")).until(60)
    ended = life.state("main")
    with_image(life, "busybox:2", 60).until(120)
    assert life.state("main") == ended


def test_what_is_mounted_and_who_runs_is_told_as_kubelets_tell_it():
    mounts = [
        {"name": "data", "mountPath": "/data"},
        {"name": "seen", "mountPath": "/seen", "readOnly": True},
        {"name": "deep", "mountPath": "/deep", "readOnly": True, "recursiveReadOnly": "IfPossible"},
        {"name": "deepest", "mountPath": "/deepest", "readOnly": True, "recursiveReadOnly": "Enabled"},
    ]
    own = {"runAsUser": 7, "runAsGroup": 8}
    mounted = container("web", volumeMounts=mounts, securityContext=own)
    life = Life(pod_object(mounted, container("beside"), securityContext={"runAsUser": 5, "fsGroup": 9, "supplementalGroups": [9, 3]}))
    told = [
        {"name": "data", "mountPath": "/data"},
        {"name": "seen", "mountPath": "/seen", "readOnly": True, "recursiveReadOnly": "Disabled"},
        {"name": "deep", "mountPath": "/deep", "readOnly": True, "recursiveReadOnly": "Enabled"},
        {"name": "deepest", "mountPath": "/deepest", "readOnly": True, "recursiveReadOnly": "Enabled"},
    ]
    assert life.state("web")["volumeMounts"] == told
    assert "user" not in life.state("web")
    life.until(30)
    assert life.state("web")["volumeMounts"] == told
    assert life.state("web")["user"] == {"linux": {"uid": 7, "gid": 8, "supplementalGroups": [8, 9, 3]}}
    assert life.state("beside")["user"] == {"linux": {"uid": 5, "gid": 0, "supplementalGroups": [0, 9, 3]}}
    assert "volumeMounts" not in life.state("beside")


def test_an_init_container_is_ready_when_it_has_done_what_it_is_for():
    life = Life(pod_object(container(), initContainers=[shell("sleep 5", "first"), shell("exit 1", "second")], restartPolicy="Never"))
    life.until(3)
    assert (life.state("first")["ready"], life.state("first")["started"]) == (False, True)
    life.until(30)
    assert (life.state("first")["ready"], life.state("first")["started"]) == (True, False)
    assert life.state("second")["ready"] is False


def test_conditions_stand_in_the_order_in_which_kubelets_write_them():
    life = Life(pod_object())
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2025-12-31T00:00:00Z", "observedGeneration": 1}
    life.pod["status"] = {"conditions": [scheduled, {"type": "example.com/gate", "status": "True"}]}
    life.until(30)
    told = life.status["conditions"]
    own = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]
    assert [one["type"] for one in told] == ["example.com/gate", *own]
    assert told[-1]["lastTransitionTime"] == "2025-12-31T00:00:00Z"


def test_a_restart_counts_once_it_is_made():
    life = Life(pod_object(shell("exit 1")))
    seen: set[tuple[int, int]] = set()
    while life.now < NOW + 120:
        life.step(life.run.due or NOW + 120)
        if "containerStatuses" in life.status:
            seen.add((life.reasons.count("Started"), life.state()["restartCount"]))
    assert max(seen) >= (4, 3)
    assert seen == {(starts, max(starts - 1, 0)) for starts, _ in seen}
