"""ServiceCIDRs and IPAddresses as the cluster lives on them: where addresses come from, whose they are, and when a network may go."""

from pathlib import Path

import pytest

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from tests.controllers.running import Running, running
from tests.virtual import START_S, run_virtual

VERSION = "networking.k8s.io/v1"
FINALIZER = "networking.k8s.io/service-cidr-finalizer"
READY, BLOCKED = ("True", "Ready"), ("False", "Terminating")


class Networks:
    """The networks, the addresses, and the Services that have them."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.cidrs = run.client.resource(VERSION, "servicecidrs")
        self.addresses = run.client.resource(VERSION, "ipaddresses")
        self.services = run.client.resource("v1", "services", "default")

    async def serve(self, name: str, address: str = "", **spec: object) -> str:
        """A new Service, and its address."""
        wanted = {"clusterIP": address} if address else {}
        made = await self.services.create({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **wanted, **spec}})
        return made["spec"].get("clusterIP", "")

    async def add(self, name: str, *cidrs: str) -> None:
        await self.cidrs.create({"metadata": {"name": name}, "spec": {"cidrs": list(cidrs)}})
        await self.until_state(name, READY)

    async def until_state(self, name: str, state: tuple[str, str]) -> None:
        def holds(items: list[dict]) -> bool:
            found = [one for one in items if one["metadata"]["name"] == name]
            conditions = found[0]["status"].get("conditions") or [] if found else []
            return [(one["status"], one["reason"]) for one in conditions] == [state]

        await self.run.until(holds, self.cidrs)

    async def until_taken(self, address: str) -> dict:
        """The IPAddress, once it is there."""
        items = await self.run.until(lambda items: any(one["metadata"]["name"] == address for one in items), self.addresses)
        return next(one for one in items if one["metadata"]["name"] == address)

    async def until_free(self, address: str) -> None:
        await self.run.until_gone(self.addresses, address)


@pytest.mark.virtual_time
async def test_every_cluster_has_the_network_that_its_services_get_addresses_of():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.until_state("kubernetes", READY)
        (only,) = await networks.cidrs.list_all()
        assert (only["spec"], only["metadata"]["finalizers"]) == ({"cidrs": ["10.96.0.0/16"]}, [FINALIZER])
        first = await networks.until_taken("10.96.0.1")
        assert first["spec"]["parentRef"] == {"resource": "services", "namespace": "default", "name": "kubernetes"}


@pytest.mark.virtual_time
async def test_an_address_is_whose_service_has_it_and_goes_with_it():
    async with running(nodes=0) as run:
        networks = Networks(run)
        address = await networks.serve("web")
        found = await networks.until_taken(address)
        assert found["metadata"]["labels"] == {
            "ipaddress.kubernetes.io/ip-family": "IPv4",
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        }
        assert found["spec"] == {"parentRef": {"resource": "services", "namespace": "default", "name": "web"}}
        await networks.services.delete("web")
        await networks.until_free(address)


@pytest.mark.virtual_time
async def test_services_without_an_address_have_no_ip_address():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.serve("headless", "None")
        await networks.serve("elsewhere", type="ExternalName", externalName="example.com")
        await networks.until_taken(await networks.serve("web"))
        assert len(await networks.addresses.list_all()) == 2


@pytest.mark.virtual_time
async def test_an_address_that_is_given_back_is_free():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.until_taken(await networks.serve("web", "10.96.7.7"))
        gone = {"metadata": {"name": "web"}, "spec": {"type": "ExternalName", "externalName": "example.com"}}
        await networks.services.update(gone)
        await networks.until_free("10.96.7.7")
        assert await networks.serve("other", "10.96.7.7") == "10.96.7.7"
        assert (await networks.until_taken("10.96.7.7"))["spec"]["parentRef"]["name"] == "other"


@pytest.mark.virtual_time
async def test_an_address_that_somebody_deletes_is_made_again_and_one_of_no_service_is_deleted():
    async with running(nodes=0) as run:
        networks = Networks(run)
        address = await networks.serve("web")
        before = await networks.until_taken(address)
        await networks.addresses.delete(address)
        again = await run.until(
            lambda items: any(one["metadata"]["name"] == address and one["metadata"]["uid"] != before["metadata"]["uid"] for one in items),
            networks.addresses,
        )
        assert again
        stray = {"metadata": {"name": "10.96.8.8", "labels": before["metadata"]["labels"]}, "spec": before["spec"]}
        await networks.addresses.create(stray)
        await networks.until_free("10.96.8.8")


@pytest.mark.virtual_time
async def test_an_address_that_is_somebody_elses_is_no_services():
    async with running(nodes=0) as run:
        networks = Networks(run)
        mine = {"metadata": {"name": "10.96.8.8"}, "spec": {"parentRef": {"group": "example.com", "resource": "gateways", "name": "front"}}}
        await networks.addresses.create(mine)
        with pytest.raises(StatusError, match=r"failed to allocate IP 10\.96\.8\.8: provided IP is already allocated") as refused:
            await networks.serve("web", "10.96.8.8")
        assert refused.value.code == 422
        await run.clock.sleep(60)
        assert await run.exists(networks.addresses, "10.96.8.8"), "nobody but its owner takes it away"
        await networks.addresses.delete("10.96.8.8")
        assert await networks.serve("web", "10.96.8.8") == "10.96.8.8"


@pytest.mark.virtual_time
async def test_an_address_has_one_name_and_one_owner():
    async with running(nodes=0) as run:
        networks = Networks(run)
        address = await networks.serve("web")
        taken = await networks.until_taken(address)
        with pytest.raises(StatusError, match="already exists"):
            await networks.addresses.create({"metadata": {"name": address}, "spec": taken["spec"]})
        with pytest.raises(StatusError, match="field is immutable"):
            await networks.addresses.patch(address, {"spec": {"parentRef": {"name": "other"}}})


@pytest.mark.virtual_time
async def test_another_network_gives_more_addresses_until_it_is_deleted():
    async with running(nodes=0) as run:
        networks = Networks(run)
        with pytest.raises(StatusError, match=r"is not in the valid range. The range of valid IPs is 10\.96\.0\.0/16"):
            await networks.serve("web", "172.20.0.3")
        await networks.add("more", "172.20.0.0/29")
        assert await networks.serve("web", "172.20.0.3") == "172.20.0.3"
        for end in ("172.20.0.0", "172.20.0.7"):
            with pytest.raises(StatusError, match=r"The range of valid IPs is 10\.96\.0\.0/16, 172\.20\.0\.0/29"):
                await networks.serve("end", end)
        await networks.until_taken("172.20.0.3")
        await networks.cidrs.delete("more")
        with pytest.raises(StatusError, match=r"The range of valid IPs is 10\.96\.0\.0/16"):
            await networks.serve("late", "172.20.0.4")


@pytest.mark.virtual_time
async def test_a_network_goes_when_no_service_has_an_address_of_it():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.add("more", "172.20.0.0/24")
        await networks.until_taken(await networks.serve("web", "172.20.0.3"))
        await networks.cidrs.delete("more")
        await networks.until_state("more", BLOCKED)
        await run.clock.sleep(60)
        assert await run.exists(networks.cidrs, "more")
        assert (await networks.services.patch("web", {"metadata": {"labels": {"a": "b"}}}))["spec"]["clusterIP"] == "172.20.0.3"
        await networks.services.delete("web")
        await run.until_gone(networks.cidrs, "more")


@pytest.mark.virtual_time
async def test_a_network_goes_when_its_addresses_are_in_another_one():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.add("small", "172.20.0.0/24")
        await networks.until_taken(await networks.serve("web", "172.20.0.3"))
        await networks.cidrs.delete("small")
        await networks.until_state("small", BLOCKED)
        await networks.add("large", "172.20.0.0/16")
        await run.until_gone(networks.cidrs, "small")
        assert await run.exists(networks.services, "web")


@pytest.mark.virtual_time
async def test_an_unused_network_goes_after_a_while():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.add("more", "172.20.0.0/24")
        since = run.clock.now()
        await networks.cidrs.delete("more")
        await run.until_gone(networks.cidrs, "more")
        assert 9 <= run.clock.now() - since <= 11


@pytest.mark.virtual_time
async def test_the_network_of_the_api_server_stays():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.until_taken("10.96.0.1")
        await networks.cidrs.delete("kubernetes")
        await networks.until_state("kubernetes", BLOCKED)
        await run.clock.sleep(60)
        assert await run.exists(networks.cidrs, "kubernetes")


def test_a_restart_changes_no_address(tmp_path: Path):
    spec = ClusterSpec(dialect="kubernetes", nodes=0, seed=1, start_s=START_S, data_dir=tmp_path)
    known: list[tuple[str, str]] = []

    async def listed(networks: Networks) -> list[tuple[str, str]]:
        return [(one["metadata"]["name"], one["metadata"]["uid"]) for one in await networks.addresses.list_all()]

    async def before() -> None:
        async with open_cluster(spec) as cluster:
            networks = Networks(Running(cluster))
            await networks.add("more", "172.20.0.0/29")
            for name, address in (("web", "10.96.7.7"), ("far", "172.20.0.3"), ("late", "")):
                await networks.until_taken(await networks.serve(name, address))
            known.extend(await listed(networks))

    async def after() -> None:
        async with open_cluster(spec) as cluster:
            networks = Networks(Running(cluster))
            await networks.run.clock.sleep(60)
            assert await listed(networks) == known
            with pytest.raises(StatusError, match="provided IP is already allocated"):
                await networks.serve("other", "172.20.0.3")

    run_virtual(before())
    run_virtual(after())


def test_an_address_that_went_while_nobody_looked_is_made_and_freed_after_a_restart(tmp_path: Path):
    """The cluster ended between the write of a Service and that of its address."""
    spec = ClusterSpec(dialect="kubernetes", nodes=0, seed=1, start_s=START_S, data_dir=tmp_path)

    async def before() -> None:
        async with open_cluster(spec) as cluster:
            networks = Networks(Running(cluster))
            await networks.until_taken(await networks.serve("old", "10.96.7.7"))
            await networks.services.delete("old")
            await networks.serve("new", "10.96.8.8")

    async def after() -> None:
        async with open_cluster(spec) as cluster:
            networks = Networks(Running(cluster))
            await networks.until_taken("10.96.8.8")
            await networks.until_free("10.96.7.7")

    run_virtual(before())
    run_virtual(after())


@pytest.mark.virtual_time
async def test_the_clusters_own_network_gives_no_new_addresses_while_it_is_being_deleted():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.until_state("kubernetes", READY)
        held = await networks.serve("before")
        await networks.cidrs.delete("kubernetes")
        await networks.until_state("kubernetes", BLOCKED)
        with pytest.raises(StatusError, match="failed to allocate a serviceIP: range is full"):
            await networks.serve("by-chance")
        with pytest.raises(StatusError, match="is not in the valid range"):
            await networks.serve("by-name", "10.96.0.77")
        changed = await networks.services.patch("before", {"metadata": {"labels": {"a": "b"}}})
        assert changed["spec"]["clusterIP"] == held, "who has an address keeps it"
        await networks.add("more", "10.97.0.0/24")
        assert (await networks.serve("after")).startswith("10.97.0.")


@pytest.mark.virtual_time
async def test_a_network_that_two_have_gives_addresses_while_one_of_them_is_ready():
    async with running(nodes=0) as run:
        networks = Networks(run)
        await networks.add("same", "10.96.0.0/16")
        await networks.serve("before")
        await networks.cidrs.patch("kubernetes", {"metadata": {"finalizers": ["example.com/stays"]}})
        await networks.cidrs.delete("kubernetes")
        assert (await networks.serve("after")).startswith("10.96.")
