"""DefaultIngressClass: an Ingress that names no class has the one that is marked as the default.

Where several are, the newest counts, and of those as new as each other the first by name.
"""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of, metadata_of, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers


class DefaultIngressClass:
    """Fills in the class of new Ingresses. Which class it is that an annotation names is up to controllers: it is left alone."""

    name = "DefaultIngressClass"
    rules = (Rule(("CREATE",), ("ingresses",), "networking", suffixed=True),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._classes = listers.of(f"ingressclasses.{dialect.group('networking')}")
        self._marked = dialect.key("is-default-class", "ingressclass")
        self._named = dialect.key("ingress.class")

    async def admit(self, request: AdmissionRequest) -> None:
        """Set ``spec.ingressClassName`` where nothing is said."""
        assert request.obj is not None
        spec = request.obj["spec"]
        if spec.get("ingressClassName") is not None or self._named in annotations_of(request.obj):
            return
        marked = [one for one in self._classes.list() if annotations_of(one).get(self._marked) == "true"]
        if marked:
            spec["ingressClassName"] = name_of(min(marked, key=_newest_first))


def _newest_first(ingress_class: Object) -> tuple[float, str]:
    return -parse_time(metadata_of(ingress_class)["creationTimestamp"]), name_of(ingress_class)
