"""What a plugin that does only one half inherits the other from."""

from svcsim.meta.types import Object
from svcsim.registry.options import Caller, Target


class Quiet:
    """Neither changes nor objects to anything."""

    resources: tuple[str, ...] = ()
    operations: tuple[str, ...] = ("CREATE", "UPDATE")

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Leave the object as it is."""

    async def validate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Have nothing against it."""
