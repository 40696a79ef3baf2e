"""NamespaceLifecycle: nothing is created in a namespace that isn't there or is going, and the first namespaces stay."""

from svcsim.admission.plugin import ANY, Rule
from svcsim.dialect import Dialect
from svcsim.meta import errors
from svcsim.meta.types import GroupResource
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_NAMESPACES = "namespaces"
_NAMESPACE = GroupResource("", _NAMESPACES)


class NamespaceLifecycle:
    """Ties objects to the life of their namespace."""

    name = "NamespaceLifecycle"
    rules = (Rule(("CREATE",), ("*/*",), ANY), Rule(("DELETE",), (_NAMESPACES,)))

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._namespaces = listers.of(_NAMESPACES)
        self._immortal = ("default", dialect.system_namespace, dialect.public_namespace)

    async def check(self, request: AdmissionRequest) -> None:
        """Refuse before anything else is done for the request."""
        if request.operation == "DELETE":
            if request.name in self._immortal:
                raise request.refusal("this namespace may not be deleted")
            return
        if not request.target.namespace or request.asks_about_access:
            return
        namespace = self._namespaces.latest("", request.target.namespace)
        if namespace is None:
            await self._namespaces.settled()
            raise errors.not_found(_NAMESPACE, request.namespace)
        if (namespace.get("status") or {}).get("phase") == "Terminating":
            await self._namespaces.settled()
            raise _terminating(request)


def _terminating(request: AdmissionRequest) -> errors.StatusError:
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {request.namespace} is being terminated",
        "field": "metadata.namespace",
    }
    return request.refusal(f"unable to create new content in namespace {request.namespace} because it is being terminated", cause)
