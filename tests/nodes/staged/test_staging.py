"""Objects that live by stages, in a whole cluster on virtual time."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.living import Living, condition, living, name, phase, pod
from tests.virtual import START_S

pytestmark = pytest.mark.virtual_time

CRD = Path(__file__).parents[3] / "scenarios/manifests/stage-crd.yaml"
ABSENT = {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}
READY_TEMPLATE = """
{{ $now := Now }}
phase: Running
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) "" | Quote }}
conditions:
- lastTransitionTime: {{ $now | Quote }}
  status: "True"
  type: Ready
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: true
  restartCount: 0
  state: {running: {startedAt: {{ $now | Quote }}}}
{{ end }}
"""


def kwok(stage_name: str, kind: str = "Pod", *requirements: Object, **spec: Json) -> Object:
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": stage_name},
        "spec": {"resourceRef": {"apiGroup": "v1", "kind": kind}, "selector": {"matchExpressions": list(requirements)}, **spec},
    }


def asks(key: str, operator: str, *values: str) -> Object:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


READY = kwok("ready", "Pod", ABSENT, asks(".status.podIP", "DoesNotExist"), next={"statusTemplate": READY_TEMPLATE})
GONE = kwok("gone", "Pod", asks(".metadata.deletionTimestamp", "Exists"), next={"finalizers": {"empty": True}, "delete": True})
FAST = (READY, GONE)


def own(stage_name: str, **fields: Json) -> Object:
    return {"apiVersion": "svcsim.dev/v1", "kind": "Stage", "metadata": {"name": stage_name}, **fields}


def file_of(directory: Path, *documents: Object) -> str:
    path = directory / "stages.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    return str(path)


@asynccontextmanager
async def with_stage_objects(*stages: Object, **spec: Json) -> AsyncIterator[Living]:
    """A cluster to which kwok's type and some stages have been applied."""
    async with living(**spec) as cluster:
        await cluster.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions").create(yaml.safe_load(CRD.read_text()))
        await cluster.sleep(2)
        for stage in stages:
            await cluster.client.resource("kwok.x-k8s.io/v1alpha1", "stages").create(stage)
        await cluster.sleep(1)
        yield cluster


def stage_text(stage_name: str, *lines: str) -> str:
    """A document of a file that may be wrong."""
    what = () if any(line.startswith("patch:") for line in lines) else ("delete: true",)
    head = ("---", "apiVersion: svcsim.dev/v1", "kind: Stage", f"metadata: {{name: {stage_name}}}", "when: .status.never")
    return "".join(f"{line}\n" for line in (*head, *what, *lines))


def named(pods: list[Object], wanted: str) -> Object:
    return next(one for one in pods if name(one) == wanted)


def is_running(wanted: str) -> Callable[[list[Object]], bool]:
    return lambda pods: phase(named(pods, wanted)) == "Running"


# --- files ---


async def test_pods_live_by_the_stages_of_a_file(tmp_path: Path):
    async with living(stages=(file_of(tmp_path, *FAST),)) as cluster:
        await cluster.pods.create(pod("web", command=["sleep", "5"], restartPolicy="Never"))
        await cluster.until(is_running("web"), within_s=1)
        await cluster.sleep(60)
        web = await cluster.pods.get("web")
        assert phase(web) == "Running", "the stages say nothing of an end"
        assert web["status"]["podIP"].startswith("10.")
        assert "Pulled" not in await cluster.reasons("web")
        await cluster.pods.patch("web", {"metadata": {"finalizers": ["example.com/held"]}})
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: not pods, within_s=1)


@pytest.mark.parametrize("ready", ["pod-fast", "pod-general"])
async def test_stages_that_are_ready_bring_pods_up_complete_jobs_and_end_them(ready: str):
    async with living(stages=(ready,)) as cluster:
        init = {"name": "init", "image": "busybox:1"}
        sidecar = {"name": "proxy", "image": "envoy:1", "restartPolicy": "Always"}
        await cluster.pods.create(pod("web", initContainers=[init, sidecar]))
        template = {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1", "command": ["sleep", "9999"]}]}
        }
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": {"template": template}}
        await cluster.client.resource("batch/v1", "jobs", "default").create(job)
        await cluster.sleep(30)
        web = await cluster.pods.get("web")
        assert (phase(web), condition(web, "Ready")["status"]) == ("Running", "True")
        assert [list(one["state"]) for one in web["status"]["initContainerStatuses"]] == [["terminated"], ["running"]]
        done = await cluster.client.resource("batch/v1", "jobs", "default").get("work")
        assert done["status"]["succeeded"] == 1
        await cluster.pods.delete("web")
        await cluster.sleep(31)
        assert "web" not in [name(one) for one in await cluster.pods.list_all()]


async def test_an_annotation_says_how_long_a_stage_that_is_ready_takes():
    async with living(stages=("pod-general",)) as cluster:
        slow = pod("slow")
        slow["metadata"]["annotations"] = {"pod-ready.svcsim.dev/delay": "1h"}
        await cluster.pods.create(slow)
        await cluster.sleep(3590)
        assert phase(await cluster.pods.get("slow")) == "Pending"
        await cluster.sleep(30)
        assert phase(await cluster.pods.get("slow")) == "Running"


def annotated(pod_name: str, **annotations: str) -> Object:
    made = pod(pod_name)
    made["metadata"]["annotations"] = annotations
    return made


async def warnings(cluster: Living, about: str) -> list[tuple[str, str, int]]:
    return sorted((e["reason"], e["message"], e.get("count", 1)) for e in await cluster.events(about) if e["type"] == "Warning")


async def test_annotations_that_count_for_nothing_where_stages_are_at_work_are_told_once():
    async with living(stages=("pod-general",)) as cluster:
        wrong = {
            "pod-ready.svcsim.dev/delay": "quick",
            "pod-ready.svcsim.dev/dley": "5s",
            "pod-redy.svcsim.dev/delay": "5s",
            "pod-create.svcsim.dev/jitter": "-5s",
            "svcsim.dev/crash-after": "2s",
            "svcsim.dev/cpu": "100m",
            "svcsim.dev/memory": "much",
            "metrics.svcsim.dev/load": "5",
            "example.com/x": "y",
        }
        await cluster.pods.create(annotated("web", **wrong))
        await cluster.sleep(30)
        web = await cluster.pods.get("web")
        assert phase(web) == "Running"
        no_duration = "is no duration such as 90s, 1h30m or PT90S; it counts for nothing"
        by_stages = "it counts for nothing here: what becomes of the pod is said by stages, and by nothing else"
        expected = [
            f'annotation pod-create.svcsim.dev/jitter: "-5s" {no_duration}',
            f'annotation pod-ready.svcsim.dev/delay: "quick" {no_duration}',
            "annotation pod-ready.svcsim.dev/dley: nothing is known by that name; did you mean pod-ready.svcsim.dev/delay?",
            "annotation pod-redy.svcsim.dev/delay: nothing is known by that name; did you mean pod-ready.svcsim.dev/delay?",
            f"annotation svcsim.dev/crash-after: {by_stages}",
            'annotation svcsim.dev/memory: "much" is neither a quantity, such as 250m or 64Mi, nor a percentage; it counts for nothing',
        ]
        assert await warnings(cluster, "web") == [("InvalidAnnotation", one, 1) for one in expected]
        await cluster.pods.patch("web", {"metadata": {"annotations": {"svcsim.dev/run-for": "1s"}}})
        await cluster.sleep(5)
        later = [("InvalidAnnotation", f"annotation svcsim.dev/run-for: {by_stages}", 1)]
        assert await warnings(cluster, "web") == sorted([*(("InvalidAnnotation", one, 1) for one in expected), *later])
        told = (await cluster.cluster.nodes.tell("v1", "Pod", "default", "web"))["stages"]
        assert f"annotation svcsim.dev/run-for: {by_stages}" in told["passedOver"]


async def test_an_annotation_that_can_not_be_read_leaves_a_stage_its_usual_delay():
    async with living(stages=("pod-general",)) as cluster:
        await cluster.pods.create(annotated("web", **{"pod-create.svcsim.dev/delay": "quick", "pod-create.svcsim.dev/jitter": "0s"}))
        await cluster.sleep(0.8)
        assert "podIP" not in (await cluster.pods.get("web"))["status"], "a second passes before that"


async def test_a_delay_that_a_query_does_not_find_is_told_on_the_object_once(tmp_path: Path):
    again = own("again", match={"kind": "ConfigMap"}, when=".metadata.labels.a", delay={"for": ".data.wait", "jitter": "2s"})
    again["patch"] = "metadata: {annotations: {at: {{ Now | Quote }}}}"
    async with living(stages=(file_of(tmp_path, again),)) as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        for wait in ("soon", "3", "PT3S"):
            metadata = {"name": wait.lower(), "labels": {"a": "y"}}
            await maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"wait": wait}})
        await cluster.sleep(30)
        why = '"soon" is no duration such as 90s, 1h30m or PT90S; it counts for nothing'
        assert await warnings(cluster, "soon") == [("InvalidDelay", f"Stage again: its delay is what .data.wait finds, and {why}", 1)]
        assert await warnings(cluster, "3") == await warnings(cluster, "pt3s") == []
        assert "at" in (await maps.get("soon"))["metadata"]["annotations"]


async def test_queries_know_regular_expressions_and_the_clusters_time(tmp_path: Path):
    when = ['.metadata.name | test("^q-[0-9]+$")', "(now - (.metadata.creationTimestamp | fromdate)) as $age | $age >= 0 and $age < 5"]
    stage = own("asked", match={"kind": "ConfigMap"}, when=[*when, ".data.done == null"], patch='data: {done: "1"}')
    endless = own("endless", match={"kind": "ConfigMap", "name": "q-*"}, when=".data.done and until(false; .)", delete=True)
    async with living(stages=(file_of(tmp_path, stage, endless),)) as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        for one in ("q-1", "q-x"):
            await maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": one}})
        await cluster.sleep(5)
        assert (await maps.get("q-1"))["data"] == {"done": "1"}
        assert "data" not in await maps.get("q-x")


async def test_what_was_told_of_annotations_is_not_told_again_after_a_restart(tmp_path: Path):
    spec = {"stages": ("pod-fast",), "data_dir": tmp_path / "data"}
    async with living(**spec) as cluster:
        await cluster.pods.create(annotated("web", **{"svcsim.dev/run-for": "5s"}))
        await cluster.sleep(5)
        before = await warnings(cluster, "web")
        assert len(before) == 1
    async with living(**spec) as cluster:
        await cluster.sleep(5)
        assert await warnings(cluster, "web") == before


async def test_a_node_that_nobody_runs_is_ready_and_has_pods():
    async with living(nodes=1, stages=("node-fast", "pod-fast")) as cluster:
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "fake"}})
        await cluster.sleep(300)
        fake = await cluster.nodes.get("fake")
        assert condition(fake, "Ready")["status"] == "True"
        assert fake["spec"].get("taints") is None
        await cluster.pods.create(pod("web", nodeName="fake"))
        await cluster.pods.create(pod("api", nodeName="fake"))
        pods = await cluster.until(lambda pods: all(phase(one) == "Running" for one in pods), within_s=2)
        assert len({one["status"]["podIP"] for one in pods}) == 2
        assert condition(await cluster.nodes.get("node-1"), "Ready")["status"] == "True"


async def host_pod(cluster: Living, node: str) -> Object:
    await cluster.pods.create(pod("host", nodeName=node, hostNetwork=True))
    await cluster.until(is_running("host"), within_s=20)
    return (await cluster.pods.get("host"))["status"]


def internal(node: Object) -> list[str]:
    return [one["address"] for one in node["status"]["addresses"] if one["type"] == "InternalIP"]


@pytest.mark.parametrize("ready", ["pod-fast", "pod-general"])
async def test_pods_in_the_network_of_a_node_that_nobody_runs_have_its_addresses(ready: str):
    async with living(nodes=1, stages=("node-fast", ready)) as cluster:
        for node in ("fake", "other"):
            await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
        await cluster.sleep(5)
        (address,) = internal(await cluster.nodes.get("fake"))
        assert [address] != internal(await cluster.nodes.get("other"))
        status = await host_pod(cluster, "fake")
        assert (status["podIP"], status["hostIP"]) == (address, address)
        assert status["podIPs"] == status["hostIPs"] == [{"ip": address}]
        await cluster.pods.create(pod("web", nodeName="fake"))
        await cluster.until(is_running("web"), within_s=20)
        web = (await cluster.pods.get("web"))["status"]
        assert web["hostIP"] == address != web["podIP"]


async def test_pods_on_a_node_without_addresses_have_some_all_the_same(tmp_path: Path):
    async with living(nodes=1, stages=(file_of(tmp_path, *FAST),)) as cluster:
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bare"}})
        status = await host_pod(cluster, "bare")
        assert status["hostIP"] == status["podIP"] != ""


async def test_what_could_not_be_played_is_tried_again_while_nothing_changes():
    async with living(nodes=1, stages=("pod-fast",)) as cluster:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "narrow"}, "spec": {"podCIDR": "10.9.0.0/30"}}
        await cluster.nodes.create(node)
        await cluster.pods.create(pod("first", nodeName="narrow"))
        await cluster.until(is_running("first"), within_s=1)
        await cluster.pods.create(pod("second", nodeName="narrow"))
        await cluster.sleep(60)
        told = [event for event in await cluster.events("second") if event["reason"] == "StageFailed"]
        assert [event.get("count", 1) for event in told] == [1]
        await cluster.pods.delete("first", grace_period_s=0)
        await cluster.until(lambda pods: phase(named(pods, "second")) == "Running", within_s=120)


async def test_a_node_that_says_nothing_again_is_kept_by_its_lease(tmp_path: Path):
    status = """
    conditions:
    {{ range NodeConditions }}
    - {type: {{ .type }}, status: "{{ .status }}", reason: {{ .reason }}, message: {{ .message | Quote }}}
    {{ end }}
    """
    is_ready = '.status.conditions.[] | select( .type == "Ready" ) | .status'
    once = kwok("node-once", "Node", asks(is_ready, "NotIn", "True"), next={"statusTemplate": status})
    async with living(nodes=1, stages=(file_of(tmp_path, once),)) as cluster:
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "fake"}})
        await cluster.sleep(600)
        assert condition(await cluster.nodes.get("fake"), "Ready")["status"] == "True"
        assert "NodeNotReady" not in await cluster.reasons("fake")
        await cluster.nodes.delete("fake")
        await cluster.sleep(60)
        leases = cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease")
        assert [name(one) for one in await leases.list_all()] == ["node-1"]


async def test_a_simulated_node_that_a_stage_has_failed_stays_so(tmp_path: Path):
    ready = {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "on purpose"}]}
    match = {"kind": "Node", "labels": {"broken": "yes"}}
    is_well = '.status.conditions | any(.type == "Ready" and .status == "True")'
    failing = own("broken", match=match, when=is_well, delay="1s", patch={"status": ready})
    async with living(stages=(file_of(tmp_path, failing),)) as cluster:
        await cluster.nodes.patch("node-1", {"metadata": {"labels": {"broken": "yes"}}})
        await cluster.sleep(20)
        assert condition(await cluster.nodes.get("node-1"), "Ready")["reason"] == "Broken"
        await cluster.sleep(700)
        assert condition(await cluster.nodes.get("node-1"), "Ready")["reason"] == "Broken"
        assert condition(await cluster.nodes.get("node-2"), "Ready")["status"] == "True"


async def test_a_stage_names_what_comes_next_and_reports_events(tmp_path: Path):
    shop, step = {"kind": "Pod", "labels": {"app": "shop"}}, ".metadata.annotations.step"
    stages = (
        own("warm", match=shop, when=['.status.phase == "Running"', f"{step} == null"], delay={"for": "10s", "jitter": "20s"},
            patch={"metadata": {"annotations": {"step": "warm"}}}, next="serve",
            event={"type": "Warning", "reason": "Cold", "message": "{{ .metadata.name }} is cold"}),
        own("serve", match=shop, when=f'{step} == "warm"', delay="5s", patch='metadata: {annotations: {step: "serves"}}'),
        own("fail", match=shop, when=f'{step} == "warm"', weight=1000, patch={"metadata": {"annotations": {"step": "failed"}}}),
    )  # fmt: skip
    async with living(stages=(file_of(tmp_path, *stages),)) as cluster:
        web = pod("web")
        web["metadata"]["labels"] = {"app": "shop"}
        await cluster.pods.create(web)
        await cluster.until(is_running("web"))
        await cluster.sleep(60)
        found = await cluster.pods.get("web")
        assert found["metadata"]["annotations"]["step"] == "serves"
        cold = [event for event in await cluster.events("web") if event["reason"] == "Cold"]
        assert [(event["type"], event["message"]) for event in cold] == [("Warning", "web is cold")]


async def test_pods_that_no_stage_is_about_live_as_usual(tmp_path: Path):
    only = own("only", match={"labels": {"staged": "yes"}}, when=".status.podIP == null", patch={"status": {"phase": "Failed"}})
    async with living(stages=(file_of(tmp_path, only),)) as cluster:
        web = await cluster.run_pod(pod("web"))
        assert "Pulled" in await cluster.reasons("web")
        assert web["status"]["containerStatuses"][0]["ready"]


async def test_a_pod_that_stages_have_taken_and_say_nothing_more_of_is_ended_as_usual(tmp_path: Path):
    async with living(stages=(file_of(tmp_path, READY),)) as cluster:
        await cluster.pods.create(pod("web", terminationGracePeriodSeconds=10))
        await cluster.until(is_running("web"), within_s=1)
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: not pods, within_s=10)


async def test_a_deleted_pod_waits_for_the_finalizers_of_others():
    async with living(stages=("pod-fast",)) as cluster:
        held = pod("web")
        held["metadata"]["finalizers"] = ["example.com/held"]
        await cluster.pods.create(held)
        await cluster.sleep(1)
        await cluster.pods.delete("web")
        await cluster.sleep(5)
        assert (await cluster.pods.get("web"))["metadata"]["finalizers"] == ["example.com/held"]
        await cluster.pods.patch("web", {"metadata": {"finalizers": None}})
        await cluster.until(lambda pods: not pods, within_s=2)


async def test_a_patch_that_makes_no_object_is_told_without_the_name_that_it_has_not(tmp_path: Path):
    stage = own("badval", match={"kind": "Secret", "name": "s"}, when=".type", patch={"data": {"a": "no base64!"}})
    async with living(stages=(file_of(tmp_path, stage),)) as cluster:
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"b": "Yg=="}}
        await cluster.client.resource("v1", "secrets", "default").create(secret)
        await cluster.sleep(10)
        (message,) = {e["message"] for e in await cluster.events() if e["reason"] == "StageFailed"}
        assert message.startswith("Stage badval can't be played: patch: ")


async def test_what_a_stage_can_not_do_is_told_on_the_object_once(tmp_path: Path):
    stages = (
        own("wrong", match={"name": "wrong"}, when=".status", patch="status: {{ index .spec.containers 5 }}"),
        own("refused", match={"name": "refused"}, when=".status", patch={"spec": {"nodeName": "elsewhere"}}),
        own("list", match={"name": "list"}, when=".status", patch="[1]"),
        own("no-status", match={"kind": "ConfigMap", "name": "map"}, when=".data", patch={"status": {"a": "b"}}),
    )
    async with living(stages=(file_of(tmp_path, *stages),)) as cluster:
        for pod_name in ("wrong", "refused", "list"):
            await cluster.pods.create(pod(pod_name))
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "map"}, "data": {"a": "b"}}
        await cluster.client.resource("v1", "configmaps", "default").create(config_map)
        await cluster.sleep(600)
        told = [e for e in await cluster.events() if e["reason"] == "StageFailed"]
        messages = {event["involvedObject"]["name"]: event["message"] for event in told}
        assert "error calling index: index out of range: 5" in messages["wrong"]
        assert messages["wrong"].startswith("Stage wrong can't be played: template: ")
        assert "may not change fields other than" in messages["refused"] or "Forbidden" in messages["refused"]
        assert messages["list"] == "Stage list can't be played: the template doesn't make a map"
        assert "could not find the requested resource" in messages["map"]
        assert sum(event.get("count", 1) for event in told) <= 7


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("metadata: {annotations: {warm: y}}", "metadata.annotations.warm: must be a text, and is true as YAML reads it; put it in quotes"),
        ("metadata: {labels: {turn: 1}}", "metadata.labels.turn: must be a text, and is the number 1 as YAML reads it; put it in quotes"),
        ("spec: {nodeName: elsewhere}", "Forbidden: pod updates may not change fields"),
        ('metadata: {resourceVersion: "1"}', "metadata.resourceVersion: a stage is played on an object as it is"),
        ("metadata: {uid: another}", "Precondition failed: UID in precondition: another"),
    ],
)
async def test_a_stage_that_fails_reports_none_of_its_events(tmp_path: Path, patch: str, why: str):
    event = {"reason": "Warm", "message": "it is warm"}
    warm = own("warm", when=".metadata.annotations.warm == null", event=event, patch="{{ if true }}" + patch + "{{ end }}")
    async with living(stages=(file_of(tmp_path, warm),)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(5)
        assert "Warm" not in await cluster.reasons("web")
        failed = [event["message"] for event in await cluster.events("web") if event["reason"] == "StageFailed"]
        assert why in failed[0]


TURNS = "annotations: {turns: {{ add1 (or .metadata.annotations.turns 0) | quote }}}"
COUNT = own("count", when=".status.phase", patch=f"metadata: {{{TURNS}}}")


async def turns(cluster: Living) -> int:
    return int((await cluster.pods.get("web"))["metadata"]["annotations"].get("turns", 0))


async def test_a_stage_that_would_go_on_for_ever_waits_longer_each_time_and_that_is_told(tmp_path: Path):
    async with living(stages=(file_of(tmp_path, COUNT),)) as cluster:
        await cluster.pods.create(pod("web"))
        counted = [await turns(cluster) for _ in range(3) if await cluster.sleep(30) is None]
        assert counted[0] in range(20, 26)
        assert counted[2] - counted[0] <= 2
        (told,) = [event for event in await cluster.events("web") if event["reason"] == "StageRepeated"]
        assert told["message"] == "Stage count comes again at once, 20 times in a row: it waits longer each time from now on"
        await cluster.sleep(600)
        assert 9 <= await turns(cluster) - counted[2] <= 11, "it goes on, once a minute"


async def test_a_stage_that_goes_on_for_ever_after_a_delay_does_not_wait_longer(tmp_path: Path):
    async with living(stages=(file_of(tmp_path, {**COUNT, "delay": "1s"}),)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(100)
        assert await turns(cluster) in range(97, 101)
        assert "StageRepeated" not in await cluster.reasons("web")


async def test_a_stage_that_answers_what_others_change_may_do_so_any_number_of_times(tmp_path: Path):
    answer = own("answer", when='.metadata.labels.asked == "yes"', patch="metadata: {labels: {asked: answered}}")
    async with living(stages=(file_of(tmp_path, answer),)) as cluster:
        await cluster.pods.create(pod("web"))
        for _ in range(50):
            await cluster.pods.patch("web", {"metadata": {"labels": {"asked": "yes"}}})
            await cluster.until(lambda pods: pods[0]["metadata"]["labels"]["asked"] == "answered", within_s=0.5)
            await cluster.sleep(0.1)
        assert "StageRepeated" not in await cluster.reasons("web")


async def test_a_stage_that_waits_longer_and_longer_is_played_at_once_when_it_is_changed():
    stage = kwok(
        "count", "Pod", asks(".status.phase", "Exists"), next={"patches": [{"type": "merge", "root": "metadata", "template": TURNS}]}
    )
    async with with_stage_objects(stage) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(300)
        before = await turns(cluster)
        stages = cluster.client.resource("kwok.x-k8s.io/v1alpha1", "stages")
        await stages.patch("count", {"spec": {"delay": {"durationMilliseconds": 1000}}})
        await cluster.sleep(10)
        assert await turns(cluster) >= before + 8


async def test_jitter_and_weights_follow_from_the_seed():
    async def lived() -> list[str]:
        async with living(stages=("pod-general",), seed=7) as cluster:
            for number in range(5):
                await cluster.pods.create(pod(f"web-{number}"))
            await cluster.sleep(30)
            return [one["status"]["startTime"] for one in await cluster.pods.list_all()]

    first = await lived()
    assert first == await lived()
    assert len(set(first)) > 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kind: Pod", "document 1: it is no Stage of"),
        ("a: [", "yaml: "),
        (
            "apiVersion: svcsim.dev/v1\nkind: Stage\nmetadata: {name: a}\nwhen: .a |\ndelete: true",
            'document 1 (a): when: ".a |" can\'t be read',
        ),
        (None, "is neither a file nor one of node-fast, pod-fast, pod-general"),
        ("", "stages.yaml: there is no stage in it"),
        ("# later\n---\n", "stages.yaml: there is no stage in it"),
        ("apiVersion: config.kwok.x-k8s.io/v1alpha1\nkind: KwokConfiguration\n", "there is no stage in it"),
        (stage_text("Bad Name"), 'document 1 (Bad Name): metadata.name: "Bad Name" is no name: a lowercase'),
        (stage_text("5"), "document 1 (5): metadata.name: must be a text"),
        (stage_text(""), "document 1: metadata.name: is missing"),
        (stage_text("warm", "next: serv") + stage_text("serve"), 'document 1 (warm): next: there is no stage "serv"; did you mean serve?'),
        (stage_text("warm", "next: of-node") + stage_text("of-node", "match: {kind: Node}"), "next: of-node is a stage of Node of v1"),
        (
            stage_text("warm", "match: {kind: pod}"),
            "document 1 (warm): it is about pod of v1, and there is no such kind; did you mean Pod?",
        ),
        (stage_text("warm", "match: {apiVersion: app/v1, kind: Deployment}"), 'there is no group "app"; did you mean apps?'),
        (
            stage_text("warm", "patch: {metadata: {annotations: {warm: y}}}"),
            "patch.metadata.annotations.warm: must be a text, and is true as YAML reads it; put it in quotes",
        ),
        (
            stage_text("warm", "patch: {status: {conditions: [{type: Ready, status: True}]}}"),
            "patch.status.conditions[0].status: must be a text",
        ),
    ],
)
async def test_a_file_that_can_not_be_read_is_refused_at_the_start(tmp_path: Path, text: str | None, why: str):
    path = tmp_path / "stages.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigurationError) as raised:
        async with open_cluster(ClusterSpec(nodes=1, seed=1, start_s=START_S, stages=(str(path),))):
            pass
    assert why in str(raised.value)


async def test_two_stages_of_a_name_are_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="there is a stage named ready already"):
        async with open_cluster(ClusterSpec(nodes=1, seed=1, start_s=START_S, stages=(file_of(tmp_path, READY, READY),))):
            pass


# --- objects ---


async def test_stages_may_be_objects_that_come_change_and_go():
    async with with_stage_objects(*FAST) as cluster:
        stages = cluster.client.resource("kwok.x-k8s.io/v1alpha1", "stages")
        await cluster.pods.create(pod("fast"))
        await cluster.until(is_running("fast"), within_s=1)
        await stages.patch("ready", {"spec": {"delay": {"durationMilliseconds": 60_000}}})
        await cluster.sleep(1)
        await cluster.pods.create(pod("slow"))
        await cluster.sleep(55)
        assert phase(await cluster.pods.get("slow")) == "Pending"
        await cluster.until(is_running("slow"), within_s=6)
        for stage in FAST:
            await stages.delete(name(stage))
        await cluster.sleep(5)
        fast = await cluster.pods.get("fast")
        assert (phase(fast), fast["status"]["containerStatuses"][0]["restartCount"]) == ("Running", 0)
        await cluster.run_pod(pod("usual"))
        assert "Pulled" in await cluster.reasons("usual")
        await cluster.pods.delete("fast")
        await cluster.sleep(5)
        assert "fast" not in [name(one) for one in await cluster.pods.list_all()]


async def test_a_stage_object_that_can_not_be_read_is_told_of_and_leaves_the_others_be():
    broken = kwok("broken", "Pod", asks(".a |", "Exists"), next={"delete": True})
    async with with_stage_objects(broken, *FAST) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.until(is_running("web"), within_s=1)
        (told,) = await cluster.events("broken")
        assert (told["reason"], told["type"]) == ("InvalidStage", "Warning")
        assert told["message"] == 'spec.selector.matchExpressions[0].key: ".a |" can\'t be read as a query: unexpected end'
        tell = cluster.cluster.nodes.tell
        assert await tell("kwok.x-k8s.io/v1alpha1", "Stage", "", "broken") == {"stages": {"wrong": told["message"]}}
        unreadable = [{"stage": "broken", "labels": {}, "why": told["message"]}]
        assert (await tell("v1", "Pod", "default", "web"))["stages"]["unreadable"] == unreadable
        mended = {"spec": kwok("broken", "Pod", asks(".metadata.labels.bad", "Exists"), weight=5, next={"delete": True})["spec"]}
        await cluster.client.resource("kwok.x-k8s.io/v1alpha1", "stages").patch("broken", mended)
        await cluster.sleep(1)
        assert await tell("kwok.x-k8s.io/v1alpha1", "Stage", "", "broken") == {}
        assert "unreadable" not in (await tell("v1", "Pod", "default", "web"))["stages"]
        await cluster.pods.patch("web", {"metadata": {"labels": {"bad": "yes"}}})
        await cluster.sleep(35)
        assert await cluster.pods.list_all() == []


async def test_a_stage_object_about_what_is_not_served_is_told_of_once():
    lost = kwok("lost", "Pood", next={"delete": True})
    async with with_stage_objects(lost, *FAST) as cluster:
        await cluster.sleep(5)
        stages = cluster.client.resource("kwok.x-k8s.io/v1alpha1", "stages")
        await stages.patch("lost", {"spec": {"weight": 5}})
        await stages.patch("ready", {"spec": {"weight": 5}})
        await cluster.sleep(5)
        (told,) = await cluster.events("lost")
        assert (told["reason"], told.get("count", 1)) == ("InvalidStage", 1)
        assert told["message"] == "it is about Pood of v1, and no such kind is served: it is played on nothing"
        known = await cluster.cluster.nodes.tell("kwok.x-k8s.io/v1alpha1", "Stage", "", "lost")
        assert known == {"stages": {"wrong": told["message"]}}
        await stages.patch("lost", {"spec": {"resourceRef": {"kind": "Podd"}}})
        await cluster.sleep(5)
        assert len(await cluster.events("lost")) == 2, "it is another mistake"


async def test_a_stage_object_without_a_selector_is_told_of():
    void = kwok("void", "Pod", next={"delete": True})
    del void["spec"]["selector"]
    async with with_stage_objects(void, *FAST) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.until(is_running("web"), within_s=1)
        (told,) = await cluster.events("void")
        assert (told["reason"], told["message"]) == ("InvalidStage", "spec.selector: there is none, so that it is played on nothing")
        tell = cluster.cluster.nodes.tell
        assert await tell("kwok.x-k8s.io/v1alpha1", "Stage", "", "void") == {"stages": {"wrong": told["message"]}}
        assert "unreadable" not in (await tell("v1", "Pod", "default", "web"))["stages"], "it is about none"


async def test_patches_of_all_forms_and_finalizers_are_written():
    other = [
        {"template": 'metadata: {annotations: {merged: "{{ .metadata.name }}"}}', "type": "merge"},
        {"template": '[{"op": "add", "path": "/x", "value": "y"}]', "type": "json", "root": "metadata/labels"},
        {"template": "{message: told}", "root": "status", "subresource": "status"},
    ]
    stage = kwok(
        "all", "Pod", asks(".status.message", "DoesNotExist"), next={"finalizers": {"add": [{"value": "a.b/c"}]}, "patches": other}
    )
    async with with_stage_objects(stage) as cluster:
        web = pod("web")
        web["metadata"]["labels"] = {"app": "web"}
        await cluster.pods.create(web)
        await cluster.sleep(2)
        found = await cluster.pods.get("web")
        assert found["metadata"]["annotations"]["merged"] == "web"
        assert found["metadata"]["labels"] == {"app": "web", "x": "y"}
        assert found["metadata"]["finalizers"] == ["a.b/c"]
        assert found["status"]["message"] == "told"


@pytest.mark.parametrize(
    "done",
    [
        {
            "steps": [
                {"patch": {"impersonation": {"username": "ann"}, "root": "status", "subresource": "status", "template": "{message: told}"}}
            ]
        },
        {"next": {"statusTemplate": "{message: told}", "statusPatchAs": {"username": "ann"}}},
    ],
)
async def test_a_patch_in_a_users_name_needs_what_that_user_may(done: Object):
    async with with_stage_objects(kwok("tell", "Pod", asks(".status.message", "DoesNotExist"), **done)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(30)
        assert "message" not in (await cluster.pods.get("web"))["status"]
        (told,) = [event for event in await cluster.events("web") if event["reason"] == "StageFailed"]
        assert 'User "ann" cannot patch resource "pods/status"' in told["message"]
        rbac = "rbac.authorization.k8s.io"
        rule = {"apiGroups": [""], "resources": ["pods/status"], "verbs": ["patch"]}
        await cluster.client.resource(f"{rbac}/v1", "clusterroles").create(
            {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": {"name": "tells"}, "rules": [rule]}
        )
        await cluster.client.resource(f"{rbac}/v1", "clusterrolebindings").create(
            {
                "apiVersion": f"{rbac}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "ann-tells"},
                "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "tells"},
                "subjects": [{"apiGroup": rbac, "kind": "User", "name": "ann"}],
            }
        )
        await cluster.sleep(60)
        assert (await cluster.pods.get("web"))["status"]["message"] == "told", "it is tried again"


SLICE = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: {{ .metadata.name }}-gpu
  ownerReferences: [{apiVersion: v1, kind: Node, name: {{ .metadata.name | Quote }}, uid: {{ .metadata.uid | Quote }}}]
spec:
  driver: gpu.example.com
  nodeName: {{ .metadata.name | Quote }}
  pool: {name: {{ .metadata.name | Quote }}, generation: 1, resourceSliceCount: 1}
  devices:
  {{ range $index := until (atoi .metadata.annotations.gpus) }}
  - {name: gpu-{{ $index }}}
  {{ end }}
"""


async def test_a_step_applies_another_object():
    done = "annotations: {published: {{ .metadata.annotations.gpus | Quote }}}"
    steps = [{"apply": {"template": SLICE}}, {"patch": {"root": "metadata", "template": done}}]
    needs = (asks(".metadata.annotations.gpus", "Exists"), asks(".metadata.annotations.published", "DoesNotExist"))
    async with with_stage_objects(kwok("publish", "Node", *needs, steps=steps)) as cluster:
        slices = cluster.client.resource("resource.k8s.io/v1", "resourceslices")
        for count in ("2", "3"):
            await cluster.nodes.patch("node-1", {"metadata": {"annotations": {"gpus": count, "published": None}}})
            await cluster.sleep(2)
            (found,) = await slices.list_all()
            assert [one["name"] for one in found["spec"]["devices"]] == [f"gpu-{index}" for index in range(int(count))]
            assert (await cluster.nodes.get("node-1"))["metadata"]["annotations"]["published"] == count


async def test_what_is_applied_belongs_into_the_namespace_of_its_object_and_mistakes_are_told():
    def applies(stage_name: str, made: str) -> Object:
        template = f"{made}: {{{{ .metadata.name }}}}-copy}}}}"
        stage = kwok(stage_name, "ConfigMap", asks(".data.made", "DoesNotExist"), steps=[{"apply": {"template": template}}])
        stage["spec"]["selector"]["matchLabels"] = {"stage": stage_name}
        stage["spec"]["steps"].append({"patch": {"template": "data: {made: done}"}})
        return stage

    good = applies("good", "{apiVersion: v1, kind: Service, spec: {clusterIP: None}, metadata: {name")
    unknown = applies("unknown", "{apiVersion: v1, kind: Sevice, metadata: {name")
    nameless = applies("nameless", "{apiVersion: v1, kind: Service, metadata: {label")
    async with with_stage_objects(good, unknown, nameless) as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        for map_name in ("good", "unknown", "nameless"):
            metadata = {"name": map_name, "labels": {"stage": map_name}}
            await maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}})
        await cluster.sleep(3)
        assert (await cluster.client.resource("v1", "services", "default").get("good-copy"))["spec"]["clusterIP"] == "None"
        assert (await maps.get("good"))["data"]["made"] == "done"
        ((_, told, _),) = await warnings(cluster, "unknown")
        assert told == "Stage unknown can't be played: no Sevice of v1 is served"
        ((_, told, _),) = await warnings(cluster, "nameless")
        assert told == "Stage nameless can't be played: the template doesn't make an object: metadata.name must be a text"


async def test_stages_may_be_about_any_kind():
    stage = kwok("bind", "PersistentVolumeClaim", asks(".metadata.annotations.seen", "DoesNotExist"), delay={"durationMilliseconds": 3000},
                 next={"patches": [{"template": "metadata: {annotations: {seen: yes}}", "type": "merge"}]})  # fmt: skip
    config = {
        **stage,
        "metadata": {"name": "config"},
        "spec": {**stage["spec"], "resourceRef": {"apiGroup": "apps/v1", "kind": "Deployment"}},
    }
    async with with_stage_objects(stage, config) as cluster:
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}
        web = {"metadata": {"name": "web"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}}
        deployments = cluster.client.resource("apps/v1", "deployments", "default")
        await deployments.create({"apiVersion": "apps/v1", "kind": "Deployment", **web})
        await cluster.sleep(10)
        told = [event["message"] for event in await cluster.events("web") if event["reason"] == "StageFailed"]
        assert told, "yes is no text in YAML"
        assert "annotations" in told[0]


# --- races ---


async def test_pods_that_live_by_stages_do_so_after_a_restart(tmp_path: Path):
    spec = {"stages": (file_of(tmp_path, *FAST),), "data_dir": tmp_path / "data"}
    async with living(**spec) as cluster:
        await cluster.pods.create(pod("web", command=["sleep", "5"], restartPolicy="Never"))
        await cluster.until(is_running("web"), within_s=1)
        address = (await cluster.pods.get("web"))["status"]["podIP"]
    async with living(**{**spec, "start_s": START_S + 3600}) as cluster:
        await cluster.sleep(60)
        web = await cluster.pods.get("web")
        assert (phase(web), web["status"]["podIP"]) == ("Running", address)
        await cluster.pods.create(pod("new", nodeName=web["spec"]["nodeName"]))
        await cluster.sleep(1)
        assert (await cluster.pods.get("new"))["status"]["podIP"] != address


async def test_stage_objects_count_from_the_first_moment_after_a_restart(tmp_path: Path):
    async with with_stage_objects(*FAST, data_dir=tmp_path / "data") as cluster:
        await cluster.pods.create(pod("web", command=["sleep", "5"], restartPolicy="Never"))
        await cluster.until(is_running("web"), within_s=1)
    async with living(data_dir=tmp_path / "data", start_s=START_S + 3600) as cluster:
        await cluster.sleep(60)
        assert phase(await cluster.pods.get("web")) == "Running"
        await cluster.pods.create(pod("new"))
        await cluster.until(is_running("new"), within_s=1)


async def test_a_delay_begun_goes_on_although_others_change_the_pod(tmp_path: Path):
    slow = {**READY, "spec": {**READY["spec"], "delay": {"durationMilliseconds": 30_000}}}
    async with living(stages=(file_of(tmp_path, slow, GONE),)) as cluster:
        await cluster.pods.create(pod("web"))
        for number in range(29):
            await cluster.sleep(1)
            await cluster.pods.patch("web", {"metadata": {"labels": {"n": str(number)}}})
        assert phase(await cluster.pods.get("web")) == "Pending"
        await cluster.sleep(2)
        assert phase(await cluster.pods.get("web")) == "Running"


async def test_a_stage_that_matches_by_now_may_come_before_one_that_waits(tmp_path: Path):
    slow = {**READY, "spec": {**READY["spec"], "delay": {"durationMilliseconds": 600_000}}}
    selector = {"matchLabels": {"chaos": "true"}, "matchExpressions": [asks(".status.phase", "In", "Pending")]}
    chaos = kwok("chaos", "Pod", weight=10_000, delay={"durationMilliseconds": 1_000}, next={"statusTemplate": "phase: Failed"})
    chaos["spec"]["selector"] = selector
    async with living(stages=(file_of(tmp_path, slow, GONE, chaos),)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(10)
        await cluster.pods.patch("web", {"metadata": {"labels": {"chaos": "true"}}})
        await cluster.until(lambda pods: phase(pods[0]) == "Failed", within_s=2)


async def test_a_weight_that_is_found_by_now_has_it_chosen_anew(tmp_path: Path):
    def stage(stage_name: str, **fields: Json) -> Object:
        return own(stage_name, when=".metadata.labels.was == null", patch={"metadata": {"labels": {"was": stage_name}}}, **fields)

    stages = (stage("usual", delay="1h", weight=1), stage("rare", delay="1s", weight=".metadata.annotations.rare"))
    async with living(stages=(file_of(tmp_path, *stages),)) as cluster:
        await cluster.pods.create(annotated("web", rare="0"))
        await cluster.sleep(60)
        await cluster.pods.patch("web", {"metadata": {"annotations": {"rare": "1000000"}}})
        await cluster.sleep(2)
        assert (await cluster.pods.get("web"))["metadata"]["labels"]["was"] == "rare"


async def test_a_delay_is_read_anew_when_what_its_query_finds_has_changed():
    async with living(stages=("pod-general",)) as cluster:
        slow = {"pod-create.svcsim.dev/delay": "1h", "pod-create.svcsim.dev/jitter": "2h"}
        await cluster.pods.create(annotated("web", **slow))
        await cluster.sleep(60)
        await cluster.pods.patch("web", {"metadata": {"annotations": dict.fromkeys(slow, "10s")}})
        await cluster.sleep(9)
        assert "podIP" not in (await cluster.pods.get("web"))["status"], "it begins when it is read"
        await cluster.sleep(2)
        assert "podIP" in (await cluster.pods.get("web"))["status"]
        await cluster.pods.patch("web", {"metadata": {"annotations": {"pod-ready.svcsim.dev/delay": "later"}}})
        await cluster.sleep(1)
        assert [one[1] for one in await warnings(cluster, "web")] == [
            'annotation pod-ready.svcsim.dev/delay: "later" is no duration such as 90s, 1h30m or PT90S; it counts for nothing'
        ]


async def test_a_pod_made_anew_under_its_name_begins_anew(tmp_path: Path):
    slow = {**READY, "spec": {**READY["spec"], "delay": {"durationMilliseconds": 30_000}}}
    async with living(stages=(file_of(tmp_path, slow, GONE),)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(20)
        await cluster.pods.delete("web", grace_period_s=0)
        await cluster.pods.create(pod("web"))
        await cluster.sleep(20)
        assert phase(await cluster.pods.get("web")) == "Pending"
        await cluster.until(is_running("web"), within_s=11)


async def test_nothing_becomes_of_a_pod_on_a_node_that_is_down(tmp_path: Path):
    slow = {**READY, "spec": {**READY["spec"], "delay": {"durationMilliseconds": 5_000}}}
    async with living(nodes=1, stages=(file_of(tmp_path, slow, GONE),)) as cluster:
        await cluster.pods.create(pod("web"))
        await cluster.sleep(1)
        fault = cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"name": "node-1"}})
        await cluster.sleep(20)
        assert phase(await cluster.pods.get("web")) == "Pending"
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.until(is_running("web"), within_s=1)


async def test_others_may_delete_a_pod_that_a_stage_is_about_to_delete(tmp_path: Path):
    going = {**GONE, "spec": {**GONE["spec"], "delay": {"durationMilliseconds": 5_000}}}
    async with living(stages=(file_of(tmp_path, READY, going),)) as cluster:
        for number in range(3):
            await cluster.pods.create(pod(f"web-{number}"))
        await cluster.sleep(1)
        await cluster.pods.delete("web-0")
        await cluster.sleep(4.9)
        await cluster.pods.delete("web-0", grace_period_s=0)
        await cluster.sleep(5)
        assert [name(one) for one in await cluster.pods.list_all()] == ["web-1", "web-2"]


async def test_stages_about_what_is_not_served_wait_until_it_is(tmp_path: Path):
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Shop", "plural": "shops"},
            "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}],
        },
    }  # fmt: skip
    opens = own("opens", match={"apiVersion": "example.com/v1", "kind": "Shop"}, when=".status == null", patch={"status": {"open": True}})
    async with living(stages=(file_of(tmp_path, opens),)) as cluster:
        await cluster.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions").create(crd)
        await cluster.sleep(3)
        shops = cluster.client.resource("example.com/v1", "shops", "default")
        await shops.create({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "corner"}})
        await cluster.sleep(2)
        assert (await shops.get("corner"))["status"] == {"open": True}
        await cluster.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions").delete("shops.example.com")
        await cluster.sleep(5)
        await cluster.run_pod(pod("web"))


async def test_an_object_that_goes_while_a_stage_waits_is_nobodys_trouble(tmp_path: Path):
    stage = own("late", match={"kind": "ConfigMap"}, when=".data.go", delay="10s", patch={"data": {"went": "yes"}})
    async with living(stages=(file_of(tmp_path, stage),)) as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        for map_name in ("kept", "gone"):
            await maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": map_name}, "data": {"go": "on"}})
        await cluster.sleep(5)
        await maps.delete("gone")
        await cluster.sleep(10)
        assert (await maps.get("kept"))["data"]["went"] == "yes"
        with pytest.raises(StatusError):
            await maps.get("gone")
