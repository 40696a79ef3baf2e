"""One request on its way through a verb: everything a verb handler is given, in one small bundle."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from svcsim.dialect import Dialect
from svcsim.meta.http import Request, Response
from svcsim.meta.incidents import Incidents
from svcsim.meta.types import Object, User
from svcsim.registry.admission_trace import AdmissionTrace
from svcsim.registry.options import Target
from svcsim.registry.registry import Registry
from svcsim.registry.scheme import Scheme
from svcsim.server.content.encoded_events import EncodedEvents
from svcsim.server.content.negotiate import Negotiator
from svcsim.server.content.page_cache import PageCache
from svcsim.server.requests.metrics import Metrics
from svcsim.server.requests.onlookers import Onlookers
from svcsim.server.requests.request_info import RequestInfo

ConnectHandler: TypeAlias = Callable[[Target, Request, Object], Awaitable[Response]]
"""Answers a subresource that is no object: logs, exec. Raises `StatusError`.

It is given the options in the query, those of a connection as admission left them.
"""


@dataclass(frozen=True, slots=True)
class Services:
    """What the verbs work with, given once when the server is built."""

    registry: Registry
    scheme: Scheme
    negotiator: Negotiator
    incidents: Incidents
    metrics: Metrics
    pages: PageCache
    encoded_events: EncodedEvents = field(default_factory=EncodedEvents)
    """In protobuf, as streams have them."""
    onlookers: Onlookers = field(default_factory=lambda: Onlookers({}))
    connect: dict[tuple[str, str], ConnectHandler] = field(default_factory=dict)
    """By the resource type's store name (``pods``, ``deployments.apps``) and the subresource."""

    @property
    def dialect(self) -> Dialect:
        return self.scheme.dialect


@dataclass(slots=True)
class Call:
    """A request that has been understood and let through."""

    request: Request
    info: RequestInfo
    target: Target
    user: User
    services: Services
    warnings: list[str]
    """Texts for ``Warning:`` headers, whatever comes of the request."""
    notes: dict[str, str] = field(default_factory=dict)
    """What admission notes beside its audit events."""
    trace: AdmissionTrace | None = None
    """What keeps its way through admission, where the client wishes to know it."""


Verb: TypeAlias = Callable[[Call], Awaitable[Response]]
