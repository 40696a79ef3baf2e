"""What annotations have the containers of a pod do."""

import pytest

from svcsim.chance import Chance
from svcsim.meta.annotation_places import IMAGE_PULL_FAILURE, LINES, OF_PODS
from svcsim.meta.types import Object
from svcsim.nodes.containers.behaviour import UnreadableError, duration_s, exit_code
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.pod_updates import is_behind, take_in
from tests.nodes.build import NOW, Life, container, pod_object, shell


def started_at(life: Life) -> float:
    return next(at for at, reason, _ in life.told if reason == "Started")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("1h30m", 5400),
        ("PT90S", 90),
        ("P1DT1H", 90_000),
        ("PT1M1.5S", 61.5),
        ("30", 30),
        ("0.5", 0.5),
        ("500ms", 0.5),
        ("0", 0),
    ],
)
def test_durations_are_read_as_people_write_them(text, seconds):
    assert duration_s(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5s", "5 s", "P", "PT", "1e3", "PT5", "9" * 400, "nan", "٣s", "10d"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(UnreadableError, match=r"is no duration such as 90s, 1h30m or PT90S"):
        duration_s(text)


@pytest.mark.parametrize("text", ["", "-1", "256", "1.0", "one", "0x1", "٣"])
def test_what_is_no_exit_code_is_refused(text):
    assert (exit_code("0"), exit_code("255")) == (0, 255)
    with pytest.raises(UnreadableError):
        exit_code(text)


@pytest.mark.parametrize(
    ("annotations", "policy", "phase", "code", "after"),
    [
        ({"svcsim.dev/run-for": "12s"}, "Never", "Succeeded", 0, 12),
        ({"svcsim.dev/run-for": "PT12S", "svcsim.dev/exit-code": "3"}, "Never", "Failed", 3, 12),
        ({"svcsim.dev/exit-code": "3"}, "Never", "Failed", 3, 1),
        ({"svcsim.dev/crash-after": "20"}, "Never", "Failed", 1, 20),
        ({"svcsim.dev/crash-after": "20s", "svcsim.dev/exit-code": "139"}, "Never", "Failed", 139, 20),
        ({"svcsim.dev/crash-after": "20s", "svcsim.dev/exit-code": "0"}, "Never", "Succeeded", 0, 20),
        ({"svcsim.dev/crash-after": "20s", "svcsim.dev/run-for": "10s"}, "Never", "Succeeded", 0, 10),
        ({"svcsim.dev/run-for": "9s", "web.svcsim.dev/run-for": "15s"}, "OnFailure", "Succeeded", 0, 15),
    ],
)
def test_a_container_ends_as_annotations_say(annotations, policy, phase, code, after):
    life = Life(pod_object(annotations=annotations, restartPolicy=policy)).until(120)
    assert life.phase == phase
    assert life.state()["state"]["terminated"]["exitCode"] == code
    lasted = next(one.finished_at for one in life.run.containers.all) - NOW - started_at(life)
    assert lasted == pytest.approx(after, abs=0.01)


def test_a_crash_comes_again_after_each_start_with_the_usual_back_off():
    life = Life(pod_object(annotations={"svcsim.dev/crash-after": "5s"})).until(100)
    state = life.state()
    assert state["restartCount"] >= 3
    assert state["lastState"]["terminated"]["exitCode"] == 1
    assert "BackOff" in life.reasons


def test_what_is_said_of_one_container_is_not_said_of_others():
    annotations = {"job.svcsim.dev/run-for": "10s", "init.svcsim.dev/run-for": "30s", "job.svcsim.dev/exit-code": "4"}
    pod = pod_object(container("job"), container("web"), annotations=annotations, restartPolicy="Never", initContainers=[container("init")])
    life = Life(pod).until(20)
    assert "running" in life.state("init")["state"]
    life.until(70)
    assert life.state("job")["state"]["terminated"]["exitCode"] == 4
    assert "running" in life.state("web")["state"]


def test_a_container_without_a_probe_is_ready_when_it_is_said_to_be():
    life = Life(pod_object(annotations={"svcsim.dev/ready-after": "1m"})).until(55)
    assert (life.state()["started"], life.state()["ready"]) == (True, False)
    life.until(started_at(life) + 60.1)
    assert life.state()["ready"]
    assert "Unhealthy" not in life.reasons
    assert life.run.due is None


def test_a_readiness_probe_fails_until_the_container_is_to_be_ready():
    probe = {"httpGet": {"port": 80}, "periodSeconds": 5}
    life = Life(pod_object(container(readinessProbe=probe), annotations={"web.svcsim.dev/ready-after": "22s"})).until(20)
    assert "Readiness probe failed: HTTP probe failed with statuscode: 503" in [message for _, _, message in life.told]
    assert not life.state()["ready"]
    life.until(40)
    assert life.state()["ready"]


def test_a_value_that_can_not_be_read_counts_for_nothing_and_is_told():
    annotations = {
        "svcsim.dev/run-for": "soon",
        "svcsim.dev/exit-code": "three",
        "wbe.svcsim.dev/crash-after": "5s",
        "svcsim.dev/ready-after": "2s",
    }
    life = Life(pod_object(annotations=annotations)).until(60)
    assert life.phase == "Running"
    assert life.state()["ready"]
    assert [message for _, reason, message in life.told if reason == "InvalidAnnotation"] == [
        'annotation svcsim.dev/run-for: "soon" is no duration such as 90s, 1h30m or PT90S; it counts for nothing',
        'annotation svcsim.dev/exit-code: "three" is no exit code from 0 to 255; it counts for nothing',
        'annotation wbe.svcsim.dev/crash-after: the pod has no container "wbe"',
    ]


def test_many_mistakes_are_told_together_so_that_each_can_be_read():
    wrong = {f"svcsim.dev/rn-{number}": "1" for number in range(25)}
    told = [message for _, reason, message in Life(pod_object(annotations=wrong)).until(10).told if reason == "InvalidAnnotation"]
    assert len(told) <= 8
    assert all(sum(f"annotation {key}: nothing is known" in message for message in told) == 1 for key in wrong)
    assert all(len(message) <= 1024 for message in told)


def test_of_more_mistakes_than_anybody_reads_the_number_is_told():
    wrong = {f"svcsim.dev/{'rn' * 40}-{number}": "1" for number in range(200)}
    told = [message for _, reason, message in Life(pod_object(annotations=wrong)).until(10).told if reason == "InvalidAnnotation"]
    assert len(told) == 8
    count = sum(message.count("annotation svcsim.dev/") for message in told)
    assert told[-1].endswith(f" | and {200 - count} more")
    assert all(len(message) <= 1024 for message in told)


def test_an_annotation_by_its_former_name_is_told():
    life = Life(pod_object(annotations={"svcsim.dev/run-seconds": "5"})).until(60)
    assert life.phase == "Running"
    told = "annotation svcsim.dev/run-seconds: it is called svcsim.dev/run-for now, and counts for nothing"
    assert life.told[0][1:] == ("InvalidAnnotation", told)


@pytest.mark.parametrize(
    ("annotations", "told"),
    [
        ({"svcsim.dev/run-fro": "5s"}, "svcsim.dev/run-fro: nothing is known by that name; did you mean svcsim.dev/run-for?"),
        ({"web.svcsim.dev/crash": "5s"}, "web.svcsim.dev/crash: nothing is known by that name; did you mean web.svcsim.dev/crash-after?"),
        (
            {"svcsim.dev/log": "5s"},
            "svcsim.dev/log: nothing is known by that name; did you mean svcsim.dev/log-lines or svcsim.dev/log-every?",
        ),
        (
            {"svcsim.dev/": "x"},
            (
                "svcsim.dev/: nothing is known by that name; there are run-for, exit-code, crash-after, ready-after, image-pull-failure, "
                "failing-probes, log-lines, log-every, cpu and memory"
            ),
        ),
        (
            {"web.svcsim.dev/failing-probes": "ready"},
            'web.svcsim.dev/failing-probes: "ready" is none of readiness, liveness and startup; it counts for nothing',
        ),
        (
            {"svcsim.dev/failing-probes": "readiness,ready"},
            'svcsim.dev/failing-probes: "ready" is none of readiness, liveness and startup; it counts for nothing',
        ),
        (
            {"svcsim.dev/failing-probes": " , "},
            'svcsim.dev/failing-probes: " , " names none of readiness, liveness and startup; it counts for nothing',
        ),
        ({"svcsim.dev/bound-to": "80=8080"}, "svcsim.dev/bound-to: it counts for nothing here; it is meant for services"),
        ({"x.y.svcsim.dev/run-for": "5s"}, 'x.y.svcsim.dev/run-for: the pod has no container "x.y"'),
    ],
)
def test_what_nobody_reads_is_told_with_what_may_have_been_meant(annotations: dict[str, str], told: str):
    life = Life(pod_object(annotations={**annotations, "example.com/run-fro": "1", "notsvcsim.dev/x": "1"})).until(60)
    assert life.phase == "Running"
    assert [message for _, reason, message in life.told if reason == "InvalidAnnotation"] == [f"annotation {told}"]


def test_of_annotations_that_change_only_those_are_told_that_did():
    life = annotate(Life(pod_object(annotations={"svcsim.dev/rn": "1", "svcsim.dev/log-lines": "x"})), 10, rn="1", log_lines="{x}", cpu="x")
    told = [message.split(":")[0] for _, reason, message in life.until(20).told if reason == "InvalidAnnotation"]
    assert told == ["annotation svcsim.dev/rn", "annotation svcsim.dev/log-lines", "annotation svcsim.dev/cpu"]


def test_a_metric_may_have_any_name_and_a_container_that_of_metrics():
    life = Life(pod_object(annotations={"metrics.svcsim.dev/run-for": "5"})).until(60)
    assert (life.phase, life.reasons.count("InvalidAnnotation")) == ("Running", 0)
    life = Life(pod_object(container("metrics"), annotations={"metrics.svcsim.dev/run-for": "5"}, restartPolicy="Never")).until(60)
    assert (life.phase, life.reasons.count("InvalidAnnotation")) == ("Succeeded", 0)


def annotate(life: Life, at_s: float, **annotations: str) -> Life:
    life.until(at_s)
    said = {f"svcsim.dev/{name.replace('_', '-')}": value for name, value in annotations.items()}
    life.pod = {**life.pod, "metadata": {**life.pod["metadata"], "annotations": said}}
    assert is_behind(life.run, life.pod)
    take_in(life.run, life.pod, NOW + at_s)
    assert not is_behind(life.run, life.pod)
    return life


def test_annotations_count_at_once_for_a_pod_that_runs():
    life = annotate(Life(pod_object(restartPolicy="Never")), 60, exit_code="7", run_for="50s").until(61)
    assert (life.phase, life.state()["state"]["terminated"]["exitCode"]) == ("Failed", 7)


def test_a_pod_told_to_run_longer_does():
    life = annotate(Life(pod_object(annotations={"svcsim.dev/run-for": "30s"}, restartPolicy="Never")), 20, run_for="100s").until(90)
    assert life.phase == "Running"
    life.until(120)
    assert life.phase == "Succeeded"


def test_a_pod_that_is_ready_can_be_told_that_it_is_not_yet():
    life = annotate(Life(pod_object()), 30, ready_after="40s")
    assert not life.state()["ready"]
    life.until(60)
    assert life.state()["ready"]


def test_an_annotation_has_a_pull_fail_and_its_end_heals_the_pod():
    life = annotate(Life(pod_object(annotations={"svcsim.dev/image-pull-failure": "unauthorized"})), 200)
    waiting = next(message for _, reason, message in life.told if reason == "Failed")
    assert "pull access denied, repository does not exist or may require authorization" in waiting
    life.until(210)
    assert (life.phase, life.state()["ready"]) == ("Running", True)


def test_a_pod_without_annotations_lives_as_it_always_has():
    assert Life(pod_object(shell("sleep 5")), Faults(Chance(0))).until(60).told == Life(pod_object(shell("sleep 5"))).until(60).told


PROBE = {"httpGet": {"port": 80}}


@pytest.mark.parametrize(
    ("annotations", "probes", "told"),
    [
        ({"svcsim.dev/failing-probes": "startup"}, {}, "svcsim.dev/failing-probes: its containers have no startup probe that could fail"),
        (
            {"svcsim.dev/failing-probes": "readiness, liveness,startup"},
            {"livenessProbe": PROBE},
            "svcsim.dev/failing-probes: its containers have no readiness and no startup probe that could fail",
        ),
        (
            {"web.svcsim.dev/failing-probes": "readiness"},
            {"livenessProbe": PROBE},
            'web.svcsim.dev/failing-probes: the container "web" has no readiness probe that could fail',
        ),
        ({"svcsim.dev/failing-probes": "liveness"}, {"livenessProbe": PROBE}, None),
        ({"svcsim.dev/failing-probes": ""}, {}, None),
    ],
)
def test_probes_that_are_to_fail_and_are_not_there_are_told(annotations: dict[str, str], probes: Object, told: str | None):
    life = Life(pod_object(container("web", **probes), container("other"), annotations=annotations)).until(5)
    found = [message for _, reason, message in life.told if reason == "InvalidAnnotation"]
    assert found == ([] if told is None else [f"annotation {told}"])


def test_every_annotation_of_pods_can_be_checked():
    unreadable = Life(pod_object(annotations={f"svcsim.dev/{name}": "?" for name in OF_PODS if name not in {IMAGE_PULL_FAILURE, LINES}}))
    told = " ".join(message for _, reason, message in unreadable.until(10).told if reason == "InvalidAnnotation")
    assert told.count("; it counts for nothing") == len(OF_PODS) - 2
