"""PolicyParamRights: users can't read objects through a policy that they may not read themselves.

Expressions can show a policy's parameters in messages and warnings, and the server fetches those. So a user who names the kind of the
parameters must be allowed to get all such objects, and a user who refers to some of them must be allowed to get these. It is called like an
admission plugin, but can't be switched off. The administrators' group may do all this anyway.
"""

from svcsim.admission.plugin import Rule
from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import MASTERS
from svcsim.auth.authorization import ALL, Authorizer, Verdict
from svcsim.meta.errors import forbidden_field, invalid
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind, GroupVersion, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Lister
from svcsim.registry.scheme import Scheme

_POLICIES = ("validatingadmissionpolicies", "mutatingadmissionpolicies")
_OF_BINDINGS = {"validatingadmissionpolicybindings": _POLICIES[0], "mutatingadmissionpolicybindings": _POLICIES[1]}


class PolicyParamRights:
    """Refuses policies and bindings whose parameters their writer may not get."""

    name = "PolicyParamRights"
    rules = (Rule(("CREATE", "UPDATE"), (*_POLICIES, *_OF_BINDINGS), "admissionregistration", suffixed=True),)

    def __init__(self, authorizer: Authorizer, scheme: Scheme, policies: dict[str, Lister]) -> None:
        """``policies`` by their plurals."""
        self._authorizer = authorizer
        self._scheme = scheme
        self._policies = policies

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 422, which says what right is missing."""
        if MASTERS in request.user.groups or request.obj is None:
            return
        spec, before = request.obj.get("spec") or {}, (request.old or {}).get("spec") or {}
        if request.resource.plural in _POLICIES:
            kind = spec.get("paramKind")
            if kind is not None and kind != before.get("paramKind") and not await self._may(request, kind, ALL, ALL):
                named = f"kind={kind.get('kind')}, apiVersion={kind.get('apiVersion')}"
                why = f'must have "get" permission on all objects of the referenced paramKind ({named})'
                raise _refusal(request, "spec.paramKind", why)
            return
        ref, unchanged = spec.get("paramRef"), spec.get("policyName") == before.get("policyName")
        if ref is None or (unchanged and ref == before.get("paramRef")):
            return
        policy = self._policies[_OF_BINDINGS[request.resource.plural]].get("", spec.get("policyName") or "")
        kind = ((policy or {}).get("spec") or {}).get("paramKind")
        if not await self._may(request, kind, ref.get("namespace") or "", ref.get("name") or ""):
            raise _refusal(request, "spec.paramRef", 'does not have "get" permission on the object referenced by paramRef')

    async def _may(self, request: AdmissionRequest, kind: Object | None, namespace: str, name: str) -> bool:
        """Whether the user may get such objects; for an unknown kind, whether the user may get all objects."""
        group, version, plural = ALL, ALL, ALL
        if kind is not None:
            of = group, version = GroupVersion.parse(kind.get("apiVersion") or "")
            found = self._scheme.find_kind(GroupVersion(*of), kind.get("kind") or "")
            plural = ALL if found is None else found.plural
        asked = Attributes(request.user, "get", group, version, plural, namespace=namespace, name=name)
        return (await self._authorizer.authorize(asked)).verdict is Verdict.ALLOW


def _refusal(request: AdmissionRequest, path: str, why: str) -> Exception:
    kind = GroupKind(request.kind.group, request.kind.kind)
    return invalid(kind, request.name, [forbidden_field(path, f"user {quoted(request.user.name)} {why}")])
