"""Why objects are as they are: what explainers make of states that are hard to bring about, or that others bring about."""

import pytest

from svcsim.dialect import DIALECTS, KUBERNETES
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.deletion import explain_deletion
from svcsim.printing.why.explanation import Explained, Why
from svcsim.printing.why.kinds import EXPLAINERS, explainer_of
from svcsim.printing.why.known import KNOWN, with_stages
from svcsim.printing.why.scheduling import in_words
from svcsim.printing.why.text import lines
from svcsim.printing.why.verdict import Facts, Verdict

NOW = parse_time("2026-01-01T01:00:00Z")


def explained(group: str, kind: str, obj: Object, events: list[Object] | None = None, **found: list[Object]) -> Verdict:
    whole = {"apiVersion": f"{group}/v1" if group else "v1", "kind": kind, **obj}
    whole.setdefault("metadata", {"name": "it", "namespace": "default", "uid": "u1", "generation": 1})
    return explainer_of(group, kind).explain(whole, Facts(NOW, KUBERNETES, events or [], found))


def condition(kind: str, status: str, reason: str = "", message: str = "", **more: str) -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message, **more}


def pod(state: Object, *, spec: Object | None = None, ready: bool = False, **status: object) -> Object:
    container = {"name": "c", "image": "shop:1", **(spec or {})}
    told = {"name": "c", "ready": ready, "started": ready, "restartCount": 3, "state": state, **status}
    conditions = [condition("Ready", "True" if ready else "False")]
    inner = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "containerStatuses": [told], "conditions": conditions}
    return {"spec": {"nodeName": "node-1", "containers": [container]}, "status": inner}


MIXED = (
    "0/5 nodes are available: 2 Insufficient memory, 3 node(s) had untolerated taint {dedicated: db}. "
    "preemption: 0/5 nodes are available: 3 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
)
TAINTED = "3 of 5 nodes have a taint that it doesn't tolerate {dedicated: db}"
MIXED_WORDS = (
    f"No node takes it: 2 of 5 nodes have too little memory left for what it requests, {TAINTED}.",
    "There are no pods of lower priority that could make room.",
)
TOO_LITTLE_CPU = "No node takes it: all 3 nodes have too little cpu left for what it requests."
NEVER = "It may take no other pods away (preemptionPolicy Never)."
READY_NODE = {"metadata": {"name": "node-1"}, "status": {"conditions": [condition("Ready", "True")]}}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (MIXED, MIXED_WORDS),
        ("0/1 nodes are available: 1 Too many pods.", ("No node takes it: the only node has as many pods as may be there.",)),
        ("0/2 nodes are available: 2 node(s) were on fire.", ('No node takes it: all 2 nodes have "node(s) were on fire" against it.',)),
        ("no nodes available to schedule pods", ("The scheduler says: no nodes available to schedule pods.",)),
        ('persistentvolumeclaim "x" not found', ('The scheduler says: persistentvolumeclaim "x" not found.',)),
        ("0/3 nodes are available: 3 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.", (TOO_LITTLE_CPU, NEVER)),
    ],
)
def test_the_schedulers_verdict_is_said_in_plain_words(message: str, words: tuple[str, ...]) -> None:
    assert in_words(message) == words


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


def test_a_pod_on_a_node_that_is_down_is_explained_by_its_node() -> None:
    lost = {"metadata": {"name": "node-1"}, "status": {"conditions": [condition("Ready", "Unknown", "NodeStatusUnknown")]}}
    verdict = explained("", "Pod", pod({"running": {}}), node=[lost])
    assert (verdict.state, verdict.below) == ("is on a node that isn't ready", (lost,))
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-01-01T00:58:00Z"}
    stays = {"key": taint["key"], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    on_it = pod({"running": {}})
    on_it["spec"]["tolerations"] = [stays]
    assert [coming.at for coming in explained("", "Pod", on_it, node=[{**lost, "spec": {"taints": [taint]}}]).then] == [NOW + 180]
    forbidden = explained("", "Pod", pod({"running": {}}))
    assert all("isn't there" not in text for text in forbidden.because), "what may not be read may be there"


@pytest.mark.parametrize(("seconds", "told"), [(600, ["10m"]), (None, [])])
def test_a_pod_that_is_well_tells_how_long_it_tolerates_a_taint_of_somebody_s_own(seconds: int | None, told: list[str]) -> None:
    well = pod({"running": {}}, ready=True)
    stays = {"key": "maintenance", "operator": "Exists", "effect": "NoExecute"}
    well["spec"]["tolerations"] = [stays if seconds is None else {**stays, "tolerationSeconds": seconds}]
    node = {**READY_NODE, "spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}}
    verdict = explained("", "Pod", well, node=[node])
    assert verdict.fine
    assert [coming.text for coming in verdict.then] == [
        f"it is evicted once it and the taint maintenance have been on its node together for {text}" for text in told
    ]


def test_a_job_without_parallelism_says_so() -> None:
    job = {"spec": {"parallelism": 0, "completions": 3}, "status": {"startTime": "2026-01-01T00:00:00Z"}}
    verdict = explained("batch", "Job", job)
    assert (verdict.fine, verdict.because) == (False, ("It makes no pods while spec.parallelism is 0.",))


@pytest.mark.parametrize(
    ("ends", "state", "fine"),
    [
        (["Failed", "Failed", "Failed"], "waits for its time; its last 3 jobs failed", False),
        (["Failed", "Failed", ""], "has 1 job under way; its last 2 jobs failed", False),
        (["Complete", "FailureTarget"], "waits for its time; its last job failed", False),
        (["Failed", "Complete", ""], "has 1 job under way", True),
        (["SuccessCriteriaMet"], "waits for its time", True),
    ],
)
def test_a_cron_job_says_how_its_jobs_end(ends: list[str], state: str, fine: bool) -> None:
    jobs: list[Object] = [
        {
            "metadata": {
                "name": f"it-{number}",
                "creationTimestamp": f"2026-01-01T00:0{number}:00Z",
                "ownerReferences": [{"uid": "u1", "controller": True}],
            },
            "status": {"conditions": [condition(end, "True")] if end else []},
        }
        for number, end in enumerate(ends)
    ]
    verdict = explained("batch", "CronJob", {"spec": {"schedule": "* * * * *"}}, jobs=jobs)
    assert (verdict.state, verdict.fine) == (state, fine)


def test_a_pod_whose_node_is_gone_is_not_well_however_ready_it_was() -> None:
    for ready in (True, False):
        verdict = explained("", "Pod", pod({"running": {}}, ready=ready), node=[])
        assert not verdict.fine
        assert verdict.state == "is on a node that isn't there any more"
        assert verdict.because == ("Nobody knows how it is: its node node-1 is gone.",)
    assert explained("", "Pod", pod({"running": {}}, ready=True), node=[READY_NODE]).fine


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
RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}


def test_of_containers_that_are_made_one_after_the_other_only_the_first_is_being_made() -> None:
    verdict = explained("", "Pod", several({"bad": NO_NAME, "a": MAKING, "b": MAKING}, {}, initialized=True), node=[READY_NODE])
    assert verdict.because == (
        'The image "shop:1" of the container bad can\'t be pulled (InvalidImageName).',
        "no name.",
        "The container a is being made.",
        "The container b is made after the container a.",
    )


def test_a_sidecar_that_ended_hides_nothing_of_containers_that_have_been_started() -> None:
    ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
    state = {"web": NO_NAME, "side": RUNNING}
    of_sidecar = "The init container proxy ended with exit code 1."
    verdict = explained("", "Pod", several(state, {"proxy": ended}, initialized=True), node=[READY_NODE])
    assert verdict.because[:2] == (of_sidecar, 'The image "shop:1" of the container web can\'t be pulled (InvalidImageName).')
    verdict = explained("", "Pod", several(state, {"proxy": ended}, initialized=False), node=[READY_NODE])
    assert verdict.because == (of_sidecar,)


def test_a_pod_that_waits_for_its_claims_leads_to_them() -> None:
    claim = {"metadata": {"name": "data"}, "status": {"phase": "Pending"}}
    spec = {"containers": [], "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    status = {"phase": "Pending", "conditions": [condition("PodScheduled", "False", "Unschedulable", message)]}
    verdict = explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": [claim]})
    assert verdict.below == (claim,)
    assert verdict.because == ("None of 1 node takes it: pod has unbound immediate PersistentVolumeClaims.",)
    missing = explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": []})
    assert missing.because[0] == "There is no PersistentVolumeClaim data, which it uses."
    del status["conditions"]
    chosen = {**claim, "metadata": {"name": "data", "annotations": {"volume.kubernetes.io/selected-node": "node-2"}}}
    placed = explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": [chosen]})
    assert placed.because == ("It is being placed on node-2, and waits there for PersistentVolumeClaim data to be bound.",)
    assert placed.below == (chosen,)
    assert "No scheduler has looked" in explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": [claim]}).because[0]


def test_a_stateful_set_waits_for_the_first_pod_that_is_not_ready() -> None:
    owner = [{"uid": "u1", "controller": True}]
    pods = [
        {"metadata": {"name": f"it-{n}", "ownerReferences": owner}, "status": {"conditions": [condition("Ready", "False")]}}
        for n in (10, 2)
    ]
    status = {"observedGeneration": 1, "replicas": 2, "readyReplicas": 0}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 11}, "status": status}, pods=pods)
    assert [one["metadata"]["name"] for one in verdict.below] == ["it-2"]
    assert verdict.because == ("Its pods come one after the other: no other is made or replaced before it-2 is ready.",)
    parallel = {"spec": {"replicas": 11, "podManagementPolicy": "Parallel"}, "status": status}
    assert len(explained("apps", "StatefulSet", parallel, pods=pods).below) == 2


def test_an_update_that_is_held_back_on_purpose_is_fine_and_says_so() -> None:
    status = {
        "observedGeneration": 1,
        "replicas": 3,
        "readyReplicas": 3,
        "updatedReplicas": 1,
        "currentRevision": "a",
        "updateRevision": "b",
    }
    held = {"spec": {"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}}, "status": status}
    verdict = explained("apps", "StatefulSet", held)
    assert (verdict.fine, verdict.because) == (True, ("Pods below number 2 keep their earlier template (partition).",))
    held["spec"]["ordinals"] = {"start": 5}
    assert explained("apps", "StatefulSet", held).because == ("Pods below number 7 keep their earlier template (partition).",)


def test_a_workload_that_nobody_acts_on_says_so() -> None:
    for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"):
        verdict = explained("apps", kind, {"spec": {"replicas": 1}, "status": {}})
        assert f"no controller for {kind}s runs" in verdict.because[0]


def test_a_rollout_that_has_all_it_needs_and_waits_for_old_pods_says_so() -> None:
    status = {"observedGeneration": 1, "replicas": 4, "updatedReplicas": 3, "availableReplicas": 3}
    verdict = explained("apps", "Deployment", {"spec": {"replicas": 3}, "status": status})
    assert verdict.state == "is being rolled out: it has 3 of 3 replicas available"
    assert verdict.because == ("1 pod more than wanted is still there.",)


def test_a_paused_deployment_and_one_without_progress() -> None:
    stuck = condition("Progressing", "False", "ProgressDeadlineExceeded")
    status = {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 1, "availableReplicas": 1, "conditions": [stuck]}
    spec = {"replicas": 2, "template": {}, "selector": {"matchLabels": {"a": "b"}}}
    verdict = explained("apps", "Deployment", {"spec": spec, "status": status}, sets=[])
    assert verdict.state == "makes no progress: it has 1 of 2 replicas available"
    assert verdict.because == ("1 replica of 2 is of its present template.", "It has no ReplicaSet yet.")
    paused = explained("apps", "Deployment", {"spec": {**spec, "paused": True}, "status": status})
    assert paused.because[0].startswith("It is paused (spec.paused)")


@pytest.mark.parametrize(
    ("spec", "found", "told"),
    [
        ({"storageClassName": "fast"}, {"class": []}, "There is no StorageClass fast."),
        ({"storageClassName": "fast"}, {}, "It waits for a volume of the storage class fast."),
        (
            {"storageClassName": "fast"},
            {"class": [{"volumeBindingMode": "WaitForFirstConsumer", "provisioner": "x"}]},
            "A volume of the storage class fast is made for it once a pod that uses it is scheduled (WaitForFirstConsumer).",
        ),
        ({}, {}, "It names no storage class, and there is no default one: it waits for a volume without a class that fits."),
        ({"volumeName": "v1"}, {}, "It asks for the volume v1, which isn't bound to it yet."),
    ],
)
def test_what_a_claim_waits_for(spec: Object, found: dict[str, list[Object]], told: str) -> None:
    assert explained("", "PersistentVolumeClaim", {"spec": spec}, **found).because == (told,)


def test_autoscalers_are_explained_by_their_conditions() -> None:
    conditions = [
        condition("AbleToScale", "True", "SucceededGetScale"),
        condition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics known"),
    ]
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": spec, "status": {"conditions": conditions}})
    assert (verdict.state, verdict.because) == ("can't scale Deployment/web", ("FailedGetResourceMetric: no metrics known.",))


@pytest.mark.parametrize(
    ("schedule", "zone", "state", "at"),
    [
        ("0 3 * * *", "", "waits for its time", "2026-01-01T03:00:00Z"),
        ("0 3 * * *", "Asia/Tokyo", "waits for its time", "2026-01-01T18:00:00Z"),
        ("0 0 31 2 *", "", "starts no jobs", ""),
        ("hourly", "", "starts no jobs", ""),
        ("0 3 * * *", "Nowhere/At-All", "starts no jobs", ""),
    ],
)
def test_when_a_cron_job_is_due(schedule: str, zone: str, state: str, at: str) -> None:
    verdict = explained("batch", "CronJob", {"spec": {"schedule": schedule, "timeZone": zone}})
    assert verdict.state == state
    assert [coming.at for coming in verdict.then] == ([parse_time(at)] if at else [])


@pytest.mark.parametrize("where", ["lastScheduleTime", "creationTimestamp"])
def test_a_cron_job_whose_last_time_lies_ahead_of_the_clock_waits_for_that(where: str) -> None:
    ahead = {where: "2026-01-01T05:30:00Z"}
    status, metadata = (ahead, {}) if where == "lastScheduleTime" else ({}, ahead)
    cron_job = {"metadata": {"name": "it", "uid": "u1", **metadata}, "spec": {"schedule": "*/5 * * * *"}, "status": status}
    verdict = explained("batch", "CronJob", cron_job)
    assert [coming.at for coming in verdict.then] == [parse_time("2026-01-01T05:35:00Z")]
    assert "lies ahead of the clock, at 2026-01-01T05:30:00Z" in verdict.because[0]


@pytest.mark.parametrize(
    ("conditions", "fine", "state"),
    [
        ([condition("Ready", "True")], True, "is as it should be: Ready is True"),
        ([condition("Ready", "False", "NoSecret")], False, "isn't ready"),
        ([condition("Ready", "True"), condition("Stalled", "True")], False, "isn't as it should be"),
        ([condition("Dangling", "False", "Found")], True, "is as it should be: Dangling is False"),
        ([condition("Dangling", "True", "NotFound")], False, "isn't as it should be"),
        ([condition("Established", "True"), condition("NonStructuralSchema", "True")], False, "isn't as it should be"),
        (
            [condition("Ready", "True"), condition("Stalled", "False"), condition("Reconciling", "False")],
            True,
            "is as it should be: Ready is True",
        ),
    ],
)
def test_custom_resources_are_explained_by_their_conditions(conditions: list[Object], fine: bool, state: str) -> None:
    verdict = explained("example.com", "Widget", {"status": {"conditions": conditions}})
    assert (verdict.fine, verdict.state) == (fine, state)


def test_objects_without_any_state_have_their_line() -> None:
    for status in ({}, {"status": {"conditions": None}}, {"status": {"conditions": 5, "phase": "Odd"}}, {"status": "odd"}):
        assert explained("", "ConfigMap", status).fine


@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
def test_finalizers_are_told_in_the_words_of_the_dialect(dialect: str) -> None:
    words = DIALECTS[dialect]
    protected = words.key("pvc-protection")
    metadata = {
        "name": "it",
        "uid": "u1",
        "deletionTimestamp": "2026-01-01T00:59:00Z",
        "finalizers": [protected, "foregroundDeletion", "x/y"],
    }
    using = {"nodeName": "node-1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "it"}}]}
    user = {"metadata": {"name": "p", "namespace": "default"}, "spec": using}
    without_node = {**user, "spec": {"volumes": using["volumes"]}}
    ended = {**user, "status": {"phase": "Succeeded"}}
    facts = Facts(NOW, words, [], {"pods": [user, without_node, ended, {"metadata": {"name": "other"}}]})
    claim = {"kind": "PersistentVolumeClaim", "metadata": {**metadata, "namespace": "default"}}
    assert explain_deletion({**claim, "metadata": {**claim["metadata"], "finalizers": ["x/y"]}}, facts).below == ()
    verdict = explain_deletion(claim, facts)
    assert verdict.state == "is being deleted, since 60s"
    assert verdict.because[0] == f"The finalizer {protected} holds it: it waits until no pod uses it any more."
    assert verdict.because[2] == "The finalizer x/y holds it: whoever that is for has to do its work and take it off."
    assert verdict.below == (user,)


def test_a_namespace_that_nobody_empties_says_who_would_have_to() -> None:
    metadata = {"name": "shop", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    namespace = {"kind": "Namespace", "metadata": metadata, "spec": {"finalizers": ["kubernetes"]}}
    (because,) = explain_deletion(namespace, Facts(NOW, KUBERNETES, [], {})).because
    assert because == "The namespace controller, if there is one, has to take the finalizer kubernetes off it."


def test_a_namespace_names_the_finalizers_in_its_spec_that_others_set() -> None:
    metadata = {"name": "shop", "uid": "u1", "deletionTimestamp": "2026-01-01T00:59:00Z"}
    namespace = {"kind": "Namespace", "metadata": metadata, "spec": {"finalizers": ["kubernetes", "example.com/hold"]}}
    (because,) = explain_deletion(namespace, Facts(NOW, KUBERNETES, [], {})).because
    assert because.startswith("The finalizer example.com/hold in spec.finalizers holds it")
    assert "/api/v1/namespaces/shop/finalize" in because


def test_grace_beyond_the_calendar_is_told() -> None:
    metadata = {"name": "it", "deletionTimestamp": "9999-12-31T23:59:59Z", "deletionGracePeriodSeconds": 2**63 - 1}
    ending = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}
    verdict = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {}))
    assert (verdict.state, verdict.because) == ("is being deleted", (f"Its containers have {2**63 - 1}s to end.",))


def test_a_pod_that_ends_has_its_grace_and_a_lost_node_says_nothing() -> None:
    metadata = {"name": "it", "deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 30}
    ending = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}
    verdict = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {}))
    assert (verdict.state, [coming.at for coming in verdict.then]) == ("is being deleted, since 10s", [NOW + 20])
    late = {**ending, "metadata": {**metadata, "deletionTimestamp": "2026-01-01T00:58:00Z"}}
    verdict = explain_deletion(late, Facts(NOW, KUBERNETES, [], {}))
    assert verdict.because[-1] == "That was over 2m ago: its node node-1 hasn't said that it is gone."


@pytest.mark.parametrize("key", list(EXPLAINERS), ids=str)
@pytest.mark.parametrize("whole", [{}, {"spec": {}, "status": {}}, {"spec": None, "status": None, "metadata": None}])
def test_no_explainer_stumbles_over_what_is_not_there(key: tuple[str, str], whole: Object) -> None:
    obj = {"kind": key[1], "apiVersion": "v1", **whole}
    explainer = EXPLAINERS[key]
    list(explainer.wanted(obj, KUBERNETES))
    assert explainer.explain(obj, Facts(NOW, KUBERNETES, [], {})).state


class Deep:
    """A cluster in which every object leads to another of its kind, without end."""

    dialect = KUBERNETES
    asked = 0

    def get(self, path: str, query: object = None) -> Object:
        self.asked += 1
        if "events" in path:
            return {"kind": "EventList", "items": []}
        owner = [{"uid": "u1", "controller": True}]
        pods = [
            {"metadata": {"name": f"p-{n}", "uid": f"p{n}", "ownerReferences": owner}, "status": {"phase": "Pending"}} for n in range(500)
        ]
        return {"kind": "PodList", "apiVersion": "v1", "items": pods}

    @property
    def reader(self) -> "Deep":
        return self

    way = ""

    def known(self, obj: Object) -> Object:
        return {}

    def now(self) -> float:
        return NOW

    def collections(self, namespace: str) -> list[str]:
        return []


def test_how_often_something_was_is_told_after_when() -> None:
    event = {"type": "Warning", "reason": "Bad", "message": "oh", "count": 3}
    told = {**event, "firstTimestamp": "2026-01-01T00:58:00Z", "lastTimestamp": "2026-01-01T00:59:52Z"}
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "it", "uid": "u1"}}
    one = Explained(obj, Verdict("is wrong"), [told, {**event, "count": 1, "firstTimestamp": "2026-01-01T00:59:52Z"}], (), ())
    assert list(lines(one, NOW)) == ["pod/it is wrong.", "  8s ago (x3 over 2m)  Warning Bad: oh", "  8s ago  Warning Bad: oh"]


def test_of_many_that_are_alike_one_is_told_and_no_more_are_read_than_need_be() -> None:
    around = Deep()
    metadata = {"name": "it", "namespace": "default", "uid": "u1", "generation": 1}
    spec = {"replicas": 500, "selector": {"matchLabels": {"a": "b"}}}
    obj = {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": metadata,
        "spec": spec,
        "status": {"observedGeneration": 1, "replicas": 500},
    }
    told = list(lines(Why(around).explain(obj), NOW))
    assert told[0] == "replicaset.apps/it has 0 of 500 pods ready."
    assert told[1] == "  pod/p-0 (and 9 others like it) isn't scheduled yet."
    assert told[-1] == "  And 490 more."
    assert around.asked < 15


def staged(obj: Object, stages: Object) -> Verdict:
    """What is said of a pod under stages, be it on its way out or not."""
    whole = {"apiVersion": "v1", "kind": "Pod", **obj}
    whole["metadata"] = {"name": "it", "namespace": "default", "uid": "u1", **obj.get("metadata", {})}
    told: Object = {"lives": True, "deletes": False, "machine": True, **stages}
    facts = Facts(NOW, KUBERNETES, [], {"node": [READY_NODE], KNOWN: [{"stages": told}]}, " --cluster lab")
    explain = explain_deletion if "deletionTimestamp" in whole["metadata"] else explainer_of("", "Pod").explain
    return with_stages(explain(whole, facts), whole, facts)


def coming(name: str = "ready", **more: object) -> Object:
    return {"stage": name, "at": "2026-01-01T01:00:30Z", "deletes": False, "held": False, **more}


WAITS = {"spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "shop:1"}]}, "status": {"phase": "Pending"}}
GOING = {**WAITS, "metadata": {"deletionTimestamp": "2026-01-01T00:59:50Z", "deletionGracePeriodSeconds": 30}}


def test_the_stage_that_comes_next_is_told_and_when() -> None:
    verdict = staged(WAITS, {"next": coming()})
    assert (verdict.state, verdict.because) == ("hasn't begun to run yet", ())
    assert verdict.then == (("the stage ready is played on it", NOW + 30),)


def test_a_stage_that_failed_is_told_with_what_it_waits_for_even_where_all_seems_well() -> None:
    failure = "Stage ready can't be played: the template doesn't make a map"
    verdict = staged(WAITS, {"next": coming(), "failure": failure})
    assert verdict.because == (f"{failure}.",)
    assert verdict.then == (("that stage is tried again when the pod changes, or the stages do", None),)
    assert not staged(pod({"running": {}}, ready=True), {"next": coming(), "failure": failure}).fine
    assert staged(pod({"running": {}}, ready=True), {"next": coming()}).fine


def test_what_a_node_that_is_down_holds_up_has_no_time() -> None:
    verdict = staged(WAITS, {"next": coming(held=True)})
    assert verdict.because == ("Nothing becomes of it while its node is down.",)
    assert verdict.then == (("the stage ready is played on it once its node is back", None),)


def test_a_deleted_pod_waits_for_the_stage_that_removes_it_or_is_told_that_none_does() -> None:
    assert staged(GOING, {"next": coming("end", deletes=True)}).then == (("the stage end removes it", NOW + 30),)
    assert staged(GOING, {"next": coming("end", deletes=True)}).because == ()
    assert staged(GOING, {"next": coming("mark")}).because == (
        "The stage mark comes next, and doesn't remove it; no stage for its kind does.",
    )
    lacks = [{"stage": "end", "needs": [".metadata.annotations.go"]}]
    none = {"lives": False, "deletes": True, "unmet": lacks, "about": 1, "unlike": [], "aboutOthers": 0}
    by_node = staged(GOING, none).because
    assert by_node[0] == "Its containers have 30s to end."
    assert by_node[-2:] == (
        "The one stage about it doesn't match it as it is, so that its node ends it as usual.",
        "The stage end needs .metadata.annotations.go.",
    )
    by_nobody = staged(GOING, {**none, "machine": False}).because
    assert by_nobody[0] == (
        "The one stage about it doesn't match it as it is, and there is no simulated node behind node-1 that would end it: "
        "it stays until it is taken away (svcsim delete pod it --grace-period=0 --force --cluster lab)."
    )


def test_what_stages_need_is_told_and_those_about_others_are_told_apart() -> None:
    unmet = [{"stage": "warm", "needs": [".a", ".b == null"]}]
    unlike = [{"stage": "batch", "needs": ["the label app=batch"]}, {"stage": "shop", "needs": ["the namespace shop", ".x"]}]
    told = {"unmet": unmet, "about": 3, "unlike": unlike, "aboutOthers": 4}
    verdict = staged(pod({"running": {}}, ready=True), told)
    assert verdict.fine
    assert verdict.because == (
        "No stage comes next: none of the 3 stages about it matches it as it is.",
        "The stage warm needs .a and .b == null.",
        "And 2 others that need more.",
        "Stages are about others of its kind: batch (it needs the label app=batch), shop (it needs the namespace shop) and 2 more.",
    )
    verdict = staged(pod({"running": {}}, ready=True), {**told, "lives": False, "unmet": [], "about": 0})
    assert verdict.because[0] == "None of the 4 stages for its kind is about it, so that its node has it live as usual."
    played = staged(pod({"running": {}}, ready=True), {"played": ["warm"]}).because
    assert played == ("The stage warm has been played on it as it is; what comes next depends on how it changes.",)


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


@pytest.mark.parametrize(
    ("failed", "status", "state", "because", "then"),
    [
        ({}, "True", "has failed, and nobody has noticed yet", "somebody has it recover: svcsim nodes recover node-1.", ()),
        ({}, "Unknown", "isn't ready", "somebody has it recover: svcsim nodes recover node-1.", ()),
        (
            {"until": "2026-01-01T01:01:00Z"},
            "Unknown",
            "isn't ready",
            "To have it recover at once: svcsim nodes recover node-1.",
            (("it recovers by itself", NOW + 60),),
        ),
        ({"fault": True}, "Unknown", "isn't ready", "A fault of a scenario has it down, until that ends.", ()),
    ],
)
def test_a_node_that_was_made_to_fail_tells_so_and_how_it_recovers(
    failed: Object, status: str, state: str, because: str, then: tuple[tuple[str, float], ...]
) -> None:
    node = {"metadata": {"name": "node-1", "uid": "n1"}, "status": {"conditions": [condition("Ready", status)]}}
    verdict = explained("", "Node", node, **{KNOWN: [{"failed": failed}]})
    assert (verdict.state, verdict.fine, verdict.then) == (state, False, then)
    assert verdict.because[0].endswith(because)


def test_warnings_about_what_has_no_conditions_are_told() -> None:
    assert explained("kwok.x-k8s.io", "Stage", {}, [{"type": "Normal", "reason": "Read"}]).fine
    warned = explained("kwok.x-k8s.io", "Stage", {}, [{"type": "Warning", "reason": "InvalidStage", "message": "spec: is missing"}])
    assert (warned.fine, warned.state) == (False, "is there; it has no conditions, but there were warnings about it")


def test_a_pod_that_is_deleted_on_a_node_that_has_failed_leads_to_it() -> None:
    silent = {"metadata": {"name": "node-1"}, "status": {"conditions": [condition("Ready", "Unknown")]}}
    whole = {"apiVersion": "v1", "kind": "Pod", **GOING, "metadata": {"name": "it", "uid": "u1", **GOING["metadata"]}}
    assert explain_deletion(whole, Facts(NOW, KUBERNETES, [], {"node": [silent]})).below == (silent,)
    unnoticed = {"node": [READY_NODE], KNOWN: [{"failed": {}}]}
    assert explain_deletion(whole, Facts(NOW, KUBERNETES, [], unnoticed)).below == (READY_NODE,)
    assert explain_deletion(whole, Facts(NOW, KUBERNETES, [], {"node": [READY_NODE]})).below == ()
    running = pod({"running": {}}, ready=True)
    verdict = explained("", "Pod", running, node=[READY_NODE], **{KNOWN: [{"failed": {}}]})
    assert (verdict.state, verdict.fine, verdict.below) == ("is on a node that has failed", False, (READY_NODE,))


SILENT = {"metadata": {"name": "node-1", "uid": "n1"}, "status": {"conditions": [condition("Ready", "Unknown")]}}


def owned(name: str, by: str) -> Object:
    """An object that is deleted in the foreground, and has an owner that waits for it."""
    metadata = {"name": name, "uid": name, "deletionTimestamp": "2026-01-01T00:59:00Z", "finalizers": ["foregroundDeletion"]}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {**metadata, "ownerReferences": [{"uid": by, "blockOwnerDeletion": True}]}}


class Circle(Deep):
    """Two objects that own each other."""

    def get(self, path: str, query: object = None) -> Object:
        items = [] if "events" in path else [owned("a", "b"), owned("b", "a")]
        return {"kind": "ConfigMapList", "apiVersion": "v1", "items": items}

    def collections(self, namespace: str) -> list[str]:
        return ["/api/v1/configmaps"]


def test_nothing_is_told_twice_on_the_way_down() -> None:
    told = [line.strip() for line in lines(Why(Circle()).explain(owned("a", "b")), NOW)]
    state = "is being deleted, since 60s."
    assert [line for line in told if line.startswith("configmap/")] == [f"configmap/a {state}", f"configmap/b {state}"]
    assert not any(line.startswith("And ") for line in told), "what has been told isn't left out"


def test_a_pod_that_can_not_be_ended_by_its_node_says_what_can() -> None:
    metadata = {"name": "it", "namespace": "default", "deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 30}
    ending = {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}
    verdict = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {"node": [SILENT]}, " --cluster lab"))
    assert verdict.because == ("Its node node-1 doesn't answer: nobody there ends its containers, nor says that they have ended.",)
    (then,) = verdict.then
    assert then.text.startswith("it goes once its node is back, or the Node is deleted, or has the taint node.kubernetes.io/out-of-service")
    assert then.text.endswith("or by force: svcsim delete pod it -n default --grace-period=0 --force --cluster lab")
    gone = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {"node": []}))
    assert gone.then == (("the pod garbage collector takes it away, as it does with pods of nodes that are gone", None),)
    unready = {**SILENT, "status": {"conditions": [condition("Ready", "False")]}}
    heard_of = explain_deletion(ending, Facts(NOW, KUBERNETES, [], {"node": [unready]}))
    assert heard_of.then == (("if they are still there, they are killed", NOW + 20),)


class Owning(Deep):
    """What depends on an object that is deleted in the foreground: one holds it, one doesn't."""

    def get(self, path: str, query: object = None) -> Object:
        if "events" in path:
            return {"kind": "EventList", "items": []}
        owners = {"holds": {"uid": "u1", "blockOwnerDeletion": True}, "lets-go": {"uid": "u1"}}
        items = [{"metadata": {"name": name, "uid": name, "ownerReferences": [owner]}} for name, owner in owners.items()]
        return {"kind": "ConfigMapList", "apiVersion": "v1", "items": items}

    def collections(self, namespace: str) -> list[str]:
        return ["/api/v1/configmaps"]


def test_an_owner_waits_for_those_alone_that_block_its_deletion() -> None:
    metadata = {"name": "it", "uid": "u1", "deletionTimestamp": "2026-01-01T00:59:00Z", "finalizers": ["foregroundDeletion"]}
    explanation = Why(Owning()).explain({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata})
    assert [one.obj["metadata"]["name"] for one in explanation.below] == ["holds"]


def test_of_a_pod_that_its_node_rejected_no_container_is_being_made() -> None:
    whole = pod({})
    whole["status"] = {"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: Node didn't have enough resource: cpu"}
    assert explained("", "Pod", whole).because == ("OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu.",)
    whole["status"]["containerStatuses"] = [{"name": "c", "state": {"waiting": {"reason": "ContainerCreating"}}}]
    assert len(explained("", "Pod", whole).because) == 1


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


@pytest.mark.parametrize(
    ("kind", "reason", "message", "told", "fine"),
    [
        ("Pending", "Deferred", "no cpu", "Its node has no room for the resize yet, and looks again (Deferred): no cpu.", False),
        ("Pending", "Infeasible", "", "Its node can't give it what the resize asks for (Infeasible).", False),
        ("InProgress", "", "", "Its resize is under way.", True),
        ("InProgress", "Error", "cgroup", "Its resize is under way, and has failed so far: cgroup.", False),
    ],
)
def test_a_resize_that_is_not_in_force_is_told(kind: str, reason: str, message: str, told: str, *, fine: bool) -> None:
    whole = pod(RUNNING, ready=True)
    whole["status"]["conditions"].append(condition(f"PodResize{kind}", "True", reason, message))
    verdict = explained("", "Pod", whole, node=[READY_NODE])
    assert (verdict.because, verdict.fine) == ((told,), fine)


def test_what_was_told_of_a_pod_is_of_before_where_nobody_hears_of_its_node() -> None:
    crashing = {"waiting": {"reason": "ErrImageNeverPull", "message": ""}}
    refused = 'The image "shop:1" of the container c can\'t be pulled (ErrImageNeverPull).'
    verdict = explained("", "Pod", pod(crashing), node=[SILENT])
    assert verdict.because == ("Nobody knows how it is: its node node-1 isn't ready.", f"Last heard: {refused}")
    unready = {**SILENT, "status": {"conditions": [condition("Ready", "False")]}}
    assert explained("", "Pod", pod(crashing), node=[unready]).because == ("Its node node-1 isn't ready.", refused)


@pytest.mark.parametrize(
    ("came", "seconds", "then"),
    [
        ("2026-01-01T00:59:50Z", 20, [("having stayed as long as it tolerates that, it is evicted", NOW + 10)]),
        ("2026-01-01T00:00:00Z", 60, [("having stayed as long as it tolerates that, it is evicted", NOW + 30)]),
        ("2026-01-01T00:00:00Z", 0, [("it is evicted, as it doesn't tolerate the taint gone of its node", None)]),
    ],
)
def test_a_pod_stays_on_a_tainted_node_from_when_both_came_together(came: str, seconds: int, then: list[tuple[str, float]]) -> None:
    whole = pod(RUNNING, ready=True)
    tolerations = [{"key": "gone", "operator": "Exists", "tolerationSeconds": seconds}, {"key": "kept", "operator": "Exists"}]
    whole["spec"]["tolerations"] = tolerations
    whole["status"]["conditions"].append(condition("PodScheduled", "True", lastTransitionTime=came))
    taints = [{"key": "gone", "effect": "NoExecute", "timeAdded": "2026-01-01T00:59:30Z"}, {"key": "kept", "effect": "NoExecute"}]
    assert list(explained("", "Pod", whole, node=[{**READY_NODE, "spec": {"taints": taints}}]).then) == then


def test_a_stay_on_a_node_that_several_taints_drive_from_is_counted_from_the_first_of_them() -> None:
    whole = pod(RUNNING, ready=True)
    whole["spec"]["tolerations"] = [{"key": key, "operator": "Exists", "tolerationSeconds": 300} for key in ("first", "then")]
    added = {"first": "2026-01-01T00:58:00Z", "then": "2026-01-01T00:59:00Z"}
    taints = [{"key": key, "effect": "NoExecute", "timeAdded": at} for key, at in added.items()]
    then = explained("", "Pod", whole, node=[{**READY_NODE, "spec": {"taints": taints}}]).then
    assert [coming.at for coming in then] == [NOW + 180]


def job_pod(name: str, ended: str, code: int = 1) -> Object:
    """A pod of a job that has failed."""
    state = {"terminated": {"exitCode": code, "startedAt": ended, "finishedAt": ended}}
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "uid": name,
            "namespace": "default",
            "creationTimestamp": ended,
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [{"uid": "u1", "controller": True}],
        },
        "status": {"phase": "Failed", "containerStatuses": [{"name": "c", "state": state}]},
    }


def job(spec: Object, status: Object) -> Object:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}
    given = {"completions": 1, "parallelism": 1, "backoffLimit": 6, "template": template, **spec}
    return {"spec": given, "status": {"startTime": "2026-01-01T00:00:00Z", **status}}


def test_a_job_tells_of_failures_that_count_for_nothing_and_when_it_tries_again() -> None:
    rules = {"podFailurePolicy": {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]}}
    pods = [job_pod("a", "2026-01-01T00:59:00Z", 42), job_pod("b", "2026-01-01T00:59:50Z", 42)]
    verdict = explained("batch", "Job", job(rules, {}), pods=pods)
    assert (verdict.state, verdict.fine) == ("is under way: 0 of 1 succeeded, 0 failed, 0 active", False)
    assert verdict.because == ("2 pods failed and count for nothing, by an Ignore rule of its podFailurePolicy.",)
    assert verdict.then == (("after a back-off, which doubles from 10s to 10m, the next pod is made", NOW + 10),)
    assert verdict.below == (pods[1],)


def test_a_job_tells_that_it_waits_for_a_pod_on_its_way_out() -> None:
    verdict = explained("batch", "Job", job({"podReplacementPolicy": "Failed"}, {"terminating": 1}))
    assert (verdict.state, verdict.fine) == ("is under way: 0 of 1 succeeded, 0 failed, 0 active, 1 on its way out", False)
    told = "A pod on its way out is counted, and another made in its place, once it has ended (podReplacementPolicy Failed)."
    assert verdict.because == (told,)
    assert explained("batch", "Job", job({"podReplacementPolicy": "TerminatingOrFailed"}, {"terminating": 1})).fine


def test_a_job_says_how_often_it_or_an_index_of_it_is_tried_again() -> None:
    told = explained("batch", "Job", job({"backoffLimit": 1}, {"failed": 1})).because
    assert told == ("1 pod failed; it fails itself after 1 retry (backoffLimit).",)
    indexed = {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 2, "backoffLimit": 2**31 - 1}
    assert explained("batch", "Job", job(indexed, {"failed": 3, "failedIndexes": "1"})).because == (
        "3 pods failed; an index fails after 2 retries (backoffLimitPerIndex).",
        "Indexes that have failed for good: 1.",
    )
    queue = explained("batch", "Job", job({"completions": None, "parallelism": 3}, {"active": 3}))
    assert queue.state == "is under way: 0 succeeded, 0 failed, 3 active"


def test_what_kept_pods_from_being_made_is_told_only_until_one_is_made() -> None:
    refused = {"reason": "FailedCreate", "message": "exceeded quota"}
    made = {"reason": "SuccessfulCreate", "message": "Created pod: it-1"}
    for kind, group in (("Job", "batch"), ("ReplicaSet", "apps")):
        obj = job({"replicas": 1}, {"observedGeneration": 1})
        assert explained(group, kind, obj, [made, refused]).because == ("Pods can't be made: exceeded quota.",)
        assert explained(group, kind, obj, [refused, made]).because == ()


FORBIDDEN = "It starts no other while it-1 runs (concurrencyPolicy Forbid): one that is due is started when that has ended"
RUNNING_JOB = {"metadata": {"name": "it-1", "ownerReferences": [{"uid": "u1", "controller": True}]}, "status": {}}


@pytest.mark.parametrize(
    ("spec", "last", "because", "then"),
    [
        ({}, "00:59:00", [], 'the next job is due by its schedule "* * * * *"'),
        ({"timeZone": "Asia/Tokyo"}, "00:59:00", [], 'the next job is due by its schedule "* * * * *" (Asia/Tokyo)'),
        (
            {"concurrencyPolicy": "Replace"},
            "00:59:00",
            ["A job that is due takes the place of it-1 if that still runs (concurrencyPolicy Replace)."],
            'the next job is due by its schedule "* * * * *"',
        ),
        (
            {"concurrencyPolicy": "Forbid"},
            "01:00:00",
            [f"{FORBIDDEN}."],
            'the next job is due by its schedule "* * * * *"',
        ),
        (
            {"concurrencyPolicy": "Forbid", "startingDeadlineSeconds": 30},
            "00:50:00",
            [
                f"{FORBIDDEN} if it is no more than 30s late then (startingDeadlineSeconds).",
            ],
            "the job that has been due since 2026-01-01T01:00:00Z is started when it-1 has ended",
        ),
    ],
)
def test_when_a_cron_job_with_a_job_under_way_starts_the_next(spec: Object, last: str, because: list[str], then: str) -> None:
    status = {"lastScheduleTime": f"2026-01-01T{last}Z"}
    verdict = explained("batch", "CronJob", {"spec": {"schedule": "* * * * *", **spec}, "status": status}, jobs=[RUNNING_JOB])
    assert ([coming.text for coming in verdict.then], list(verdict.because[1:])) == ([then], because)


def test_a_cron_job_that_leaves_no_time_to_start_its_jobs_starts_none() -> None:
    verdict = explained("batch", "CronJob", {"spec": {"schedule": "* * * * *", "startingDeadlineSeconds": 0}})
    assert (verdict.state, verdict.fine, verdict.then) == ("starts no jobs", False, ())
    assert verdict.because[0].endswith("(startingDeadlineSeconds 0).")


@pytest.mark.parametrize(
    ("spec", "revision", "stuck"),
    [
        ({}, "old", True),
        ({}, "new", False),
        ({"updateStrategy": {"type": "OnDelete"}}, "old", False),
        ({"updateStrategy": {"rollingUpdate": {"partition": 1}}}, "old", False),
        ({"podManagementPolicy": "Parallel"}, "old", False),
    ],
)
def test_a_broken_pod_of_an_earlier_template_has_to_be_deleted_by_hand(spec: Object, revision: str, *, stuck: bool) -> None:
    labels = {"controller-revision-hash": revision}
    broken = {
        "metadata": {"name": "it-0", "labels": labels, "ownerReferences": [{"uid": "u1", "controller": True}]},
        "status": {"phase": "Pending", "conditions": [condition("Ready", "False")]},
    }
    status = {"observedGeneration": 1, "replicas": 1, "currentRevision": "old", "updateRevision": "new"}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 1, **spec}, "status": status}, pods=[broken])
    assert any("has to be deleted by hand" in text and "svcsim delete pod it-0 -n default" in text for text in verdict.because) == stuck
    assert not any("no other is made" in text for text in verdict.because), "there are no others"
    assert verdict.below == (broken,)


def test_a_stateful_set_makes_no_more_pods_before_the_last_counts_as_available() -> None:
    since = condition("Ready", "True", lastTransitionTime="2026-01-01T00:59:50Z")
    ready = {"metadata": {"name": "it-0", "ownerReferences": [{"uid": "u1", "controller": True}]}, "status": {"conditions": [since]}}
    status = {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 0}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 2, "minReadySeconds": 30}, "status": status}, pods=[ready])
    assert verdict.because == ("Its pods come one after the other: the next waits until the last has been ready for minReadySeconds.",)
    assert verdict.then == (("the next pod is made", NOW + 20),)
    whole = explained("apps", "StatefulSet", {"spec": {"replicas": 1, "minReadySeconds": 30}, "status": status}, pods=[ready])
    assert whole.state == "has all its pods ready, and not yet available"


def test_a_volume_that_is_reserved_is_free_for_nobody_else() -> None:
    volume = {"spec": {"claimRef": {"namespace": "vol", "name": "reserved"}}, "status": {"phase": "Available"}}
    verdict = explained("", "PersistentVolume", volume, claim=[])
    assert verdict.state == "is kept for the claim vol/reserved"
    assert verdict.because == ("Its spec.claimRef keeps it for that claim, which isn't there yet: no other can have it.",)
    assert explained("", "PersistentVolume", {"status": {"phase": "Available"}}).state == "is free for a claim"
    wanted = [one.path for one in EXPLAINERS["", "PersistentVolume"].wanted(volume, KUBERNETES)]
    assert wanted == ["/api/v1/namespaces/vol/persistentvolumeclaims/reserved"]


@pytest.mark.parametrize(
    ("kind", "reason", "told"),
    [
        ("Resizing", "ResizeStarted", "Its volume is being made larger."),
        ("FileSystemResizePending", "", "Its volume is larger by now; its file system follows once a pod uses it on a node."),
        ("Odd", "Why", "Odd is True: Why."),
    ],
)
def test_what_becomes_of_a_bound_claim_is_said_in_words(kind: str, reason: str, told: str) -> None:
    status = {"phase": "Bound", "conditions": [condition(kind, "True", reason)]}
    assert explained("", "PersistentVolumeClaim", {"status": status}).because == (told,)


@pytest.mark.parametrize(
    ("reason", "behavior", "told"),
    [
        ("TooManyReplicas", {}, "Its metrics ask for more, and it may make no more than maxReplicas (5)."),
        ("TooFewReplicas", {}, "Its metrics ask for fewer, and it may have no fewer than minReplicas (1)."),
        ("ScaleUpLimit", {}, "Its metrics ask for more, and it may make no more at once (spec.behavior.scaleUp)."),
        (
            "ScaleUpLimit",
            {"scaleUp": {"selectPolicy": "Disabled"}},
            "Its metrics ask for more, and that is switched off (spec.behavior.scaleUp.selectPolicy Disabled).",
        ),
    ],
)
def test_what_limits_an_autoscaler_is_said_in_words(reason: str, behavior: Object, told: str) -> None:
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 5, "behavior": behavior}
    status = {"currentReplicas": 1, "desiredReplicas": 1, "conditions": [condition("ScalingLimited", "True", reason, "the desired …")]}
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": spec, "status": status})
    assert (verdict.state, verdict.because) == ("scales Deployment/web: 1 replica, 1 wanted", (told,))


@pytest.mark.parametrize(
    ("taint", "told"),
    [
        ({"key": "a", "value": "b", "effect": "NoSchedule"}, "Its taint a=b:NoSchedule keeps away new pods that don't tolerate it."),
        (
            {"key": "a", "effect": "NoExecute"},
            "Its taint a:NoExecute drives away the pods that don't tolerate it, and keeps such away.",
        ),
    ],
)
def test_a_node_that_is_ready_tells_of_its_taints(taint: Object, told: str) -> None:
    node = {**READY_NODE, "spec": {"taints": [taint, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}}
    verdict = explained("", "Node", node)
    assert (verdict.state, verdict.because) == ("is ready", (told,))


def test_a_service_names_the_port_that_no_pod_has() -> None:
    ports = [{"port": 80, "targetPort": "ghost"}]
    serving = pod(RUNNING, spec={"ports": [{"name": "web", "containerPort": 80}]}, ready=True)
    verdict = explained("", "Service", {"spec": {"selector": {"a": "b"}, "ports": ports}}, pods=[serving])
    told = "Its port 80 leads to what its pods call ghost (targetPort), and none of them has a TCP port of that name."
    assert (verdict.state, verdict.because) == ("leads nowhere", (told,))
    several_ports = {"spec": {"selector": {"a": "b"}, "ports": [*ports, {"port": 81, "targetPort": "web"}]}}
    slices = [{"endpoints": [{"addresses": ["10.0.0.1"]}]}]
    verdict = explained("", "Service", several_ports, pods=[serving], slices=slices)
    assert (verdict.state, verdict.fine, verdict.because) == ("leads to 1 address", False, (told,))


def test_a_budget_says_that_it_can_not_reckon_with_pods_without_a_controller() -> None:
    budget = {"spec": {"maxUnavailable": 1}, "status": {"observedGeneration": 1}}
    verdict = explained("policy", "PodDisruptionBudget", budget, pods=[pod(RUNNING, ready=True)])
    assert verdict.state == "lets no pod be evicted"
    assert "1 pod of which no controller says how many there are to be, so that maxUnavailable can't be reckoned" in verdict.because[0]
    assert explained("policy", "PodDisruptionBudget", budget).state == "has no pods to watch over"
    assert explained("policy", "PodDisruptionBudget", {"spec": {"maxUnavailable": 1}}).state == "waits for its controller"


@pytest.mark.parametrize(
    ("volume", "told"),
    [
        ([], "It asks for the volume v, which isn't there."),
        ([{"spec": {}}], "It asks for the volume v, which isn't bound to it yet."),
        ([{"spec": {"claimRef": {"namespace": "default", "name": "it"}}}], "It asks for the volume v, which isn't bound to it yet."),
        (
            [{"spec": {"claimRef": {"namespace": "shop", "name": "other"}}}],
            "It asks for the volume v, which is kept for another claim, shop/other (its spec.claimRef).",
        ),
    ],
)
def test_a_claim_says_why_it_has_not_got_the_volume_that_it_asks_for(volume: list[Object], told: str) -> None:
    assert explained("", "PersistentVolumeClaim", {"spec": {"volumeName": "v"}}, volume=volume).because == (told,)


def test_a_volume_that_could_not_be_cleared_away_says_why() -> None:
    spec = {"persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": "a", "name": "b"}}
    verdict = explained("", "PersistentVolume", {"spec": spec, "status": {"phase": "Failed", "message": "no plugin"}})
    assert verdict.state == "has failed: its claim a/b is gone, and it couldn't be cleared away"
    assert verdict.because == ("Its reclaim policy is Delete, and that failed: no plugin.",)


def test_an_ingress_names_what_is_not_there() -> None:
    backend = {"service": {"name": "web", "port": {"number": 81}}}
    spec = {"ingressClassName": "ghost", "defaultBackend": backend}
    status = {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}
    ingress = {"spec": spec, "status": status, "metadata": {"name": "it", "namespace": "default"}}
    wanted = {one.path: one.name for one in EXPLAINERS["networking", "Ingress"].wanted(ingress, KUBERNETES)}
    ports = {"spec": {"ports": [{"port": 80, "name": "http"}]}}
    of_class = wanted["/apis/networking.k8s.io/v1/ingressclasses/ghost"]
    assert explained("networking", "Ingress", ingress, **{"web": [ports], of_class: []}).because == (
        "It leads to the port 81 of the service web, which has no such port.",
        "There is no IngressClass ghost, which it names.",
    )
    named = {**ingress, "spec": {"defaultBackend": {"service": {"name": "web", "port": {"name": "http"}}}}}
    assert explained("networking", "Ingress", named, web=[ports]).fine
    assert explained("networking", "Ingress", named, web=[]).because == ("It leads to the service web, which isn't there.",)


def test_an_autoscaler_that_can_not_scale_tells_nothing_of_what_its_metrics_asked_for_before() -> None:
    refused = condition("AbleToScale", "False", "FailedGetScale", "not found")
    status = {"conditions": [refused, condition("ScalingLimited", "True", "TooManyReplicas")]}
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": {"maxReplicas": 5}, "status": status})
    assert verdict.because == ("FailedGetScale: not found.",)


def test_a_job_that_failed_leads_to_the_pod_that_failed_last() -> None:
    pods = [job_pod("b", "2026-01-01T00:59:50Z"), job_pod("c", "2026-01-01T00:59:00Z")]
    conditions = [condition("Failed", "True", "FailedIndexes", "Job has failed indexes")]
    verdict = explained("batch", "Job", job({}, {"conditions": conditions, "failedIndexes": "0,2"}), pods=pods)
    assert verdict.because == ("FailedIndexes: Job has failed indexes.", "Indexes that have failed: 0,2.")
    assert verdict.below == (pods[0],)


def test_a_paused_deployment_without_pods_says_that_none_is_made() -> None:
    paused = {"spec": {"replicas": 1, "paused": True}, "status": {"observedGeneration": 1}}
    told = "It is paused (spec.paused), so no pod is made from its present template: rollout resume lets it go on."
    assert explained("apps", "Deployment", paused, sets=[]).because[0] == told


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([], "Its readiness gate a.b/c is closed: nobody has set that condition of it."),
        ([condition("a.b/c", "False", "Warming")], "Its readiness gate a.b/c is closed: a.b/c is False: Warming."),
    ],
)
def test_a_pod_names_its_readiness_gates_that_are_closed(conditions: list[Object], told: str) -> None:
    whole = pod(RUNNING, ready=True)
    whole["spec"]["readinessGates"] = [{"conditionType": "a.b/c"}]
    whole["status"]["conditions"] = [condition("Ready", "False", "ReadinessGatesNotReady"), *conditions]
    assert explained("", "Pod", whole, node=[READY_NODE]).because == (told,)


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


def test_a_claim_does_not_complain_of_a_class_that_is_there_by_now() -> None:
    events = [{"reason": "ProvisioningFailed", "message": 'storageclass.storage.k8s.io "fast" not found'}]
    found = {"class": [{"provisioner": "x"}]}
    verdict = explained("", "PersistentVolumeClaim", {"spec": {"storageClassName": "fast"}}, events, **found)
    assert verdict.because == ("It waits for x to make a volume of the storage class fast, or for one that fits.",)
    failed = [{"reason": "ProvisioningFailed", "message": "no quota"}]
    told = explained("", "PersistentVolumeClaim", {"spec": {"storageClassName": "fast"}}, failed, **found).because
    assert told[1] == "Making a volume for it failed: no quota."


def test_a_container_that_ends_well_again_and_again_says_why_it_is_started_again() -> None:
    ended = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    crashing = {"waiting": {"reason": "CrashLoopBackOff", "message": ""}}
    told = "It is started again although it did its work (restartPolicy Always)."
    assert explained("", "Pod", pod(crashing, lastState=ended), node=[READY_NODE]).because[1:] == (told,)


@pytest.mark.parametrize(
    ("status", "state", "because"),
    [
        ({}, "waits until somebody approves or denies it", ("To approve it: svcsim certificate approve it.",)),
        (
            {"conditions": [condition("Approved", "True")]},
            "is approved, and has no certificate yet",
            ("Its signer a.b/c, if there is one, has to issue it.",),
        ),
        ({"conditions": [condition("Denied", "True", "No")]}, "gets no certificate", ("Denied is True: No.",)),
        ({"certificate": "x", "conditions": [condition("Approved", "True")]}, "has its certificate, from a.b/c", ()),
    ],
)
def test_what_a_request_for_a_certificate_waits_for(status: Object, state: str, because: tuple[str, ...]) -> None:
    verdict = explained("certificates", "CertificateSigningRequest", {"spec": {"signerName": "a.b/c"}, "status": status})
    assert (verdict.state, verdict.because) == (state, because)


@pytest.mark.parametrize(
    ("status", "state", "because"),
    [
        ({"attached": True}, "has attached v to the node n", ()),
        ({"attached": False}, "hasn't attached v to the node n", ("disk has to attach it.",)),
        ({"attachError": {"message": "busy"}}, "hasn't attached v to the node n", ("Attaching it failed: busy.",)),
        ({"attached": True, "detachError": {"message": "busy"}}, "has attached v to the node n", ("Detaching it failed: busy.",)),
    ],
)
def test_an_attachment_says_whether_it_is_one(status: Object, state: str, because: tuple[str, ...]) -> None:
    spec = {"attacher": "disk", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    verdict = explained("storage", "VolumeAttachment", {"spec": spec, "status": status})
    assert (verdict.state, verdict.because) == (state, because)
    assert verdict.fine == (status == {"attached": True})


def test_a_pod_of_which_a_container_has_done_its_work_says_so() -> None:
    done = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    whole = several({"c": done, "d": RUNNING}, {}, initialized=True)
    whole["spec"]["restartPolicy"] = "Never"
    whole["status"]["containerStatuses"][1]["ready"] = True
    verdict = explained("", "Pod", whole, node=[READY_NODE])
    assert verdict.because == ("The container c has done its work and runs no more, so that the pod isn't ready as a whole.",)


def test_a_job_that_is_complete_by_its_policy_says_so() -> None:
    complete = {"succeeded": 1, "conditions": [condition("Complete", "True", "SuccessPolicy")]}
    verdict = explained("batch", "Job", job({"completions": 4, "successPolicy": {"rules": [{"succeededCount": 1}]}}, complete))
    assert (verdict.state, verdict.because) == ("is complete: 1 of 4 succeeded", ("They are enough by its successPolicy.",))


def test_what_a_container_can_not_be_started_with_is_told() -> None:
    missing = 'exec: "sh": executable file not found in $PATH'
    message = f"failed to create shim task: unable to start container process: error during container init: {missing}: unknown"
    told = pod({"terminated": {"exitCode": 128, "reason": "StartError", "message": message}})
    told["status"]["phase"] = "Failed"
    assert explained("", "Pod", told).because == (f"The container c couldn't be started: {missing} (StartError).",)
