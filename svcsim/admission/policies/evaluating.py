"""Evaluates validating policies. It is loaded when there is one in force: the CEL library takes long, and much memory."""

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

from svcsim import limits
from svcsim.admission.expressions.asker import Asker, View
from svcsim.admission.expressions.conditions import unmet_condition
from svcsim.admission.policies.configured import Policy
from svcsim.admission.policies.invocations import Invocation
from svcsim.admission.policies.outcome import Evaluated, Unmet
from svcsim.meta.types import Object
from svcsim.schema.cel.requests import RequestExpressionError, RequestScope

_LOG = logging.getLogger("svcsim.admission")


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Asks one policy at a time."""

    asker: Asker

    async def evaluate(self, invocation: Invocation, view: View) -> Evaluated:
        """What it finds of a request."""
        policy, params = invocation.policy, invocation.params
        try:
            if policy.conditions and (unmet := await unmet_condition(policy.conditions, view.scope_of_conditions(params))):
                return Evaluated([], [], unmet)
        except RequestExpressionError as error:
            return Evaluated([Unmet(str(error), failed=True)], [])
        scope = view.scope(params, policy.variables)
        found = Evaluated([one async for one in _unmet(policy, scope)], [])
        for annotation in policy.audit_annotations:
            try:
                value = await scope.of(annotation["valueExpression"])
            except RequestExpressionError as error:
                found.unmet.append(Unmet(str(error), failed=True, of_annotation=True))
                continue
            if isinstance(value, str) and value.strip():
                found.annotations.append((annotation["key"], value.strip()))
        return found


async def _unmet(policy: Policy, scope: RequestScope) -> AsyncIterator[Unmet]:
    for index, validation in enumerate(policy.validations):
        try:
            if await scope.of(validation["expression"].strip()) is not True:
                yield Unmet(await _message(validation, scope), validation.get("reason") or "Invalid", index)
        except RequestExpressionError as error:
            yield Unmet(str(error), number=index, failed=True)


async def _message(validation: Object, scope: RequestScope) -> str:
    """The message for a condition that isn't met: the result of an expression, or a text, or the condition itself."""
    if text := (validation.get("messageExpression") or "").strip():
        try:
            made = await scope.of(text)
        except RequestExpressionError as error:
            _LOG.warning("a message can't be made: %s", error)
            made = None
        told = made.strip() if isinstance(made, str) else ""
        if told and "\n" not in told and len(told) <= limits.CEL_MESSAGE_CHARS:
            return told
    return (validation.get("message") or "").strip() or f"failed expression: {validation['expression'].strip()}"
