"""Ports on nodes: who gets which, who shares one, and what a Service gives back when it becomes another type."""

import asyncio

import pytest

from svcsim.admission import service_addresses
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from tests.admission.test_plugins import Space, service
from tests.registry.asking import asking

BOTH = ({"name": "t", "port": 53, "protocol": "TCP"}, {"name": "u", "port": 53, "protocol": "UDP"})
LOCAL = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}

NODE_PORTS = ClusterSpec().service_node_port_range


def ports(obj):
    return [port.get("nodePort") for port in obj["spec"]["ports"]]


@pytest.mark.virtual_time
async def test_a_port_of_two_protocols_has_one_node_port():
    async with asking() as asked:
        services = Space(asked).services
        first, second = ports(await services.create(service("a", *BOTH, type="NodePort")))
        assert first == second
        assert first in NODE_PORTS
        named = ({**BOTH[0]}, {**BOTH[1], "nodePort": 30_100})
        assert ports(await services.create(service("b", *named, type="NodePort"))) == [30_100, 30_100]


@pytest.mark.virtual_time
@pytest.mark.parametrize("port", [80, 29_999, 32_768])
async def test_a_port_outside_of_the_range_is_refused(port: int):
    async with asking() as asked:
        with pytest.raises(StatusError, match=r"not in the valid range\. The range of valid ports is 30000-32767") as refused:
            await Space(asked).services.create(service("a", {"port": 80, "nodePort": port}, type="NodePort"))
        assert refused.value.details["causes"][0]["field"] == "spec.ports[0].nodePort"


@pytest.mark.virtual_time
async def test_a_load_balancer_gets_no_ports_it_doesnt_want_and_keeps_those_it_names():
    async with asking() as asked:
        services = Space(asked).services
        off = {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False}
        assert ports(await services.create(service("a", **off))) == [None]
        assert ports(await services.create(service("b", {"port": 80, "nodePort": 30_100}, **off))) == [30_100]
        with pytest.raises(StatusError, match="provided port is already allocated"):
            await services.create(service("c", {"port": 80, "nodePort": 30_100}, **off))


@pytest.mark.virtual_time
async def test_a_local_load_balancer_gets_a_port_for_health_checks():
    async with asking() as asked:
        services = Space(asked).services
        made = (await services.create(service("a", **LOCAL)))["spec"]
        assert made["healthCheckNodePort"] in NODE_PORTS
        assert made["healthCheckNodePort"] != made["ports"][0]["nodePort"]
        kept = await services.update(service("a", **LOCAL))
        assert kept["spec"]["healthCheckNodePort"] == made["healthCheckNodePort"]
        with pytest.raises(StatusError, match="cannot change healthCheckNodePort on loadBalancer service"):
            await services.patch("a", {"spec": {"healthCheckNodePort": 30_100}})


@pytest.mark.virtual_time
async def test_a_port_for_health_checks_is_had_once():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", **LOCAL, healthCheckNodePort=30_100))
        with pytest.raises(
            StatusError, match="failed to allocate requested HealthCheck NodePort 30100: provided port is already"
        ) as refused:
            await services.create(service("b", **LOCAL, healthCheckNodePort=30_100))
        assert refused.value.code == 500
        with pytest.raises(StatusError, match="provided port is already allocated"):
            await services.create(service("c", {"port": 80, "nodePort": 30_100}, type="NodePort"))
        await services.patch("a", {"spec": {"externalTrafficPolicy": "Cluster"}})
        assert ports(await services.create(service("c", {"port": 80, "nodePort": 30_100}, type="NodePort"))) == [30_100]


@pytest.mark.virtual_time
async def test_local_load_balancers_that_are_created_together_get_ports_of_their_own():
    async with asking() as asked:
        services = Space(asked).services
        made = await asyncio.gather(*[services.create(service(f"s{i}", **LOCAL)) for i in range(100)])
        assert len({port for one in made for port in (*ports(one), one["spec"]["healthCheckNodePort"])}) == 200


@pytest.mark.virtual_time
async def test_a_service_that_is_no_longer_on_nodes_gives_its_ports_back():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", {"port": 80, "nodePort": 30_100}, **LOCAL, healthCheckNodePort=30_200))
        inside = (await services.patch("a", {"spec": {"type": "ClusterIP"}}))["spec"]
        assert ports({"spec": inside}) == [None]
        gone = {"healthCheckNodePort", "externalTrafficPolicy", "allocateLoadBalancerNodePorts"}
        assert not gone & set(inside)
        other = service("b", {"port": 80, "nodePort": 30_100}, {"name": "x", "port": 81, "nodePort": 30_200}, type="NodePort")
        other["spec"]["ports"][0]["name"] = "y"
        assert ports(await services.create(other)) == [30_100, 30_200]


@pytest.mark.virtual_time
async def test_what_is_asked_for_anew_with_another_type_is_refused():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", {"port": 80, "nodePort": 30_100}, type="NodePort"))
        with pytest.raises(StatusError, match="may not be used when `type` is 'ClusterIP'"):
            await services.update(service("a", {"port": 80, "nodePort": 30_200}, type="ClusterIP"))


@pytest.mark.virtual_time
async def test_an_external_name_that_becomes_a_service_gets_an_address():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", type="ExternalName", externalName="example.com"))
        spec = (await services.patch("a", {"spec": {"type": "NodePort"}}))["spec"]
        assert spec["clusterIP"].startswith("10.96.")
        assert spec["ports"][0]["nodePort"] in NODE_PORTS
        assert "externalName" not in spec


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "path", "why"),
    [
        ({"ipFamilies": ["IPv6"]}, "spec.ipFamilies[0]", "not configured on this cluster"),
        ({"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "PreferDualStack"}, "spec.ipFamilies[1]", "not configured on this cluster"),
        ({"ipFamilyPolicy": "RequireDualStack"}, "spec.ipFamilyPolicy", "this cluster is not configured for dual-stack services"),
    ],
)
async def test_a_family_that_the_cluster_doesnt_have_is_refused(spec: dict, path: str, why: str):
    async with asking() as asked:
        services = Space(asked).services
        with pytest.raises(StatusError, match=why) as refused:
            await services.create(service("a", **spec))
        assert [cause["field"] for cause in refused.value.details["causes"]] == [path]
        assert (await services.create(service("a", ipFamilyPolicy="PreferDualStack")))["spec"]["ipFamilies"] == ["IPv4"]


@pytest.mark.virtual_time
async def test_ports_of_one_service_are_looked_through_once_not_for_each_of_them(monkeypatch: pytest.MonkeyPatch):
    looked: list[Object] = []
    own_ports = service_addresses._own_ports

    def counted(spec: Object) -> list[int]:
        looked.append(spec)
        return own_ports(spec)

    async with asking() as asked:
        monkeypatch.setattr(service_addresses, "_own_ports", counted)
        many = [{"name": f"p{number}", "port": number + 1} for number in range(400)]
        made = ports(await Space(asked).services.create(service("a", *many, **LOCAL)))
    assert len(set(made)) == 400
    assert len(looked) < 40
