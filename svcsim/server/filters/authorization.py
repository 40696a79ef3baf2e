"""Authorization: whether the user may, and the 403 that says what they may not."""

import logging

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Authorizer, Decision, Verdict
from svcsim.meta.aside import aside
from svcsim.meta.errors import StatusError, forbidden, internal
from svcsim.meta.field_selectors import FieldRequirement, parse_fields
from svcsim.meta.label_matching import Requirement
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupResource, User
from svcsim.server.filters.familiar import Familiar
from svcsim.server.requests.query import text
from svcsim.server.requests.request_info import RequestInfo
from svcsim.server.requests.way import Way

logger = logging.getLogger(__name__)

_SELECTING = ("list", "watch", "deletecollection")


async def authorize(
    authorizer: Authorizer, user: User, info: RequestInfo, way: Way, familiar: Familiar | None = None, *, component: bool = False
) -> None:
    """Raise 403 unless the user may do this, and 500 where one who might have allowed it failed. The decision is noted on the way.

    A ``component`` of the cluster that is refused can't do its work, and nobody else would hear of it: the log tells.
    """
    attributes = await attributes_of(user, info)
    decision = await authorizer.authorize(attributes)
    way.decision = decision
    try:
        check(attributes, decision)
    except StatusError as refused:
        if component:
            logger.error("a component of the cluster is refused what it needs: %s", refused.message)  # noqa: TRY400 - no failure of ours
        raise
    if familiar is not None:
        familiar.learn(info, decision)


def check(attributes: Attributes, decision: Decision) -> None:
    """Raise what a decision that doesn't allow comes to."""
    if decision.incident:
        raise internal(decision.incident)
    if decision.verdict is not Verdict.ALLOW:
        raise refusal(attributes, decision.reason)


async def attributes_of(user: User, info: RequestInfo) -> Attributes:
    """A request as authorizers see it. A collection narrowed to one name by a field selector is permitted like that object."""
    if not info.is_resource:
        return Attributes(user, info.verb, path=info.path)
    name = info.name
    fields: tuple[FieldRequirement, ...] = ()
    labels: tuple[Requirement, ...] = ()
    if info.query and info.verb in _SELECTING:
        by_field, by_label = text(info.query, "fieldSelector"), text(info.query, "labelSelector")
        fields = await aside(len(by_field), _field_requirements, by_field)
        labels = await aside(len(by_label), _label_requirements, by_label)
        name = name or _named(fields)
    return Attributes(
        user, info.verb, info.group, info.version, info.resource, info.subresource, info.namespace, name, info.path, fields, labels
    )


async def selected_name(info: RequestInfo) -> str:
    """The object a request is about: the one its path names, else the only one that it selects."""
    if info.name or not info.query or info.verb not in _SELECTING:
        return info.name
    by_field = text(info.query, "fieldSelector")
    return _named(await aside(len(by_field), _field_requirements, by_field))


def _named(fields: tuple[FieldRequirement, ...]) -> str:
    return next((r.value for r in fields if r.field == "metadata.name" and r.operator == "="), "")


def _field_requirements(selector: str) -> tuple[FieldRequirement, ...]:
    try:
        return parse_fields(selector).requirements if selector else ()
    except StatusError:
        return ()  # the verb says what is wrong with it


def _label_requirements(selector: str) -> tuple[Requirement, ...]:
    try:
        return parse_labels(selector).requirements if selector else ()
    except StatusError:
        return ()  # the verb says what is wrong with it


def refusal(attributes: Attributes, reason: str) -> StatusError:
    """The 403 as clients know it: who may not do what, where."""
    user = f"User {quoted(attributes.user.name)}"
    if not attributes.is_resource:
        why = f"{user} cannot {attributes.verb} path {quoted(attributes.path)}"
        return StatusError(403, "Forbidden", f"forbidden: {why}{_because(reason)}", {})
    resource = f"{attributes.resource}/{attributes.subresource}" if attributes.subresource else attributes.resource
    where = f"in the namespace {quoted(attributes.namespace)}" if attributes.namespace else "at the cluster scope"
    why = f"{user} cannot {attributes.verb} resource {quoted(resource)} in API group {quoted(attributes.group)} {where}"
    return forbidden(GroupResource(attributes.group, attributes.resource), attributes.name, why + _because(reason))


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""
