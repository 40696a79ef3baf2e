"""DefaultStorageClass: a claim that names no class of storage has the one that is marked as the default."""

from svcsim.admission.default_class import default_class
from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers


class DefaultStorageClass:
    """Fills in the class of new claims. The empty one is one, too: it asks for volumes that have none."""

    name = "DefaultStorageClass"
    rules = (Rule(("CREATE",), ("persistentvolumeclaims",)),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._classes = listers.of(f"storageclasses.{dialect.group('storage')}")
        self._marks = tuple(dialect.key("is-default-class", prefix) for prefix in ("storageclass", "storageclass.beta"))
        self._named = dialect.key("storage-class", "volume.beta")

    async def admit(self, request: AdmissionRequest) -> None:
        """Set ``spec.storageClassName`` where nothing is said."""
        assert request.obj is not None
        spec = request.obj["spec"]
        if spec.get("storageClassName") is not None or self._named in annotations_of(request.obj):
            return
        name = default_class(self._classes.list(), self._marks)
        if name is not None:
            spec["storageClassName"] = name
