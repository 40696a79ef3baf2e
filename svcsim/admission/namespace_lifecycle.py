"""NamespaceLifecycle: nothing is created in a namespace that isn't there or is going, and the first namespaces stay."""

from svcsim.admission.plugin import Quiet
from svcsim.dialect import Dialect
from svcsim.meta import errors
from svcsim.meta.types import Object
from svcsim.registry.lister import Listers
from svcsim.registry.options import Caller, Target

_NAMESPACES = "namespaces"


class NamespaceLifecycle(Quiet):
    """Ties objects to the life of their namespace."""

    operations = ("CREATE", "DELETE")

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._namespaces = listers.of(_NAMESPACES)
        self._immortal = ("default", dialect.system_namespace, dialect.public_namespace)

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Refuse before anything else is done for the request."""
        if operation == "DELETE":
            if target.resource.store_name == _NAMESPACES and target.name in self._immortal:
                raise errors.forbidden(target.resource.group_resource, target.name, "this namespace may not be deleted")
            return
        if not target.namespace or not target.resource.kind.namespaced:
            return
        namespace = self._namespaces.latest("", target.namespace)
        if namespace is None:
            await self._namespaces.settled()
            raise errors.StatusError(
                404, "NotFound", f'namespaces "{target.namespace}" not found', {"name": target.namespace, "kind": _NAMESPACES}
            )
        if (namespace.get("status") or {}).get("phase") == "Terminating":
            await self._namespaces.settled()
            raise _terminating(target, new)


def _terminating(target: Target, new: Object | None) -> errors.StatusError:
    name = target.name or (new or {}).get("metadata", {}).get("name", "")
    why = f"unable to create new content in namespace {target.namespace} because it is being terminated"
    error = errors.forbidden(target.resource.group_resource, name, why)
    error.details = {
        **(error.details or {}),
        "causes": [
            {
                "reason": "NamespaceTerminating",
                "message": f"namespace {target.namespace} is being terminated",
                "field": "metadata.namespace",
            }
        ],
    }
    return error
