"""Services and Ingresses: whether they lead anywhere. And whose an address is."""

from svcsim.controllers.endpoints.by_hand import is_mirrored
from svcsim.controllers.endpoints.ports import ports_of
from svcsim.controllers.endpoints.words import endpoint_words
from svcsim.dialect import Dialect
from svcsim.meta.endpoint_slices import endpoints_in, takes_requests
from svcsim.meta.objects import get_path, name_of, namespace_of
from svcsim.meta.pods import is_active, is_ready
from svcsim.meta.types import Object
from svcsim.printing.texts import pairs
from svcsim.printing.why.attended import unattended
from svcsim.printing.why.replicas import named
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, Wanted, counted, do, sentence

_REFUSED = "FailedToUpdateEndpointSlices"
"""The reason of events that tell of EndpointSlices that weren't taken."""
_CLASS = "an IngressClass"
"""Under this name the facts have an Ingress's class; no service can be called so."""


def _service_wanted(service: Object, dialect: Dialect) -> list[Wanted]:
    namespace, selector = namespace_of(service), get_path(service, "spec.selector") or {}
    slices = f"/apis/{dialect.group('discovery')}/v1/namespaces/{namespace}/endpointslices"
    wanted = [Wanted("slices", slices, {"labelSelector": f"{dialect.key('service-name')}={name_of(service)}"})]
    if selector:
        wanted.append(Wanted("pods", f"/api/v1/namespaces/{namespace}/pods", {"labelSelector": pairs(selector)}))
    else:
        wanted.append(Wanted("endpoints", f"/api/v1/namespaces/{namespace}/endpoints/{name_of(service)}"))
    return wanted


def _explain_service(service: Object, facts: Facts) -> Verdict:
    spec = service.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return Verdict(f"stands for {spec.get('externalName', '')}", fine=True)
    ready = _ready_addresses(facts.all("slices"))
    because: list[str] = []
    if spec.get("type") == "LoadBalancer" and not get_path(service, "status.loadBalancer.ingress"):
        because.append("No load balancer has given it an address yet.")
    if ready:
        because += _unnamed_ports(service, facts) or _outdated(facts)
        return Verdict(f"leads to {counted(ready, 'address', 'addresses')}", fine=not because, because=tuple(because))
    pods = [pod for pod in facts.all("pods") if is_active(pod)]
    if not spec.get("selector"):
        because.append(f"It has no selector{_left_to_others(service, facts)}.")
    elif "pods" in facts.found and not pods:
        because.append(f"Its selector {pairs(spec['selector'])} matches no pod.")
    elif pods and not any(is_ready(pod) for pod in pods):
        because.append(f"Its selector matches {counted(len(pods), 'pod')}, of which none is ready.")
    elif unnamed := _unnamed_ports(service, facts):
        because += unnamed
    elif pods:
        refused = facts.event(_REFUSED)
        told = f"no EndpointSlices can be written for them: {refused}" if refused else "nobody has written EndpointSlices for them"
        because.append(sentence(f"There are ready pods, and {told}"))
    return Verdict("leads nowhere", because=tuple(because), below=tuple(pod for pod in pods if not is_ready(pod)))


def _left_to_others(service: Object, facts: Facts) -> str:
    """What becomes of the EndpointSlices of a service that leaves them to others, where they lead nowhere; follows that it does."""
    endpoints = facts.one("endpoints")
    if any(one.get("endpoints") for one in facts.all("slices")):
        return ", and none of the addresses in its EndpointSlices is ready"
    if endpoints is not None and endpoints.get("subsets") and is_mirrored(endpoints, service, endpoint_words(facts.dialect)):
        return ", and no EndpointSlices mirror its Endpoints: no controller that does so runs, or it may not"
    return ": its EndpointSlices are for somebody else to write, and nobody has"


def _outdated(facts: Facts) -> list[str]:
    """What its EndpointSlices don't say of its pods yet: who is ready, and who is gone."""
    if "pods" not in facts.found:
        return []
    endpoints = [endpoint for one in facts.all("slices") for endpoint in one.get("endpoints") or ()]
    told = {name for endpoint in endpoints if (name := get_path(endpoint, "targetRef.name"))}
    there = {name_of(pod) for pod in facts.all("pods")}
    new = [name_of(pod) for pod in facts.all("pods") if is_active(pod) and is_ready(pod) and name_of(pod) not in told]
    gone = sorted(told - there)
    late = facts.event(_REFUSED) or unattended("Services")
    outdated = [
        *([f"{named(new)} {do(len(new), 'is', 'are')} ready, and not in its EndpointSlices yet"] if told and new else []),
        *([f"{named(gone)} {do(len(gone), 'is', 'are')} in its EndpointSlices, and not there any more"] if gone else []),
    ]
    return [sentence(f"{what}: {late}") for what in outdated]


def _unnamed_ports(service: Object, facts: Facts) -> list[str]:
    """The ports of the service whose target is a name that no pod gives a port of its containers."""
    pods = [pod for pod in facts.all("pods") if is_active(pod)]
    ports = get_path(service, "spec.ports") or () if pods else ()
    return [_unnamed(port) for port in ports if not any(list(ports_of({"spec": {"ports": [port]}}, pod)) for pod in pods)]


def _unnamed(port: Object) -> str:
    number, target, protocol = port.get("port"), port.get("targetPort"), port.get("protocol", "TCP")
    return f"Its port {number} leads to what its pods call {target} (targetPort), and none of them has a {protocol} port of that name."


def _ready_addresses(slices: list[Object]) -> int:
    return sum(len(one.get("addresses") or ()) for one in endpoints_in(slices) if takes_requests(one))


def _backends(ingress: Object) -> list[tuple[str, str | int]]:
    """The services that an Ingress leads to, each with its port by name or number."""
    spec = ingress.get("spec") or {}
    paths = [path for rule in spec.get("rules") or () for path in (rule.get("http") or {}).get("paths") or ()]
    backends = [spec.get("defaultBackend") or {}, *(path.get("backend") or {} for path in paths)]
    found = [(get_path(backend, "service.name"), get_path(backend, "service.port") or {}) for backend in backends]
    return list(dict.fromkeys((str(name), port.get("name") or port.get("number") or "") for name, port in found if name))


def _misled(name: str, port: str | int, facts: Facts) -> str:
    """What is wrong with a service, and the port of it, that an Ingress leads to; empty where nothing is."""
    if facts.is_missing(name):
        return f"It leads to the service {name}, which isn't there."
    service = facts.one(name)
    ports = [one.get(field) for one in get_path(service, "spec.ports") or () for field in ("name", "port")]
    return f"It leads to the port {port} of the service {name}, which has no such port." if service and port and port not in ports else ""


def _ingress_wanted(ingress: Object, dialect: Dialect) -> list[Wanted]:
    services = [Wanted(name, f"/api/v1/namespaces/{namespace_of(ingress)}/services/{name}") for name, _ in _backends(ingress)]
    name = get_path(ingress, "spec.ingressClassName")
    path = f"/apis/{dialect.group('networking')}/v1/ingressclasses/{name}"
    return [*services, Wanted(_CLASS, path)] if name else services


def _explain_ingress(ingress: Object, facts: Facts) -> Verdict:
    because = [told for name, port in _backends(ingress) if (told := _misled(name, port, facts))]
    if facts.is_missing(_CLASS):
        because.append(f"There is no IngressClass {get_path(ingress, 'spec.ingressClassName')}, which it names.")
    if not get_path(ingress, "status.loadBalancer.ingress"):
        because.append("No ingress controller has given it an address.")
    return Verdict("isn't served" if because else "is served", fine=not because, because=tuple(because))


def _explain_address(address: Object, _facts: Facts) -> Verdict:
    parent = get_path(address, "spec.parentRef") or {}
    whose = "/".join(filter(None, (parent.get("namespace"), parent.get("name"))))
    return Verdict(f"is an address of {whose} ({parent.get('resource', '')})" if whose else "is nobody's address", fine=True)


ADDRESS = Explainer(_explain_address)
SERVICE = Explainer(_explain_service, _service_wanted)
INGRESS = Explainer(_explain_ingress, _ingress_wanted)
