"""PersistentVolumeClaimResize: a claim grows where its class of storage says that its volumes can."""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of, get_path
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_SIZE = "spec.resources.requests.storage"
_NOT_BOUND = "Only bound persistent volume claims can be expanded"
_NOT_ALLOWED = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"


class PersistentVolumeClaimResize:
    """Refuses larger sizes of claims that aren't bound, or of a class that doesn't set ``allowVolumeExpansion``."""

    name = "PersistentVolumeClaimResize"
    rules = (Rule(("UPDATE",), ("persistentvolumeclaims",)),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._classes = listers.of(f"storageclasses.{dialect.group('storage')}")
        self._named = dialect.key("storage-class", "volume.beta")

    async def validate(self, request: AdmissionRequest) -> None:
        new, old = request.obj, request.old
        assert new is not None
        assert old is not None
        if parse(get_path(new, _SIZE) or "0") <= parse(get_path(old, _SIZE) or "0"):
            return
        if get_path(old, "status.phase") != "Bound":
            raise request.refusal(_NOT_BOUND)
        name = self._class_of(new)
        found = self._classes.get("", name) if name and name == self._class_of(old) else None
        if found is None or not found.get("allowVolumeExpansion"):
            raise request.refusal(_NOT_ALLOWED)

    def _class_of(self, claim: Object) -> str:
        """The class that its annotation names, as was usual before there was a field; else its field's."""
        return annotations_of(claim).get(self._named) or get_path(claim, "spec.storageClassName") or ""
