"""OwnerReferencesPermissionEnforcement: who makes others' deletion an object's, or the object a hindrance of others' deletion, may do both.

An object is deleted when its owners are gone, so naming owners takes the right to delete it. An owner that is deleted in the foreground
waits for dependents that block its deletion, so blocking takes the right to set finalizers on the owner.
"""

from collections.abc import Iterator

from svcsim.admission.plugin import ANY, Rule
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Authorizer, Verdict, decided
from svcsim.meta.objects import owner_references
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.scheme import Scheme

_OWNED = "cannot set an ownerRef on a resource you can't delete"
_HELD = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
_UNKNOWN = "cannot set blockOwnerDeletion in this case because cannot find RESTMapping"


class OwnerReferencesPermissionEnforcement:
    """Asks for the right to delete the object, and to update the finalizers of owners that it newly blocks."""

    name = "OwnerReferencesPermissionEnforcement"
    rules = (Rule(("CREATE", "UPDATE"), ("*/*",), ANY),)

    def __init__(self, authorizer: Authorizer, scheme: Scheme) -> None:
        self._authorizer = authorizer
        self._scheme = scheme

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 403."""
        new, old = _references(request.obj), _references(request.old)
        if new == old or (request.resource.kind.plural, request.subresource) == ("pods", "status"):
            return
        target, resource = request.target, request.resource
        group, version = resource.group_version
        asked = Attributes(request.user, "delete", group, version, resource.plural, request.subresource, target.namespace, request.name)
        await self._check(request, asked, _OWNED)
        for reference in _newly_blocked(new, old):
            await self._check(request, self._of_finalizers(request, reference), _HELD)

    async def _check(self, request: AdmissionRequest, asked: Attributes, why: str) -> None:
        decision = await decided(self._authorizer, asked)
        if decision.verdict is not Verdict.ALLOW:
            raise request.refusal(f"{why}: {decision.reason}, <nil>")

    def _of_finalizers(self, request: AdmissionRequest, reference: Object) -> Attributes:
        """The right to hold the owner back."""
        api_version, kind = reference["apiVersion"], reference["kind"]
        owner = self._scheme.find_kind(GroupVersion.parse(api_version), kind)
        if owner is None:
            nothing = f"no matches for kind {quoted(kind)} in version {quoted(api_version)}"
            raise request.refusal(f"{_UNKNOWN} for APIVersion {api_version} Kind {kind}: {nothing}")
        namespace = request.target.namespace if owner.namespaced else ""
        group, version = owner.group_version
        return Attributes(request.user, "update", group, version, owner.plural, "finalizers", namespace, reference["name"])


def _references(obj: Object | None) -> list[Object]:
    return owner_references(obj) if obj is not None and "metadata" in obj else []


def _newly_blocked(new: list[Object], old: list[Object]) -> Iterator[Object]:
    blocked = [reference["uid"] for reference in old if reference.get("blockOwnerDeletion")]
    return (reference for reference in new if reference.get("blockOwnerDeletion") and reference["uid"] not in blocked)
