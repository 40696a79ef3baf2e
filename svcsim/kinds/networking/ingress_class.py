"""IngressClass: which controller serves the Ingresses that name it."""

from svcsim.kinds.groups import NETWORKING_V1
from svcsim.kinds.networking.ingress_class_columns import parameters
from svcsim.kinds.networking.ingress_class_rules import controller_rules, ingress_class_changes, ingress_class_spec_rules, parameters_rules
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Str, Struct

_PARAMETERS = Struct(
    "IngressClassParametersReference",
    Field(1, "apiGroup", Str(), "API group of the object; the core group if unset", presence=True),
    Field(2, "kind", Str(), "Kind of the object", required=True),
    Field(3, "name", Str(), "Name of the object", required=True),
    Field(4, "scope", Str(), "Cluster for a cluster-wide object, Namespace for one in a namespace", default="Cluster", presence=True),
    Field(5, "namespace", Str(), "Namespace of the object; required if the scope is Namespace, and only then allowed", presence=True),
    rules=(parameters_rules,),
    doc="Refers to an object with further settings of an IngressClass",
)
_SPEC = Struct(
    "IngressClassSpec",
    Field(
        1,
        "controller",
        Str(),
        "Name of the controller that serves the class, a domain and a path such as example.com/ingress; cannot be changed",
        rules=(controller_rules,),
    ),
    Field(2, "parameters", _PARAMETERS, "An object with further settings for the controller"),
    rules=(ingress_class_spec_rules,),
    doc="Desired state of an IngressClass",
)
INGRESS_CLASS = Kind(
    NETWORKING_V1,
    "ingressclasses",
    Struct(
        "IngressClass",
        Field(2, "spec", _SPEC, "Desired state of the class", default={}),
        doc="A class of Ingresses, all of which one controller serves",
    ),
    namespaced=False,
    columns=(
        Column("Controller", text_at("spec.controller"), doc="Name of the controller that serves the class"),
        Column("Parameters", parameters, doc="The object with further settings for the controller"),
        AGE,
    ),
    strategy=Strategy(update_rules=(ingress_class_changes,)),
    generation=True,
)
