"""Resources that may only be used if a quota covers them (``limitedResources``): without one their use is forbidden, not unlimited."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.meta.errors import StatusError
from svcsim.meta.objects import get_path
from svcsim.meta.quota_usage import Charge, concerns, in_scope, scopes_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest


class LimitedResource(NamedTuple):
    """One entry of the configuration."""

    group: str
    resource: str
    contains: tuple[str, ...] = ()
    """Parts of the names of amounts that are meant: ``.storageclass.`` is in those of all storage classes."""
    scopes: tuple[Object, ...] = ()
    """As a quota's ``scopeSelector`` has them: objects in one of them are meant."""


def check_covered(limited: Iterable[LimitedResource], request: AdmissionRequest, charge: Charge, quotas: Iterable[Object]) -> None:
    """Refuse an object that takes what no quota covers: with 403 for amounts, and for scopes with Kubernetes' own bare 500."""
    group_resource = request.resource.group_resource
    meant = [one for one in limited if (one.group, one.resource) == (group_resource.group, group_resource.resource)]
    if not meant:
        return
    quotas, resource = list(quotas), request.resource.store_name
    taken = (name for name, amount in charge.amounts if amount.number > 0)
    wanted = {name for name in taken if any(part in name for one in meant for part in one.contains)}
    for quota in quotas:
        if concerns(quota, resource, charge):
            wanted -= set(get_path(quota, "spec.hard") or {})
    if wanted:
        raise request.refusal(f"insufficient quota to consume: {','.join(sorted(wanted))}")
    covered = {one.get("scopeName") for quota in quotas for one in scopes_of(quota.get("spec") or {}) if in_scope(charge, one)}
    scopes = [scope for one in meant for scope in one.scopes if in_scope(charge, scope) and scope.get("scopeName") not in covered]
    if scopes:
        raise StatusError(500, "", f"insufficient quota to match these scopes: [{' '.join(map(_told, scopes))}]")


def _told(scope: Object) -> str:
    return f"{{{scope.get('scopeName')} {scope.get('operator')} [{' '.join(scope.get('values') or ())}]}}"
