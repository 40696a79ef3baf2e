"""Whether Services and Ingresses lead anywhere."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.kinds import EXPLAINERS
from tests.printing.why.explaining import RUNNING, explained, owned_pod, pod


def test_a_service_names_the_port_that_no_pod_has() -> None:
    ports = [{"port": 80, "targetPort": "ghost"}]
    serving = pod(RUNNING, spec={"ports": [{"name": "web", "containerPort": 80}]}, ready=True)
    verdict = explained("", "Service", {"spec": {"selector": {"a": "b"}, "ports": ports}}, pods=[serving])
    told = "Its port 80 leads to what its pods call ghost (targetPort), and none of them has a TCP port of that name."
    assert (verdict.state, verdict.because) == ("leads nowhere", (told,))
    several_ports = {"spec": {"selector": {"a": "b"}, "ports": [*ports, {"port": 81, "targetPort": "web"}]}}
    slices = [{"endpoints": [{"addresses": ["10.0.0.1"]}]}]
    verdict = explained("", "Service", several_ports, pods=[serving], slices=slices)
    assert (verdict.state, verdict.fine, verdict.because) == ("leads to 1 address", False, (told,))


def test_an_ingress_names_what_is_not_there() -> None:
    backend = {"service": {"name": "web", "port": {"number": 81}}}
    spec = {"ingressClassName": "ghost", "defaultBackend": backend}
    status = {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}
    ingress = {"spec": spec, "status": status, "metadata": {"name": "it", "namespace": "default"}}
    wanted = {one.path: one.name for one in EXPLAINERS["networking", "Ingress"].wanted(ingress, KUBERNETES)}
    ports = {"spec": {"ports": [{"port": 80, "name": "http"}]}}
    of_class = wanted["/apis/networking.k8s.io/v1/ingressclasses/ghost"]
    assert explained("networking", "Ingress", ingress, **{"web": [ports], of_class: []}).because == (
        "It leads to the port 81 of the service web, which has no such port.",
        "There is no IngressClass ghost, which it names.",
    )
    named = {**ingress, "spec": {"defaultBackend": {"service": {"name": "web", "port": {"name": "http"}}}}}
    assert explained("networking", "Ingress", named, web=[ports]).fine
    assert explained("networking", "Ingress", named, web=[]).because == ("It leads to the service web, which isn't there.",)


def test_an_address_says_whose_it_is() -> None:
    parent = {"resource": "services", "namespace": "default", "name": "kubernetes"}
    assert explained("networking", "IPAddress", {"spec": {"parentRef": parent}}).state == "is an address of default/kubernetes (services)"


@pytest.mark.parametrize(
    ("in_slices", "told"),
    [
        (["a", "b"], []),
        (["a"], ["b is ready, and not in its EndpointSlices yet"]),
        (["a", "b", "c", "d"], ["c and d are in its EndpointSlices, and not there any more"]),
    ],
)
def test_a_service_says_where_its_endpoint_slices_are_of_before(in_slices: list[str], told: list[str]) -> None:
    endpoints = [{"addresses": ["10.0.0.1"], "targetRef": {"name": name}} for name in in_slices]
    verdict = explained(
        "", "Service", {"spec": {"selector": {"a": "b"}}}, pods=[owned_pod("a"), owned_pod("b")], slices=[{"endpoints": endpoints}]
    )
    assert list(verdict.because) == [f"{text}: no controller for Services runs, or it hasn't come to it." for text in told]
    assert verdict.fine == (not told)
    by_hand = explained("", "Service", {"spec": {"selector": {"a": "b"}}}, slices=[{"endpoints": endpoints}])
    assert by_hand.fine, "pods that may not be read may be there"


REFUSED = {
    "type": "Warning",
    "reason": "FailedToUpdateEndpointSlices",
    "message": "Error updating Endpoint Slices for Service default/it: no",
}


def test_a_service_tells_that_its_endpoint_slices_are_refused() -> None:
    spec = {"spec": {"selector": {"a": "b"}}}
    verdict = explained("", "Service", spec, [REFUSED], pods=[pod(RUNNING, ready=True)], slices=[])
    told = f"There are ready pods, and no EndpointSlices can be written for them: {REFUSED['message']}."
    assert (verdict.state, verdict.because) == ("leads nowhere", (told,))
    slices: list[Object] = [{"endpoints": [{"addresses": ["10.0.0.1"], "targetRef": {"name": "a"}}]}]
    verdict = explained("", "Service", spec, [REFUSED], pods=[owned_pod("a"), owned_pod("b")], slices=slices)
    assert verdict.because == (f"b is ready, and not in its EndpointSlices yet: {REFUSED['message']}.",)
    assert explained("", "Service", spec, [REFUSED], pods=[owned_pod("a")], slices=slices).fine, "it was refused, and then wasn't"


@pytest.mark.parametrize(
    ("endpoints", "slices", "told"),
    [
        ([], [], ": its EndpointSlices are for somebody else to write, and nobody has."),
        ([{"subsets": [{"addresses": [{"ip": "192.0.2.1"}]}]}], [], ", and no EndpointSlices mirror its Endpoints"),
        (
            [{"subsets": [{"notReadyAddresses": [{"ip": "192.0.2.1"}]}]}],
            [{"endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": False}}]}],
            ", and none of the addresses in its EndpointSlices is ready.",
        ),
    ],
)
def test_a_service_without_a_selector_says_what_became_of_its_endpoints(endpoints: list[Object], slices: list[Object], told: str) -> None:
    named = [{"metadata": {"name": "it"}, **one} for one in endpoints]
    (because,) = explained("", "Service", {"spec": {}}, endpoints=named, slices=slices).because
    assert because.startswith(f"It has no selector{told}")
