"""How much a pod uses: by its annotations, its requests and limits, with whom it shares a load, and when."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.metrics.sharing import Moment, Sharing
from svcsim.metrics.usage import pod_usage, shares_load

NOW = Moment(1_767_225_600.0, "1")
STARTED = "2025-12-31T23:50:00Z"
"""Ten minutes before."""
MI = 1024.0**2


def container(name: str = "main", *, requests: Object | None = None, limits: Object | None = None, **more: Json) -> Object:
    return {"name": name, "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def running(name: str = "main") -> Object:
    return {"name": name, "state": {"running": {"startedAt": STARTED}}}


def pod(
    *containers: Object, cpu: str = "", memory: str = "", of_one: dict[str, str] | None = None, ready: bool = True, **status: Json
) -> Object:
    containers = containers or (container(),)
    said = {"svcsim.dev/cpu": cpu, "svcsim.dev/memory": memory, **(of_one or {})}
    return {
        "metadata": {"name": "p", "namespace": "default", "uid": "u", "annotations": {key: text for key, text in said.items() if text}},
        "spec": {"containers": list(containers)},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
            "containerStatuses": [running(one["name"]) for one in containers],
            **status,
        },
    }


def used(obj: Object, sharing: Sharing | None = None, now: Moment = NOW) -> dict[str, tuple[float, float]] | None:
    usage = pod_usage(obj, now, sharing)
    return None if usage is None else {one.name: (one.usage["cpu"], one.usage["memory"]) for one in usage}


def test_what_is_said_is_used():
    assert used(pod(cpu="250m", memory="64Mi")) == {"main": (0.25, 64 * MI)}


def test_a_ramp_begins_when_the_container_did():
    assert used(pod(cpu="0 to 1 over 20m", memory="1Mi")) == {"main": (0.5, MI)}


def test_each_container_may_be_spoken_of_and_the_others_together():
    two = (container("web"), container("side"))
    assert used(pod(*two, cpu="20m", memory="1Mi", of_one={"web.svcsim.dev/cpu": "1"})) == {"web": (1, MI), "side": (0.02, MI)}


def test_a_share_of_the_request_is_used_where_nothing_is_said_and_a_little_where_nothing_is_requested():
    (cpu, memory) = (used(pod(container(requests={"cpu": "1", "memory": "100Mi"}))) or {})["main"]
    assert 0.24 <= cpu <= 0.36
    assert 47 * MI <= memory <= 53 * MI
    (cpu, memory) = (used(pod()) or {})["main"]
    assert 0.002 <= cpu <= 0.004
    assert 18 * MI <= memory <= 22 * MI


def test_a_share_of_nothing_is_what_one_uses_that_says_nothing():
    assert used(pod(cpu="80%")) == used(pod())


def test_nothing_uses_more_than_its_limit():
    small = container(limits={"cpu": "100m", "memory": "10Mi"})
    assert used(pod(small, cpu="5", memory="1Gi")) == {"main": (0.1, 10 * MI)}


def test_what_cannot_be_read_says_nothing():
    assert used(pod(cpu="lots", memory="none of it")) == used(pod())
    assert not shares_load(pod(cpu="lots shared"))


def test_one_that_has_no_value_tells_nothing_of_its_pod():
    assert used(pod(cpu="none")) is None
    assert used(pod(container("web"), container("side"), of_one={"side.svcsim.dev/memory": "none"})) is None


def test_containers_that_do_not_run_use_nothing():
    ended = {"name": "main", "state": {"terminated": {"exitCode": 0}}}
    assert used(pod(containerStatuses=[ended])) is None
    assert used(pod(containerStatuses=[])) is None
    two = pod(container("a"), container("b"), cpu="1", memory="1Mi", containerStatuses=[running("a"), {**ended, "name": "b"}])
    assert used(two) == {"a": (1, MI)}


def test_a_sidecar_counts_and_an_init_container_that_is_done_does_not():
    obj = pod(cpu="1", memory="1Mi")
    obj["spec"]["initContainers"] = [container("proxy", restartPolicy="Always"), container("setup")]
    obj["status"]["initContainerStatuses"] = [running("proxy"), {"name": "setup", "state": {"terminated": {}}}]
    assert used(obj) == {"main": (1, MI), "proxy": (1, MI)}


def test_a_load_is_shared_by_those_that_are_ready():
    shared = pod(cpu="2 shared", memory="1Mi")
    assert shares_load(shared)
    assert used(shared, Sharing(4, 0.0)) == {"main": (0.5, MI)}
    assert used(pod(cpu="2 shared", memory="1Mi", ready=False), Sharing(4, 0.0)) == {"main": (0, MI)}


def test_a_shared_ramp_begins_with_the_load():
    assert used(pod(cpu="0 to 8 over 1h shared", memory="1Mi"), Sharing(2, NOW.now - 1800)) == {"main": (2, MI)}


@pytest.mark.parametrize("other", [Moment(NOW.now + 15, "1"), Moment(NOW.now, "2")], ids=["later", "another seed"])
def test_the_same_question_has_the_same_answer(other: Moment):
    jittery = pod(cpu="1 ~50%", memory="1Mi")
    assert used(jittery) == used(jittery)
    assert used(jittery) != used(jittery, now=other)
