"""Asking one webhook about one request, and what follows where it can't be asked or answers nonsense."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.admission.counted import AdmissionCounted
from svcsim.admission.matching import as_matched
from svcsim.admission.versions import Versions
from svcsim.admission.webhooks.configured import Type, Webhook
from svcsim.admission.webhooks.faults import WebhookFaults
from svcsim.admission.webhooks.review import Reviewed, ReviewError, UnreadableReviewError, response_in, review_of
from svcsim.chance import Chance
from svcsim.clock import turn
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_sent_json
from svcsim.meta.errors import StatusError, bad_request, request_took_too_long
from svcsim.meta.names import qualified_name
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.places import Turns
from svcsim.outbound.remote import OutboundError, RefusedError
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Lister
from svcsim.registry.resource import Resource
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from svcsim.admission.expressions.conditions import Conditions
    from svcsim.meta.aside import MadeAside

_FAILED_OPEN: dict[Type, str] = {
    "mutating": "failed-open.mutation.webhook.admission",
    "validating": "failed-open.validating.webhook.admission",
}
_MEDIA_TYPE = "application/json"
"""In which webhooks answer."""
_UNAVAILABLE = 503
_LOG = logging.getLogger("svcsim.admission")


class CallError(Exception):
    """A webhook could not be asked, or what it answered is no answer: its failure policy says what follows."""

    def __init__(self, message: str, code: int = _UNAVAILABLE) -> None:
        """``code`` is the status that was answered, or what stands for none."""
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Matched:
    """A webhook that is asked about a request."""

    webhook: Webhook
    resource: Resource
    """The version in which it wants to see the objects."""


@dataclass(slots=True)
class Asking:
    """What asking takes."""

    type: Type
    versions: Versions
    namespaces: Lister
    outbound: Outbound
    chance: Chance
    faults: WebhookFaults
    conditions: "MadeAside[Conditions]"
    """What tells whether conditions hold."""
    counted: AdmissionCounted

    async def matched(self, webhook: Webhook, request: AdmissionRequest) -> Matched | None:
        """Whether a webhook is asked about a request, and how. Raises the `StatusError` of a request that can't be told about."""
        resource = as_matched(webhook.rules, request, self.versions.scheme, equivalent=webhook.equivalent)
        if resource is None:
            return None
        if not webhook.selectors.match(request, self.namespaces):
            request.passed_over("webhook", webhook.name, "its selectors don't match")
            return None
        if webhook.conditions:
            conditions = await self.conditions.get()
            shown, ignored = await self.versions.shown(request, resource), webhook.failure_ignored
            why = await conditions.unmet(webhook.conditions, request, resource, shown, failure_ignored=ignored)
            if why:
                request.passed_over("webhook", webhook.name, why)
                return None
        return Matched(webhook, resource)

    async def ask(self, matched: Matched, request: AdmissionRequest, obj: Object | None, turns: Turns | None = None) -> Reviewed:
        """The answer about a request, of which ``obj`` is what is sent, in the version asked for. Raises `CallError`, 400 and 504.

        Those that are asked all at once take ``turns``.
        """
        webhook, started = matched.webhook, stopwatch()
        about = webhook.name, self.type, request.operation
        try:
            response = await self._answer(webhook, matched.resource, request, obj, turns)
        except CallError as error:
            self.counted.failed(*about, stopwatch() - started, error.code, ignored=webhook.failure_ignored)
            raise
        except StatusError:
            self.counted.untold(*about, stopwatch() - started)
            raise
        took_s = stopwatch() - started
        if response.denial is None:
            self.counted.allowed(*about, took_s)
        else:
            self.counted.denied(*about, took_s, response.denial.code)
        return response

    async def _answer(
        self, webhook: Webhook, resource: Resource, request: AdmissionRequest, obj: Object | None, turns: Turns | None
    ) -> Reviewed:
        if request.dry_run and not webhook.safe_in_dry_run:
            raise bad_request(f'admission webhook "{webhook.name}" does not support dry run')
        old = request.old if request.old is None else await self.versions.convert(request, request.old, request.resource, resource)
        uid = self.chance.uid()
        api_version = f"{self.versions.scheme.dialect.group('admission')}/{webhook.review_version}"
        review = review_of(request, resource, obj, old, uid, api_version)
        deadline_s = min(webhook.timeout_s, request.caller.left_s)
        if deadline_s <= 0:
            raise request_took_too_long()
        length = 0

        def decode(answered: bytes) -> Json:
            nonlocal length
            length = len(answered)
            return decode_sent_json(answered)

        try:
            answer = await self.outbound.ask(
                webhook.remote,
                review,
                deadline_s=deadline_s,
                limit_bytes=limits.ADMISSION_ANSWER_BYTES,
                turns=turns,
                stand_in=self.faults.in_place_of(webhook, review),
                media_type=_MEDIA_TYPE,
                decode=decode,
            )
        except OutboundError as error:
            if deadline_s < webhook.timeout_s and isinstance(error.__cause__, TimeoutError):  # nobody waits for the request any longer
                raise request_took_too_long() from error
            code = error.status if isinstance(error, RefusedError) else _UNAVAILABLE
            raise CallError(f'failed calling webhook "{webhook.name}": failed to call webhook: {error}', code) from error
        try:
            response = await aside(length, response_in, answer, webhook.name, self.type, uid, api_version)
        except UnreadableReviewError as error:
            raise CallError(f'failed calling webhook "{webhook.name}": failed to call webhook: {error}') from error
        except ReviewError as error:
            raise CallError(f'failed calling webhook "{webhook.name}": received invalid webhook response: {error}') from error
        for text in response.warnings:
            request.warn(text)
        await self._annotate(request, webhook, response)
        return response

    async def _annotate(self, request: AdmissionRequest, webhook: Webhook, response: Reviewed) -> None:
        """Record its audit annotations; all invalid keys are reported in one line."""
        wrong: list[str] = []
        for number, (key, value) in enumerate(response.audit_annotations.items(), 1):
            if number % limits.ANNOTATIONS_A_TURN == 0:
                await turn()
            if qualified_name(named := f"{webhook.name}/{key}"):
                wrong.append(key)
            else:
                request.annotate(named, value)
        if wrong:
            first, more = wrong[0][: limits.ANNOTATION_KEY_SHOWN_CHARS], f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            _LOG.warning("webhook %s: an audit annotation has a key that can't be one: %s%s", quoted(webhook.name), quoted(first), more)

    def fail_open(self, request: AdmissionRequest, webhook: Webhook, number: int) -> None:
        """Note that a request went on although a webhook could not be asked."""
        self.counted.failed_open(webhook.name, self.type)
        key = self.versions.scheme.dialect.group(_FAILED_OPEN[self.type])
        request.annotate(f"{key}/round_{int(request.is_reinvocation)}_index_{number}", webhook.name)
