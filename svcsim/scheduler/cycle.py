"""One try to place a pod: what filters and scores have to go by beyond a single node."""

from collections.abc import Callable, Hashable
from typing import NamedTuple

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.kept import Kept
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.taints import tolerance
from svcsim.meta.types import Object
from svcsim.scheduler.devices.known import KnownDevices
from svcsim.scheduler.devices.pod_devices import look_at_devices
from svcsim.scheduler.pod import Group, PodInfo, PodTerm
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.tally import Contribute, Tally
from svcsim.scheduler.turns import Steps, Turn
from svcsim.scheduler.volumes.known import KnownStorage
from svcsim.scheduler.volumes.pod_storage import look


class WellKnownKeys(NamedTuple):
    """Keys that depend on the dialect."""

    unschedulable_taint: str
    zone_label: str
    hostname_label: str

    @classmethod
    def of(cls, dialect: Dialect) -> "WellKnownKeys":
        return cls(dialect.key("unschedulable", "node"), dialect.key("zone", "topology"), dialect.key("hostname"))


def _no_labels(_namespace: str) -> dict[str, str]:
    return {}


def _no_selector(_pod: PodInfo) -> LabelSelector:
    return LabelSelector()


def _no_budgets(_namespace: str) -> list[Object]:
    return []


class Known(NamedTuple):
    """What is known of the cluster beside nodes and pods."""

    keys: WellKnownKeys
    namespace_labels: Callable[[str], dict[str, str]] = _no_labels
    """A namespace's labels by its name."""
    default_selector: Callable[[PodInfo], LabelSelector] = _no_selector
    """What the services and the controller of a pod select, for pods that don't say how they are to be spread."""
    budgets: Callable[[str], list[Object]] = _no_budgets
    """A namespace's disruption budgets."""
    storage: KnownStorage | None = None
    devices: KnownDevices | None = None

    def means(self, term: PodTerm, group: Group) -> bool:
        """Whether pods that look like that are among those that a term of a pod (anti-)affinity means."""
        if term.namespace_selector is None or group.namespace in term.namespaces:
            here = group.namespace in term.namespaces
        else:
            here = term.namespace_selector.matches(self.namespace_labels(group.namespace))
        return here and term.selector.matches(dict(group.labels))


class Tallies(Kept[Hashable, Tally]):
    """The counts that tries have asked for lately, each by what it counts."""

    def __init__(self) -> None:
        super().__init__(limits.SCHEDULER_TALLIES)


class Cycle:
    """One try."""

    def __init__(self, pod: PodInfo, snapshot: Snapshot, known: Known, tallies: Tallies, turn: Turn) -> None:
        self.pod = pod
        self.snapshot = snapshot
        self.known = known
        self.turn = turn
        self.tolerates = tolerance(pod.needs.tolerations)
        looked = look(pod, known.storage) if pod.claims and known.storage is not None else None
        self.storage = None if isinstance(looked, str) else looked
        """What the pod's claims are; None where it has none, or can't use them."""
        self.storage_trouble = looked if isinstance(looked, str) else ""
        """Why it can't be placed anywhere as long as its claims are as they are."""
        devices = look_at_devices(pod, known.devices) if pod.devices and known.devices is not None else None
        self.devices = None if isinstance(devices, str) else devices
        """What its claims on devices are; None where it has none, or can't use them."""
        self.devices_trouble = devices if isinstance(devices, str) else ""
        """Why it can't have devices anywhere as long as its claims are as they are."""
        self._tallies = tallies
        self._used: list[tuple[Tally, int]] = []
        self._begun: list[Steps[None]] = []

    def tally(self, key: Hashable, contribute: Contribute, steps: int = 1) -> Tally:
        """A count, to be looked at once `count` is through, which takes so many steps for each node and each group of pods on it.

        ``contribute`` follows from ``key``. What the key names by identity has to be kept alive by it.
        """
        tally = self._tallies.of(key, lambda: Tally(contribute))
        self._used.append((tally, steps))
        return tally

    def begin(self, steps: Steps[None]) -> None:
        """Have work done when all is counted that may take long, such as asking for thousands of counts."""
        self._begun.append(steps)

    def count(self) -> Steps[None]:
        """Bring up to date what was asked for."""
        while self._begun:
            yield from self._begun.pop(0)
        for tally, steps in self._used:
            yield from tally.refresh(self.snapshot, self.turn, steps)
