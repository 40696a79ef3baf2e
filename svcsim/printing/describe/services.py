"""Services and Endpoints."""

from svcsim.meta.endpoint_slices import takes_requests
from svcsim.meta.errors import StatusError
from svcsim.meta.networks import host_port
from svcsim.meta.objects import labels_of, metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import pairs


def describe_service(service: Object, context: DescribeContext) -> None:
    """One Service, with the addresses behind it."""
    writer, spec, metadata = context.writer, service.get("spec") or {}, metadata_of(service)
    writer.field("Name", name_of(service))
    writer.field("Namespace", namespace_of(service))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("Selector", pairs(spec.get("selector")))
    writer.field("Type", spec.get("type", ""))
    if spec.get("ipFamilyPolicy"):
        writer.field("IP Family Policy", spec["ipFamilyPolicy"])
    writer.field("IP Families", ",".join(spec.get("ipFamilies") or []) or "<none>")
    writer.field("IP", spec.get("clusterIP", ""))
    writer.field("IPs", ",".join(spec.get("clusterIPs") or []) or "<none>")
    if spec.get("externalIPs"):
        writer.field("External IPs", ",".join(spec["externalIPs"]))
    if spec.get("loadBalancerIP"):
        writer.field("Desired LoadBalancer IP", spec["loadBalancerIP"])
    if spec.get("externalName"):
        writer.field("External Name", spec["externalName"])
    ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    if ingress:
        writer.field("LoadBalancer Ingress", ", ".join(_ingress(item) for item in ingress))
    slices = _slices(service, context)
    for port in spec.get("ports") or []:
        _port(writer, port, slices)
    writer.field("Session Affinity", spec.get("sessionAffinity", ""))
    for title, field in (
        ("External Traffic Policy", "externalTrafficPolicy"),
        ("Internal Traffic Policy", "internalTrafficPolicy"),
        ("Traffic Distribution", "trafficDistribution"),
    ):
        if spec.get(field):
            writer.field(title, spec[field])
    if spec.get("healthCheckNodePort"):
        writer.field("HealthCheck NodePort", spec["healthCheckNodePort"])
    if spec.get("loadBalancerSourceRanges"):
        writer.field("LoadBalancer Source Ranges", ",".join(spec["loadBalancerSourceRanges"]))
    events_section(service, context)


def _ingress(item: Object) -> str:
    if item.get("ip"):
        return f"{item['ip']} ({item['ipMode']})" if item.get("ipMode") else str(item["ip"])
    return str(item.get("hostname", ""))


def _port(writer: Writer, port: Object, slices: list[Object]) -> None:
    name = port.get("name") or "<unset>"
    protocol = port.get("protocol", "TCP")
    writer.field("Port", f"{name}\t{port.get('port', 0)}/{protocol}")
    target = port.get("targetPort", 0)
    writer.field("TargetPort", f"{target}/{protocol}")
    if port.get("nodePort"):
        writer.field("NodePort", f"{name}\t{port['nodePort']}/{protocol}")
    writer.field("Endpoints", port_endpoints(slices, port.get("name") or ""))


def slices_of(name: str, namespace: str, context: DescribeContext) -> list[Object]:
    """The endpoint slices of a service. Raises `StatusError`."""
    dialect = context.reader.dialect
    path = f"/apis/{dialect.group('discovery')}/v1/namespaces/{namespace}/endpointslices"
    found: list[Object] = context.reader.get(path, {"labelSelector": f"{dialect.key('service-name')}={name}"}).get("items") or []
    return found


def _slices(service: Object, context: DescribeContext) -> list[Object]:
    """The addresses behind a service as endpoint slices, made from its Endpoints where the server has no slices."""
    try:
        return slices_of(name_of(service), namespace_of(service), context)
    except StatusError:
        return _from_endpoints(service, context)


def _from_endpoints(service: Object, context: DescribeContext) -> list[Object]:
    try:
        endpoints = context.reader.get(f"/api/v1/namespaces/{namespace_of(service)}/endpoints/{name_of(service)}")
    except StatusError:
        return []
    return [
        {
            "ports": subset.get("ports") or [],
            "endpoints": [{"addresses": [item["ip"]], "conditions": {"ready": True}} for item in subset.get("addresses") or []],
        }
        for subset in endpoints.get("subsets") or []
    ]


def port_endpoints(slices: list[Object], port_name: str) -> str:
    """The first few addresses behind a port."""
    if not slices:
        return "<none>"
    found: list[str] = []
    for item in slices:
        ports = [port for port in item.get("ports") or [] if (port.get("name") or "") == port_name]
        for endpoint in item.get("endpoints") or []:
            if not takes_requests(endpoint):
                continue
            found += [host_port(address, port["port"]) for port in ports for address in endpoint.get("addresses") or []]
    shown = ",".join(found[:3])
    return f"{shown} + {len(found) - 3} more..." if len(found) > 3 else shown


def describe_endpoints(endpoints: Object, context: DescribeContext) -> None:
    writer, metadata = context.writer, metadata_of(endpoints)
    writer.field("Name", name_of(endpoints))
    writer.field("Namespace", namespace_of(endpoints))
    labels(writer, "Labels", labels_of(endpoints))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.line("Subsets:")
    for subset in endpoints.get("subsets") or []:
        for title, field in (("Addresses", "addresses"), ("NotReadyAddresses", "notReadyAddresses")):
            shown = ",".join(item.get("ip", "") for item in subset.get(field) or [])
            writer.field(title, shown or "<none>", 1)
        if subset.get("ports"):
            writer.line("Ports:", 1)
            writer.line("Name\tPort\tProtocol", 2)
            writer.line("----\t----\t--------", 2)
            for port in subset["ports"]:
                writer.line(f"{port.get('name') or '<unset>'}\t{port.get('port', 0)}\t{port.get('protocol', '')}", 2)
        writer.line("")
    events_section(endpoints, context)


def describe_endpoint_slice(endpoints: Object, context: DescribeContext) -> None:
    """One EndpointSlice, endpoint by endpoint."""
    writer, metadata = context.writer, metadata_of(endpoints)
    writer.field("Name", name_of(endpoints))
    writer.field("Namespace", namespace_of(endpoints))
    labels(writer, "Labels", labels_of(endpoints))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("AddressType", endpoints.get("addressType", ""))
    if endpoints.get("ports"):
        writer.line("Ports:")
        writer.line("Name\tPort\tProtocol", 1)
        writer.line("----\t----\t--------", 1)
        for port in endpoints["ports"]:
            writer.line(f"{port.get('name') or '<unset>'}\t{port.get('port', '<unset>')}\t{port.get('protocol', '')}", 1)
    else:
        writer.line("Ports: <unset>")
    if endpoints.get("endpoints"):
        writer.line("Endpoints:")
    else:
        writer.line("Endpoints: <none>")
    for endpoint in endpoints.get("endpoints") or []:
        _endpoint(writer, endpoint)
    events_section(endpoints, context)


def _endpoint(writer: Writer, endpoint: Object) -> None:
    ready = (endpoint.get("conditions") or {}).get("ready")
    target = endpoint.get("targetRef")
    writer.field("- Addresses", ",".join(endpoint.get("addresses") or []), 1)
    writer.line("Conditions:", 2)
    writer.field("Ready", "<unset>" if ready is None else str(ready).lower(), 3)
    writer.field("Hostname", endpoint.get("hostname") or "<unset>", 2)
    if target:
        writer.field("TargetRef", f"{target.get('kind', '')}/{target.get('name', '')}", 2)
    writer.field("NodeName", endpoint.get("nodeName") or "<unset>", 2)
    writer.field("Zone", endpoint.get("zone") or "<unset>", 2)
