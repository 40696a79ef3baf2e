"""Paths that are open: health and version to everybody, discovery to every user who is known."""

from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import AUTHENTICATED
from svcsim.auth.authorization import ALLOWED, NO_OPINION, Decision, NonResourceRule, Rules
from svcsim.meta.types import User

_EVERYBODYS = ("/healthz", "/livez", "/readyz", "/version")
_KNOWN_USERS = ("/api", "/apis", "/openapi")
_READING = ("get", "head")


class OpenPaths:
    """Allows reading what is open."""

    async def authorize(self, attributes: Attributes) -> Decision:
        """Allow reading what is open to the user."""
        if attributes.is_resource or attributes.verb not in _READING:
            return NO_OPINION
        return ALLOWED if _below(attributes.path, _open_to(attributes.user)) else NO_OPINION

    async def rules_for(self, user: User, _namespace: str) -> Rules:
        """One rule, for paths."""
        return Rules(non_resources=(NonResourceRule(_READING, tuple(form for root in _open_to(user) for form in (root, f"{root}/*"))),))


def _open_to(user: User) -> tuple[str, ...]:
    return (*_EVERYBODYS, *_KNOWN_USERS) if AUTHENTICATED in user.groups else _EVERYBODYS


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
