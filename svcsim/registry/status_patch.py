"""How those inside the server who count things write down in an object's status what they have counted."""

from typing import Protocol

from svcsim.meta.types import Object
from svcsim.registry.writes import Patcher


class PatchStatus(Protocol):
    """Writes the status of an object, again where another write came first. ``change`` raises `StatusError` to leave it as it is."""

    async def __call__(
        self, api_version: str, plural: str, namespace: str, name: str, change: Patcher, *, dry_run: bool = False
    ) -> Object: ...
