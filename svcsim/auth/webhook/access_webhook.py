"""Authorization by a server outside this process: it is sent a SubjectAccessReview and allows, denies, or has no opinion.

Its decisions are cached, for longer if it allows. If it can't be called, its decision is unknown: a `WebhookError`, of which
`AuthorizerUnion` makes an incident, so that the request fails unless another authorizer decides.
"""

import hashlib
from functools import partial

from svcsim import limits
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Decision, Rules, Verdict
from svcsim.auth.webhook.decisions import Decisions, Kept
from svcsim.auth.webhook.reviewer import Reviewer, WebhookError, flag, text
from svcsim.clock import Clock
from svcsim.meta.codec import encode
from svcsim.meta.field_selectors import FieldRequirement
from svcsim.meta.label_matching import Requirement
from svcsim.meta.types import Object, User

_FIELD_OPERATORS = {"=": "In", "==": "In", "!=": "NotIn"}
_LABEL_OPERATORS = {"=": "In", "==": "In", "!=": "NotIn", "in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}
"""The operators that a review can express; leaving out another condition only makes the review broader than the request."""


class AccessWebhook:
    """Asks one server about requests."""

    def __init__(self, reviewer: Reviewer, clock: Clock, groups_field: str, allowed_ttl_s: float, unauthorized_ttl_s: float) -> None:
        """``groups_field`` is what the version of the review calls the user's groups: ``groups``, or ``group`` in v1beta1."""
        self._reviewer = reviewer
        self._groups_field = groups_field
        self._allowed_ttl_s = allowed_ttl_s
        self._unauthorized_ttl_s = unauthorized_ttl_s
        self._decisions: Decisions[Decision] = Decisions(clock)

    async def authorize(self, attributes: Attributes) -> Decision:
        """What the server decides, or has decided. Raises `WebhookError`."""
        spec = _spec(attributes, self._groups_field)
        asked = encode(spec)
        question = hashlib.sha256(asked).digest()
        return await self._decisions.decided(question, partial(self._ask, spec, len(asked)))

    async def rules_for(self, _user: User, _namespace: str) -> Rules:
        """It goes by no rules that it could be asked for."""
        return Rules(incomplete=True, error="webhook authorizer does not support user rule resolution")

    async def _ask(self, spec: Object, size_bytes: int) -> Kept[Decision]:
        decision = _decision(await self._reviewer.status(spec))
        ttl_s = self._allowed_ttl_s if decision.verdict is Verdict.ALLOW else self._unauthorized_ttl_s
        kept_s = ttl_s if size_bytes <= limits.WEBHOOK_DECISION_BYTES else 0.0
        return Kept(decision, kept_s, len(decision.reason))


def _decision(status: Object) -> Decision:
    allowed, denied = flag(status, "allowed"), flag(status, "denied")
    reason = text(status, "reason")[: limits.WEBHOOK_TOLD_CHARS]
    if allowed and denied:
        raise WebhookError("webhook subject access review returned both allow and deny response")
    if denied:
        return Decision(Verdict.DENY, reason)
    return Decision(Verdict.ALLOW if allowed else Verdict.NO_OPINION, reason)


def _spec(attributes: Attributes, groups_field: str) -> Object:
    user = attributes.user
    spec: Object = {"user": user.name}
    if user.groups:
        spec[groups_field] = list(user.groups)
    if user.uid:
        spec["uid"] = user.uid
    if user.extra:
        spec["extra"] = {key: list(values) for key, values in user.extra.items()}
    if attributes.is_resource:
        spec["resourceAttributes"] = _resource(attributes)
    else:
        spec["nonResourceAttributes"] = {"path": attributes.path, "verb": attributes.verb}
    return spec


def _resource(attributes: Attributes) -> Object:
    told: Object = {
        "namespace": attributes.namespace,
        "verb": attributes.verb,
        "group": attributes.group,
        "version": attributes.version,
        "resource": attributes.resource,
        "subresource": attributes.subresource,
        "name": attributes.name,
        "fieldSelector": _fields(attributes.field_requirements),
        "labelSelector": _labels(attributes.label_requirements),
    }
    return {name: value for name, value in told.items() if value}


def _fields(requirements: tuple[FieldRequirement, ...]) -> Object:
    known = [one for one in requirements if one.operator in _FIELD_OPERATORS]
    return _selector([{"key": one.field, "operator": _FIELD_OPERATORS[one.operator], "values": [one.value]} for one in known])


def _labels(requirements: tuple[Requirement, ...]) -> Object:
    known = [one for one in requirements if one.operator in _LABEL_OPERATORS]
    return _selector(
        [
            {"key": one.key, "operator": _LABEL_OPERATORS[one.operator], **({"values": list(one.values)} if one.values else {})}
            for one in known
        ]
    )


def _selector(requirements: list[Object]) -> Object:
    return {"requirements": requirements} if requirements else {}
