"""Ingress: how requests from outside the cluster find their way to Services, by host and path."""

from svcsim.kinds.core.service import LOAD_BALANCER_PORT_FIELDS
from svcsim.kinds.groups import NETWORKING_V1
from svcsim.kinds.networking.ingress_columns import address, class_name, hosts, ports
from svcsim.kinds.networking.ingress_rules import (
    backend_rules,
    balancer_rules,
    class_annotation_rules,
    ingress_spec_rules,
    path_rules,
    rule_rules,
    tls_rules,
)
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.references import TYPED_LOCAL_OBJECT_REFERENCE
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import PATH_TYPE
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Field, Int, List, Str, Struct

_BACKEND_PORT = Struct(
    "ServiceBackendPort",
    Field(1, "name", Str(), "Name of the Service's port; not together with a number"),
    Field(2, "number", Int(), "Number of the Service's port; not together with a name", presence=False),
    atomic=True,
    doc="A port of a Service, by name or by number",
)
_SERVICE_BACKEND = Struct(
    "IngressServiceBackend",
    Field(1, "name", Str(), "Name of the Service, in the same namespace", required=True),
    Field(2, "port", _BACKEND_PORT, "Port of the Service", default={}),
    doc="A Service that requests are sent to",
)
_BACKEND = Struct(
    "IngressBackend",
    Field(4, "service", _SERVICE_BACKEND, "A Service; not together with another object"),
    Field(3, "resource", TYPED_LOCAL_OBJECT_REFERENCE, "Another object, in the same namespace; not together with a Service"),
    rules=(backend_rules,),
    doc="Where requests are sent to",
)
_PATH = Struct(
    "HTTPIngressPath",
    Field(1, "path", Str(), "Path of the requests, beginning with a slash; required for the types Exact and Prefix"),
    Field(
        3,
        "pathType",
        PATH_TYPE,
        "How the path is compared: Exact, Prefix (part by part, as slashes divide them), or ImplementationSpecific, as the controller does",
        required=True,
        default="",
        presence=True,
    ),
    Field(2, "backend", _BACKEND, "Where these requests are sent to", required=True, default={}),
    rules=(path_rules,),
    doc="Where requests for a path are sent to",
)
_HTTP = Struct(
    "HTTPIngressRuleValue",
    Field(1, "paths", List(_PATH, list_type="atomic"), "Paths and where requests for them are sent to", required=True),
    doc="Where requests for a host are sent to, by path",
)
_RULE = Struct(
    "IngressRule",
    Field(1, "host", Str(), "Host name, or all names below one, such as *.example.com; all hosts if unset"),
    Field(
        2,
        "ingressRuleValue",
        Struct("IngressRuleValue", Field(1, "http", _HTTP, "Where requests are sent to, by path"), doc="What a rule says"),
        inline=True,
    ),
    rules=(rule_rules,),
    doc="What happens to requests for a host",
)
_TLS = Struct(
    "IngressTLS",
    Field(1, "hosts", STRINGS, "Host names in the certificate"),
    Field(2, "secretName", Str(), "Name of the Secret with the certificate and its key"),
    rules=(tls_rules,),
    doc="A certificate and the hosts that it is for",
)
_SPEC = Struct(
    "IngressSpec",
    Field(4, "ingressClassName", Str(), "Name of the IngressClass, which says who serves this", presence=True),
    Field(1, "defaultBackend", _BACKEND, "Where requests are sent to that fit no rule; required if there are no rules"),
    Field(2, "tls", List(_TLS, list_type="atomic"), "Certificates for HTTPS"),
    Field(3, "rules", List(_RULE, list_type="atomic"), "What happens to requests, by host"),
    rules=(ingress_spec_rules,),
    doc="Desired state of an Ingress",
)
_BALANCER = Struct(
    "IngressLoadBalancerIngress",
    Field(1, "ip", Str(), "IP address"),
    Field(2, "hostname", Str(), "DNS name"),
    Field(
        4,
        "ports",
        List(Struct("IngressPortStatus", *LOAD_BALANCER_PORT_FIELDS, doc="State of a port of an Ingress"), list_type="atomic"),
        "State of the ports",
    ),
    rules=(balancer_rules,),
    doc="An address on which an Ingress accepts requests",
)
_BALANCERS = Struct(
    "IngressLoadBalancerStatus",
    Field(1, "ingress", List(_BALANCER, list_type="atomic"), "Addresses on which requests are accepted"),
    doc="Current state of the load balancer of an Ingress",
)
_STATUS = Struct(
    "IngressStatus",
    Field(1, "loadBalancer", _BALANCERS, "Current state of the load balancer", default={}),
    doc="Current state of an Ingress",
)
INGRESS = Kind(
    NETWORKING_V1,
    "ingresses",
    Struct(
        "Ingress",
        Field(2, "spec", _SPEC, "Desired state of the Ingress", default={}),
        Field(3, "status", _STATUS, "Current state of the Ingress", default={}),
        doc="Sends requests from outside the cluster to Services, by host and path",
    ),
    short=("ing",),
    columns=(
        Column("Class", class_name, doc="Name of the IngressClass"),
        Column("Hosts", hosts, doc="Hosts that have rules"),
        Column("Address", address, doc="Addresses on which requests are accepted"),
        Column("Ports", ports, doc="Ports on which requests are accepted"),
        AGE,
    ),
    status=Status(),
    strategy=Strategy(create_rules=(class_annotation_rules,)),
)
