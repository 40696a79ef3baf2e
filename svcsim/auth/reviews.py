"""Reviews: the decisions of the cluster's own authenticators and authorizers, as an API.

A review is decided by the same unions that decide about requests, so that its answer is always what would happen.
"""

import logging
from typing import Protocol

from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import Identity, Rejected
from svcsim.auth.authorization import Authorizer, Verdict
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.field_selectors import FieldRequirement, parse_fields
from svcsim.meta.label_matching import Requirement
from svcsim.meta.label_selectors import WORD_OPERATORS, parse_labels
from svcsim.meta.types import Object, User
from svcsim.registry.kind import Answer, Context

_LOG = logging.getLogger("svcsim.auth")


class Tokens(Protocol):
    """Knows whose a bearer token is."""

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Identity | Rejected: ...


class Reviews:
    """Answers for every kind of review."""

    def __init__(self, tokens: Tokens, authorizer: Authorizer, audiences: tuple[str, ...]) -> None:
        """``audiences`` are the API server's own names, which tokens are for that don't say whom they are for."""
        self._tokens = tokens
        self._authorizer = authorizer
        self._audiences = audiences

    def answers(self) -> dict[str, Answer]:
        """By the names of the kinds."""
        return {
            "TokenReview": self.token,
            "SelfSubjectReview": self.self_subject,
            "SubjectAccessReview": self.access,
            "LocalSubjectAccessReview": self.access,
            "SelfSubjectAccessReview": self.own_access,
            "SelfSubjectRulesReview": self.own_rules,
        }

    async def token(self, review: Object, _context: Context) -> Object:
        """Whose token it is: as if a request came with that token and nothing else."""
        spec = review["spec"]
        if not spec["token"]:
            raise bad_request("token is required for TokenReview in authentication")
        return {**review, "status": await self._token_status(spec["token"], tuple(spec.get("audiences") or self._audiences))}

    async def _token_status(self, token: str, wanted: tuple[str, ...]) -> Object:
        identity = await self._tokens.authenticate_token(token, wanted)
        if isinstance(identity, Rejected):
            _LOG.info("a token that was reviewed was rejected: %s", identity.reason)
            return {"user": {}, "error": identity.told or identity.reason}
        shared = [audience for audience in identity.audiences or self._audiences if audience in wanted]
        if not shared:
            return {"user": {}, "error": "invalid bearer token"}
        return {"authenticated": True, "user": user_info(identity.user), "audiences": shared}

    async def self_subject(self, review: Object, context: Context) -> Object:
        """The caller's identity: a SelfSubjectReview's answer."""
        return {**review, "status": {"userInfo": user_info(context.user)}}

    async def access(self, review: Object, _context: Context) -> Object:
        """Whether a user may do something: a SubjectAccessReview's answer."""
        spec = review["spec"]
        extra = {key: tuple(values or ()) for key, values in (spec.get("extra") or {}).items()}
        return await self._decided(review, User(spec.get("user") or "", tuple(spec.get("groups") or ()), spec.get("uid") or "", extra))

    async def own_access(self, review: Object, context: Context) -> Object:
        """Whether the caller may do something."""
        return await self._decided(review, context.user)

    async def _decided(self, review: Object, user: User) -> Object:
        decision = await self._authorizer.authorize(_attributes(user, review["spec"]))
        status: Object = {"allowed": decision.verdict is Verdict.ALLOW}
        if decision.verdict is Verdict.DENY:
            status["denied"] = True
        if decision.reason:
            status["reason"] = decision.reason
        if decision.incident:
            status["evaluationError"] = f"incident {decision.incident}; the server's log has it under this id"
        return {**review, "status": status}

    async def own_rules(self, review: Object, context: Context) -> Object:
        """The rights of the caller."""
        namespace = review["spec"].get("namespace")
        if not namespace:
            raise bad_request("no namespace on request")
        rules = await self._authorizer.rules_for(context.user, namespace)
        status: Object = {
            "resourceRules": [
                {
                    "verbs": list(rule.verbs),
                    "apiGroups": list(rule.groups),
                    "resources": list(rule.resources),
                    **({"resourceNames": list(rule.names)} if rule.names else {}),
                }
                for rule in rules.resources
            ],
            "nonResourceRules": [{"verbs": list(rule.verbs), "nonResourceURLs": list(rule.paths)} for rule in rules.non_resources],
            "incomplete": rules.incomplete,
        }
        if rules.error:
            status["evaluationError"] = rules.error
        return {**review, "status": status}


def user_info(user: User) -> Object:
    """A user as the API tells of one."""
    told = {
        "username": user.name,
        "uid": user.uid,
        "groups": list(user.groups),
        "extra": {key: list(values) for key, values in user.extra.items()},
    }
    return {name: value for name, value in told.items() if value}


def _attributes(user: User, spec: Object) -> Attributes:
    path = spec.get("nonResourceAttributes")
    if path is not None:
        return Attributes(user, path.get("verb") or "", path=path.get("path") or "")
    asked = spec["resourceAttributes"]
    verb, group, version, resource, subresource, namespace, name = (
        asked.get(field) or "" for field in ("verb", "group", "version", "resource", "subresource", "namespace", "name")
    )
    fields, labels = _fields(asked.get("fieldSelector") or {}), _labels(asked.get("labelSelector") or {})
    return Attributes(
        user,
        verb,
        group,
        version or "*",
        resource,
        subresource,
        namespace,
        name,
        field_requirements=fields,
        label_requirements=labels,
    )


def _fields(selector: Object) -> tuple[FieldRequirement, ...]:
    """What can be understood of it: a condition more would only narrow the request."""
    if raw := selector.get("rawSelector"):
        try:
            return parse_fields(raw).requirements
        except StatusError:
            return ()
    signs = {"In": "=", "NotIn": "!="}
    return tuple(
        FieldRequirement(one["key"], signs[one["operator"]], one["values"][0])
        for one in selector.get("requirements") or ()
        if one["operator"] in signs and len(one["values"]) == 1
    )


def _labels(selector: Object) -> tuple[Requirement, ...]:
    """As with fields."""
    if raw := selector.get("rawSelector"):
        try:
            return parse_labels(raw).requirements
        except StatusError:
            return ()
    return tuple(
        Requirement(one["key"], WORD_OPERATORS[one["operator"]], tuple(sorted(one.get("values") or ())))
        for one in selector.get("requirements") or ()
        if one["operator"] in WORD_OPERATORS
    )
