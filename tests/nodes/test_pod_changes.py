"""What becomes of pods that change or end while they run: resizes, containers put in for a look, hooks, rules of restart."""

import pytest

from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object
from svcsim.nodes.machines.occupancy import Occupancy, asks_of
from svcsim.nodes.pods.pod_updates import is_behind, take_in
from svcsim.nodes.pods.resizing import refusal
from tests.living import living, pod
from tests.nodes.build import NOW, Life, container, pod_object, shell

SMALL: Object = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
SIDECAR = container("proxy", "envoy:1", restartPolicy="Always")
LARGE: Object = {"requests": {"cpu": "500m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}}


# --- rules of restart ---


def rule(*codes: int, operator: str = "In") -> Object:
    return {"action": "Restart", "exitCodes": {"operator": operator, "values": list(codes)}}


@pytest.mark.parametrize(
    ("script", "own", "restarted"),
    [
        ("sleep 1; exit 42", {"restartPolicy": "Never", "restartPolicyRules": [rule(42)]}, True),
        ("sleep 1; exit 41", {"restartPolicy": "Never", "restartPolicyRules": [rule(42)]}, False),
        ("sleep 1; exit 41", {"restartPolicy": "Never", "restartPolicyRules": [rule(42, operator="NotIn")]}, True),
        ("sleep 1; exit 1", {"restartPolicy": "OnFailure"}, True),
        ("sleep 1; exit 0", {"restartPolicy": "OnFailure"}, False),
        ("sleep 1; exit 0", {"restartPolicy": "Always"}, True),
        ("sleep 1; exit 1", {}, False),
    ],
)
def test_a_containers_own_policy_and_rules_go_before_the_pods(script: str, own: Object, restarted: bool):
    life = Life(pod_object({**shell(script), **own}, container("web"), restartPolicy="Never")).until(60)
    assert (life.state("main")["restartCount"] > 0) is restarted
    assert life.phase == "Running"


def test_a_rule_may_take_the_whole_pod_along():
    everything = {**rule(88), "action": "RestartAllContainers"}
    leader = {**shell("sleep 30; exit 88", "leader"), "restartPolicy": "Never", "restartPolicyRules": [everything]}
    pod = pod_object(leader, container("beside"), restartPolicy="Never", initContainers=[shell("sleep 2", "init"), SIDECAR])
    life = Life(pod).until(30)
    assert [life.state(one)["restartCount"] for one in ("init", "proxy", "leader", "beside")] == [0, 0, 0, 0]
    life.until(60)
    assert [life.state(one)["restartCount"] for one in ("init", "proxy", "leader", "beside")] == [1, 1, 1, 1]
    assert life.phase == "Running"
    assert life.state("leader")["lastState"]["terminated"]["exitCode"] == 88
    assert life.state("beside")["lastState"]["terminated"]["exitCode"] == 137
    assert (life.state("init")["state"]["terminated"]["exitCode"], life.condition("Ready")["status"]) == (0, "True")
    life.until(200)
    assert life.state("leader")["restartCount"] > 2


@pytest.mark.parametrize("inits", [[], [shell("exit 0", "init")], [shell("exit 0", "init"), SIDECAR]])
def test_one_that_was_to_be_started_after_it_has_run_before_it_is_started_again(inits: list[Object]):
    everything = {**rule(42), "action": "RestartAllContainers"}
    leader = {**shell("exit 42", "leader"), "restartPolicy": "Never", "restartPolicyRules": [everything]}
    life = Life(pod_object(leader, container("web", "mongo:7"), container("last"), restartPolicy="Never", initContainers=inits))
    while not all(life.state(one)["restartCount"] for one in ("leader", "web", "last")) and life.now < NOW + 60:
        assert life.run.due is not None
        life.step(life.run.due)
    for one in (*(init["name"] for init in inits), "leader", "web", "last"):
        assert life.state(one)["restartCount"] > 0
        assert "terminated" in life.state(one)["lastState"]
    before, after = life.state("web")["lastState"]["terminated"], life.state("web")["state"]["running"]
    assert parse_time(before["startedAt"]) < parse_time(after["startedAt"])


@pytest.mark.virtual_time
async def test_all_are_started_again_whose_first_run_was_over_at_once():
    async with living(nodes=1) as cluster:
        everything = {**rule(42), "action": "RestartAllContainers"}
        mounted = {"volumeMounts": [{"name": "own", "mountPath": "/mnt"}]}
        text = "if [ -f /mnt/r ]; then sleep 10000; else touch /mnt/r; exit 42; fi"
        leader = {**shell(text, "leader"), **mounted, "restartPolicy": "Never", "restartPolicyRules": [everything]}
        web = pod("web", restartPolicy="Never", initContainers=[shell("exit 0", "init")], volumes=[{"name": "own", "emptyDir": {}}])
        web["spec"]["containers"] = [leader, shell("sleep 10000", "regular")]
        await cluster.pods.create(web)
        await cluster.sleep(60)
        status = (await cluster.pods.get("web"))["status"]
        statuses = (*status["containerStatuses"], *status["initContainerStatuses"])
        assert [(one["restartCount"], "terminated" in one["lastState"]) for one in statuses] == [(1, True)] * 3
        assert status["phase"] == "Running"


# --- the end ---


def ended(life: Life, grace_s: float) -> tuple[float, Object]:
    """How long a pod takes to end that is deleted now, and how its first container has ended."""
    life.until(30)
    life.run.terminate(NOW + 30, grace_s)
    assert life.run.termination.done_at is not None
    took_s = life.run.termination.done_at - NOW - 30
    life.step(life.run.termination.done_at)
    return took_s, life.state()["state"]["terminated"]


@pytest.mark.parametrize("hook", [{"sleep": {"seconds": 10}}, {"exec": {"command": ["sh", "-c", "sleep 9.95"]}}])
def test_a_hook_before_the_stop_takes_its_time(hook: Object):
    took_s, terminated = ended(Life(pod_object(container(lifecycle={"preStop": hook}))), 30)
    assert 10.4 < took_s < 12.1
    assert terminated["exitCode"] == 0


def test_a_hook_that_takes_longer_than_the_grace_period_is_cut_off_and_its_process_still_has_two_seconds():
    took_s, terminated = ended(Life(pod_object(container(lifecycle={"preStop": {"sleep": {"seconds": 60}}}))), 30)
    assert 30.5 <= took_s <= 32
    assert (terminated["exitCode"], terminated["reason"]) == (0, "Completed")


def test_a_grace_period_that_is_made_shorter_is_kept():
    life = Life(pod_object(container(lifecycle={"preStop": {"sleep": {"seconds": 20}}}))).until(30)
    life.run.terminate(NOW + 30, 60)
    life.step(NOW + 35)
    life.run.terminate(NOW + 35, 5)
    life.step(NOW + 40)
    assert 40.5 <= (life.run.termination.done_at or 0) - NOW <= 42
    life.step(NOW + 42)
    assert life.state()["state"]["terminated"]["exitCode"] == 0


# --- containers put in for a look ---


def with_look(life: Life, *containers: Object) -> Life:
    spec = {**life.pod["spec"], "ephemeralContainers": list(containers)}
    life.pod = {"metadata": {**life.pod["metadata"], "generation": life.run.generation + 1}, "spec": spec}
    assert is_behind(life.run, life.pod)
    take_in(life.run, life.pod, life.now)
    life.step(life.now)
    return life


def test_a_container_put_in_for_a_look_runs_beside_the_others_and_ends_for_good():
    life = with_look(Life(pod_object()).until(30), shell("sleep 20; exit 3", "look")).until(45)
    (look,) = life.status["ephemeralContainerStatuses"]
    assert "running" in look["state"]
    assert (look["ready"], "started" in look) == (False, False)
    assert life.told[-1][1:] == ("Started", "Started container look")
    assert [status["name"] for status in life.status["containerStatuses"]] == ["web"]
    life.until(90)
    (look,) = life.status["ephemeralContainerStatuses"]
    assert look["state"]["terminated"]["exitCode"] == 3
    assert look["restartCount"] == 0
    assert (life.phase, life.condition("Ready")["status"]) == ("Running", "True")


def test_a_second_look_and_one_into_a_pod_that_does_not_come_up():
    life = with_look(Life(pod_object(initContainers=[shell("sleep 600", "wait")])).until(30), container("look")).until(40)
    assert "running" in life.status["ephemeralContainerStatuses"][0]["state"]
    assert life.phase == "Pending"
    with_look(life, container("look"), container("again")).until(50)
    assert ["running" in one["state"] for one in life.status["ephemeralContainerStatuses"]] == [True, True]


def test_a_look_ends_with_its_pod_and_does_not_make_it_fail():
    life = with_look(Life(pod_object(shell("sleep 60"), restartPolicy="Never")).until(20), container("look")).until(90)
    assert life.phase == "Succeeded"
    assert "terminated" in life.status["ephemeralContainerStatuses"][0]["state"]


# --- resizes ---


def resized(life: Life, resources: Object, at_s: float, why_not: tuple[str, str] | None = None) -> Life:
    life.until(at_s)
    first, *others = life.pod["spec"]["containers"]
    spec = {**life.pod["spec"], "containers": [{**first, "resources": resources}, *others]}
    life.pod = {"metadata": {**life.pod["metadata"], "generation": life.run.generation + 1}, "spec": spec}
    take_in(life.run, life.pod, NOW + at_s)
    assert life.run.due == NOW + at_s
    life.run.allocation.settle(why_not, NOW + at_s + 30, NOW + at_s)
    return life


def test_containers_tell_what_they_have():
    state = Life(pod_object(container(resources=SMALL), container("other"))).until(30).status["containerStatuses"]
    assert (state[0]["resources"], state[0]["allocatedResources"]) == (SMALL, SMALL["requests"])
    assert (state[1]["resources"], "allocatedResources" in state[1]) == ({}, False)


def test_a_resize_is_in_progress_for_a_moment_and_then_in_force():
    life = resized(Life(pod_object(container(resources=SMALL))), LARGE, 30)
    life.step(NOW + 30)
    assert life.condition("PodResizeInProgress")["status"] == "True"
    assert life.state()["resources"] == SMALL
    life.until(40)
    assert life.state()["resources"] == LARGE
    assert "PodResizeInProgress" not in [one["type"] for one in life.status["conditions"]]
    assert life.state()["restartCount"] == 0
    told = [(reason, message) for _, reason, message in life.told if reason.startswith("Resize")]
    has = '{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m","memory":"64Mi"}}'
    assert told == [("ResizeCompleted", f'Pod resize completed: {{"containers":[{{"name":"web","resources":{has}}}]}}')]
    assert life.run.due is None


def test_what_all_containers_have_is_told_with_a_resize():
    inits = [container("first", command=["true"]), container("beside", restartPolicy="Always")]
    made = pod_object(container(resources=SMALL), container("other"))
    made["spec"]["initContainers"] = inits
    life = resized(Life(made), LARGE, 30).until(60)
    (told,) = [message for _, reason, message in life.told if reason == "ResizeCompleted"]
    of_inits = '"initContainers":[{"name":"first","resources":{}},{"name":"beside","resources":{}}]'
    assert told.startswith(f'Pod resize completed: {{{of_inits},"containers":[{{"name":"web","resources":{{"limits":')
    assert told.endswith(',{"name":"other","resources":{}}]}')


@pytest.mark.parametrize(("resource", "restarts"), [("cpu", 1), ("memory", 0)])
def test_a_container_is_started_anew_for_what_its_policy_says(resource: str, restarts: int):
    policy = [{"resourceName": resource, "restartPolicy": "RestartContainer"}]
    life = resized(Life(pod_object(container(resources=SMALL, resizePolicy=policy))), LARGE, 30).until(60)
    assert (life.state()["restartCount"], life.state()["ready"], life.state()["resources"]) == (restarts, True, LARGE)


def test_a_resize_that_has_no_room_is_pending_and_says_why():
    life = resized(Life(pod_object(container(resources=SMALL))), LARGE, 30, ("Deferred", "no room"))
    life.step(NOW + 31)
    pending = life.condition("PodResizePending")
    assert (pending["reason"], pending["message"], pending["status"]) == ("Deferred", "no room", "True")
    assert life.run.due == NOW + 60
    life.run.allocation.settle(None, 0, NOW + 60)
    life.until(70)
    assert life.state()["resources"] == LARGE


def test_a_resize_taken_back_is_none():
    life = resized(Life(pod_object(container(resources=SMALL))), LARGE, 30, ("Infeasible", "never"))
    assert life.run.due is None
    first = {**life.pod["spec"]["containers"][0], "resources": SMALL}
    life.pod = {"metadata": {**life.pod["metadata"], "generation": 9}, "spec": {**life.pod["spec"], "containers": [first]}}
    take_in(life.run, life.pod, NOW + 40)
    assert "PodResizePending" not in [one["type"] for one in life.status["conditions"]]


def test_whether_a_node_has_room():
    spec = {"containers": [container(resources={"requests": {"cpu": "2", "memory": "1Gi"}})]}
    wants: Object = {"metadata": {"uid": "own"}, "spec": spec}
    other = asks_of({"spec": {"containers": [container(resources={"requests": {"cpu": "1500m"}})]}})
    taken = Occupancy()
    for uid in ("one", "two", "ended"):
        taken.take(uid, other)
    taken.take("own", asks_of(wants))
    taken.release("ended")
    assert refusal(wants, taken, {"cpu": "5", "memory": "2Gi"}) is None
    message = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"
    assert refusal(wants, taken, {"cpu": "4", "memory": "2Gi"}) == ("Deferred", message)
    message = "Node didn't have enough capacity: memory, requested: 1073741824, capacity: 1048576"
    assert refusal(wants, taken, {"cpu": "4", "memory": "1Mi"}) == ("Infeasible", message)


def asking(cpu: str) -> Object:
    return {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]}}


def pending_reason(obj: Object) -> Json:
    return next((one.get("reason") for one in obj["status"]["conditions"] if one["type"] == "PodResizePending"), None)


@pytest.mark.virtual_time
async def test_a_running_pod_is_resized_over_the_api():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.pods.patch("web", asking("2"), subresource="resize")
        await cluster.sleep(5)
        web = await cluster.pods.get("web")
        assert web["status"]["containerStatuses"][0]["resources"]["requests"]["cpu"] == "2"
        assert web["status"]["observedGeneration"] == web["metadata"]["generation"] == 2
        await cluster.pods.patch("web", asking("20"), subresource="resize")
        await cluster.sleep(5)
        assert pending_reason(await cluster.pods.get("web")) == "Infeasible"


@pytest.mark.virtual_time
async def test_a_deferred_resize_happens_once_there_is_room():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.run_pod(pod("big", cpu="6"))
        await cluster.pods.patch("web", asking("4"), subresource="resize")
        await cluster.sleep(5)
        assert pending_reason(await cluster.pods.get("web")) == "Deferred"
        assert "ResizeDeferred" in await cluster.reasons("web")
        await cluster.pods.delete("big")
        await cluster.sleep(70)
        web = await cluster.pods.get("web")
        assert pending_reason(web) is None
        assert web["status"]["containerStatuses"][0]["resources"]["requests"]["cpu"] == "4"


@pytest.mark.virtual_time
async def test_pods_whose_resizes_are_deferred_do_not_have_each_other_asked_on_and_on():
    async with living(nodes=1) as cluster:
        for name in ("one", "two"):
            await cluster.run_pod(pod(name, cpu="3"))
        for name in ("one", "two"):
            await cluster.pods.patch(name, asking("6"), subresource="resize")
        await cluster.sleep(100)
        assert [pending_reason(await cluster.pods.get(name)) for name in ("one", "two")] == ["Deferred", "Deferred"]
        await cluster.pods.patch("one", asking("1"), subresource="resize")
        await cluster.sleep(70)
        two = await cluster.pods.get("two")
        assert two["status"]["containerStatuses"][0]["resources"]["requests"]["cpu"] == "6"


@pytest.mark.virtual_time
async def test_a_pod_taken_along_by_a_rule_is_started_again_over_the_api():
    async with living(nodes=1) as cluster:
        everything = {**rule(88), "action": "RestartAllContainers"}
        leader = {**shell("sleep 10; exit 88", "leader"), "restartPolicy": "Never", "restartPolicyRules": [everything]}
        web = pod("web", restartPolicy="Never", initContainers=[shell("sleep 1", "init")])
        web["spec"]["containers"].append(leader)
        await cluster.pods.create(web)
        await cluster.sleep(60)
        status = (await cluster.pods.get("web"))["status"]
        assert min(one["restartCount"] for one in (*status["containerStatuses"], *status["initContainerStatuses"])) > 1


@pytest.mark.virtual_time
async def test_a_container_can_be_put_into_a_running_pod():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(pod("web"))
        look = {"name": "look", "image": "busybox:1", "command": ["sleep", "3600"], "targetContainerName": "main"}
        await cluster.pods.patch("web", {"spec": {"ephemeralContainers": [look]}}, subresource="ephemeralcontainers")
        await cluster.sleep(20)
        web = await cluster.pods.get("web")
        assert "running" in web["status"]["ephemeralContainerStatuses"][0]["state"]
        assert web["status"]["phase"] == "Running"


# --- another image of an init container ---


def with_init(script: str, **own: Json) -> Life:
    return Life(pod_object(container(), initContainers=[{**shell(script, "init"), **own}])).until(8)


def reimaged(life: Life, image: str) -> Life:
    (init,) = life.pod["spec"]["initContainers"]
    life.pod = {**life.pod, "spec": {**life.pod["spec"], "initContainers": [{**init, "image": image}]}}
    take_in(life.run, life.pod, life.now)
    return life


@pytest.mark.parametrize("image", ["busybox:2", "nowhere.invalid/none:1"])
def test_an_init_container_that_runs_goes_on_to_its_end_with_the_image_it_has(image: str):
    life = reimaged(with_init("sleep 10"), image).until(30)
    init = life.state("init")
    assert (init["state"]["terminated"]["exitCode"], init["restartCount"], init["image"]) == (0, 0, "docker.io/library/busybox:1")
    assert (life.phase, life.condition("Ready")["status"]) == ("Running", "True")
    assert "Killing" not in life.reasons
    assert reimaged(life, "busybox:3").until(60).state("init")["restartCount"] == 0


def test_an_init_container_that_fails_is_started_again_with_its_other_image():
    life = reimaged(with_init("sleep 10; exit 1"), "busybox:2").until(26)
    init = life.state("init")
    assert (init["lastState"]["terminated"]["exitCode"], init["restartCount"], init["image"]) == (1, 1, "docker.io/library/busybox:2")
    life = reimaged(reimaged(with_init("sleep 10; exit 1"), "busybox:2"), "busybox:3").until(26)
    assert life.state("init")["image"] == "docker.io/library/busybox:3"


def test_a_sidecar_of_another_image_is_started_anew():
    life = reimaged(with_init("sleep 1000", restartPolicy="Always"), "busybox:2").until(20)
    assert (life.state("init")["restartCount"], life.state("init")["image"]) == (1, "docker.io/library/busybox:2")


def test_a_resize_does_not_wait_for_an_init_container_of_another_image():
    life = reimaged(with_init("sleep 10"), "busybox:2").until(30)
    life.pod = {**life.pod, "spec": {**life.pod["spec"], "containers": [container(resources=LARGE)]}}
    take_in(life.run, life.pod, NOW + 30)
    life.run.allocation.settle(None, NOW + 60, NOW + 30)
    assert "ResizeCompleted" in life.until(50).reasons
