"""RbacEscalation: users can't grant rights that they don't have themselves.

A user who writes a role must have all rights that it grants, or be allowed to ``escalate`` it; a user who writes a binding must have all
rights of the role, or be allowed to ``bind`` it. Otherwise the right to write roles would be the right to do everything. It is called like
an admission plugin with the resulting object, but can't be switched off. The administrators' group may do all this anyway.
"""

from svcsim.admission.collected import is_collected
from svcsim.admission.plugin import Rule
from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import MASTERS
from svcsim.auth.authorization import ALL, Authorizer, Rules, Verdict
from svcsim.auth.rbac.bindings import Bindings
from svcsim.auth.rbac.covering import uncovered
from svcsim.auth.rbac.rules import non_resource_rules, resource_rules
from svcsim.meta.aside import aside
from svcsim.meta.errors import not_found
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupResource, Object
from svcsim.registry.admission import AdmissionRequest

_ROLES, _BINDINGS = ("roles", "clusterroles"), ("rolebindings", "clusterrolebindings")
_GROUP = "rbac.authorization"
_EVERYTHING: Object = {
    "rules": [{"verbs": [ALL], "apiGroups": [ALL], "resources": [ALL]}, {"verbs": [ALL], "nonResourceURLs": [ALL]}],
}
_BYTES_A_RIGHT = 64
"""By which comparing rights counts as work that is done aside."""


class RbacEscalation:
    """Refuses roles and bindings that give more than their writer has."""

    name = "RbacEscalation"
    rules = (Rule(("CREATE", "UPDATE"), (*_ROLES, *_BINDINGS), _GROUP, suffixed=True),)

    def __init__(self, authorizer: Authorizer, bindings: Bindings) -> None:
        self._authorizer = authorizer
        self._bindings = bindings

    async def validate(self, request: AdmissionRequest) -> None:
        """Raise 403 for more than the user has, and 404 for a role that isn't there to be compared."""
        assert request.obj is not None
        if MASTERS in request.user.groups or (request.old is not None and is_collected(request.obj, request.old)):
            return
        if "roleRef" in request.obj:
            await self._check_binding(request, request.obj["roleRef"])
        else:
            await self._check_role(request, request.obj)

    async def _check_role(self, request: AdmissionRequest, role: Object) -> None:
        group, plural = request.resource.group_resource
        if await self._may(request, "escalate", group, plural, request.name):
            return
        if "aggregationRule" in role or "aggregationRule" in (request.old or {}):
            has = await self._rules_of(request)
            if uncovered(has, _EVERYTHING):
                raise request.refusal("must have cluster-admin privileges to use the aggregationRule")
        await self._check(request, role)

    async def _check_binding(self, request: AdmissionRequest, reference: Object) -> None:
        group = request.resource.group_resource.group
        plural = "clusterroles" if reference["kind"] == "ClusterRole" else "roles"
        if await self._may(request, "bind", group, plural, reference["name"]):
            return
        role = self._bindings.role(reference, request.target.namespace)
        if role is None:
            raise not_found(GroupResource(group, reference["kind"].lower()), reference["name"])
        await self._check(request, role)

    async def _check(self, request: AdmissionRequest, role: Object) -> None:
        """The user has to have all that the role allows."""
        has = await self._rules_of(request)
        compared = sum(len(rule.verbs) * len(rule.groups) * len(rule.resources) for rule in resource_rules(role))
        compared += sum(len(rule.paths) for rule in non_resource_rules(role)) + len(has.resources)
        missing = await aside(compared * _BYTES_A_RIGHT, uncovered, has, role)
        if not missing:
            return
        user = request.user
        why = f"user {quoted(user.name)} (groups=[{' '.join(map(quoted, user.groups))}]) is attempting to grant RBAC permissions "
        why += "not currently held:\n" + "\n".join(sorted(map(str, missing)))
        raise request.refusal(why + (f"; resolution errors: {has.error}" if has.error else ""))

    async def _rules_of(self, request: AdmissionRequest) -> Rules:
        return await self._authorizer.rules_for(request.user, request.target.namespace)

    async def _may(self, request: AdmissionRequest, verb: str, group: str, plural: str, name: str) -> bool:
        asked = Attributes(request.user, verb, group, ALL, plural, "", request.target.namespace, name)
        return (await self._authorizer.authorize(asked)).verdict is Verdict.ALLOW
