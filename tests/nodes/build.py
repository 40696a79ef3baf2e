"""Pods and their runs for tests of nodes, without any cluster."""

from svcsim.chance import Chance
from svcsim.meta.types import Json, Object
from svcsim.nodes.images.images import ImageStore
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.pod_status import render
from svcsim.nodes.pods.pod_updates import begin_run
from svcsim.nodes.pods.process_ends import learn

NOW = 1_767_225_600.0
STAMP = "2026-01-01T00:00:00Z"


def container(name: str = "web", image: str = "nginx:1.29", **more: Json) -> Object:
    return {"name": name, "image": image, "imagePullPolicy": "IfNotPresent", **more}


def shell(script: str, name: str = "main") -> Object:
    return container(name, "busybox:1", command=["sh", "-c", script])


def pod_object(*containers: Object, name: str = "web", annotations: dict[str, str] | None = None, **spec: Json) -> Object:
    meta = {"name": name, "namespace": "default", "uid": f"uid-{name}", "annotations": annotations or {}}
    return {
        "metadata": meta,
        "spec": {"nodeName": "node-1", "restartPolicy": "Always", "containers": list(containers or [container()]), **spec},
    }


class Life:
    """A pod's run on a node of its own, stepped through by hand."""

    def __init__(self, pod: Object, faults: Faults | None = None, seed: int = 1) -> None:
        self.pod = pod
        self.now = NOW
        self.faults = faults or Faults(Chance(0))
        self.run = begin_run(pod, NOW, ImageStore(), Chance(seed), self.faults)
        self.told: list[tuple[float, str, str]] = []

    def until(self, seconds: float) -> "Life":
        """Live on until so many seconds after the beginning, event by event."""
        while (due := self.run.due) is not None and due <= NOW + seconds:
            self.step(due)
        self.step(NOW + seconds)
        return self

    def step(self, now: float) -> None:
        self.now = now
        self.run.advance(now)
        while self.run.containers.at_work:  # nobody runs processes here, so that how they end is guessed
            for one in list(self.run.containers.at_work.values()):
                learn(self.run, one, None, now)
            self.run.advance(now)
        if self.run.sandbox.due_at is None and not self.run.sandbox.pod_ip:
            self.run.sandbox.pod_ip = "10.244.0.2"
        self.told += [(now - NOW, report.reason, report.message) for report in self.run.events.take()]

    @property
    def status(self) -> Object:
        return render(self.run, self.pod, ("10.0.0.2",), STAMP)

    @property
    def phase(self) -> str:
        phase: str = self.status["phase"]
        return phase

    @property
    def reasons(self) -> list[str]:
        return [reason for _, reason, _ in self.told]

    def state(self, name: str = "") -> Object:
        """A container's state; the first one's for no name."""
        statuses = [*self.status.get("initContainerStatuses", []), *self.status["containerStatuses"]]
        found: Object = next(item for item in statuses if name in {"", item["name"]})
        return found

    def condition(self, kind: str) -> Object:
        found: Object = next(item for item in self.status["conditions"] if item["type"] == kind)
        return found
