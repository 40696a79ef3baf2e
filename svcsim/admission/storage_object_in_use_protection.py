"""StorageObjectInUseProtection: claims and volumes in use aren't removed when they are deleted.

They are given a finalizer, which the controllers of claims and volumes remove once they are no longer in use.
"""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import finalizers_of
from svcsim.registry.admission import AdmissionRequest

_CLAIMS, _VOLUMES = "persistentvolumeclaims", "persistentvolumes"


class StorageObjectInUseProtection:
    """Adds the finalizers."""

    name = "StorageObjectInUseProtection"
    rules = (Rule(("CREATE",), (_CLAIMS, _VOLUMES)),)

    def __init__(self, dialect: Dialect) -> None:
        self._finalizers = {_CLAIMS: dialect.key("pvc-protection"), _VOLUMES: dialect.key("pv-protection")}

    async def admit(self, request: AdmissionRequest) -> None:
        """Add it, unless it is there."""
        assert request.obj is not None
        finalizer, present = self._finalizers[request.resource.kind.plural], finalizers_of(request.obj)
        if finalizer not in present:
            request.obj["metadata"]["finalizers"] = [*present, finalizer]
