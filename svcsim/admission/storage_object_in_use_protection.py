"""StorageObjectInUseProtection: claims, volumes and VolumeAttributesClasses in use aren't removed when they are deleted.

They are given a finalizer, which the controllers that protect them remove once they are no longer in use.
"""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import finalizers_of
from svcsim.registry.admission import AdmissionRequest

_CLAIMS, _VOLUMES, _CLASSES = "persistentvolumeclaims", "persistentvolumes", "volumeattributesclasses"


class StorageObjectInUseProtection:
    """Adds the finalizers."""

    name = "StorageObjectInUseProtection"
    rules = (Rule(("CREATE",), (_CLAIMS, _VOLUMES)), Rule(("CREATE",), (_CLASSES,), "storage", suffixed=True))

    def __init__(self, dialect: Dialect) -> None:
        self._finalizers = {
            _CLAIMS: dialect.key("pvc-protection"),
            _VOLUMES: dialect.key("pv-protection"),
            _CLASSES: dialect.key("vac-protection"),
        }

    async def admit(self, request: AdmissionRequest) -> None:
        """Add it, unless it is there."""
        assert request.obj is not None
        finalizer, present = self._finalizers[request.resource.kind.plural], finalizers_of(request.obj)
        if finalizer not in present:
            request.obj["metadata"]["finalizers"] = [*present, finalizer]
