"""RuntimeClass: a kind of container runtime that nodes offer."""

from svcsim.kinds.groups import NODE_V1
from svcsim.kinds.node.runtime_class_rules import (
    each_toleration_once,
    handler_rules,
    overhead_rules,
    runtime_class_changes,
    runtime_class_warnings,
)
from svcsim.kinds.shared.checks import labels
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.pod_spec.scheduling import TOLERATION
from svcsim.kinds.shared.types import RESOURCE_LIST
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, List, Map, Str, Struct

_OVERHEAD = Struct(
    "Overhead",
    Field(1, "podFixed", RESOURCE_LIST, "Amounts that each pod takes beside its containers"),
    rules=(overhead_rules,),
    doc="What running a pod takes beside its containers",
)
_SCHEDULING = Struct(
    "Scheduling",
    Field(1, "nodeSelector", Map(Str(), atomic=True), "Labels of the nodes that offer the runtime", rules=(labels,)),
    Field(
        2,
        "tolerations",
        List(TOLERATION, list_type="atomic"),
        "Tolerations that pods of this class have beside their own",
        rules=(each_toleration_once,),
    ),
    doc="Which nodes offer the runtime",
)
RUNTIME_CLASS = Kind(
    NODE_V1,
    "runtimeclasses",
    Struct(
        "RuntimeClass",
        Field(
            2,
            "handler",
            Str(),
            "Name under which nodes know the runtime, a DNS label; cannot be changed",
            required=True,
            presence=True,
            default="",
            rules=(handler_rules,),
        ),
        Field(3, "overhead", _OVERHEAD, "What running a pod of this class takes beside its containers"),
        Field(4, "scheduling", _SCHEDULING, "Which nodes offer the runtime; all do if unset"),
        doc="A kind of container runtime, which pods choose by its name",
    ),
    namespaced=False,
    columns=(Column("Handler", text_at("handler"), doc="Name under which nodes know the runtime"), AGE),
    strategy=Strategy(
        warnings=(runtime_class_warnings,),
        update_warnings=(of_every_update(runtime_class_warnings),),
        update_rules=(runtime_class_changes,),
    ),
    unconditional_update=False,
)
