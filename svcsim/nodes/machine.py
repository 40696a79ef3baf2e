"""One simulated node as it is in memory: what the pods on it share."""

from svcsim.client.events import EventRecorder
from svcsim.nodes.addresses import PodAddresses
from svcsim.nodes.images import ImageStore
from svcsim.nodes.node import Place, Shape


class Machine:
    """A node's images and addresses, and the voice its events speak with."""

    def __init__(self, number: int, where: Place, shape: Shape, events: EventRecorder) -> None:
        self.number = number
        self.place = where
        self.shape = shape
        self.events = events
        self.images = ImageStore()
        self.addresses = PodAddresses(where.pod_cidr)
        self.registered = False
        """Whether its Node object says what it is; not any more once it has been down."""
        self.status_due_at = 0.0
        """When its status has to be reported next, if nothing changes before."""
        self.reported_images: list[str] = []
        self.short_of: list[str] = []
        """Resources it last said it was short of."""

    @property
    def name(self) -> str:
        return self.place.name
