"""NamespaceExists: whatever is changed in a namespace takes one that is there. NamespaceLifecycle asks that of what is created alone."""

from svcsim.admission.plugin import ANY, Rule
from svcsim.meta.errors import not_found
from svcsim.meta.types import GroupResource
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_NAMESPACES = "namespaces"


class NamespaceExists:
    """Refuses requests in namespaces that aren't there."""

    name = "NamespaceExists"
    rules = (Rule(("CREATE", "UPDATE", "DELETE"), ("*/*",), ANY),)

    def __init__(self, listers: Listers) -> None:
        self._namespaces = listers.of(_NAMESPACES)

    async def validate(self, request: AdmissionRequest) -> None:
        namespace = request.target.namespace
        if not namespace or self._namespaces.latest("", namespace) is not None:
            return
        await self._namespaces.settled()
        raise not_found(GroupResource("", _NAMESPACES), namespace)
