"""MutatingAdmissionPolicy: objects are changed by expressions, before webhooks see them.

All policies are evaluated, also when one has failed, and then the first failure that counts is reported: those of policies that couldn't be
evaluated come first. Policies with a reinvocation policy are evaluated again if the object was changed: unlike with webhooks, also if no
later plugin changed it, or only the policy itself did.
"""

import logging
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Literal

from svcsim.admission.matching import Interest
from svcsim.admission.policies.invocations import Invocation, Invocations, Misconfigured
from svcsim.admission.rounds import Rounds
from svcsim.meta.codec import same_json
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.quoting import quoted
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.admission_trace import Step

if TYPE_CHECKING:
    from svcsim.admission.expressions.asker import Views
    from svcsim.admission.policies.changing import Changer
    from svcsim.meta.aside import MadeAside

_LOG = logging.getLogger("svcsim.admission")


class MutatingAdmissionPolicy:
    """Asks them in the order of their names."""

    name = "MutatingAdmissionPolicy"
    asks_others: Literal[True] = True

    def __init__(self, invocations: Invocations, changer: "MadeAside[Changer]") -> None:
        self._invocations = invocations
        self._changer = changer

    @property
    def rules(self) -> tuple[Interest, ...]:
        return self._invocations.rules

    def on_change(self, listener: Callable[[], None]) -> None:
        self._invocations.on_change(listener)

    async def admit(self, request: AdmissionRequest) -> None:
        rounds = Rounds.of(request, self.name)
        misconfigured, failed = list[str](), list[str]()
        views: Views | None = None
        for invocation in [one async for one in self._invocations.about(request)]:
            if isinstance(invocation, Misconfigured):
                async with request.step("policy", invocation.told) as step:
                    misconfigured += _counted(request, invocation, [invocation.failure], "Forbidden", step)
                continue
            if rounds.passes_over(_identity(invocation), request):
                continue
            async with request.step("policy", invocation.told) as step:
                changer = await self._changer.get()
                views = views or changer.asker.views(request, self._invocations.versions)
                failures = await _asked(changer, invocation, request, views, rounds, step)
                failed += _counted(request, invocation, failures, "Invalid", step)
        if rounds.has_changed:
            rounds.changed()
        rounds.end(request)
        if failures := misconfigured + failed:
            raise _refusal(request, failures, "Forbidden" if misconfigured else "Invalid")


async def _asked(
    changer: "Changer", invocation: Invocation, request: AdmissionRequest, views: "Views", rounds: Rounds, step: Step
) -> list[str]:
    """What fails of one policy."""
    before = request.obj
    asked = await changer.change(invocation, request, views)
    if asked.unmet_condition:
        step.leave_out(asked.unmet_condition)
        return []
    changed = request.obj is not before and not same_json(request.obj, before)
    rounds.had_asked(_identity(invocation), request, changed=changed, reinvocable=invocation.policy.reinvocable)
    return asked.failures


def _identity(invocation: Invocation) -> Hashable:
    """What tells one time a policy is asked about a request from the others."""
    params = invocation.params or {"metadata": {}}
    return invocation.policy.name, invocation.binding.name, namespace_of(params), name_of(params)


def _counted(request: AdmissionRequest, found: Invocation | Misconfigured, failures: list[str], reason: str, step: Step) -> list[str]:
    """The messages of the failures that count by the failure policy."""
    policy, binding = found.policy, found.binding
    named = f"policy {quoted(policy.name)}" if binding is None else f"policy '{policy.name}' with binding '{binding.name}'"
    if policy.failure_ignored:
        for why in failures:
            _LOG.warning("%s is ignored, since it failed: %s", named, why)
        step.ignored = "; ".join(failures)
        return []
    told = [f"{named} denied request: {why}" for why in failures]
    step.refusal = _refusal(request, told, reason) if told else None
    return told


def _refusal(request: AdmissionRequest, failures: list[str], reason: str) -> StatusError:
    forbidden = request.refusal(failures[0], *({"message": told} for told in failures))
    return StatusError(403, reason, failures[0], forbidden.details)
