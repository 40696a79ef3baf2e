"""Which nodes are ready, for one answer: each is asked once, and all together where they are many."""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.meta.objects import condition_is, name_of


class ReadyNodes:
    """What has been learnt of nodes so far."""

    def __init__(self, nodes: Collection) -> None:
        self._nodes = nodes
        self._known: dict[str, bool] = {}
        self._all = False

    def has(self, name: str) -> bool:
        """Whether a node that was asked is ready."""
        return self._known.get(name, False)

    async def learn(self, names: Iterable[str]) -> None:
        """Ask those that haven't been asked."""
        unknown = [] if self._all else [name for name in dict.fromkeys(names) if name and name not in self._known]
        if len(self._known) + len(unknown) > limits.NODES_ASKED_FOR:
            self._all = True
            self._known |= {name_of(node): condition_is(node, "Ready") for node in await self._nodes.list_all()}
            return
        for name in unknown:
            self._known[name] = await self._is_ready(name)

    async def _is_ready(self, name: str) -> bool:
        node = await self._nodes.find(name)
        return node is not None and condition_is(node, "Ready")
