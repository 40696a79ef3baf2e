"""Machines that fall silent because somebody wants them to: until they are told to recover, or for a while.

To everything else this is the fault that scenarios know, node-down; here is only whose it is and when it ends.
"""

from svcsim.client.controller import Controller
from svcsim.clock import Clock, format_time
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import Object
from svcsim.nodes.machines.faults import NODE_DOWN, Faults


class Outages(Controller):
    """Failures of machines, by name."""

    def __init__(self, clock: Clock, faults: Faults, failed: dict[str, float | None]) -> None:
        """``failed`` says which machines are down, and until when; it is kept up to date here.

        That one whose time is over has recovered need not be remembered: at the next start it is seen again.
        """
        self._faults = faults
        self._failed = failed
        self._fault_ids: dict[str, str] = {}
        super().__init__("outages", clock, workers=1)

    def resume(self) -> None:
        """Have those down again that were down when the cluster stopped; whose time is over meanwhile soon recover."""
        for name, until in self._failed.items():
            self._break(name, until)

    def fail(self, name: str, for_s: float | None) -> None:
        """Have a machine fall silent, or be silent for another while."""
        until = None if for_s is None else self.clock.now() + for_s
        self._failed[name] = until
        self._break(name, until)

    def recover(self, name: str) -> bool:
        """Whether there was anything to recover from."""
        fault_id = self._fault_ids.pop(name, None)
        if fault_id is not None:
            self._faults.remove(fault_id)
        return self._failed.pop(name, self) is not self

    def told(self, name: str) -> Object | None:
        """That somebody has failed a machine, and until when; None where nobody has."""
        if name not in self._failed:
            return None
        until = self._failed[name]
        return {} if until is None else {"until": format_time(until)}

    def is_down(self, name: str) -> bool:
        """Whether a machine is silent on purpose, be it a scenario's."""
        return self._faults.node_down(name)

    def _break(self, name: str, until: float | None) -> None:
        if name not in self._fault_ids:
            self._fault_ids[name] = self._faults.add({"type": NODE_DOWN, "target": {"kind": "Node", "name": name}})
        if until is not None:
            self.queue.add_after(ObjectKey("", name), until - self.clock.now())

    async def reconcile(self, key: ObjectKey) -> None:
        """A failure may have been prolonged or made lasting since."""
        until = self._failed.get(key.name)
        if until is None:
            return
        if until > self.clock.now():
            self.queue.add_after(key, until - self.clock.now())
        else:
            self.recover(key.name)
