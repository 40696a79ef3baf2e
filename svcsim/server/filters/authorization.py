"""Authorization: whether the user may, and the 403 that says what they may not."""

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorizers import Authorizer
from svcsim.meta.errors import StatusError, forbidden
from svcsim.meta.selectors import parse_fields
from svcsim.meta.types import GroupResource, User
from svcsim.server.query import text
from svcsim.server.request_info import RequestInfo


def authorize(authorizer: Authorizer, user: User, info: RequestInfo) -> None:
    """Raise 403 unless the user may do this."""
    if info.is_resource:
        attributes = Attributes(
            user, info.verb, info.group, info.version, info.resource, info.subresource, info.namespace, _name(info), info.path
        )
    else:
        attributes = Attributes(user, info.verb, path=info.path)
    decision = authorizer.authorize(attributes)
    if not decision.allowed:
        raise refusal(attributes, decision.reason)


def _name(info: RequestInfo) -> str:
    """The object's name; a collection narrowed to one name by a field selector is permitted like that object."""
    if info.name or not info.query:
        return info.name
    selector = text(info.query, "fieldSelector")
    if "metadata.name" not in selector:
        return ""
    try:
        return parse_fields(selector).exact.get("metadata.name", "")
    except StatusError:
        return ""  # the verb tells what is wrong with it


def refusal(attributes: Attributes, reason: str) -> StatusError:
    """The 403 as clients know it: who may not do what, where."""
    user = f'User "{attributes.user.name}"'
    if not attributes.is_resource:
        why = f'{user} cannot {attributes.verb} path "{attributes.path}"'
        return StatusError(403, "Forbidden", f"forbidden: {why}{_because(reason)}", {})
    resource = f"{attributes.resource}/{attributes.subresource}" if attributes.subresource else attributes.resource
    where = f'in the namespace "{attributes.namespace}"' if attributes.namespace else "at the cluster scope"
    why = f'{user} cannot {attributes.verb} resource "{resource}" in API group "{attributes.group}" {where}'
    return forbidden(GroupResource(attributes.group, attributes.resource), attributes.name, why + _because(reason))


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""
