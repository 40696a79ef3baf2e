"""Users that components of this process ask as."""

from svcsim.auth.authentication import Identity
from svcsim.meta.http import Request


class InProcess:
    """The user the in-process transport vouches for. Nothing that came over a wire has one: the HTTP front can't set it."""

    async def authenticate(self, request: Request) -> Identity | None:
        """No opinion on what came over a wire."""
        return None if request.user is None else Identity(request.user)
