"""The containers of a pod on its node, by what they are in it."""

from collections.abc import Iterable, Sequence

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.processes.runs import Asked


class PodContainers:
    """All containers of a pod: init containers first, and those last that were put into it while it ran."""

    __slots__ = ("all", "at_work", "ephemerals", "inits", "mains")

    def __init__(self, specs: Iterable[ContainerSpec]) -> None:
        self.at_work: dict[str, Container] = {}
        """Those whose processes are run, and haven't ended, by their names."""
        self.replace([Container(spec) for spec in specs])

    def replace(self, containers: Sequence[Container]) -> None:
        """These are its containers from now on."""
        self.all = tuple(containers)
        self.inits = tuple(one for one in containers if one.spec.init)
        self.ephemerals = tuple(one for one in containers if one.spec.ephemeral)
        """Those that were put into the pod while it ran."""
        others = self.inits or self.ephemerals
        self.mains = self.all if not others else tuple(one for one in containers if not one.spec.init and not one.spec.ephemeral)
        """Those the pod is for: of most pods all, which is kept once."""

    @property
    def initialized(self) -> bool:
        """Whether the init containers have done what they are for: for good, once another has been started after them."""
        return not self.inits or all(one.initialized for one in self.inits) or any(one.begun and one.has_run for one in self.mains)

    @property
    def fail_to_initialize(self) -> bool:
        """Whether an init container has ended badly that isn't started again."""
        return any(one.goes_wrong() for one in self.inits if not one.spec.sidecar)

    def running(self, name: str) -> Container | None:
        """The container of that name, if its process is there."""
        return next((one for one in self.all if one.running and one.spec.name == name), None)

    @property
    def asked(self) -> dict[str, Asked]:
        """Those that are being ended, by their names."""
        return {one.spec.name: Asked(one.hook_at, one.asked_at) for one in self.all if one.asked_at is not None}

    @property
    def calling_hooks(self) -> list[Container]:
        """Those that are to end, and whose hooks have been called before that, which do more than take their time."""
        return [one for one in self.all if one.hook_goes_on and one.running]
