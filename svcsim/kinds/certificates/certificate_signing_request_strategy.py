"""What the server sets in a CertificateSigningRequest: the requester, and when its conditions changed."""

from svcsim.kinds.certificates.certificate_signing_request_rules import APPROVED, DENIED
from svcsim.meta.objects import get_path
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def create(obj: Object, context: Context) -> None:
    """The requester is the authenticated user, whatever the object says."""
    spec, user = obj["spec"], context.user
    given = {
        "username": user.name,
        "uid": user.uid,
        "groups": list(user.groups),
        "extra": {key: list(values) for key, values in user.extra.items()},
    }
    for name, value in given.items():
        spec.pop(name, None)
        if value:
            spec[name] = value


def update(new: Object, old: Object, context: Context) -> None:
    """A request stays as it was made."""
    new["spec"] = old["spec"]


def update_status(new: Object, old: Object, context: Context) -> None:
    """Decisions stay as they are, where none comes or goes, which rules refuse."""
    conditions = list(_conditions(new))
    for kind in (APPROVED, DENIED):
        kept = [condition for condition in _conditions(old) if condition["type"] == kind]
        places = [index for index, condition in enumerate(conditions) if condition["type"] == kind]
        if len(kept) == len(places):
            for index, condition in zip(places, kept, strict=True):
                conditions[index] = condition
    _set_times(new, conditions, old, context)


def update_approval(new: Object, old: Object, context: Context) -> None:
    """Any condition may change but for those that rules hold."""
    _set_times(new, _conditions(new), old, context)


def _set_times(new: Object, conditions: list[Object], old: Object, context: Context) -> None:
    """Conditions without times have changed now; one that says what it said before changed when that did."""
    if not conditions:
        return
    since = {(one["type"], one["status"]): one.get("lastTransitionTime") for one in reversed(_conditions(old))}
    timed = [
        {
            **condition,
            "lastUpdateTime": condition.get("lastUpdateTime") or context.timestamp,
            "lastTransitionTime": condition.get("lastTransitionTime")
            or since.get((condition["type"], condition["status"]))
            or context.timestamp,
        }
        for condition in conditions
    ]
    new["status"] = {**new["status"], "conditions": timed}


def _conditions(obj: Object) -> list[Object]:
    found: list[Object] = get_path(obj, "status.conditions") or []
    return found
