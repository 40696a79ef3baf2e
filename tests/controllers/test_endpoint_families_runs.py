"""Endpoints in clusters of IPv6, and of both IP families: a set of slices for each family of a service, Endpoints of the first."""

import logging
from ipaddress import ip_network

import pytest

from svcsim.cluster.node_ranges_spec import NodeRangesSpec
from svcsim.meta.http import Request
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, deployment, running

V4, V6 = ip_network("10.20.0.0/24"), ip_network("fd00:20::/112")
PODS_4, PODS_6 = ip_network("10.9.0.0/16"), ip_network("fd00:9::/48")
DUAL: Object = {"service_cluster_ip_range": (V4, V6), "node_ranges": NodeRangesSpec(cluster_cidr=(PODS_4, PODS_6))}
ONLY_6: Object = {"service_cluster_ip_range": (V6,), "node_ranges": NodeRangesSpec(cluster_cidr=(PODS_6,))}
HEADLESS = {"clusterIP": "None"}
BOTH, TURNED = ["IPv4", "IPv6"], ["IPv6", "IPv4"]


def service(name: str = "web", **spec: Json) -> Object:
    return {"metadata": {"name": name}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}], **spec}}


class Seen:
    """What there is of a service's endpoints."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.services = run.client.resource("v1", "services", "default")
        self.slices = run.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        self.endpoints = run.client.resource("v1", "endpoints", "default")

    async def until(self, expected: dict[str, list[list[str]]], name: str = "web") -> list[Object]:
        """Wait until a service has these addresses in slices of these types; gives the slices."""

        def mine(items: list[Object]) -> list[Object]:
            return [one for one in items if labels_of(one).get("kubernetes.io/service-name") == name]

        def holds(items: list[Object]) -> bool:
            found: dict[str, list[list[str]]] = {}
            for one in mine(items):
                found.setdefault(one["addressType"], []).append(
                    sorted(address for each in one["endpoints"] or () for address in each["addresses"])
                )
            return found == expected

        return mine(await self.run.until(holds, self.slices))

    async def until_addresses(self, expected: list[str], name: str = "web") -> None:
        """Wait until an Endpoints object has these."""

        def holds(items: list[Object]) -> bool:
            subsets = [subset for one in items if name_of(one) == name for subset in one.get("subsets") or ()]
            return sorted(each["ip"] for subset in subsets for each in subset["addresses"]) == expected

        await self.run.until(holds, self.endpoints)

    async def addresses(self) -> tuple[list[str], list[str]]:
        """Those of the pods, by family."""
        found = [one["ip"] for pod in await self.run.pods.list_all() for one in pod["status"]["podIPs"]]
        return sorted(one for one in found if ":" not in one), sorted(one for one in found if ":" in one)


@pytest.mark.virtual_time
@pytest.mark.parametrize("spec", [{}, HEADLESS])
async def test_where_all_is_ipv6_a_service_has_endpoints(spec: Object, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO):
        async with running(**ONLY_6) as run:
            seen = Seen(run)
            await seen.services.create(service(**spec))
            await run.deployments.create(deployment("web", 2))
            await run.rolled_out("web")
            four, six = await seen.addresses()
            assert (len(four), len(six)) == (0, 2)
            (only,) = await seen.until({"IPv6": [six]})
            assert only["ports"] == [{"name": "", "port": 80, "protocol": "TCP"}]
            await seen.until_addresses(six)
    assert not [record for record in caplog.records if "endpoint" in record.getMessage()]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "families"),
    [
        ({}, ["IPv4"]),
        ({"ipFamilies": ["IPv6"]}, ["IPv6"]),
        (HEADLESS, ["IPv4"]),
        ({"ipFamilyPolicy": "PreferDualStack"}, BOTH),
        ({"ipFamilyPolicy": "RequireDualStack", "ipFamilies": TURNED}, TURNED),
        ({"ipFamilyPolicy": "PreferDualStack", **HEADLESS}, BOTH),
    ],
)
async def test_where_there_are_two_families_a_service_has_slices_of_its_own(spec: Object, families: list[str]):
    async with running(**DUAL) as run:
        seen = Seen(run)
        assert (await seen.services.create(service(**spec)))["spec"]["ipFamilies"] == families
        await seen.until({family: [[]] for family in families})
        await run.deployments.create(deployment("web", 2))
        await run.rolled_out("web")
        of = dict(zip(BOTH, await seen.addresses(), strict=True))
        assert [len(some) for some in of.values()] == [2, 2]
        await seen.until({family: [of[family]] for family in families})
        await seen.until_addresses(of[families[0]])


@pytest.mark.virtual_time
async def test_slices_come_and_go_with_the_second_family():
    async with running(**DUAL) as run:
        seen = Seen(run)
        await seen.services.create(service())
        await run.deployments.create(deployment("web", 1))
        await run.rolled_out("web")
        four, six = await seen.addresses()
        (first,) = await seen.until({"IPv4": [four]})
        await seen.services.patch("web", {"spec": {"ipFamilyPolicy": "RequireDualStack"}})
        assert name_of(first) in [name_of(one) for one in await seen.until({"IPv4": [four], "IPv6": [six]})]
        await seen.services.patch("web", {"spec": {"ipFamilyPolicy": "SingleStack"}})
        assert [name_of(one) for one in await seen.until({"IPv4": [four]})] == [name_of(first)]


@pytest.mark.virtual_time
async def test_a_pod_is_left_out_of_the_slices_of_a_family_that_it_has_no_address_of():
    async with running(nodes=0, **DUAL) as run:
        seen = Seen(run)
        await seen.services.create(service(ipFamilyPolicy="RequireDualStack", ipFamilies=TURNED))
        for number, addresses in enumerate((["10.9.0.1", "fd00:9::1"], ["10.9.0.2"], ["fd00:9::3"])):
            template: Object = {"containers": [{"name": "main", "image": "nginx:1"}], "nodeName": "elsewhere"}
            await run.pods.create({"metadata": {"name": f"pod-{number}", "labels": {"app": "web"}}, "spec": template})
            status = {"podIP": addresses[0], "podIPs": [{"ip": one} for one in addresses], "phase": "Running"}
            ready = {"conditions": [{"type": "Ready", "status": "True"}]}
            await run.pods.patch(f"pod-{number}", {"status": {**status, **ready}}, subresource="status")
        await seen.until({"IPv4": [["10.9.0.1", "10.9.0.2"]], "IPv6": [["fd00:9::1", "fd00:9::3"]]})
        await seen.until_addresses(["fd00:9::1", "fd00:9::3"])


@pytest.mark.virtual_time
@pytest.mark.parametrize("families", [BOTH, TURNED, ["IPv6"]])
async def test_the_proxy_path_of_a_service_finds_its_pods(families: list[str]):
    async with running(**DUAL) as run:
        seen = Seen(run)
        policy = "RequireDualStack" if len(families) > 1 else "SingleStack"
        await seen.services.create(service(ipFamilyPolicy=policy, ipFamilies=families))
        template: Object = {"containers": [{"name": "main", "image": "nginx:1", "ports": [{"containerPort": 80}]}]}
        await run.pods.create({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": template})
        await run.until(lambda items: bool(items and (items[0].get("status") or {}).get("podIPs")), run.pods)
        of = dict(zip(BOTH, await seen.addresses(), strict=True))
        await seen.until_addresses(of[families[0]])
        answer = await run.client.transport.send(Request("GET", "/api/v1/namespaces/default/services/web:80/proxy/"))
        assert answer.status == 200


@pytest.mark.virtual_time
async def test_endpoints_of_two_families_that_are_written_by_hand_are_mirrored():
    async with running(nodes=0, **DUAL) as run:
        seen = Seen(run)
        given = [{"addresses": [{"ip": "192.0.2.1"}, {"ip": "2001:db8::1"}, {"ip": "2001:db8::2"}], "ports": [{"port": 80}]}]
        await seen.services.create(service(selector=None))
        await seen.endpoints.create({"metadata": {"name": "web"}, "subsets": given})
        await seen.until({"IPv4": [["192.0.2.1"]], "IPv6": [["2001:db8::1", "2001:db8::2"]]})
