"""DefaultIngressClass: an Ingress that names no class has the one that is marked as the default."""

from svcsim.admission.default_class import default_class
from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers


class DefaultIngressClass:
    """Fills in the class of new Ingresses. Which class it is that an annotation names is up to controllers: it is left alone."""

    name = "DefaultIngressClass"
    rules = (Rule(("CREATE",), ("ingresses",), "networking", suffixed=True),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._classes = listers.of(f"ingressclasses.{dialect.group('networking')}")
        self._marks = (dialect.key("is-default-class", "ingressclass"),)
        self._named = dialect.key("ingress.class")

    async def admit(self, request: AdmissionRequest) -> None:
        """Set ``spec.ingressClassName`` where nothing is said."""
        assert request.obj is not None
        spec = request.obj["spec"]
        if spec.get("ingressClassName") is not None or self._named in annotations_of(request.obj):
            return
        name = default_class(self._classes.list(), self._marks)
        if name is not None:
            spec["ingressClassName"] = name
