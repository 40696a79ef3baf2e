"""The cluster-role aggregation controller: a role that gathers others has the rules of all roles its selectors find.

So the author of a new kind grants its use by a label on a separate role, without editing any existing role.
"""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.codec import encode
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.types import Object


class ClusterRoleAggregation(Controller):
    """Keeps the rules of roles that gather others."""

    def __init__(self, context: ControllerContext) -> None:
        version = f"{context.dialect.group('rbac.authorization')}/v1"
        self._api = context.client.resource(version, "clusterroles")
        self._roles = context.informers.cache(version, "clusterroles")
        super().__init__("cluster-role aggregation controller", context.clock, (Source(self._roles, self._gathering),))

    def _gathering(self, _change: str, _role: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """Any role may be gathered by any that gathers."""
        return [object_key(role) for role in self._roles.all() if "aggregationRule" in role]

    async def reconcile(self, key: ObjectKey) -> None:
        role = self._roles.get(key.name)
        if role is None or "aggregationRule" not in role:
            return
        rules = gathered(role, self._roles.all())
        if rules != (role.get("rules") or []):
            current = await self._api.get(key.name)
            if current["metadata"]["resourceVersion"] == role["metadata"]["resourceVersion"]:
                await self._api.update({**current, "rules": rules})


def gathered(role: Object, roles: Iterable[Object]) -> list[Object]:
    """The rules of all roles that a role's selectors find, each once, by the selectors' order and the roles' names."""
    by_name = sorted((other for other in roles if name_of(other) != name_of(role)), key=name_of)
    found: dict[bytes, Object] = {}
    for selector in (from_object(one) for one in role["aggregationRule"].get("clusterRoleSelectors") or ()):
        for other in by_name:
            if selector.matches(labels_of(other)):
                found.update((encode(rule), rule) for rule in other.get("rules") or ())
    return list(found.values())
