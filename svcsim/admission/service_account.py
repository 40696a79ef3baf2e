"""ServiceAccount: a pod that names no account runs as its namespace's ``default``."""

from svcsim.admission.plugin import Rule
from svcsim.registry.admission import AdmissionRequest


class ServiceAccount:
    """Fills in the account of new pods."""

    name = "ServiceAccount"
    rules = (Rule(("CREATE",), ("pods",)),)

    async def admit(self, request: AdmissionRequest) -> None:
        """Set ``spec.serviceAccountName``, and its older twin, where they are missing."""
        assert request.obj is not None
        spec = request.obj["spec"]
        name = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
        spec["serviceAccountName"] = spec["serviceAccount"] = name
