"""ValidatingAdmissionWebhook: all webhooks that a request concerns are asked at once, and each may refuse it.

Their time begins at once too, so that a request waits as long as the slowest may take, however many there are.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.admission.matching import Interest
from svcsim.admission.webhooks.asking import Asking, CallError, Matched
from svcsim.admission.webhooks.configured import ConfiguredWebhooks
from svcsim.meta.errors import StatusError, forget_frames, internal_error
from svcsim.meta.side_by_side import side_by_side
from svcsim.outbound.places import Turns
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.admission_trace import Step

if TYPE_CHECKING:
    from svcsim.meta.types import Object
    from svcsim.registry.resource import Resource

_LOG = logging.getLogger("svcsim.admission")


class ValidatingAdmissionWebhook:
    """Calls validating webhooks at the same time. If several refuse, the first in their order gives the answer, not the fastest."""

    name = "ValidatingAdmissionWebhook"

    def __init__(self, configured: ConfiguredWebhooks, asking: Asking) -> None:
        self._configured = configured
        self._asking = asking

    @property
    def rules(self) -> tuple[Interest, ...]:
        return self._configured.interests

    def on_change(self, listener: Callable[[], None]) -> None:
        self._configured.on_change(listener)

    async def validate(self, request: AdmissionRequest) -> None:
        found = [await self._asking.matched(webhook, request) for webhook in self._configured.webhooks]
        asked = [matched for matched in found if matched is not None]
        if not asked:
            return
        shown: dict[Resource, Object | None] = {request.resource: request.obj}
        for matched in asked:
            if matched.resource not in shown:
                assert request.obj is not None or request.operation == "DELETE"
                obj = request.obj
                shown[matched.resource] = obj and await self._asking.versions.convert(request, obj, request.resource, matched.resource)

        turns = Turns(limits.WEBHOOKS_AT_ONCE, request.size_bytes) if request.caller.trace is None else None

        async def refusal(numbered: tuple[int, Matched]) -> StatusError | None:
            number, matched = numbered
            try:
                async with request.step("webhook", matched.webhook.name) as step:
                    await self._asked(matched, request, number, shown[matched.resource], step, turns)
            except StatusError as error:
                forget_frames(error)
                return error
            return None

        at_once = 1 if turns is None else len(asked)  # a trace tells of one after the other, and each has all of its time
        for refused in await side_by_side(list(enumerate(asked)), refusal, at_once):
            if refused is not None:
                raise refused

    async def _asked(
        self, matched: Matched, request: AdmissionRequest, number: int, shown: "Object | None", step: Step, turns: Turns | None
    ) -> None:
        """Ask one webhook. Raises its denial, and 500 where it failed and that isn't to be ignored."""
        webhook = matched.webhook
        try:
            response = await self._asking.ask(matched, request, shown, turns)
        except CallError as error:
            if not webhook.failure_ignored:
                raise internal_error(str(error)) from error
            _LOG.warning("%s: its failure policy lets the request through", error)
            self._asking.fail_open(request, webhook, number)
            step.ignored = str(error)
            return
        if response.denial is not None:
            raise response.denial
