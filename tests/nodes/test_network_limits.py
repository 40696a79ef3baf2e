"""Where requests of programs in containers don't go: by hints that some endpoints lack, to a pod by a former address, round in circles."""

import pytest

from svcsim.meta.objects import labels_of
from svcsim.meta.types import Json, Object
from tests.living import Living, living, pod
from tests.nodes.test_network import API, OWN, box, let_all, said, server, service
from tests.nodes.test_streams import run

ZONE = "topology.kubernetes.io/zone"


async def endpoints(cluster: Living, *found: Object) -> None:
    """Say by hand whom the service ``manual`` leads to."""
    slices = cluster.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
    await slices.delete_collection(label_selector="kubernetes.io/service-name=manual")
    await slices.create(
        {
            "metadata": {"generateName": "manual-", "labels": {"kubernetes.io/service-name": "manual"}},
            "addressType": "IPv4",
            "ports": [{"port": 80}],
            "endpoints": list(found),
        }
    )


def endpoint(made: Object, **more: Json) -> Object:
    return {"addresses": [made["status"]["podIP"]], "targetRef": {"kind": "Pod", "name": made["metadata"]["name"]}, **more}


async def asked(cluster: Living) -> set[str]:
    """The pods that answer who asks the service again and again."""
    return set((await said(cluster, "for i in 1 2 3 4 5 6; do wget -qO- manual | grep '\"pod\"'; done")).split('"')[3::4])


@pytest.mark.virtual_time
async def test_hints_for_zones_count_only_where_all_endpoints_have_some():
    async with living(nodes=2) as cluster:
        near, far = [await cluster.run_pod(server(f"web-{number}", nodeName=f"node-{number}")) for number in (1, 2)]
        here, there = [labels_of(await cluster.nodes.get(f"node-{number}"))[ZONE] for number in (1, 2)]
        await cluster.run_pod(pod("box", image="debian:12", command=["sleep", "99999"], nodeName="node-1"))
        await service(cluster, "manual", selector=None)
        await endpoints(cluster, endpoint(near, hints={"forZones": [{"name": here}]}), endpoint(far))
        assert await asked(cluster) == {"web-1", "web-2"}
        await endpoints(cluster, *(endpoint(one, hints={"forZones": [{"name": zone}]}) for one, zone in ((near, here), (far, there))))
        assert await asked(cluster) == {"web-1"}


@pytest.mark.virtual_time
async def test_an_address_that_a_pod_had_once_leads_to_nobody():
    async with living() as cluster:
        before = await cluster.run_pod(server())
        await cluster.run_pod(box())
        await service(cluster, "manual", selector=None)
        await endpoints(cluster, endpoint(before))
        assert await asked(cluster) == {"web-0"}
        await cluster.pods.delete("web-0")
        await cluster.until(lambda pods: len(pods) == 1)
        after = await cluster.run_pod(server())
        assert after["status"]["podIP"] != before["status"]["podIP"]
        ran = await run(cluster, "box", "curl", "-m", "2", "manual")
        assert (ran.code, ran.out) == (28, "")


@pytest.mark.virtual_time
async def test_names_that_stand_for_others_are_followed_a_few_times_and_never_in_circles():
    chain = {f"name-{number}": f"name-{number + 1}" for number in range(20)} | {"name-20": "web"}
    circles = {"one": "other", "other": "one", "own": "own"}
    async with living() as cluster:
        await cluster.run_pod(box())
        web = await service(cluster)
        for alias, meant in {**chain, **circles}.items():
            outer = f"{meant}.default.svc.cluster.local"
            await service(cluster, alias, type="ExternalName", externalName=outer, selector=None, ports=None)
        await cluster.sleep(5)
        assert (await said(cluster, "getent hosts name-18")).split() == [web["spec"]["clusterIP"], "name-18"]
        for alias in ("name-0", *circles):
            ran = await run(cluster, "box", "nslookup", alias)
            assert (ran.code, f"** server can't find {alias}: NXDOMAIN" in ran.out) == (1, True)


@pytest.mark.virtual_time
async def test_a_connection_that_would_become_another_one_is_not_answered():
    """A program that reads an answer to its end has none of one that never ends."""
    ask = f"{API}'{OWN}/box/exec?command=ls&stdout=1' -m 2"
    upgrade = (
        "-H 'Upgrade: websocket' -H 'Connection: Upgrade' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' "
        "-H 'Sec-WebSocket-Protocol: v5.channel.k8s.io'"
    )
    async with living() as cluster:
        await let_all(cluster)
        await cluster.run_pod(box())
        assert await said(cluster, f"{ask} {upgrade}; echo $?; {ask}; echo $?") == "000 28\n400 0\n"


@pytest.mark.virtual_time
@pytest.mark.parametrize(("delay", "seconds"), [("", 1 + 2 + 4 + 8), ("--retry-delay 3", 4 * 3)])
async def test_curl_waits_twice_as_long_before_each_further_try(delay: str, seconds: int):
    async with living() as cluster:
        await cluster.run_pod(box())
        await service(cluster, "nobody", selector={"app": "nobody"})
        await cluster.sleep(5)
        timed = f"began=$(date +%s); curl -s --retry 4 --retry-connrefused {delay} nobody; echo $? $(($(date +%s) - began))"
        assert await said(cluster, timed) == f"7 {seconds}\n"
