"""Whenever the process goes that looks after a pod, what becomes of the pod is the same.

Each life is told once without an interruption, and then once for each moment at which it may be taken up by another process a second later.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import pytest

from svcsim.meta.objects import copy_json
from svcsim.meta.types import Json, Object
from svcsim.nodes.pods.pod_updates import take_in
from tests.nodes.build import NOW, Life, container, pod_object, shell
from tests.nodes.test_resuming import resumed

CHANGED_AT_S, LAST_S, STEP_S = 20.0, 140.0, 0.5
Change = Callable[[Object], None]
"""Changes the spec of a pod."""

SIDECAR = {**container("beside"), "restartPolicy": "Always"}
MEMORY = {"limits": {"memory": "64Mi"}, "requests": {"memory": "64Mi"}}
LINGERS = {"preStop": {"exec": {"command": ["sleep", "3"]}}}
ANEW_FOR_MEMORY: list[Json] = [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]
LOOK = container("look", "busybox:1", command=["sh", "-c", "sleep 5; exit 3"])
EVERY_2_S = {"tcpSocket": {"port": 80}, "periodSeconds": 2}


def again_after(code: int, action: str) -> Object:
    return {"restartPolicyRules": [{"action": action, "exitCodes": {"operator": "In", "values": [code]}}], "restartPolicy": "Never"}


def image(name: str) -> Change:
    return lambda spec: spec["containers"][0].update(image=name)


def more_memory(spec: Object) -> None:
    spec["containers"][0]["resources"] = {"limits": {"memory": "128Mi"}, "requests": {"memory": "128Mi"}}


def looked_at(spec: Object) -> None:
    spec["ephemeralContainers"] = [LOOK]


class Story(NamedTuple):
    containers: tuple[Object, ...] = (container(),)
    spec: Mapping[str, Json] = MappingProxyType({})
    change: Change | None = None
    counted: bool = True
    """Whether it is told by when it was interrupted how often containers will have been restarted."""


NEVER: Object = {"restartPolicy": "Never"}
STORIES = {
    "servers": Story((container(), container("other"))),
    "init containers": Story(spec={"initContainers": [shell("sleep 3", "first"), shell("sleep 2", "second")]}),
    "an init container that fails": Story(spec={"initContainers": [shell("sleep 3; exit 1", "first")], **NEVER}),
    "work beside a sidecar": Story((shell("sleep 10"),), {"initContainers": [SIDECAR], **NEVER}),
    "a sidecar that is waited for": Story(spec={"initContainers": [{**SIDECAR, "startupProbe": EVERY_2_S}, shell("sleep 3", "second")]}),
    "work that fails": Story((shell("sleep 6; exit 3"),), NEVER),
    "work that fails and is done again": Story(
        (shell("sleep 6"), shell("sleep 3; exit 1", "bad")), {"restartPolicy": "OnFailure"}, counted=False
    ),
    "probes": Story((container(readinessProbe={**EVERY_2_S, "initialDelaySeconds": 5}, livenessProbe=EVERY_2_S),)),
    "a probe that fails": Story((container(startupProbe={"exec": {"command": ["false"]}, "periodSeconds": 2}),), counted=False),
    "a hook": Story((container(lifecycle={"postStart": {"exec": {"command": ["sleep", "4"]}}, **LINGERS}),)),
    "a deadline": Story(spec={"activeDeadlineSeconds": 20}),
    "a deadline of a sidecar": Story((shell("sleep 5"),), {"initContainers": [SIDECAR], "activeDeadlineSeconds": 20, **NEVER}),
    "an image that isn't there": Story((container("web", "nginx:404"), container("other")), counted=False),
    "another image": Story((container(), container("other")), change=image("nginx:2")),
    "another image, and a container that lingers": Story((container(lifecycle=LINGERS),), change=image("nginx:2")),
    "another image that isn't there": Story(change=image("nginx:404"), counted=False),
    "more memory": Story((container(resources=MEMORY),), change=more_memory),
    "more memory, for which it is started anew": Story(
        (container(resources=MEMORY, resizePolicy=ANEW_FOR_MEMORY, lifecycle=LINGERS),), change=more_memory
    ),
    "a look at it": Story(change=looked_at),
    "a container that is started again by a rule": Story(
        ({**shell("sleep 3; exit 42"), **again_after(42, "Restart")},), NEVER, counted=False
    ),
    "containers that are started again by a rule": Story(
        ({**shell("sleep 8; exit 42"), **again_after(42, "RestartAllContainers")}, container("other")), NEVER, counted=False
    ),
    "containers that are started again by a rule while others are being started": Story(
        (
            {**shell("exit 42"), **again_after(42, "RestartAllContainers")},
            container("other", lifecycle={"postStart": {"exec": {"command": ["sleep", "4"]}}}),
        ),
        NEVER,
        counted=False,
    ),
    "a program that isn't there": Story((container("web", "distroless/x:1", command=["sh"]),), counted=False),
    "a program that isn't there, and no more": Story((container("web", "distroless/x:1", command=["sh"]),), NEVER),
}


def told(story: Story, interrupted_s: float | None = None) -> list[Json]:
    """What becomes of it."""
    life = Life(pod_object(*copy_json(list(story.containers)), **copy_json(dict(story.spec))))
    changed = story.change is None
    for moment in sorted({CHANGED_AT_S, LAST_S} | ({interrupted_s} if interrupted_s is not None else set())):
        life.until(max(moment, life.now - NOW))
        if moment == interrupted_s and "containerStatuses" in life.status:
            life = resumed(life, 1.0)
        if story.change is not None and not changed and moment == CHANGED_AT_S:
            life.pod["metadata"]["generation"] = life.run.generation + 1
            story.change(life.pod["spec"])
            take_in(life.run, life.pod, life.now)
            life.step(life.now)
            changed = True
        if life.run.allocation.deferred:  # its node looks whether it has the room
            life.run.allocation.settle(None, 0, life.now)
    return ending(life.status, counted=story.counted)


def ending(status: Object, *, counted: bool) -> list[Json]:
    found: list[Json] = [status["phase"], status.get("reason")]
    for part in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for one in status.get(part, []):
            ((kind, details),) = one["state"].items()
            restarts = one["restartCount"] if counted else None
            found.append((one["name"], kind, details.get("reason"), details.get("exitCode"), one["ready"], one["image"], restarts))
            found.append((one.get("resources") or {}).get("limits"))
    return found


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_what_becomes_of_a_pod_is_the_same_whenever_it_is_taken_up_anew(story: Story):
    expected = told(story)
    moments = [number * STEP_S for number in range(1, int(50 / STEP_S))]
    assert {moment: found for moment in moments if (found := told(story, moment)) != expected} == {}
