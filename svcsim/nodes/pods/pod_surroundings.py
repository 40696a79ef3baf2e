"""What the containers of a pod see of the world: their pod, its node, the faults there, and what annotations have them do."""

from collections.abc import Mapping
from types import MappingProxyType

from svcsim import limits
from svcsim.chance import Chance
from svcsim.meta.types import Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.log_templates import template_of
from svcsim.nodes.containers.pod_events import PodEvents
from svcsim.nodes.containers.pod_identity import identity_of
from svcsim.nodes.images.images import ImageStore
from svcsim.nodes.images.pull_failures import failure_in
from svcsim.nodes.logs.log_lines import SECOND_S, Voice
from svcsim.nodes.logs.termination_messages import termination_message
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.pod_containers import PodContainers
from svcsim.nodes.pods.sandbox import Sandbox

_NONE: Mapping[str, str] = MappingProxyType({})
_NO_PROBES: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class PodSurroundings:
    """The `Surroundings` of the containers of one pod."""

    __slots__ = (
        "annotations",
        "chance",
        "config_errors",
        "containers",
        "create_errors",
        "events",
        "failing",
        "faults",
        "identity",
        "images",
        "sandbox",
    )

    def __init__(self, pod: Object, containers: PodContainers, images: ImageStore, chance: Chance, faults: Faults) -> None:
        self.identity = identity_of(pod)
        self.containers = containers
        self.images = images
        self.chance = chance
        self.faults = faults
        self.events = PodEvents()
        self.sandbox = Sandbox(self.events)
        self.annotations: tuple[tuple[str, str], ...] = ()
        """What annotations of ours say: what the pod logs and uses is read from them elsewhere."""
        self.failing = _NO_PROBES
        """The probes that annotations have fail, by the names of containers; by an empty one, those of all."""
        self.config_errors = _NONE
        """What is missing of which containers are to be made, by their names."""
        self.create_errors = _NONE
        """Why the runtime can't make containers, by their names."""

    @property
    def pod_ip(self) -> str:
        """The address of the pod; empty as long as it has none."""
        return self.sandbox.pod_ip

    def failing_probes(self, spec: ContainerSpec) -> tuple[str, ...]:
        """Kinds of probes of a container that an annotation has fail: of its own, or of the pod's."""
        return self.failing.get(spec.name, () if spec.stands_alone else self.failing.get("", ()))

    def config_error(self, container: Container) -> str:
        """What is missing of which the container is to be made; empty if nothing is."""
        return self.config_errors.get(container.spec.name, "")

    def create_error(self, container: Container) -> str:
        """Why the runtime can't make the container; empty if it can."""
        return self.create_errors.get(container.spec.name, "")

    def pull_fails(self, container: Container, image: str) -> str:
        """Why an image can't be pulled, the container's own or that of a volume; empty if it can."""
        said = container.spec.pull_failure if image == container.spec.image else ""
        failure = said or failure_in(image)
        return failure or self.faults.pull_failure(image, self.identity.namespace, self.identity.name, self.identity.labels)

    def slowed(self, container: Container) -> float:
        """How much longer than usual starting takes."""
        return self.faults.slow_start(container.spec.image, self.identity.namespace, self.identity.name, self.identity.labels)

    def run_it(self, container: Container) -> None:
        """Have a container's process be run, to know how it ends."""
        container.process, container.surprising = None, True
        self.containers.at_work[container.spec.name] = container

    def last_words(self, container: Container) -> str:
        """What a container has left behind that has just ended; nearly none leaves anything."""
        container.asked_at, container.hook_goes_on = None, False
        if container.surprising:
            self.containers.at_work.pop(container.spec.name, None)
        elif not container.spec.program.written and not container.spec.logs_on_error:
            return ""
        room_bytes = limits.TERMINATION_MESSAGES_BYTES // len(self.containers.all)
        message = termination_message(container, lambda: self._voice(container), room_bytes)
        container.process, container.surprising = None, False
        return message

    def _voice(self, container: Container) -> Voice:
        """What a container said that has ended, as its log will say it, which goes by the whole seconds of its status."""
        spec, pod = container.spec, self.identity
        template = template_of({"metadata": {"annotations": dict(self.annotations)}}, spec.name, alone=spec.stands_alone)
        began, ended = float(int(container.started_at)), int(container.finished_at) + SECOND_S
        return Voice(
            pod.uid, pod.name, spec.name, spec.image, spec.program, began, ended, pod.namespace, pod.node_name, template,
            None if template is not None else container.process,
        )  # fmt: skip
