"""The seat of audit in the pipeline: it sees who asks what before anything can refuse it, and what came of it.

A request whose level is None costs a look at the policy and nothing else. Where nothing is audited at all, the pipeline has no such seat.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial

from svcsim import limits
from svcsim.auth.authorization import Verdict
from svcsim.chance import Chance
from svcsim.clock import Clock
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object, User
from svcsim.registry.scheme import Scheme
from svcsim.server.audit.counted import AuditCounted
from svcsim.server.audit.delivery import Delivery
from svcsim.server.audit.endings import WatchedTunnel, watched
from svcsim.server.audit.event import panic_status, status_of
from svcsim.server.audit.objects import answered_object, sent_object, without_managers
from svcsim.server.audit.policy import PANIC, REQUEST_RECEIVED, RESPONSE_COMPLETE, RESPONSE_STARTED, Level, Policy
from svcsim.server.audit.trail import NAMING, Trail
from svcsim.server.filters.authorization import selected_name
from svcsim.server.filters.in_flight import LONG_RUNNING
from svcsim.server.requests.request_info import RequestInfo
from svcsim.server.requests.way import Way

_STATUS = b'"Status"'
_STATUS_SEEN_BYTES = 40
"""A Status says so at its beginning."""


class Auditing:
    """Makes events, and gives them to the backends. `start` it before the first request, `stop` it after the last."""

    def __init__(
        self, policy: Policy, deliveries: tuple[Delivery, ...], scheme: Scheme, clock: Clock, chance: Chance, counted: AuditCounted
    ) -> None:
        self._policy = policy
        self._deliveries = deliveries
        self._scheme = scheme
        self._clock = clock
        self._chance = chance
        self._counted = counted
        domain = scheme.dialect.group("authorization")
        self._patches = f"{scheme.dialect.group('patch.webhook.admission')}/"
        """What webhooks have made of bodies is told where bodies are."""
        self._decision, self._reason = f"{domain}/decision", f"{domain}/reason"
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to hand over events."""
        self._tasks = [asyncio.create_task(delivery.run(), name="audit") for delivery in self._deliveries]

    async def stop(self) -> None:
        """Hand over what is left, as far as that goes."""
        for delivery in self._deliveries:
            await delivery.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def received(self, request: Request, info: RequestInfo, way: Way) -> Trail | None:
        """A request has come, and it is known whose it is. Raises 500 where that has to be kept and can't be."""
        trail = await self._trail(request, info, way)
        if trail is not None and not await self._put(trail, REQUEST_RECEIVED, way):
            self._counted.rejected += 1
            raise StatusError(500, "InternalError", "Internal error occurred: failed to store audit event", {})
        return trail

    async def _trail(self, request: Request, info: RequestInfo, way: Way) -> Trail | None:
        """The request's, unless the policy doesn't want it."""
        user = None if way.identity is None else way.identity.user
        name = await selected_name(info)
        recording = self._policy.recording(user, info, name)
        self._counted.level(recording.level)
        if recording.level is Level.NONE:
            return None
        trail = Trail(recording, request, info, name, user, self._clock.now())
        trail.audit_id = request.headers.get("audit-id") or self._chance.uid()
        if way.identity is not None:
            trail.annotations.update(way.identity.annotations)
        return trail

    async def answered(self, trail: Trail | None, request: Request, info: RequestInfo, way: Way, response: Response) -> Response:
        """A request has its answer: that answer, with the id of the events and, where it goes on, an end that is noticed."""
        if trail is None:
            return response if way.identity is not None else await self._unauthenticated(request, info, way, response)
        self._note(trail, way)
        await self._read_objects(trail, way, response)
        trail.status = await _status(way, response)
        response = replace(response, headers={**response.headers, "Audit-Id": trail.audit_id})
        if way.panicked:
            await self._put(trail, PANIC, way)
            return response
        if response.status != 101 and response.stream is None:
            if _long_running(info):
                await self._put(trail, RESPONSE_STARTED, way)
            await self._put(trail, RESPONSE_COMPLETE, way)
            return response
        return await self._going_on(trail, way, response)

    async def _going_on(self, trail: Trail, way: Way, response: Response) -> Response:
        """An answer that is not over yet."""
        started_apart = _long_running(trail.info)
        if started_apart:
            await self._put(trail, RESPONSE_STARTED, way)
        over = partial(self._over, trail, way)
        whole = trail.recording.level is Level.REQUEST_RESPONSE and not started_apart
        if response.tunnel is not None:
            return replace(response, tunnel=WatchedTunnel(response.tunnel, over))
        if response.stream is not None:
            return replace(response, stream=watched(response.stream, over, limits.AUDIT_ANSWER_BYTES if whole else 0))
        over(None)
        return response

    def _over(self, trail: Trail, way: Way, body: bytes | None) -> None:
        """The answer is over; the whole of it is known where it was short enough. Nobody waits for this event."""
        if body is not None:
            with suppress(StatusError):  # it may be no object
                trail.response_object = self._shown(trail, decode_json(body))
        self._send(trail, RESPONSE_COMPLETE, way)

    async def _unauthenticated(self, request: Request, info: RequestInfo, way: Way, response: Response) -> Response:
        """Credentials were no good: one event, of the answer's start."""
        trail = await self._trail(request, info, way)
        if trail is None:
            return response
        trail.status = await _status(way, response)
        await self._put(trail, PANIC if way.panicked else RESPONSE_STARTED, way)
        return replace(response, headers={**response.headers, "Audit-Id": trail.audit_id})

    def _note(self, trail: Trail, way: Way) -> None:
        decision = way.decision
        if decision is not None:
            if decision.verdict is Verdict.ALLOW:
                trail.annotations[self._decision] = "allow"
            elif not decision.incident:
                trail.annotations[self._decision] = "forbid"
            trail.annotations[self._reason] = "internal error" if decision.incident else decision.reason
        notes = way.notes or {}
        if trail.recording.level < Level.REQUEST:
            notes = {key: note for key, note in notes.items() if not key.startswith(self._patches)}
        trail.annotations.update(notes)

    async def _read_objects(self, trail: Trail, way: Way, response: Response) -> None:
        """Look into the bodies as far as the level goes; at the least, for the name that only an object says."""
        level, verb, target = trail.recording.level, trail.info.verb, way.target
        if target is not None and (level >= Level.REQUEST or verb in NAMING):
            trail.sent = self._shown(trail, await sent_object(trail.request, target, verb, self._scheme))
        if level is Level.REQUEST_RESPONSE and response.stream is None:
            answer = way.error.status() if way.error is not None else await answered_object(response, target, self._scheme)
            trail.response_object = self._shown(trail, answer)

    @staticmethod
    def _shown(trail: Trail, value: Json) -> Json:
        return without_managers(value) if trail.recording.omit_managed_fields else value

    async def _put(self, trail: Trail, stage: str, way: Way) -> bool:
        """Make the event of a stage, and wait as long as the backends want; whether all took it that must."""
        taken = True
        for delivery, waiting in self._send(trail, stage, way):
            taken = taken and (await waiting or not delivery.strict)
        return taken

    def _send(self, trail: Trail, stage: str, way: Way) -> list[tuple[Delivery, asyncio.Future[bool]]]:
        """Make the event of a stage; those to wait for."""
        if stage in trail.recording.omit_stages:
            return []
        self._counted.events += 1
        at_s = None if stage == REQUEST_RECEIVED else self._clock.now()
        event = trail.event(stage, at_s, _impersonated(way))
        waiting = ((delivery, delivery.put(event)) for delivery in self._deliveries)
        return [(delivery, future) for delivery, future in waiting if future is not None]


def _impersonated(way: Way) -> User | None:
    """As whom the request was made, where that isn't who made it."""
    return way.user if way.identity is not None and way.user is not None and way.user is not way.identity.user else None


def _long_running(info: RequestInfo) -> bool:
    return info.verb == "watch" or (info.is_resource and info.subresource in LONG_RUNNING)


async def _status(way: Way, response: Response) -> Object:
    if way.error is not None:
        return panic_status(way.error) if way.panicked else status_of(way.error.status(), response.status)
    if _STATUS in response.body[:_STATUS_SEEN_BYTES] and response.content_type.startswith("application/json"):
        found: Json = await aside(len(response.body), decode_json, response.body)
        if isinstance(found, dict) and found.get("kind") == "Status":
            return status_of(found, response.status)
    return status_of(None, response.status)
