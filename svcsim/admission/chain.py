"""The admission chain: plugins in one explicit order, each asked only about what it handles."""

from dataclasses import dataclass, field
from typing import Protocol

from svcsim.meta.types import Object
from svcsim.registry.options import Caller, Target


class Plugin(Protocol):
    """One admission plugin."""

    @property
    def resources(self) -> tuple[str, ...]:
        """What it handles, as the store names it; empty for everything."""
        ...

    @property
    def operations(self) -> tuple[str, ...]:
        """When it is asked."""
        ...

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Change ``new`` in place, or raise `StatusError`."""
        ...

    async def validate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Raise `StatusError` if this may not be."""
        ...


@dataclass(slots=True)
class Chain:
    """All plugins of a cluster; mutating and validating run in the order they are given."""

    plugins: tuple[Plugin, ...]
    _concerned: dict[tuple[str, str], tuple[Plugin, ...]] = field(default_factory=dict)

    def _for(self, operation: str, target: Target) -> tuple[Plugin, ...]:
        name = target.resource.store_name
        found = self._concerned.get((operation, name))
        if found is None:
            found = tuple(
                plugin for plugin in self.plugins if operation in plugin.operations and (not plugin.resources or name in plugin.resources)
            )
            self._concerned[operation, name] = found
        return found

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Let every plugin concerned change the object."""
        for plugin in self._for(operation, target):
            await plugin.mutate(operation, target, new, old, caller)

    async def validate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Let every plugin concerned object."""
        for plugin in self._for(operation, target):
            await plugin.validate(operation, target, new, old, caller)
