"""One simulated node as it is in memory: what the pods on it share."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.events import EventRecorder
from svcsim.nodes.images.images import ImageStore
from svcsim.nodes.machines.addresses import PodAddresses
from svcsim.nodes.machines.beats import Beats
from svcsim.nodes.machines.node import Make
from svcsim.nodes.machines.occupancy import Occupancy
from svcsim.nodes.machines.volumes_in_use import VolumesInUse

LEASE_S = 10.0
STATUS_S = 300.0


class Agent(NamedTuple):
    """The ways by which the agent of a node asks the API server, in that node's own name."""

    client: Client
    heartbeat: Client
    """Gives way to nobody: a node isn't late because others keep the server busy."""


Agents = Callable[[str], Agent]
"""By the name of the node."""


class Machine:
    """A node's images and addresses, and the voices with which it asks and tells."""

    def __init__(self, make: Make, agent: Agent, events: EventRecorder, *, waits_for_ranges: bool) -> None:
        """``waits_for_ranges``: it is told the ranges of its pods by its Node."""
        self.make = make
        self.agent = agent
        self.place = make.where
        self.events = events
        self.images = ImageStore(name for image in make.template.images for name in image["names"])
        self.volumes = VolumesInUse()
        self.occupancy = Occupancy()
        self.addresses = PodAddresses(() if waits_for_ranges else (make.where.pod_range,))
        self.registered = False
        """Whether its Node object says what it is; not any more once it has been down."""
        self.silences = 0
        """How often it has fallen silent."""
        self.starts = False
        """Whether it is new to the cluster, although somebody else has made its Node object."""
        self.network_due_at = 0.0
        """Until when it may be that its pods can't get addresses, and nothing is wrong with that."""
        self.renewals, self.reports = Beats(LEASE_S), Beats(STATUS_S)
        """When it says that it is there, and when how it is."""
        self.refused_at: float | None = None
        """Since when what it says is not taken; None while it is."""
        self.has_reported = False
        """Whether it has said how it is since it was registered."""
        self.told_ready = False
        """Whether it has been said that it is ready."""
        self.reported_images: list[str] = []
        self.reported_volumes: list[str] = []
        self.told: int | None = None
        """A digest of what of its status is its own, as it was stored when it last reported."""
        self.told_images = 0
        """One of what it said of its images then."""
        self.images_overwritten = False
        self.overwritten = False
        """Whether its Node was last seen to say something else there."""
        self.short_of: list[str] = []
        """Resources it last said it was short of."""

    def let_go(self, uid: str) -> None:
        """A pod has ended on it: its address, its volumes and its room are free."""
        self.addresses.give_back(uid)
        self.volumes.release(uid)
        self.occupancy.release(uid)

    def fall_silent(self, at: float) -> None:
        """It says nothing from now on; until it registers anew, however soon that is."""
        self.registered = False
        self.silences += 1
        self.renewals.end(at)
        self.reports.end(at)

    def tell(self, reason: str, message: str) -> None:
        """Report an event of its own, which names it by its name, for want of its UID."""
        self.events.normal({"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "uid": self.name}}, reason, message)

    @property
    def name(self) -> str:
        return self.place.name
