"""The way of a request, all of it in one function: `Pipeline.handle`.

It is a `Handler` (svcsim.meta.http): the HTTP front calls it for the wire, the in-process transport calls it directly, and it never
raises. Every step is a small file of its own; their order stands here and nowhere else.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.auth.authentication import UNAUTHENTICATED, AuthenticatorUnion
from svcsim.auth.authorization import Authorizer
from svcsim.client.precedence import unanswered
from svcsim.clock import Clock
from svcsim.meta.aside import aside
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError, forget_frames, request_given_up, request_took_too_long
from svcsim.meta.http import Request, Response
from svcsim.meta.incidents import Incidents
from svcsim.meta.types import User
from svcsim.registry.registry import Registry
from svcsim.server.aggregation.remotes import RemoteVersion
from svcsim.server.content.error_response import error_response
from svcsim.server.content.negotiate import Negotiator
from svcsim.server.content.page_cache import PageCache
from svcsim.server.filters.authorization import authorize
from svcsim.server.filters.familiar import familiar_of, made_familiar
from svcsim.server.filters.impersonation import impersonated
from svcsim.server.filters.in_flight import LONG_RUNNING, InFlight
from svcsim.server.requests.call import Call, ConnectHandler, Services
from svcsim.server.requests.deadlines import Deadlines, longest_s
from svcsim.server.requests.metrics import Metrics
from svcsim.server.requests.onlookers import Kept, Onlookers
from svcsim.server.requests.request_info import RequestInfo, RequestInfos, read_request_info
from svcsim.server.requests.way import Way
from svcsim.server.standard_paths import Standard, StandardPaths
from svcsim.server.verbs.routing import Routes, UnknownGroupError
from svcsim.server.verbs.traced import PARAMETER, traced
from svcsim.server.verbs.warnings import with_warnings
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from svcsim.server.audit.auditing import Auditing
    from svcsim.server.audit.recent import RecentRequests
    from svcsim.server.audit.trail import Trail


class Deciders(NamedTuple):
    """Who decides about requests."""

    authenticator: AuthenticatorUnion
    authorizer: Authorizer
    of_components: Authorizer
    """About those of the cluster's own components."""


class Observers(NamedTuple):
    """Who keeps account of requests."""

    audit: "Auditing | None" = None
    recent: "RecentRequests | None" = None


class Pipeline:
    """The server's whole face, free of any HTTP library."""

    def __init__(
        self,
        registry: Registry,
        clock: Clock,
        incidents: Incidents,
        deciders: Deciders,
        *,
        connect: Mapping[tuple[str, str], ConnectHandler] | None = None,
        standard: Standard | None = None,
        observers: Observers | None = None,
        kept: Kept | None = None,
    ) -> None:
        """``kept`` are resources whose objects may be behind what is known of them."""
        scheme = registry.core.scheme
        self.metrics = Metrics(scheme.has)
        self.observers = observers or Observers()
        self._scheme = scheme
        self._protobuf_type = scheme.dialect.protobuf_media_type
        self._deciders = deciders
        self._in_flight = InFlight()
        self._infos = RequestInfos()
        self._routes = Routes(scheme)
        self._deadlines = Deadlines(limits.REQUEST_S)
        self._incidents = incidents
        self._services = Services(
            registry=registry,
            scheme=scheme,
            negotiator=Negotiator(scheme.dialect),
            incidents=incidents,
            metrics=self.metrics,
            pages=PageCache(clock, registry.core.store),
            onlookers=Onlookers(kept or {}),
            connect=dict(connect or {}),
        )
        scheme.on_change(lambda _: self._services.pages.clear())
        self._plain = StandardPaths(scheme, self.metrics, standard or Standard())
        self._aggregation = None if standard is None else standard.aggregation

    async def handle(self, request: Request) -> Response:
        """Answer a request, whatever it is."""
        started = stopwatch()
        if len(request.query) <= limits.ASIDE_BYTES:
            info = self._infos.read(request.method, request.path, request.query)
        else:
            info = await aside(len(request.query), read_request_info, request.method, request.path, request.query)
        seat = None
        warnings: list[str] = []
        audit = self.observers.audit
        way = Way()
        trail: Trail | None = None
        try:
            familiar = familiar_of(request)
            identity = way.identity = await self._deciders.authenticator.authenticate(request) if familiar is None else familiar.identity
            warnings.extend(identity.warnings)
            if audit is not None:
                _spelled_out(request)
                trail = await audit.received(request, info, way)
            authorizer = self._deciders.of_components if request.component else self._deciders.authorizer
            if familiar is None:
                user = way.user = await impersonated(authorizer, identity.user, request, self._scheme.dialect)
                familiar = made_familiar(request, identity, user)
            else:
                user = way.user = identity.user
            seat = None if request.component else self._in_flight.enter(info)
            if familiar is None or not familiar.may(info, way):
                await authorize(authorizer, user, info, way, familiar, component=request.component)
            elsewhere = None if self._aggregation is None else self._aggregation.remotes.find(info.path)
            if request.unread is not None and elsewhere is None and not self._routes.hands_on(info):
                limit_bytes = limits.READ_AHEAD_BYTES if UNAUTHENTICATED in user.groups else limits.BODY_BYTES
                with unanswered():
                    request.body = await request.unread.read(limit_bytes)
            response = await self._answer(request, info, user, warnings, way, elsewhere)
        except StatusError as error:
            way.error = error
            response = await self._refusal(error, request)
        except Exception as failure:  # noqa: BLE001 - the panic shield: nothing unforeseen reaches the client
            incident = self._incidents.report(failure, f"{request.method} {request.path}")
            way.error, way.panicked = incident, True
            response = error_response(incident, request, self._protobuf_type)
        except asyncio.CancelledError:  # who asked has gone, or the server ends: what was begun is recorded all the same
            way.error = given_up = request_given_up()
            await self._recorded(request, info, way, trail, error_response(given_up, request, self._protobuf_type), stopwatch() - started)
            raise
        finally:
            self._in_flight.leave(seat)
        if warnings:
            response = with_warnings(response, warnings)
        return await self._recorded(request, info, way, trail, response, stopwatch() - started)

    async def _recorded(
        self, request: Request, info: RequestInfo, way: Way, trail: "Trail | None", response: Response, took_s: float
    ) -> Response:
        """The answer, once it is known to all that take note of requests."""
        audit, recent = self.observers
        self.metrics.observe(info.verb, info.group, info.resource, response.status, took_s)
        if recent is not None:
            recent.add(request, way, response.status, took_s)
        return response if audit is None else await audit.answered(trail, request, info, way, response)

    async def _refusal(self, error: StatusError, request: Request) -> Response:
        """The answer that says why; the error's traceback is no longer needed."""
        response = await aside(len(error.message), error_response, error, request, self._protobuf_type)
        forget_frames(error)
        return response

    async def _answer(
        self, request: Request, info: RequestInfo, user: User, warnings: list[str], way: Way, elsewhere: RemoteVersion | None
    ) -> Response:
        """Pass an authorized request to its handler."""
        if self._aggregation is not None and elsewhere is not None:
            return await self._aggregation.proxy.answer(elsewhere, request, user)
        if not info.is_resource:
            return await self._plain.find(info.path)(request)
        try:
            target, verb = self._routes.find(info)
        except UnknownGroupError:
            return await self._plain.find(info.path)(request)
        if not request.insider:
            await self._services.onlookers.about_to_see(info)
        if target.resource.deprecated:
            warnings.append(target.resource.deprecated)
        way.target, way.notes = target, {}
        call = Call(request, info, target, user, self._services, warnings, way.notes)
        if info.subresource in LONG_RUNNING:
            return await verb(call)
        own_s = longest_s(info.query) if info.verb in _TIMED and "timeout" in info.query else None
        answer = traced(verb, call) if PARAMETER in info.query else verb(call)
        waits = own_s is not None or (info.verb in WRITES and not request.component)  # components have all the time there is
        return await (self._in_time(answer, own_s) if waits else answer)

    async def _in_time(self, answer: Awaitable[Response], own_s: float | None) -> Response:
        """The answer; raises 504 where it takes longer than any may, or than its client waits. What it wants may still come to pass."""
        try:
            if own_s is None:
                return await self._deadlines.within(answer)
            async with asyncio.timeout(own_s):
                return await answer
        except TimeoutError:
            raise request_took_too_long() from None


def _spelled_out(request: Request) -> None:
    """Have what is handed over take the way of a body, for those who take note of what was sent."""
    if request.handed is not None:
        request.body, request.handed = encode(request.handed), None


WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
"""Verbs that wait for the disk, and so need an end to waiting; reads never wait longer than `limits.TOO_LARGE_REVISION_WAIT_S`."""
_TIMED = WRITES | {"get", "list"}
"""Verbs whose client may say how long it waits: reads may have to wait for a converter."""
