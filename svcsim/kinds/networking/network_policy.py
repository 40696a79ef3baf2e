"""NetworkPolicy: who may talk to certain pods, and to whom these may talk."""

from svcsim.kinds.groups import NETWORKING_V1
from svcsim.kinds.networking.network_policy_defaults import fill_spec
from svcsim.kinds.networking.network_policy_rules import block_rules, block_warnings, network_policy_spec_rules, peer_rules, port_rules
from svcsim.kinds.shared.columns import AGE, selector_at
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.words import POLICY_TYPE, PROTOCOL
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, IntOrString, List, Str, Struct

_PORT = Struct(
    "NetworkPolicyPort",
    Field(1, "protocol", PROTOCOL, "Protocol of the traffic", default="TCP", presence=True),
    Field(2, "port", IntOrString(), "Number or name of the port on the pod that is reached; all ports if unset"),
    Field(3, "endPort", Int(), "Last number of a range of ports that begins with the port, which then has to be a number"),
    rules=(port_rules,),
    doc="A port, or a range of ports",
)
_BLOCK = Struct(
    "IPBlock",
    Field(1, "cidr", Str(), "Network in CIDR notation, such as 192.168.1.0/24", required=True),
    Field(2, "except", STRINGS, "Networks within it that are left out"),
    rules=(block_rules,),
    doc="A network, and parts of it that are left out",
)
_PEER = Struct(
    "NetworkPolicyPeer",
    Field(1, "podSelector", LABEL_SELECTOR, "Label selector of pods: in the namespaces selected, or else in the policy's own"),
    Field(
        2, "namespaceSelector", LABEL_SELECTOR, "Label selector of namespaces, all of whose pods are meant unless pods are selected as well"
    ),
    Field(3, "ipBlock", _BLOCK, "A network; not together with a selector"),
    rules=(peer_rules,),
    doc="Whom pods may talk to, or be talked to by",
)
_PORTS = Field(1, "ports", List(_PORT, list_type="atomic"), "Ports on which traffic is allowed; all ports if empty")
_INGRESS_RULE = Struct(
    "NetworkPolicyIngressRule",
    _PORTS,
    Field(2, "from", List(_PEER, list_type="atomic"), "Where traffic may come from; from anywhere if empty"),
    doc="Traffic that may reach the pods: through one of the ports, from one of the sources",
)
_EGRESS_RULE = Struct(
    "NetworkPolicyEgressRule",
    _PORTS,
    Field(2, "to", List(_PEER, list_type="atomic"), "Where traffic may go; anywhere if empty"),
    doc="Traffic that may leave the pods: to one of the ports, to one of the destinations",
)
_SPEC = Struct(
    "NetworkPolicySpec",
    Field(
        1,
        "podSelector",
        LABEL_SELECTOR,
        "Label selector of the pods that the policy is for; all pods of the namespace if empty",
        default={},
    ),
    Field(2, "ingress", List(_INGRESS_RULE, list_type="atomic"), "Traffic that may reach the pods; none if empty"),
    Field(3, "egress", List(_EGRESS_RULE, list_type="atomic"), "Traffic that may leave the pods; none if empty"),
    Field(
        4,
        "policyTypes",
        List(POLICY_TYPE, list_type="atomic"),
        "Which traffic the policy is about: Ingress, Egress or both; if unset Ingress, and Egress if there are rules for that",
    ),
    fill=fill_spec,
    rules=(network_policy_spec_rules,),
    doc="Desired state of a network policy",
)
NETWORK_POLICY = Kind(
    NETWORKING_V1,
    "networkpolicies",
    Struct(
        "NetworkPolicy",
        Field(2, "spec", _SPEC, "Desired state of the policy", default={}),
        doc="Which traffic pods may receive and send",
    ),
    short=("netpol",),
    columns=(Column("Pod-Selector", selector_at("spec.podSelector"), doc="Label selector of the pods that the policy is for"), AGE),
    strategy=Strategy(warnings=(block_warnings,), update_warnings=(of_every_update(block_warnings),)),
    generation=True,
)
