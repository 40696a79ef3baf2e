"""ValidatingAdmissionPolicy: what is refused, warned of and noted by expressions, in the words that Kubernetes' users know."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from svcsim.admission.counted import Action, AdmissionCounted
from svcsim.admission.matching import Interest
from svcsim.admission.policies.configured import Binding, Policy
from svcsim.admission.policies.invocations import Invocation, Invocations, Misconfigured
from svcsim.admission.policies.outcome import Unmet
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.admission_trace import Step
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from svcsim.admission.expressions.asker import Views
    from svcsim.admission.policies.evaluating import Evaluator
    from svcsim.meta.aside import MadeAside

_CODES: Final = {"Forbidden": 403, "Invalid": 422, "RequestEntityTooLarge": 413, "Unauthorized": 401}
_ACTIONS: Final[dict[str, Action]] = {"Deny": "deny", "Warn": "warn", "Audit": "audit"}
_LOG = logging.getLogger("svcsim.admission")


@dataclass(slots=True)
class _Outcome:
    """What has been found of one request so far."""

    refusal: StatusError | None = None
    """The first refusal, if there are several."""
    failures: list[Object] = field(default_factory=list)
    """What is noted beside the audit events."""
    annotations: dict[str, dict[str, None]] = field(default_factory=dict)


class ValidatingAdmissionPolicy:
    """Evaluates all policies, also when one has refused, so that the warnings of others are sent all the same."""

    name = "ValidatingAdmissionPolicy"

    def __init__(self, invocations: Invocations, evaluator: "MadeAside[Evaluator]", counted: AdmissionCounted) -> None:
        self._invocations = invocations
        self._evaluator = evaluator
        self._counted = counted

    @property
    def rules(self) -> tuple[Interest, ...]:
        return self._invocations.rules

    def on_change(self, listener: Callable[[], None]) -> None:
        self._invocations.on_change(listener)

    async def validate(self, request: AdmissionRequest) -> None:
        outcome = _Outcome()
        views: Views | None = None
        async for invocation in self._invocations.about(request):
            async with request.step("policy", invocation.told) as step:
                if isinstance(invocation, Misconfigured):
                    _refuse_misconfigured(request, invocation, outcome, step)
                    continue
                evaluator = await self._evaluator.get()
                views = views or evaluator.asker.views(request, self._invocations.versions)
                view = await views.of(invocation.matched)
                started = stopwatch()
                evaluated = await evaluator.evaluate(invocation, view)
                took_s = stopwatch() - started
                if evaluated.unmet_condition:
                    step.leave_out(evaluated.unmet_condition)
                for unmet in evaluated.unmet:
                    self._take(request, invocation, unmet, outcome, step, took_s)
                for key, value in evaluated.annotations:
                    outcome.annotations.setdefault(f"{invocation.policy.name}/{key}", {})[value] = None
        self._note(request, outcome)
        if outcome.refusal is not None:
            raise outcome.refusal

    def _take(self, request: AdmissionRequest, invocation: Invocation, unmet: Unmet, outcome: _Outcome, step: Step, took_s: float) -> None:
        policy, binding = invocation.policy, invocation.binding
        ignored = unmet.failed and policy.failure_ignored
        for action in ("allow",) if ignored else tuple(_ACTIONS[one] for one in _actions(binding, unmet)):
            self._counted.found(policy.name, binding.name, action, took_s, failed=unmet.failed)
        _take(request, invocation, unmet, outcome, step)

    def _note(self, request: AdmissionRequest, outcome: _Outcome) -> None:
        if outcome.failures:
            key = self._invocations.versions.scheme.dialect.group("validation.policy.admission")
            request.annotate(f"{key}/validation_failure", encode(outcome.failures).decode())
        for name, values in outcome.annotations.items():
            request.annotate(name, ", ".join(values))


def _refuse_misconfigured(request: AdmissionRequest, found: Misconfigured, outcome: _Outcome, step: Step) -> None:
    named = _named(found.policy, found.binding)
    if found.policy.failure_ignored:
        _ignore(named, found.failure, step)
        return
    step.refusal = _refusal(request, f"{named} denied request: {found.failure}", "Invalid")
    outcome.refusal = outcome.refusal or step.refusal


def _take(request: AdmissionRequest, invocation: Invocation, unmet: Unmet, outcome: _Outcome, step: Step) -> None:
    """What follows, as the binding says; of a policy that couldn't be asked its failure policy says whether anything does."""
    policy, binding = invocation.policy, invocation.binding
    both = _named(policy, binding)
    if unmet.failed and policy.failure_ignored:
        _ignore(both, unmet.told, step)
        return
    actions = _actions(binding, unmet)
    if "Deny" in actions:
        step.refusal = step.refusal or _refusal(request, f"{both} denied request: {unmet.told}", unmet.reason)
        outcome.refusal = outcome.refusal or step.refusal
    if "Warn" in actions:
        request.warn(f"Validation failed for {both}: {unmet.told}")
    if "Audit" in actions:
        about = {"message": unmet.told, "policy": policy.name, "binding": binding.name, "expressionIndex": unmet.number}
        outcome.failures.append({**about, "validationActions": list(actions)})


def _actions(binding: Binding, unmet: Unmet) -> tuple[str, ...]:
    """What follows."""
    return ("Deny",) if unmet.of_annotation else binding.actions


def _named(policy: Policy, binding: Binding | None) -> str:
    named = f"ValidatingAdmissionPolicy '{policy.name}'"
    return named if binding is None else f"{named} with binding '{binding.name}'"


def _ignore(named: str, why: str, step: Step) -> None:
    _LOG.warning("%s is ignored, since it failed: %s", named, why)
    step.ignored = why


def _refusal(request: AdmissionRequest, told: str, reason: str) -> StatusError:
    forbidden = request.refusal(told, {"message": told})
    return StatusError(_CODES.get(reason, 422), reason, forbidden.message, forbidden.details)
