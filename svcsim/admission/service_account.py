"""ServiceAccount: a pod that names no account runs as its namespace's ``default``."""

from svcsim.admission.plugin import Quiet
from svcsim.meta.types import Object
from svcsim.registry.options import Caller, Target


class ServiceAccount(Quiet):
    """Fills in the account of new pods."""

    resources = ("pods",)
    operations = ("CREATE",)

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Set ``spec.serviceAccountName``, and its older twin, where they are missing."""
        if new is None or target.subresource:
            return
        spec = new["spec"]
        name = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
        spec["serviceAccountName"] = spec["serviceAccount"] = name
