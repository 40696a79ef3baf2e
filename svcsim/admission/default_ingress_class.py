"""DefaultIngressClass: an Ingress that names no class has the one that is marked as the default."""

from svcsim.admission.default_class import DefaultClass
from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers


class DefaultIngressClass:
    """Fills in the class of new Ingresses. Which class it is that an annotation names is up to controllers: it is left alone."""

    name = "DefaultIngressClass"
    rules = (Rule(("CREATE",), ("ingresses",), "networking", suffixed=True),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._default = DefaultClass(
            listers.of(f"ingressclasses.{dialect.group('networking')}"),
            marks=(dialect.key("is-default-class", "ingressclass"),),
            field="ingressClassName",
            annotation=dialect.key("ingress.class"),
        )

    async def admit(self, request: AdmissionRequest) -> None:
        """Set ``spec.ingressClassName`` where nothing is said."""
        assert request.obj is not None
        self._default.fill(request.obj)
