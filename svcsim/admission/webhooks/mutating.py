"""MutatingAdmissionWebhook: the webhooks that a request concerns are asked one after the other, and each may change what is sent.

An object that one has changed is completed with defaults before the next sees it. Webhooks with ``reinvocationPolicy: IfNeeded`` are called
again if a later one has changed the object, in a second round of all mutating plugins; there is no third.
"""

import logging
from collections.abc import Callable
from typing import Literal

from svcsim.admission.matching import Interest
from svcsim.admission.rounds import Rounds
from svcsim.admission.versions import in_version
from svcsim.admission.webhooks.asking import Asking, CallError, Matched
from svcsim.admission.webhooks.configured import ConfiguredWebhooks, Webhook
from svcsim.admission.webhooks.review import JSON_PATCH, flaw_of_patched
from svcsim.meta import json_patch
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_sent_json, encode, same_json
from svcsim.meta.errors import StatusError, internal_error
from svcsim.meta.types import Json, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.admission_trace import Step
from svcsim.registry.mutating_admission import NotUsableError, read_again

_LOG = logging.getLogger("svcsim.admission")


class MutatingAdmissionWebhook:
    """Asks them in the order of their configurations' names."""

    name = "MutatingAdmissionWebhook"
    asks_others: Literal[True] = True

    def __init__(self, configured: ConfiguredWebhooks, asking: Asking) -> None:
        self._configured = configured
        self._asking = asking

    @property
    def rules(self) -> tuple[Interest, ...]:
        return self._configured.interests

    def on_change(self, listener: Callable[[], None]) -> None:
        self._configured.on_change(listener)

    async def admit(self, request: AdmissionRequest) -> None:
        rounds = Rounds.of(request, self.name)
        for number, webhook in enumerate(self._configured.webhooks):
            identity = webhook.configuration, webhook.index
            if rounds.passes_over(identity, request):
                continue
            matched = await self._asking.matched(webhook, request)
            if matched is None:
                continue
            async with request.step("webhook", webhook.name) as step:
                changed = await self._asked(matched, request, number, step)
            rounds.had_asked(identity, request, changed=changed, reinvocable=webhook.reinvocable)
        rounds.end(request)

    async def _asked(self, matched: Matched, request: AdmissionRequest, number: int, step: Step) -> bool:
        """Ask one webhook; whether it changed the object. Raises its denial, and 500 where it failed and that isn't to be ignored."""
        webhook, changed = matched.webhook, False
        try:
            changed = await self._changed(matched, request, number)
        except CallError as error:
            if not webhook.failure_ignored:
                raise internal_error(str(error)) from error
            _LOG.warning("%s: its failure policy lets the request through", error)
            self._asking.fail_open(request, webhook, number)
            step.ignored = str(error)
        finally:
            self._note(request, "mutation", number, _told(webhook, {"mutated": changed}))
        return changed

    def _note(self, request: AdmissionRequest, what: str, number: int, told: str) -> None:
        """Tell the audit events what became of asking a webhook, which is known by its place among all of them."""
        key = self._asking.versions.scheme.dialect.group(f"{what}.webhook.admission")
        request.annotate(f"{key}/round_{int(request.is_reinvocation)}_index_{number}", told)

    async def _changed(self, matched: Matched, request: AdmissionRequest, number: int) -> bool:
        shown = request.obj
        if shown is not None:
            shown = await self._asking.versions.convert(request, shown, request.resource, matched.resource)
        response = await self._asking.ask(matched, request, shown)
        if response.denial is not None:
            raise response.denial
        if not response.patch:
            return False
        operations, new = await self._patched(matched, request, shown, response.patch)
        if new is None:
            return False
        told = await aside(len(response.patch), _told, matched.webhook, {"patch": operations, "patchType": JSON_PATCH})
        self._note(request, "patch", number, told)
        if await aside(request.size_bytes, same_json, new, shown):
            return False
        request.obj = await self._asking.versions.convert(request, new, matched.resource, request.resource)
        return True

    async def _patched(self, matched: Matched, request: AdmissionRequest, shown: Object | None, patch: bytes) -> tuple[Json, Object | None]:
        """The operations of a webhook's patch, and the object after it, read by the schema and completed; None where the patch is empty."""
        name = matched.webhook.name
        try:
            operations = await aside(len(patch), decode_sent_json, patch)
            if operations == []:
                return operations, None
            if shown is None:
                raise CallError(f'admission webhook "{name}" attempted to modify the object, which is not supported for this operation')
            size_bytes = (request.size_bytes + len(patch)) * json_patch.growth(operations)
            patched = await aside(size_bytes, json_patch.apply, shown, operations)
            if flaw := flaw_of_patched(patched, shown):
                raise CallError(f'admission webhook "{name}" {flaw}')
            target = in_version(request.target, matched.resource)
            if request.operation == "CONNECT":  # its options are read once all have been asked
                return operations, patched
            request.is_as_long_as(len(await aside(size_bytes, encode, patched)))
            new = await aside(request.size_bytes, read_again, target, shown, patched, self._asking.versions.context())
        except (StatusError, json_patch.RejectedError, NotUsableError) as error:
            raise CallError(f'admission webhook "{name}" returned a patch that can\'t be applied: {error}') from error
        return operations, new


def _told(webhook: Webhook, said: Object) -> str:
    return encode({"configuration": webhook.configuration, "webhook": webhook.name, **said}).decode()
