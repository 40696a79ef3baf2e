"""DefaultStorageClass: a claim that names no class of storage has the one that is marked as the default."""

from svcsim.admission.default_class import DefaultClass
from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.claims import default_class_marks
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers


class DefaultStorageClass:
    """Fills in the class of new claims. The empty one is one, too: it asks for volumes that have none."""

    name = "DefaultStorageClass"
    rules = (Rule(("CREATE",), ("persistentvolumeclaims",)),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._default = DefaultClass(
            listers.of(f"storageclasses.{dialect.group('storage')}"),
            marks=default_class_marks(dialect),
            field="storageClassName",
            annotation=dialect.key("storage-class", "volume.beta"),
        )

    async def admit(self, request: AdmissionRequest) -> None:
        """Set ``spec.storageClassName`` where nothing is said."""
        assert request.obj is not None
        self._default.fill(request.obj)
