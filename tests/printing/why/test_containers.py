"""Why containers don't run or aren't ready, and how those ended that did run."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import NOW, READY_NODE, RUNNING, condition, explained, pod


def test_a_crash_loop_tells_how_it_ended_and_when_it_is_started_again() -> None:
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-01T00:59:30Z"}
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off 1m20s restarting failed container=c pod=it_default(u1)"}
    verdict = explained("", "Pod", pod({"waiting": waiting}, lastState={"terminated": ended}), node=[READY_NODE])
    assert verdict.state == "crashes again and again"
    assert "4 times so far; the last time it was killed because it took more memory than it may (OOMKilled)." in verdict.because[0]
    assert verdict.then[0].at == NOW + 50


@pytest.mark.parametrize(
    ("code", "told"),
    [(1, "with exit code 1."), (127, "with exit code 127 (there is no such command)."), (143, "with exit code 143 (ended by SIGTERM).")],
)
def test_exit_codes_are_told_with_what_they_mean(code: int, told: str) -> None:
    verdict = explained("", "Pod", pod({"terminated": {"exitCode": code, "reason": "Error"}}), node=[READY_NODE])
    assert verdict.because == (f"The container c ended {told}",)


def test_an_image_that_is_mounted_and_cannot_be_pulled_is_told_instead_of_the_containers_own() -> None:
    message = 'Back-off pulling image "files:404": ErrImagePull: failed to resolve reference "docker.io/library/files:404": not found'
    waiting = pod({"waiting": {"reason": "ImagePullBackOff", "message": message}})
    waiting["spec"]["volumes"] = [{"name": "files", "image": {"reference": "files:404"}}]
    waiting["spec"]["containers"][0]["volumeMounts"] = [{"name": "files", "mountPath": "/files"}]
    verdict = explained("", "Pod", waiting, node=[READY_NODE])
    assert verdict.because[0] == 'The image "files:404" that the container c mounts can\'t be pulled (ImagePullBackOff).'


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"])
def test_an_image_that_can_not_be_pulled(reason: str) -> None:
    waiting = {"reason": reason, "message": 'Back-off pulling image "shop:1": ErrImagePull: shop:1: not found'}
    verdict = explained("", "Pod", pod({"waiting": waiting}), node=[READY_NODE])
    assert (verdict.state, verdict.fine) == ("can't pull an image", False)
    assert verdict.because == (f'The image "shop:1" of the container c can\'t be pulled ({reason}).', "shop:1: not found.")
    assert bool(verdict.then) == (reason in ("ErrImagePull", "ImagePullBackOff"))


def test_the_probe_is_named_that_keeps_a_container_from_being_ready() -> None:
    failed = [{"reason": "Unhealthy", "message": "Readiness probe failed: connection refused"}]
    running = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    readiness = {"readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 5}}
    verdict = explained("", "Pod", pod(running, spec=readiness, started=True), failed, node=[READY_NODE])
    told = (
        "The readiness probe of the container c hasn't succeeded: a TCP connection every 5s.",
        "Readiness probe failed: connection refused.",
    )
    assert verdict.because == told
    startup = {**readiness, "startupProbe": {"exec": {"command": ["true"]}}}
    verdict = explained("", "Pod", pod(running, spec=startup, started=False), node=[READY_NODE])
    assert verdict.because == ("The startup probe of the container c hasn't succeeded: a command every 10s.",)


def test_what_mounts_in_vain_is_told() -> None:
    failed = [{"reason": "FailedMount", "message": 'MountVolume.SetUp failed for volume "v": secret "nope" not found'}]
    verdict = explained("", "Pod", pod({"waiting": {"reason": "ContainerCreating"}}), failed, node=[READY_NODE])
    assert verdict.because[1] == 'MountVolume.SetUp failed for volume "v": secret "nope" not found.'


def test_all_that_was_mounted_in_vain_at_the_last_try_is_told() -> None:
    message = 'MountVolume.SetUp failed for volume "{}": none'
    failed = [
        {"reason": "FailedMount", "message": message.format(volume), "lastTimestamp": f"2026-01-01T00:00:{at}Z"}
        for volume, at in (("there by now", "01"), ("v", "09"), ("w", "09"))
    ]
    verdict = explained("", "Pod", pod({"waiting": {"reason": "ContainerCreating"}}), failed, node=[READY_NODE])
    assert verdict.because[1:] == tuple(f"{message.format(volume)}." for volume in ("v", "w"))


def several(states: dict[str, Object], inits: dict[str, Object], *, initialized: bool) -> Object:
    """A pod of several containers, of which each is as said."""

    def told(states: dict[str, Object]) -> list[Object]:
        return [{"name": name, "ready": "running" in state, "restartCount": 0, "state": state} for name, state in states.items()]

    whole = pod({})
    whole["spec"] |= {
        "containers": [{"name": name, "image": "shop:1"} for name in states],
        "initContainers": [{"name": name, "image": "shop:1", "restartPolicy": "Always"} for name in inits],
    }
    whole["status"] |= {"containerStatuses": told(states), "initContainerStatuses": told(inits)}
    whole["status"]["conditions"].append(condition("Initialized", "True" if initialized else "False"))
    return whole


MAKING = {"waiting": {"reason": "ContainerCreating"}}


NO_NAME = {"waiting": {"reason": "InvalidImageName", "message": "no name"}}


def test_of_containers_that_are_made_one_after_the_other_only_the_first_is_being_made() -> None:
    verdict = explained("", "Pod", several({"bad": NO_NAME, "a": MAKING, "b": MAKING}, {}, initialized=True), node=[READY_NODE])
    assert verdict.because == (
        'The image "shop:1" of the container bad can\'t be pulled (InvalidImageName).',
        "no name.",
        "The container a is being made.",
        "The container b is made after the container a.",
    )


def test_a_pod_whose_sidecar_has_yet_to_start_waits_for_it_before_it_runs() -> None:
    whole = several({"web": MAKING}, {"proxy": RUNNING}, initialized=False)
    whole["spec"]["initContainers"][0]["startupProbe"] = {"exec": {}, "periodSeconds": 10}
    whole["status"]["initContainerStatuses"][0] |= {"ready": False, "started": False}
    verdict = explained("", "Pod", whole, node=[READY_NODE])
    assert (verdict.state, verdict.because) == (
        "waits for its init containers",
        (
            "The startup probe of the init container proxy hasn't succeeded: a command every 10s.",
            "The others start once its startup probe has succeeded.",
        ),
    )
    whole["status"]["conditions"][-1]["status"] = "True"
    again = explained("", "Pod", whole, node=[READY_NODE])
    assert (again.state, again.because[:1]) == ("runs, but isn't ready", verdict.because[:1]), "it was started again"


def test_a_sidecar_that_ended_hides_nothing_of_containers_that_have_been_started() -> None:
    ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
    state = {"web": NO_NAME, "side": RUNNING}
    of_sidecar = "The init container proxy ended with exit code 1."
    verdict = explained("", "Pod", several(state, {"proxy": ended}, initialized=True), node=[READY_NODE])
    assert verdict.because[:2] == (of_sidecar, 'The image "shop:1" of the container web can\'t be pulled (InvalidImageName).')
    verdict = explained("", "Pod", several(state, {"proxy": ended}, initialized=False), node=[READY_NODE])
    assert verdict.because == (of_sidecar,)


def test_the_annotation_is_named_that_keeps_a_container_from_being_ready() -> None:
    running = {"running": {"startedAt": "2026-01-01T00:59:40Z"}}
    metadata = {"name": "it", "namespace": "default", "uid": "u1", "annotations": {"svcsim.dev/ready-after": "30s"}}
    verdict = explained("", "Pod", {**pod(running, started=True), "metadata": metadata}, node=[READY_NODE])
    assert verdict.because == (
        "The annotation svcsim.dev/ready-after=30s has the container c be ready no sooner than that after its start.",
    )
    assert verdict.then == (("the container c is ready", NOW + 10),)
    probe = {"readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 5}}
    failed = [{"reason": "Unhealthy", "message": "Readiness probe failed: connection refused"}]
    probed = {**pod(running, spec=probe, started=True), "metadata": metadata}
    verdict = explained("", "Pod", probed, failed, node=[READY_NODE])
    assert verdict.then == (("its readiness probe (a TCP connection every 5s) can succeed", NOW + 10),)
    assert len(verdict.because) == 1, "the probe isn't blamed"
    for annotations in ({"svcsim.dev/ready-after": "10s"}, {"svcsim.dev/ready-after": "soon"}, {"d.svcsim.dev/ready-after": "30s"}):
        over = {**probed, "metadata": {**metadata, "annotations": annotations}}
        assert "The readiness probe" in explained("", "Pod", over, failed, node=[READY_NODE]).because[0]
    made_to_fail = {**probed, "metadata": {**metadata, "annotations": {"svcsim.dev/failing-probes": "readiness"}}}
    verdict = explained("", "Pod", made_to_fail, failed, node=[READY_NODE])
    assert verdict.because[1] == "The annotation svcsim.dev/failing-probes=readiness makes it fail."


@pytest.mark.parametrize(
    ("state", "annotation"),
    [
        ({"waiting": {"reason": "CrashLoopBackOff", "message": ""}}, "c.svcsim.dev/crash-after=5s"),
        ({"waiting": {"reason": "ImagePullBackOff", "message": ""}}, "svcsim.dev/image-pull-failure=not-found"),
        ({"terminated": {"exitCode": 3, "reason": "Error"}}, "svcsim.dev/exit-code=3"),
    ],
)
def test_the_annotation_is_named_by_which_a_container_fails(state: Object, annotation: str) -> None:
    key, _, value = annotation.partition("=")
    metadata = {"name": "it", "namespace": "default", "uid": "u1", "annotations": {key: value}}
    verdict = explained("", "Pod", {**pod(state), "metadata": metadata}, node=[READY_NODE])
    assert f"The annotation {annotation} makes it so." in verdict.because
    other = {**pod(state), "metadata": {**metadata, "annotations": {}}}
    assert not any("annotation" in text for text in explained("", "Pod", other, node=[READY_NODE]).because)


def test_each_reason_says_whose_it_is_and_what_comes_next_is_said_once() -> None:
    missing = {"waiting": {"reason": "CreateContainerConfigError", "message": 'configmap "a" not found'}}
    verdict = explained("", "Pod", several({"c": missing, "d": missing}, {}, initialized=True), node=[READY_NODE])
    assert verdict.state == "can't start a container"
    assert verdict.because == tuple(
        f'The container {name} can\'t be started: CreateContainerConfigError: configmap "a" not found.' for name in ("c", "d")
    )
    pulled = {"waiting": {"reason": "ImagePullBackOff", "message": ""}}
    verdict = explained("", "Pod", several({"c": pulled, "d": pulled}, {}, initialized=True), node=[READY_NODE])
    assert len(verdict.then) == 1


def test_an_annotation_for_all_containers_is_named_for_each() -> None:
    crashing = {"waiting": {"reason": "CrashLoopBackOff", "message": ""}}
    whole = several({"c": crashing, "d": crashing}, {}, initialized=True)
    whole["metadata"] = {"name": "it", "namespace": "default", "uid": "u1", "annotations": {"svcsim.dev/crash-after": "5s"}}
    told = explained("", "Pod", whole, node=[READY_NODE]).because
    assert told.count("The annotation svcsim.dev/crash-after=5s makes it so.") == 2


def test_a_container_that_a_probe_has_ended_says_so_and_why_the_probe_fails() -> None:
    about = {"fieldPath": "spec.containers{c}"}
    events: list[Object] = [
        {"reason": "Unhealthy", "message": "Liveness probe failed: connection refused", "involvedObject": about},
        {"reason": "Killing", "message": "Container c failed liveness probe, will be restarted", "involvedObject": about},
        {"reason": "Unhealthy", "message": "Liveness probe failed: of another", "involvedObject": {"fieldPath": "spec.containers{d}"}},
    ]
    metadata = {"name": "it", "namespace": "default", "uid": "u1", "annotations": {"svcsim.dev/failing-probes": "liveness"}}
    ended = {"terminated": {"exitCode": 0, "startedAt": "2026-01-01T00:50:00Z"}}
    crashing = {"waiting": {"reason": "CrashLoopBackOff", "message": ""}}
    told = (
        "It has been ended because its liveness probe failed: connection refused.",
        "The annotation svcsim.dev/failing-probes=liveness makes it fail.",
    )
    verdict = explained("", "Pod", {**pod(crashing, lastState=ended), "metadata": metadata}, events, node=[READY_NODE])
    assert verdict.because[1:] == told
    running = {"running": {"startedAt": "2026-01-01T00:59:00Z"}}
    verdict = explained("", "Pod", {**pod(running, ready=True, lastState=ended), "metadata": metadata}, events, node=[READY_NODE])
    assert verdict.fine
    assert verdict.because == ("The container c was started again 60s ago; before that, it ended with exit code 0.", *told)


def test_a_probe_that_has_nothing_to_say_is_not_quoted() -> None:
    failed = [{"reason": "Unhealthy", "message": "Readiness probe failed: "}]
    spec = {"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 2}}
    verdict = explained("", "Pod", pod(RUNNING, spec=spec, started=True), failed, node=[READY_NODE])
    assert verdict.because == ("The readiness probe of the container c hasn't succeeded: a command every 2s.",)
    whole = pod(RUNNING, spec=spec, started=True)
    whole["status"]["conditions"] = [condition("Ready", "False", lastTransitionTime="2026-01-01T00:30:00Z")]
    verdict = explained("", "Pod", whole, failed, node=[READY_NODE])
    assert verdict.because == ("The readiness probe of the container c doesn't succeed any more: a command every 2s.",)


def test_what_was_in_the_way_of_a_container_is_not_told_once_it_is_not_any_more() -> None:
    events = [{"reason": "FailedMount", "message": "secret not found"}, {"reason": "Pulling", "message": 'Pulling image "shop:1"'}]
    verdict = explained("", "Pod", pod({"waiting": {"reason": "ContainerCreating"}}), events, node=[READY_NODE])
    assert verdict.because == ("The container c is being made.",)


def test_how_a_container_ended_is_not_told_where_nobody_has_seen_it() -> None:
    whole = pod({"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown"}})
    whole["status"]["phase"] = "Failed"
    told = "The container c ended unseen: whether it ran, and how it ended, isn't known (ContainerStatusUnknown)."
    assert explained("", "Pod", whole).because == (told,)


def test_a_container_that_its_hook_has_ended_says_so() -> None:
    events = [{"reason": "Killing", "message": "FailedPostStartHook"}]
    crashing = {"waiting": {"reason": "CrashLoopBackOff", "message": ""}}
    assert explained("", "Pod", pod(crashing), events, node=[READY_NODE]).because[1:] == (
        "It has been ended because its postStart hook failed.",
    )


def test_a_container_that_ends_well_again_and_again_says_why_it_is_started_again() -> None:
    ended = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    crashing = {"waiting": {"reason": "CrashLoopBackOff", "message": ""}}
    told = "It is started again although it did its work (restartPolicy Always)."
    assert explained("", "Pod", pod(crashing, lastState=ended), node=[READY_NODE]).because[1:] == (told,)


def test_a_pod_of_which_a_container_has_done_its_work_says_so() -> None:
    done = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    whole = several({"c": done, "d": RUNNING}, {}, initialized=True)
    whole["spec"]["restartPolicy"] = "Never"
    whole["status"]["containerStatuses"][1]["ready"] = True
    verdict = explained("", "Pod", whole, node=[READY_NODE])
    assert verdict.because == ("The container c has done its work and runs no more, so that the pod isn't ready as a whole.",)


def test_what_a_container_can_not_be_started_with_is_told() -> None:
    missing = 'exec: "sh": executable file not found in $PATH'
    message = f"failed to create shim task: unable to start container process: error during container init: {missing}: unknown"
    told = pod({"terminated": {"exitCode": 128, "reason": "StartError", "message": message}})
    told["status"]["phase"] = "Failed"
    assert explained("", "Pod", told).because == (f"The container c couldn't be started: {missing} (StartError).",)


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        ({"exitCode": 2, "reason": "Error", "message": "disk full\n"}, ("It said: disk full.",)),
        ({"exitCode": 137, "reason": "OOMKilled", "message": "two\n  lines"}, ("It said: two lines.",)),
        ({"exitCode": 128, "reason": "ContainerCannotRun", "message": "no such device"}, ("no such device.",)),
        ({"exitCode": 137, "reason": "ContainerStatusUnknown", "message": "could not be located"}, ()),
        ({"exitCode": 2, "reason": "Error"}, ()),
    ],
)
def test_what_a_container_said_of_its_end_is_told_wherever_its_end_is(ended: Object, told: tuple[str, ...]) -> None:
    gone = pod({"terminated": ended})
    gone["spec"]["restartPolicy"] = "Never"
    assert explained("", "Pod", gone, node=[READY_NODE]).because[1:] == told
    crashing = pod({"waiting": {"reason": "CrashLoopBackOff", "message": ""}}, lastState={"terminated": ended})
    assert explained("", "Pod", crashing, node=[READY_NODE]).because[1:] == told
    again = pod(RUNNING, ready=True, lastState={"terminated": ended})
    assert explained("", "Pod", again, node=[READY_NODE]).because[1:] == told


def test_of_long_last_words_the_end_is_told() -> None:
    gone = pod({"terminated": {"exitCode": 1, "message": f"{'x' * 5000} the cause"}})
    (_, said) = explained("", "Pod", gone, node=[READY_NODE]).because
    assert said.startswith("It said: …xxx")
    assert said.endswith("xxx the cause.")
    assert len(said) < 600


@pytest.mark.parametrize(
    ("code", "policy", "more", "again"),
    [
        (0, "Always", {}, True),
        (0, "OnFailure", {}, False),
        (1, "OnFailure", {}, True),
        (1, "Never", {}, False),
        (0, "Never", {"restartPolicy": "Always"}, True),
        (42, "Never", {"restartPolicyRules": [{"exitCodes": {"operator": "In", "values": [42]}}]}, True),
        (1, "Never", {"restartPolicyRules": [{"exitCodes": {"operator": "In", "values": [42]}}]}, False),
    ],
)
def test_a_container_that_has_just_ended_says_whether_it_is_started_again(code: int, policy: str, more: Object, *, again: bool) -> None:
    ended = pod({"terminated": {"exitCode": code}}, spec=more)
    ended["spec"]["restartPolicy"] = policy
    verdict = explained("", "Pod", ended, node=[READY_NODE])
    assert verdict.then == ((("the container c is started again", None),) if again else ())
    assert (verdict.state == "has a container that has ended") == again
    init = several({"c": MAKING}, {"s": {"terminated": {"exitCode": 0}}}, initialized=False)
    init["spec"]["initContainers"][0]["restartPolicy"] = policy
    sidecar = explained("", "Pod", init, node=[READY_NODE])
    assert (("the init container s is started again", None) in sidecar.then) == (policy == "Always")


def debugged(state: Object) -> Object:
    """A pod that is well, and has an ephemeral container in a state."""
    whole = pod(RUNNING, ready=True)
    whole["status"]["containerStatuses"][0]["restartCount"] = 0
    whole["spec"]["ephemeralContainers"] = [{"name": "d", "image": "tools:1"}]
    whole["status"]["ephemeralContainerStatuses"] = [{"name": "d", "ready": False, "restartCount": 0, "state": state}]
    return whole


@pytest.mark.parametrize(
    ("state", "told", "fine"),
    [
        (RUNNING, (), True),
        ({"terminated": {"exitCode": 0}}, (), True),
        ({"terminated": {"exitCode": 5, "reason": "Error"}}, ("The ephemeral container d ended with exit code 5.",), True),
        (MAKING, ("The ephemeral container d is being made.",), False),
        (
            {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling it: ErrImagePull: not found"}},
            ('The image "tools:1" of the ephemeral container d can\'t be pulled (ImagePullBackOff).', "not found."),
            False,
        ),
    ],
)
def test_an_ephemeral_container_that_does_not_run_is_told_of_a_pod_that_is_well(
    state: Object, told: tuple[str, ...], *, fine: bool
) -> None:
    verdict = explained("", "Pod", debugged(state), node=[READY_NODE])
    assert (verdict.state, verdict.because, verdict.fine) == ("is running and ready", told, fine)


def test_what_keeps_an_ephemeral_container_is_told_also_of_a_pod_that_is_not_ready() -> None:
    mount = {"reason": "FailedMount", "message": "no volume", "involvedObject": {"fieldPath": "spec.ephemeralContainers{d}"}}
    assert explained("", "Pod", debugged(MAKING), [mount], node=[READY_NODE]).because[1:] == ("no volume.",)
    unready = debugged(MAKING)
    unready["status"]["conditions"] = [condition("Ready", "False")]
    unready["spec"]["readinessGates"] = [{"conditionType": "a.b/c"}]
    verdict = explained("", "Pod", unready, node=[READY_NODE])
    assert verdict.state == "runs, but isn't ready"
    assert len(verdict.because) == 2


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ({"svcsim.dev/run-for": "2h"}, [("the annotation svcsim.dev/run-for=2h has the container c end", NOW + 3600)]),
        (
            {"svcsim.dev/run-for": "2h", "c.svcsim.dev/crash-after": "61m"},
            [("the annotation c.svcsim.dev/crash-after=61m has the container c end", NOW + 60)],
        ),
        ({"svcsim.dev/run-for": "30m"}, []),
        ({"svcsim.dev/run-for": "soon"}, []),
        ({"d.svcsim.dev/run-for": "2h"}, []),
    ],
)
def test_when_an_annotation_has_a_container_end_is_told(said: dict[str, str], then: list[tuple[str, float]]) -> None:
    for ready in (True, False):
        whole = pod(RUNNING, ready=ready)
        whole["metadata"] = {"name": "it", "namespace": "default", "uid": "u1", "annotations": said}
        assert [(one.text, one.at) for one in explained("", "Pod", whole, node=[READY_NODE]).then] == then


def test_when_an_annotation_has_an_init_container_end_is_told() -> None:
    whole = several({"web": MAKING}, {"prep": RUNNING}, initialized=False)
    del whole["spec"]["initContainers"][0]["restartPolicy"]
    annotations = {"prep.svcsim.dev/run-for": "61m", "svcsim.dev/run-for": "2h"}
    whole["metadata"] = {"name": "it", "namespace": "default", "uid": "u1", "annotations": annotations}
    told = "the annotation prep.svcsim.dev/run-for=61m has the init container prep end"
    assert explained("", "Pod", whole, node=[READY_NODE]).then == ((told, NOW + 60),)
