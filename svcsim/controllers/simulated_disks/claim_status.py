"""Writing what has become of a claim."""

from svcsim.client.api import Collection
from svcsim.meta.objects import namespace_of
from svcsim.meta.types import Object


async def write_status(claims: Collection, claim: Object, status: Object) -> None:
    """Give a claim, as it was read, another status."""
    await claims.within(namespace_of(claim)).update({**claim, "status": status}, "status")
