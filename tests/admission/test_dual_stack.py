"""Services of two IP families: how one gets them, gives one up, and what is refused."""

from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from tests.controllers.running import running
from tests.controllers.test_service_networks import Networks
from tests.virtual import run_virtual

V4, V6 = ip_network("10.20.0.0/24"), ip_network("fd00:20::/112")
IPV4, IPV6 = ["IPv4"], ["IPv6"]
BOTH, TURNED = ["IPv4", "IPv6"], ["IPv6", "IPv4"]


def wanted(**spec: object) -> Object:
    return {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], **spec}}


def families(spec: Object) -> list[str]:
    """What its addresses are, each of the network of its family."""
    found = [ip_address(text) for text in spec["clusterIPs"]]
    assert spec["clusterIP"] == spec["clusterIPs"][0]
    assert all(address in (V4 if address.version == 4 else V6) for address in found)
    return [f"IPv{address.version}" for address in found]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("networks", "spec", "expected", "policy"),
    [
        ((V4,), {}, IPV4, "SingleStack"),
        ((V6,), {}, IPV6, "SingleStack"),
        ((V4, V6), {}, IPV4, "SingleStack"),
        ((V6, V4), {}, IPV6, "SingleStack"),
        ((V4, V6), {"ipFamilies": IPV6}, IPV6, "SingleStack"),
        ((V4, V6), {"ipFamilyPolicy": "PreferDualStack"}, BOTH, "PreferDualStack"),
        ((V6, V4), {"ipFamilyPolicy": "PreferDualStack"}, TURNED, "PreferDualStack"),
        ((V6,), {"ipFamilyPolicy": "PreferDualStack"}, IPV6, "PreferDualStack"),
        ((V4, V6), {"ipFamilyPolicy": "RequireDualStack"}, BOTH, "RequireDualStack"),
        ((V4, V6), {"ipFamilyPolicy": "RequireDualStack", "ipFamilies": IPV6}, TURNED, "RequireDualStack"),
        ((V4, V6), {"ipFamilyPolicy": "PreferDualStack", "ipFamilies": TURNED}, TURNED, "PreferDualStack"),
        ((V4, V6), {"clusterIP": "fd00:20::7"}, IPV6, "SingleStack"),
        ((V4, V6), {"clusterIP": "fd00:20::7", "ipFamilyPolicy": "PreferDualStack"}, TURNED, "PreferDualStack"),
        ((V4, V6), {"clusterIPs": ["10.20.0.7", "fd00:20::7"], "ipFamilyPolicy": "RequireDualStack"}, BOTH, "RequireDualStack"),
    ],
)
async def test_a_service_has_the_families_that_it_asks_for(networks: tuple, spec: Object, expected: list[str], policy: str):
    async with running(nodes=0, service_cluster_ip_range=networks) as run:
        made = (await Networks(run).services.create(wanted(**spec)))["spec"]
        assert (families(made), made["ipFamilies"], made["ipFamilyPolicy"]) == (expected, expected, policy)


@pytest.mark.virtual_time
async def test_every_cluster_begins_with_its_networks_and_its_own_service_in_the_first():
    for networks, address in (((V4, V6), "10.20.0.1"), ((V6, V4), "fd00:20::1"), ((V6,), "fd00:20::1")):
        async with running(nodes=0, service_cluster_ip_range=networks) as run:
            live = Networks(run)
            assert (await live.cidrs.get("kubernetes"))["spec"] == {"cidrs": [str(network) for network in networks]}
            own = (await live.services.get("kubernetes"))["spec"]
            assert (own["clusterIPs"], own["ipFamilyPolicy"]) == ([address], "SingleStack")
            (known,) = await run.client.resource("discovery.k8s.io/v1", "endpointslices", "default").list_all()
            assert known["addressType"] == own["ipFamilies"][0] == f"IPv{ip_address(known['endpoints'][0]['addresses'][0]).version}"


@pytest.mark.virtual_time
async def test_a_service_comes_to_two_addresses_and_back_to_one():
    async with running(nodes=0, service_cluster_ip_range=(V4, V6)) as run:
        live = Networks(run)
        single = (await live.services.create(wanted()))["spec"]
        both = (await live.services.patch("web", {"spec": {"ipFamilyPolicy": "PreferDualStack"}}))["spec"]
        assert both["clusterIPs"][0] == single["clusterIP"]
        assert (families(both), both["ipFamilies"]) == (BOTH, BOTH)
        first, second = both["clusterIPs"]
        parent = {"resource": "services", "namespace": "default", "name": "web"}
        assert [(await live.until_taken(address))["spec"]["parentRef"] for address in (first, second)] == [parent, parent]
        kept = (await live.services.update(wanted()))["spec"]
        assert kept == both, "what an update leaves out stays"
        back = (await live.services.patch("web", {"spec": {"ipFamilyPolicy": "SingleStack"}}))["spec"]
        assert (back["clusterIPs"], back["ipFamilies"]) == ([first], IPV4)
        await live.until_free(second)
        assert await live.serve("other", second) == second, "what was given up is free"


@pytest.mark.virtual_time
async def test_an_update_without_a_word_of_addresses_gives_the_second_one_up_or_takes_one():
    async with running(nodes=0, service_cluster_ip_range=(V4, V6)) as run:
        services = Networks(run).services
        await services.create(wanted(ipFamilyPolicy="RequireDualStack"))
        assert families((await services.update(wanted(ipFamilyPolicy="SingleStack")))["spec"]) == IPV4
        assert families((await services.update(wanted(ipFamilyPolicy="RequireDualStack")))["spec"]) == BOTH
        own = (await services.update(wanted(ipFamilyPolicy="SingleStack")))["spec"]
        named = wanted(ipFamilyPolicy="PreferDualStack", clusterIPs=[own["clusterIP"], "fd00:20::9"], clusterIP=own["clusterIP"])
        assert (await services.update(named))["spec"]["clusterIPs"] == [own["clusterIP"], "fd00:20::9"]


NOT_VALID = "is not in the valid range"
RELEASES = "must be 'SingleStack' to release the secondary"
NEEDS_BOTH = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
TWO = ["10.20.0.7", "fd00:20::7"]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "path", "why"),
    [
        ({"ipFamilies": BOTH}, "spec.ipFamilyPolicy", f"{NEEDS_BOTH} IP families are specified"),
        ({"clusterIPs": TWO}, "spec.ipFamilyPolicy", f"{NEEDS_BOTH} cluster IPs are specified"),
        (
            {"clusterIP": "10.20.1.1"},
            "spec.clusterIPs",
            f"the provided IP (10.20.1.1) {NOT_VALID}. The range of valid IPs is 10.20.0.0/24",
        ),
        ({"clusterIP": "fd00:21::1"}, "spec.clusterIPs", "The range of valid IPs is fd00:20::/112"),
        ({"clusterIP": "fd00:20::"}, "spec.clusterIPs", "is not in the valid range"),
        ({"clusterIP": "10.20.0.255"}, "spec.clusterIPs", "is not in the valid range"),
        ({"clusterIP": "10.20.0.1"}, "spec.clusterIPs", "provided IP is already allocated"),
        ({"clusterIP": "FD00:20:0::5"}, "spec.clusterIPs", "provided IP is already allocated"),
        ({"clusterIP": TWO[1], "ipFamilies": IPV4}, "spec.clusterIPs[0]", "expected an IPv4 value as indicated by `ipFamilies[0]`"),
        (
            {"clusterIPs": ["10.20.0.7", "10.20.0.8"], "ipFamilyPolicy": "PreferDualStack"},
            "spec.clusterIPs",
            "no more than one IP",
        ),
    ],
)
async def test_what_a_new_service_cant_have_is_refused(spec: Object, path: str, why: str):
    async with running(nodes=0, service_cluster_ip_range=(V4, V6)) as run:
        live = Networks(run)
        await live.serve("taken", "fd00:20::5")
        with pytest.raises(StatusError) as refused:
            await live.services.create(wanted(**spec))
        causes = {cause["field"]: cause["message"] for cause in refused.value.details["causes"]}
        assert list(causes) == [path]
        assert why in causes[path]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("spec", "path", "why"),
    [
        ({"clusterIPs": TWO[:1]}, "spec.ipFamilyPolicy", f"{RELEASES} cluster IP"),
        ({"ipFamilies": IPV4}, "spec.ipFamilyPolicy", f"{RELEASES} IP family"),
        ({"clusterIPs": ["10.20.0.7", "fd00:20::8"]}, "spec.clusterIPs[1]", "may not change once set"),
        ({"clusterIPs": TWO[::-1], "clusterIP": TWO[1], "ipFamilies": TURNED}, "spec.clusterIPs[0]", "may not change once set"),
    ],
)
async def test_what_a_service_of_two_addresses_cant_become_is_refused(spec: Object, path: str, why: str):
    async with running(nodes=0, service_cluster_ip_range=(V4, V6)) as run:
        services = Networks(run).services
        made = await services.create(wanted(ipFamilyPolicy="RequireDualStack", clusterIPs=TWO))
        with pytest.raises(StatusError) as refused:
            await services.update({**made, "spec": {**made["spec"], **spec}})
        causes = {cause["field"]: cause["message"] for cause in refused.value.details["causes"]}
        assert why in causes[path]


@pytest.mark.virtual_time
async def test_a_network_of_the_users_widens_the_range_of_its_family():
    small = ip_network("fd00:20::/125")
    async with running(nodes=0, service_cluster_ip_range=(V4, small)) as run:
        live = Networks(run)
        for number in range(7):
            await live.serve(f"s{number}", ipFamilies=IPV6)
        with pytest.raises(StatusError, match="failed to allocate a serviceIP: range is full"):
            await live.serve("full", ipFamilies=IPV6)
        await live.add("more", "fd00:30::/112")
        assert ip_address(await live.serve("more", ipFamilies=IPV6)) in ip_network("fd00:30::/112")
        assert ip_address(await live.serve("other")) in V4


def test_ports_stay_as_they_are_when_the_range_is_another_at_the_next_start(tmp_path: Path):
    async def first():
        async with running(nodes=0, data_dir=tmp_path, service_node_port_range=range(20_000, 20_010)) as run:
            made = (await Networks(run).services.create(wanted(type="NodePort")))["spec"]
            assert made["ports"][0]["nodePort"] in range(20_000, 20_010)

    async def second():
        async with running(nodes=0, data_dir=tmp_path, service_node_port_range=range(31_000, 31_001)) as run:
            services = Networks(run).services
            held = (await services.get("web"))["spec"]["ports"][0]["nodePort"]
            labelled = await services.patch("web", {"metadata": {"labels": {"a": "b"}}})
            assert labelled["spec"]["ports"][0]["nodePort"] == held
            other = {"metadata": {"name": "other"}, "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 20_005}]}}
            with pytest.raises(StatusError) as refused:
                await services.create(other)
            (cause,) = refused.value.details["causes"]
            why = "provided port is not in the valid range. The range of valid ports is 31000-31000"
            assert (cause["field"], cause["message"]) == ("spec.ports[0].nodePort", f"Invalid value: 20005: {why}")
            del other["spec"]["ports"][0]["nodePort"]
            assert (await services.create(other))["spec"]["ports"][0]["nodePort"] == 31_000

    run_virtual(first())
    run_virtual(second())


@pytest.mark.virtual_time
async def test_a_headless_service_of_nobodys_pods_may_have_families_that_the_cluster_lacks():
    async with running(nodes=0, service_cluster_ip_range=(V6,)) as run:
        services = Networks(run).services
        free = (await services.create(wanted(clusterIP="None")))["spec"]
        assert (free["clusterIPs"], free["ipFamilies"], free["ipFamilyPolicy"]) == (["None"], TURNED, "RequireDualStack")
        await services.delete("web")
        of_pods = (await services.create(wanted(clusterIP="None", selector={"app": "web"})))["spec"]
        assert (of_pods["clusterIPs"], of_pods["ipFamilies"], of_pods["ipFamilyPolicy"]) == (["None"], IPV6, "SingleStack")
