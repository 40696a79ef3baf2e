"""What the containers of a pod see of the world, as their stages ask for it."""

from collections.abc import Sequence
from typing import Protocol

from svcsim.chance import Chance
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.pod_events import PodEvents
from svcsim.nodes.containers.pod_identity import PodIdentity
from svcsim.nodes.images.images import ImageStore


class Surroundings(Protocol):
    """What a container's stages see of the world."""

    chance: Chance
    images: ImageStore
    identity: PodIdentity
    events: PodEvents

    @property
    def pod_ip(self) -> str:
        """The address of the container's pod."""
        ...

    def failing_probes(self, spec: ContainerSpec) -> Sequence[str]:
        """Kinds of probes of a container that an annotation has fail."""
        ...

    def run_it(self, container: Container) -> None:
        """Have a container's process be run, to know how it ends."""
        ...

    def last_words(self, container: Container) -> str:
        """What a container has left behind that has just ended."""
        ...

    def pull_fails(self, container: Container, image: str) -> str:
        """Why an image can't be pulled, the container's own or that of a volume; empty if it can."""
        ...

    def config_error(self, container: Container) -> str:
        """Why the container can't be made from its spec; empty if it can."""
        ...

    def create_error(self, container: Container) -> str:
        """Why the runtime can't make the container; empty if it can."""
        ...

    def slowed(self, container: Container) -> float:
        """By how much starting takes longer than usual: 1 is as usual."""
        ...
