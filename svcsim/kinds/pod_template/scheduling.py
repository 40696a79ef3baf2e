"""Where a pod may run: affinity, tolerations and spreading."""

from svcsim.kinds.references import STRINGS
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, List, Str, Struct

NODE_SELECTOR_REQUIREMENT = Struct(
    "NodeSelectorRequirement",
    Field(1, "key", Str(), "The label, or the field", required=True),
    Field(2, "operator", Str(), "In, NotIn, Exists, DoesNotExist, Gt or Lt", required=True),
    Field(3, "values", STRINGS, "The values it is compared with"),
    doc="A condition on a node",
)
_REQUIREMENTS = List(NODE_SELECTOR_REQUIREMENT, kind="atomic")
NODE_SELECTOR_TERM = Struct(
    "NodeSelectorTerm",
    Field(1, "matchExpressions", _REQUIREMENTS, "Conditions on the node's labels"),
    Field(2, "matchFields", _REQUIREMENTS, "Conditions on the node's fields"),
    atomic=True,
    doc="Conditions that must all hold; without any, no node fits",
)
NODE_SELECTOR = Struct(
    "NodeSelector",
    Field(1, "nodeSelectorTerms", List(NODE_SELECTOR_TERM, kind="atomic"), "Terms of which one must hold", required=True),
    atomic=True,
    doc="A choice of nodes",
)
PREFERRED_SCHEDULING_TERM = Struct(
    "PreferredSchedulingTerm",
    Field(1, "weight", Int(), "How much it counts, from 1 to 100", required=True),
    Field(2, "preference", NODE_SELECTOR_TERM, "Which nodes are preferred", required=True),
    doc="A preference for nodes",
)
NODE_AFFINITY = Struct(
    "NodeAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", NODE_SELECTOR, "Nodes the pod may be put on"),
    Field(
        2,
        "preferredDuringSchedulingIgnoredDuringExecution",
        List(PREFERRED_SCHEDULING_TERM, kind="atomic"),
        "Nodes the pod is better put on",
    ),
    doc="Which nodes attract the pod",
)
POD_AFFINITY_TERM = Struct(
    "PodAffinityTerm",
    Field(1, "labelSelector", LABEL_SELECTOR, "Which pods are meant"),
    Field(2, "namespaces", STRINGS, "Namespaces of those pods; the own one if neither is set"),
    Field(3, "topologyKey", Str(), "The node label whose equal values make a place", required=True),
    Field(4, "namespaceSelector", LABEL_SELECTOR, "Namespaces of those pods, by label; {} for all"),
    Field(5, "matchLabelKeys", STRINGS, "Labels whose values must be the pod's own"),
    Field(6, "mismatchLabelKeys", STRINGS, "Labels whose values must not be the pod's own"),
    doc="Pods to be near to, or far from, and what near means",
)
WEIGHTED_POD_AFFINITY_TERM = Struct(
    "WeightedPodAffinityTerm",
    Field(1, "weight", Int(), "How much it counts, from 1 to 100", required=True),
    Field(2, "podAffinityTerm", POD_AFFINITY_TERM, "Pods to be near to, or far from", required=True),
    doc="A preference about other pods",
)
_TERMS = List(POD_AFFINITY_TERM, kind="atomic")
_WEIGHTED_TERMS = List(WEIGHTED_POD_AFFINITY_TERM, kind="atomic")
POD_AFFINITY = Struct(
    "PodAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", _TERMS, "Pods that must be near"),
    Field(2, "preferredDuringSchedulingIgnoredDuringExecution", _WEIGHTED_TERMS, "Pods that are better near"),
    doc="Which pods attract the pod",
)
POD_ANTI_AFFINITY = Struct(
    "PodAntiAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", _TERMS, "Pods that must not be near"),
    Field(2, "preferredDuringSchedulingIgnoredDuringExecution", _WEIGHTED_TERMS, "Pods that are better not near"),
    doc="Which pods repel the pod",
)
AFFINITY = Struct(
    "Affinity",
    Field(1, "nodeAffinity", NODE_AFFINITY, "Which nodes attract the pod"),
    Field(2, "podAffinity", POD_AFFINITY, "Which pods attract the pod"),
    Field(3, "podAntiAffinity", POD_ANTI_AFFINITY, "Which pods repel the pod"),
    doc="What attracts and repels the pod",
)
TOLERATION = Struct(
    "Toleration",
    Field(1, "key", Str(), "The taint's key; empty for all keys, with operator Exists"),
    Field(2, "operator", Str(), "Exists, Equal, Lt or Gt; Equal if unset"),
    Field(3, "value", Str(), "The taint's value, unless the operator is Exists"),
    Field(4, "effect", Str(), "NoSchedule, PreferNoSchedule or NoExecute; empty for all"),
    Field(5, "tolerationSeconds", Int(bits=64), "How long a NoExecute taint is borne; for ever if unset"),
    doc="A taint the pod bears",
)
TOPOLOGY_SPREAD_CONSTRAINT = Struct(
    "TopologySpreadConstraint",
    Field(1, "maxSkew", Int(), "How many more pods one place may have than another", required=True),
    Field(2, "topologyKey", Str(), "The node label whose equal values make a place", required=True),
    Field(3, "whenUnsatisfiable", Str(), "DoNotSchedule or ScheduleAnyway", required=True),
    Field(4, "labelSelector", LABEL_SELECTOR, "Which pods are counted"),
    Field(5, "minDomains", Int(), "Places there must be at least"),
    Field(6, "nodeAffinityPolicy", Str(), "Honor or Ignore the pod's choice of nodes; Honor if unset"),
    Field(7, "nodeTaintsPolicy", Str(), "Honor or Ignore taints of nodes; Ignore if unset"),
    Field(8, "matchLabelKeys", STRINGS, "Labels whose values must be the pod's own"),
    doc="How evenly pods are spread",
)
