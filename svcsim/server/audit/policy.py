"""Which requests are audited, at which level, and at which stages: the rules of a policy, of which the first that matches decides.

What a policy's file may say is read and checked in `policy_file`; here it is only followed.
"""

from enum import IntEnum
from typing import NamedTuple

from svcsim.meta.types import User
from svcsim.server.requests.request_info import RequestInfo

ALL = "*"

REQUEST_RECEIVED = "RequestReceived"
RESPONSE_STARTED = "ResponseStarted"
RESPONSE_COMPLETE = "ResponseComplete"
PANIC = "Panic"
STAGES = (REQUEST_RECEIVED, RESPONSE_STARTED, RESPONSE_COMPLETE, PANIC)
"""The moments of a request at which there can be an event. Only answers that go on have a start of their own."""


class Level(IntEnum):
    """How much an event tells; each level has all that those before it have."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    REQUEST_RESPONSE = 3

    @property
    def word(self) -> str:
        """As policies and events spell it."""
        return LEVELS[self]


LEVELS = ("None", "Metadata", "Request", "RequestResponse")


class GroupResources(NamedTuple):
    """Resources of one API group; without any, all of them."""

    group: str
    resources: tuple[str, ...] = ()
    """``pods``, ``pods/log``, ``pods/*`` (the subresources, and the pods), ``*/status``, ``*``."""
    names: tuple[str, ...] = ()
    """The objects meant; without any, all of them."""

    def match(self, info: RequestInfo, name: str) -> bool:
        if self.group != info.group:
            return False
        if not self.resources:
            return True
        if self.names and name not in self.names:
            return False
        asked = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
        wanted = (ALL, asked, f"{info.resource}/{ALL}", f"{ALL}/{info.subresource}" if info.subresource else asked)
        return any(form in self.resources for form in wanted)


class Recording(NamedTuple):
    """What becomes of a request."""

    level: Level
    omit_stages: frozenset[str] = frozenset()
    omit_managed_fields: bool = False


class Rule(NamedTuple):
    """Requests, and what becomes of them. A field without values says nothing."""

    recording: Recording
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    resources: tuple[GroupResources, ...] = ()
    namespaces: tuple[str, ...] = ()
    """The empty one stands for what is in none."""
    paths: tuple[str, ...] = ()
    """Paths that aren't resources; one that ends in ``*`` is a prefix."""

    def match(self, user: User | None, info: RequestInfo, name: str) -> bool:
        if self.users and (user is None or user.name not in self.users):
            return False
        if self.groups and (user is None or not any(group in self.groups for group in user.groups)):
            return False
        if self.verbs and info.verb not in self.verbs:
            return False
        if self.namespaces or self.resources:
            return info.is_resource and self._match_resource(info, name)
        return not self.paths or (not info.is_resource and any(_path_matches(info.path, path) for path in self.paths))

    def _match_resource(self, info: RequestInfo, name: str) -> bool:
        if self.namespaces and info.namespace not in self.namespaces:
            return False
        return not self.resources or any(one.match(info, name) for one in self.resources)


def _path_matches(path: str, wanted: str) -> bool:
    return path == wanted or (wanted.endswith(ALL) and path.startswith(wanted.rstrip(ALL)))


class Policy(NamedTuple):
    """Rules in their order."""

    rules: tuple[Rule, ...]
    otherwise: Recording = Recording(Level.NONE)

    def recording(self, user: User | None, info: RequestInfo, name: str) -> Recording:
        """What becomes of a request; without a user, of one whose credentials were no good. ``name`` is the object it is about, if any."""
        for rule in self.rules:
            if rule.match(user, info, name):
                return rule.recording
        return self.otherwise


EVERYTHING = Policy((Rule(Recording(Level.METADATA, frozenset((REQUEST_RECEIVED,)))),))
"""Where no file says better: who did what, once for each request, and of no body anything."""
EVERYTHING_BEFOREHAND = Policy((Rule(Recording(Level.METADATA)),))
"""Likewise where requests are refused that can't be recorded: they are recorded before they are carried out, too."""
