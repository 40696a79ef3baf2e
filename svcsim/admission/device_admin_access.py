"""DeviceAdminAccess: devices that others use can be claimed, to look after them, in namespaces with a label for that alone.

It is called like an admission plugin, but can't be switched off: in Kubernetes it is a part of what stores claims and their templates.
"""

from collections.abc import Iterator

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.errors import FieldError, forbidden_field, invalid
from svcsim.meta.objects import get_path, labels_of
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_CLAIMS, _TEMPLATES = "resourceclaims", "resourceclaimtemplates"


class DeviceAdminAccess:
    """Refuses such claims and templates elsewhere."""

    name = "DeviceAdminAccess"
    rules = (Rule(("CREATE",), (_CLAIMS, _TEMPLATES), "resource", suffixed=True),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._namespaces = listers.of("namespaces")
        self._label = dialect.key("admin-access", "resource")

    async def validate(self, request: AdmissionRequest) -> None:
        """Raise 422 where the namespace doesn't have the label."""
        findings = list(self._findings(request))
        if not findings:
            return
        namespace = self._namespaces.latest("", request.target.namespace)
        if namespace is None or labels_of(namespace).get(self._label) != "true":
            raise invalid(request.resource.group_kind, request.name, findings)

    def _findings(self, request: AdmissionRequest) -> Iterator[FieldError]:
        path = "spec.devices.requests" if request.resource.kind.plural == _CLAIMS else "spec.spec.devices.requests"
        for index, wanted in enumerate(get_path(request.obj, path) or ()):
            if get_path(wanted, "exactly.adminAccess"):
                why = f"admin access to devices requires the `{self._label}: true` label on the containing namespace"
                yield forbidden_field(f"{path}[{index}].exactly.adminAccess", why)
