"""What a node keeps of a pod that is on it: the run of its containers, and as much of the object as is needed now.

There is no object for one that has settled: ten thousand pods that run are ten thousand small records that wait. Of those that wait for
something only some have it at hand (`svcsim.nodes.pods.at_hand`), the others as JSON.
"""

from dataclasses import dataclass

from svcsim.client.api import Collection
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.pods import pod_reference
from svcsim.meta.types import Object
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.pod_status import render


@dataclass(slots=True)
class TrackedPod:
    """A pod on a simulated node."""

    run: PodRun
    machine: Machine
    pod: Object | None
    """The newest version that is known; None for one that has settled, and is read again when something happens to it."""
    written: int = 0
    """Hash of the status last written."""
    version: str = ""
    """The pod's, as of then."""
    sent: Object | None = None
    """That status, until nothing is to be done for the pod: it may be seen before it is known to have been taken."""
    deleted: bool = False
    """Whether the final delete has been sent; finalizers may still hold the object."""
    host_network: bool = False
    heard_of: bool = True
    """Whether its node knows of it: one that is cut off hears of new pods when it is back."""
    gated: bool = False
    """Whether its readiness depends on conditions that others write."""
    unasked: bool = False
    """Whether its node has still to say if it takes the pod."""
    resized: bool = False
    """Whether it asks for something else than when it was taken."""
    _put_away: bytes | None = None
    """The newest version as JSON, in place of ``pod``."""

    @property
    def collection(self) -> Collection:
        """The pods of its namespace, as its node may read and write them."""
        return self.machine.agent.client.resource("v1", "pods", self.run.identity.namespace)

    @property
    def reference(self) -> Object:
        """The pod, as events are about it."""
        pod = self.run.identity
        return pod_reference(pod.namespace, pod.name, pod.uid)

    def put_away(self) -> None:
        """Nothing happens to it for a while, or too many wait: it takes the less room."""
        if self.pod is not None:
            self._put_away = encode(self.pod)
        self.pod = None

    def take_out(self) -> None:
        """Have it at hand again, if it was put away and nothing newer came."""
        if self.pod is None and self._put_away is not None:
            pod: Object = decode_json(self._put_away)
            self.pod = pod
        self._put_away = None

    @property
    def is_kept(self) -> bool:
        return self.pod is not None or self._put_away is not None

    def is_now(self, pod: Object) -> None:
        """There is a newer version of a pod that is kept."""
        if self.pod is None:
            self._put_away = encode(pod)
        else:
            self.pod = pod

    def status_of(self, pod: Object, timestamp: str) -> Object:
        """What its node has to say of it at that moment; ``pod`` is the newest version of it."""
        machine, pod_ip = self.machine, self.run.sandbox.pod_ip
        ips = machine.place.ips if pod_ip in machine.place.ips else machine.addresses.all_of(pod_ip)
        return render(self.run, pod, machine.place.ips, timestamp, ips)

    def up_to_date(self, pod: Object, timestamp: str) -> Object:
        """The pod with the status that it would have if it were written at that moment."""
        return {**pod, "status": {**(pod.get("status") or {}), **self.status_of(pod, timestamp)}}


def whole_second(moment: float) -> float:
    """A moment as a status has it, by which everybody else goes."""
    return float(int(moment))
