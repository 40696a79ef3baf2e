"""Failed daemon pods are replaced, but on each node later and later: what fails at once would be made without end."""

from typing import NamedTuple

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import uid_of
from svcsim.meta.types import Object


class _Replaced(NamedTuple):
    at: float
    wait_s: float


class _State(NamedTuple):
    of: tuple[str, int]
    """Which DaemonSet, and which generation of it: a new one begins anew."""
    nodes: dict[str, _Replaced]


class FailedDaemons:
    """When failed pods of which DaemonSet were replaced, by node."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[ObjectKey, _State] = {}

    def waiting(self, key: ObjectKey, daemon_set: Object) -> dict[str, float]:
        """The nodes whose failed pod isn't to be replaced yet, and how many seconds that takes."""
        now, nodes = self._clock.now(), self._of(key, daemon_set)
        for node in [node for node, last in nodes.items() if now - last.at > 2 * limits.FAILED_DAEMON_LONGEST_S]:
            del nodes[node]
        return {node: last.at + last.wait_s - now for node, last in nodes.items() if now - last.at < last.wait_s}

    def replaced(self, key: ObjectKey, daemon_set: Object, node: str) -> None:
        """A node's failed pod is replaced now; the next one will have to wait, twice as long as the last."""
        nodes = self._of(key, daemon_set)
        last = nodes.get(node)
        wait_s = limits.FAILED_DAEMON_FIRST_S if last is None else min(last.wait_s * 2, limits.FAILED_DAEMON_LONGEST_S)
        nodes[node] = _Replaced(self._clock.now(), wait_s)

    def forget(self, key: ObjectKey) -> None:
        """The DaemonSet is gone."""
        self._states.pop(key, None)

    def _of(self, key: ObjectKey, daemon_set: Object) -> dict[str, _Replaced]:
        which = (uid_of(daemon_set), int((daemon_set.get("status") or {}).get("observedGeneration") or 0))
        state = self._states.get(key)
        if state is None or state.of != which:
            state = self._states[key] = _State(which, {})
        return state.nodes
