"""The networking group: Ingresses and their classes, NetworkPolicies, and the addresses of Services."""

from typing import NamedTuple

from svcsim.meta.errors import StatusError
from svcsim.meta.objects import labels_of, metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.services import port_endpoints, slices_of
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import NONE, moment, rfc1123, selector_text

_DEFAULT = "<default>"


def describe_ingress(ingress: Object, context: DescribeContext) -> None:
    """One Ingress, with the addresses behind each of its backends."""
    writer, spec, namespace = context.writer, ingress.get("spec") or {}, namespace_of(ingress)
    default = spec.get("defaultBackend")
    behind = _DEFAULT if default is None else _backend(default, namespace, context)
    writer.field("Name", name_of(ingress))
    labels(writer, "Labels", labels_of(ingress))
    writer.field("Namespace", namespace)
    writer.field("Address", _addresses(ingress))
    writer.field("Ingress Class", NONE if spec.get("ingressClassName") is None else spec["ingressClassName"])
    writer.field("Default backend", behind)
    _certificates(writer, spec.get("tls") or [])
    writer.line("Rules:\n  Host\tPath\tBackends")
    writer.line("----\t----\t--------", 1)
    rules = [rule for rule in spec.get("rules") or [] if rule.get("http") is not None]
    for rule in rules:
        writer.line(f"{rule.get('host') or '*'}\t", 1)
        for path in rule["http"].get("paths") or []:
            writer.line(f"\t{path.get('path', '')} \t{_backend(path.get('backend') or {}, namespace, context)}", 2)
    if not rules:
        writer.line(f"*\t*\t{behind}", 1)
    annotations(writer, "Annotations", metadata_of(ingress).get("annotations"))
    events_section(ingress, context)


def _addresses(ingress: Object) -> str:
    balancers = ((ingress.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    return ",".join(sorted({text for item in balancers if (text := item.get("ip") or item.get("hostname"))}))


def _certificates(writer: Writer, certificates: list[Object]) -> None:
    if certificates:
        writer.line("TLS:")
    for tls in certificates:
        how = f"{tls['secretName']} terminates" if tls.get("secretName") else "SNI routes"
        writer.line(f"{how} {','.join(tls.get('hosts') or [])}", 1)


def _backend(backend: Object, namespace: str, context: DescribeContext) -> str:
    """Where requests go: a Service and the addresses behind it, or another object."""
    if (service := backend.get("service")) is not None:
        return _service_backend(service, namespace, context)
    if (resource := backend.get("resource")) is not None:
        group = NONE if resource.get("apiGroup") is None else resource["apiGroup"]
        return f"APIGroup: {group}, Kind: {resource.get('kind', '')}, Name: {resource.get('name', '')}"
    return ""


def _service_backend(backend: Object, namespace: str, context: DescribeContext) -> str:
    name, port = backend.get("name", ""), backend.get("port") or {}
    text = f"{name}:{port.get('number') or port.get('name', '')}"
    try:
        slices = slices_of(name, namespace, context)
        service = context.reader.get(f"/api/v1/namespaces/{namespace}/services/{name}")
    except StatusError as error:
        return f"{text} (<error: {error.message}>)"
    port_name = ""
    for one in (service.get("spec") or {}).get("ports") or []:
        same_number = bool(port.get("number")) and port["number"] == one.get("port")
        if same_number or (port.get("name") and port["name"] == one.get("name")):
            port_name = one.get("name") or ""
    return f"{text} ({port_endpoints(slices, port_name)})"


def describe_ingress_class(ingress_class: Object, context: DescribeContext) -> None:
    """One IngressClass."""
    writer, spec = context.writer, ingress_class.get("spec") or {}
    _head(ingress_class, writer)
    writer.field("Controller", spec.get("controller", ""))
    if (parameters := spec.get("parameters")) is not None:
        writer.line("Parameters:")
        if parameters.get("apiGroup") is not None:
            writer.field("APIGroup", parameters["apiGroup"], 1)
        writer.field("Kind", parameters.get("kind", ""), 1)
        writer.field("Name", parameters.get("name", ""), 1)
    events_section(ingress_class, context)


def _head(obj: Object, writer: Writer) -> None:
    """What objects outside of namespaces begin with."""
    writer.field("Name", name_of(obj))
    labels(writer, "Labels", labels_of(obj))
    annotations(writer, "Annotations", metadata_of(obj).get("annotations"))


def describe_network_policy(policy: Object, context: DescribeContext) -> None:
    """One NetworkPolicy, with the traffic that it allows."""
    writer, spec, types = context.writer, policy.get("spec") or {}, (policy.get("spec") or {}).get("policyTypes") or []
    writer.field("Name", name_of(policy))
    writer.field("Namespace", namespace_of(policy))
    writer.field("Created on", moment(metadata_of(policy).get("creationTimestamp")))
    labels(writer, "Labels", labels_of(policy))
    annotations(writer, "Annotations", metadata_of(policy).get("annotations"))
    writer.line("Spec:")
    selected = selector_text(spec.get("podSelector"))
    all_pods = " (Allowing the specific traffic to all pods in this namespace)" if selected == NONE else ""
    writer.line(f"PodSelector:     {selected}{all_pods}", 1)
    for direction in _DIRECTIONS:
        if direction.type in types:
            writer.line(f"Allowing {direction.name} traffic:", 1)
            _traffic(writer, spec.get(direction.name) or [], direction)
        else:
            writer.line(f"Not affecting {direction.name} traffic", 1)
    writer.line(f"Policy Types: {', '.join(types) or NONE}", 1)


class _Direction(NamedTuple):
    """Traffic as pods see it."""

    type: str
    name: str
    side: str
    """The field of a rule that names the other side."""
    end: str


_DIRECTIONS = (_Direction("Ingress", "ingress", "from", "source"), _Direction("Egress", "egress", "to", "destination"))


def _traffic(writer: Writer, rules: list[Object], direction: _Direction) -> None:
    if not rules:
        writer.line(f"<none> (Selected pods are isolated for {direction.name} connectivity)", 2)
    for index, rule in enumerate(rules):
        if index:
            writer.line("----------", 2)
        for port in [_port(one) for one in rule.get("ports") or []] or ["To Port: <any> (traffic allowed to all ports)"]:
            writer.line(port, 2)
        peers, title = rule.get(direction.side) or [], direction.side.capitalize()
        if not peers:
            writer.line(f"{title}: <any> (traffic not restricted by {direction.end})", 2)
        for peer in peers:
            writer.line(f"{title}:", 2)
            _peer(writer, peer)


def _port(one: Object) -> str:
    first, protocol = one.get("port", "<nil>"), one.get("protocol") or "TCP"
    if one.get("endPort") is not None:
        return f"To Port Range: {first}-{one['endPort']}/{protocol}"
    return f"To Port: {first}/{protocol}"


def _peer(writer: Writer, peer: Object) -> None:
    for title, field in (("NamespaceSelector", "namespaceSelector"), ("PodSelector", "podSelector")):
        if peer.get(field) is not None:
            writer.line(f"{title}: {selector_text(peer[field])}", 3)
    if (block := peer.get("ipBlock")) is not None:
        writer.line("IPBlock:", 3)
        writer.line(f"CIDR: {block.get('cidr', '')}", 4)
        writer.line(f"Except: {', '.join(block.get('except') or [])}", 4)


def describe_service_cidr(service_cidr: Object, context: DescribeContext) -> None:
    """One ServiceCIDR, with its conditions."""
    writer, found = context.writer, (service_cidr.get("status") or {}).get("conditions") or []
    _head(service_cidr, writer)
    writer.field("CIDRs", ", ".join((service_cidr.get("spec") or {}).get("cidrs") or []))
    if found:
        writer.line("Status:\nConditions:")
        writer.line("Type\tStatus\tLastTransitionTime\tReason\tMessage", 1)
        writer.line("----\t------\t------------------\t------\t-------", 1)
    for item in found:
        since = rfc1123(item.get("lastTransitionTime"))
        writer.line("\t".join((item["type"], item["status"], since, item.get("reason", ""), item.get("message", ""))), 1)
    events_section(service_cidr, context)


def describe_ip_address(address: Object, context: DescribeContext) -> None:
    """One IPAddress, with whom it belongs to."""
    writer, parent = context.writer, (address.get("spec") or {}).get("parentRef")
    _head(address, writer)
    if parent is not None:
        writer.line("Parent Reference:")
        for title, field in (("Group", "group"), ("Resource", "resource"), ("Namespace", "namespace"), ("Name", "name")):
            writer.field(title, parent.get(field, ""), 1)
    events_section(address, context)
