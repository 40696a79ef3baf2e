"""What each plugin of the chain does to the objects of a cluster."""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from svcsim.admission.chain import UnknownPluginError
from svcsim.client.api import Collection
from svcsim.clock import turn
from svcsim.cluster.admission_spec import AdmissionSpec
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.storage.contract import Key
from svcsim.storage.files import DATA_FILE
from tests.living import pod
from tests.registry.asking import Asking, asking
from tests.storage.words import flip
from tests.virtual import run_virtual


class Space:
    """The collections of one namespace."""

    def __init__(self, asked: Asking, namespace: str = "default") -> None:
        self.client = asked.cluster.client("test")
        self.namespaces = self.client.resource("v1", "namespaces")
        self.maps = self.client.resource("v1", "configmaps", namespace)
        self.pods = self.client.resource("v1", "pods", namespace)
        self.services = self.client.resource("v1", "services", namespace)


NODE_PORTS = ClusterSpec().service_node_port_range
(NETWORK,) = ClusterSpec().service_cluster_ip_range


def service(name: str, *ports: Object, **spec: Json) -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": list(ports) or [{"port": 80}], **spec}}


# --- NamespaceLifecycle ---


@pytest.mark.virtual_time
async def test_nothing_is_created_where_there_is_no_namespace():
    async with asking() as asked:
        with pytest.raises(StatusError, match='namespaces "none" not found') as refused:
            await Space(asked, "none").maps.create({"metadata": {"name": "a"}})
        assert refused.value.code == 404


@pytest.mark.virtual_time
async def test_nothing_is_created_where_the_namespace_is_going_but_what_is_there_can_be_changed():
    async with asking() as asked:
        space = Space(asked, "n")
        await space.namespaces.create({"metadata": {"name": "n"}})
        await space.maps.create({"metadata": {"name": "a", "finalizers": ["example.com/hold"]}})
        await space.namespaces.delete("n")
        with pytest.raises(StatusError, match="because it is being terminated") as refused:
            await space.maps.create({"metadata": {"name": "b"}})
        assert refused.value.details["causes"][0]["reason"] == "NamespaceTerminating"
        assert (await space.maps.patch("a", {"data": {"k": "v"}}))["data"] == {"k": "v"}


@pytest.mark.virtual_time
async def test_a_namespace_counts_from_the_moment_it_is_written():
    """One that is being created takes objects that come after it; one that is being deleted takes none."""
    async with asking() as asked:
        space = Space(asked, "n")
        made, inside = await asyncio.gather(
            space.namespaces.create({"metadata": {"name": "n"}}), space.maps.create({"metadata": {"name": "a"}})
        )
        assert int(made["metadata"]["resourceVersion"]) < int(inside["metadata"]["resourceVersion"])
        gone, refused = await asyncio.gather(
            space.namespaces.delete("n"), space.maps.create({"metadata": {"name": "b"}}), return_exceptions=True
        )
        assert not isinstance(gone, Exception)
        assert isinstance(refused, StatusError)
        assert refused.code in (403, 404)


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
async def test_the_first_namespaces_cant_be_deleted(dialect: str):
    async with asking(dialect=dialect) as asked:
        words = asked.cluster.dialect
        for name in ("default", words.system_namespace, words.public_namespace):
            with pytest.raises(StatusError, match="this namespace may not be deleted"):
                await Space(asked).namespaces.delete(name)


# --- ServiceAccount, DefaultTolerationSeconds ---


@pytest.mark.virtual_time
async def test_a_pod_runs_as_its_namespaces_default_account_unless_it_names_one():
    async with asking() as asked:
        pods = Space(asked).pods
        plain = await pods.create(pod("a"))
        assert (plain["spec"]["serviceAccountName"], plain["spec"]["serviceAccount"]) == ("default", "default")
        await asked.create("robot", "serviceaccounts")
        named = await pods.create(pod("b", serviceAccountName="robot"))
        assert (named["spec"]["serviceAccountName"], named["spec"]["serviceAccount"]) == ("robot", "robot")


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
async def test_a_pod_stays_five_minutes_on_a_silent_node_unless_it_says_otherwise(dialect: str):
    async with asking(dialect=dialect) as asked:
        pods, words = Space(asked).pods, asked.cluster.dialect
        keys = [words.key("not-ready", "node"), words.key("unreachable", "node")]
        plain = (await pods.create(pod("a")))["spec"]["tolerations"]
        assert plain == [{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300} for key in keys]
        own = {"key": keys[0], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 7}
        assert (await pods.create(pod("b", tolerations=[own])))["spec"]["tolerations"] == [own, plain[1]]
        everything = {"operator": "Exists"}
        assert (await pods.create(pod("c", tolerations=[everything])))["spec"]["tolerations"] == [everything]


# --- ServiceAddresses ---


@pytest.mark.virtual_time
async def test_services_get_addresses_of_their_own():
    async with asking() as asked:
        services = Space(asked).services
        specs = [(await services.create(service(f"s{i}")))["spec"] for i in range(20)]
        addresses = [spec["clusterIP"] for spec in specs]
        assert len(set(addresses)) == 20
        assert all(ipaddress.ip_address(address) in NETWORK for address in addresses)
        assert "10.96.0.1" not in addresses
        assert specs[0]["clusterIPs"] == [addresses[0]]
        assert (specs[0]["ipFamilies"], specs[0]["ipFamilyPolicy"]) == (["IPv4"], "SingleStack")


@pytest.mark.virtual_time
async def test_an_address_is_had_once_and_again_after_its_service_is_gone():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", clusterIP="10.96.7.7"))
        with pytest.raises(StatusError, match="provided IP is already allocated") as refused:
            await services.create(service("b", clusterIP="10.96.7.7"))
        assert refused.value.code == 422
        await services.delete("a")
        assert (await services.create(service("b", clusterIP="10.96.7.7")))["spec"]["clusterIP"] == "10.96.7.7"


@pytest.mark.virtual_time
async def test_services_that_are_created_together_get_addresses_and_ports_of_their_own():
    async with asking() as asked:
        services = Space(asked).services
        made = await asyncio.gather(*[services.create(service(f"s{i}", type="NodePort")) for i in range(500)])
        assert len({one["spec"]["clusterIP"] for one in made}) == 500
        assert len({one["spec"]["ports"][0]["nodePort"] for one in made}) == 500


@pytest.mark.virtual_time
async def test_of_services_that_want_one_address_at_once_one_gets_it():
    async with asking() as asked:
        services = Space(asked).services
        wanted = [service(f"s{i}", clusterIP="10.96.7.7") for i in range(5)]
        outcomes = await asyncio.gather(*[services.create(one) for one in wanted], return_exceptions=True)
        refusals = [str(outcome) for outcome in outcomes if isinstance(outcome, StatusError)]
        assert len(refusals) == 4
        assert all("provided IP is already allocated" in refusal for refusal in refusals)


@pytest.mark.virtual_time
async def test_an_address_is_kept_for_a_write_whose_client_went_away():
    async with asking() as asked:
        services = Space(asked).services
        gone = asyncio.ensure_future(services.create(service("a", clusterIP="10.96.7.7")))
        while not asked.cluster.store.pending(Key("services", "default", "a")):
            await turn()
        gone.cancel()
        with pytest.raises(StatusError, match="provided IP is already allocated"):
            await services.create(service("b", clusterIP="10.96.7.7"))
        assert (await services.get("a"))["spec"]["clusterIP"] == "10.96.7.7"


@pytest.mark.virtual_time
async def test_a_service_that_needs_its_address_no_longer_gives_it_back():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", {"port": 80, "nodePort": 30_100}, type="NodePort", clusterIP="10.96.7.7"))
        await services.update(service("a", type="ExternalName", externalName="example.com"))
        other = service("b", {"port": 80, "nodePort": 30_100}, type="NodePort", clusterIP="10.96.7.7")
        assert (await services.create(other))["spec"]["clusterIP"] == "10.96.7.7"


def test_what_is_taken_is_known_after_a_restart(tmp_path):
    async def first():
        async with asking(data_dir=tmp_path) as asked:
            await Space(asked).services.create(service("a", {"port": 80, "nodePort": 30_100}, type="NodePort", clusterIP="10.96.7.7"))

    async def second():
        async with asking(data_dir=tmp_path) as asked:
            services = Space(asked).services
            with pytest.raises(StatusError, match="provided IP is already allocated"):
                await services.create(service("b", clusterIP="10.96.7.7"))
            with pytest.raises(StatusError, match="provided port is already allocated"):
                await services.create(service("b", {"port": 80, "nodePort": 30_100}, type="NodePort"))

    run_virtual(first())
    run_virtual(second())


def with_damaged_service(data_dir: Path, damaged: Object, check: Callable[[Collection], Awaitable[None]]) -> None:
    """Check what becomes of other services, started again with one that can't be read where ``precious`` stands in it."""

    async def first():
        async with asking(data_dir=data_dir) as asked:
            await Space(asked).services.create(damaged)

    async def second():
        async with asking(data_dir=data_dir) as asked:
            services = Space(asked).services
            with pytest.raises(StatusError, match="services default/a: "):
                await services.get("a")
            await check(services)

    run_virtual(first())
    assert flip(data_dir / "store" / DATA_FILE, b"precious", bytes.swapcase)
    run_virtual(second())


def test_the_address_of_a_service_that_cant_be_read_stays_its_own(tmp_path):
    damaged = service("a", clusterIP="10.96.7.7")
    damaged["metadata"]["annotations"] = {"note": "precious"}

    async def check(services: Collection) -> None:
        with pytest.raises(StatusError, match="provided IP is already allocated"):
            await services.create(service("b", clusterIP="10.96.7.7"))
        assert (await services.create(service("b", type="NodePort")))["spec"]["ports"][0]["nodePort"], "it has none to take"

    with_damaged_service(tmp_path, damaged, check)


def test_no_port_is_drawn_where_a_service_that_cant_be_read_may_have_it(tmp_path):
    damaged = service("a", {"port": 80, "nodePort": 30_100}, type="NodePort")
    damaged["metadata"]["annotations"] = {"note": "precious"}

    async def check(services: Collection) -> None:
        with pytest.raises(StatusError, match="failed to allocate a nodePort: nobody knows which one the damaged service default/a has"):
            await services.create(service("b", type="NodePort"))
        assert await services.create(service("b"))
        assert await services.create(service("c", {"port": 80, "nodePort": 30_200}, type="NodePort"))

    with_damaged_service(tmp_path, damaged, check)


def test_no_address_is_drawn_where_nothing_is_known_of_a_service(tmp_path):
    damaged = service("a")
    damaged["metadata"]["labels"] = {"is": "precious"}

    async def check(services: Collection) -> None:
        with pytest.raises(StatusError, match="name a clusterIP that it doesn't have") as refused:
            await services.create(service("b"))
        assert (refused.value.code, refused.value.reason) == (500, "InternalError")
        assert await services.create(service("b", clusterIP="10.96.7.7"))
        assert await services.create(service("c", clusterIP="None"))

    with_damaged_service(tmp_path, damaged, check)


@pytest.mark.virtual_time
async def test_an_update_that_leaves_its_addresses_out_keeps_them():
    async with asking() as asked:
        services = Space(asked).services
        made = await services.create(service("a", {"port": 80, "name": "x"}, type="NodePort"))
        node_port = made["spec"]["ports"][0]["nodePort"]
        assert node_port in NODE_PORTS
        ports = [{"port": 80, "name": "x"}, {"port": 81, "name": "y"}]
        updated = await services.update(service("a", *ports, type="NodePort"))
        assert updated["spec"]["clusterIP"] == made["spec"]["clusterIP"]
        assert updated["spec"]["ports"][0]["nodePort"] == node_port
        assert updated["spec"]["ports"][1]["nodePort"] not in (node_port, None)
        with pytest.raises(StatusError, match=r"spec\.clusterIPs\[0\]: Invalid value"):
            await services.update(service("a", *ports, type="NodePort", clusterIP="10.96.9.9"))


@pytest.mark.virtual_time
@pytest.mark.parametrize("address", ["10.96.9.9", "None"])
async def test_a_patch_of_the_first_address_alone_is_told_that_it_stays_as_it_is(address):
    async with asking() as asked:
        services = Space(asked).services
        made = await services.create(service("a"))
        with pytest.raises(StatusError, match=rf'spec\.clusterIPs\[0\]: Invalid value: \["{address}"\]: may not change once set'):
            await services.update({**made, "spec": {**made["spec"], "clusterIP": address}})


@pytest.mark.virtual_time
async def test_a_headless_service_and_an_external_name_have_no_address():
    async with asking() as asked:
        services = Space(asked).services
        headless = (await services.create(service("a", clusterIP="None")))["spec"]
        assert (headless["clusterIP"], headless["clusterIPs"]) == ("None", ["None"])
        external = (await services.create(service("b", type="ExternalName", externalName="example.com")))["spec"]
        assert not {"clusterIP", "clusterIPs", "ipFamilies"} & set(external)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"clusterIP": "None"}, "clusterIPs"),
        ({"clusterIP": "10.96.0.9"}, "clusterIPs"),
        ({"clusterIPs": ["10.96.0.9"]}, "clusterIPs"),
        ({"ipFamilies": ["IPv4"]}, "ipFamilies"),
        ({"ipFamilyPolicy": "SingleStack"}, "ipFamilyPolicy"),
    ],
)
async def test_an_external_name_that_asks_for_an_address_is_refused(sent, field):
    refused = rf"spec\.{field}: Forbidden: may not be set for ExternalName services"
    async with asking() as asked:
        services = Space(asked).services
        with pytest.raises(StatusError, match=refused):
            await services.create(service("a", type="ExternalName", externalName="example.com", **sent))
        await services.create(service("a", type="ExternalName", externalName="example.com"))
        with pytest.raises(StatusError, match=refused):
            await services.update(service("a", type="ExternalName", externalName="example.com", **sent))


@pytest.mark.virtual_time
async def test_a_service_that_becomes_an_external_name_gives_up_its_address():
    async with asking() as asked:
        services = Space(asked).services
        made = await services.create(service("a"))
        renamed = {**made, "spec": {**made["spec"], "type": "ExternalName", "externalName": "example.com"}}
        spec = (await services.update(renamed))["spec"]
        assert not {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"} & set(spec)


@pytest.mark.virtual_time
async def test_a_dry_run_takes_no_address():
    async with asking() as asked:
        services = Space(asked).services
        tried = await services.create(service("a", clusterIP="10.96.7.7"), dry_run=True)
        assert tried["spec"]["clusterIP"] == "10.96.7.7"
        assert (await services.create(service("b", clusterIP="10.96.7.7")))["spec"]["clusterIP"] == "10.96.7.7"


@pytest.mark.virtual_time
async def test_a_create_that_comes_too_late_takes_no_address():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a"))
        for late in (service("a", {"port": 80, "nodePort": 30_100}, type="NodePort", clusterIP="10.96.7.7"),) * 2:
            with pytest.raises(StatusError, match="already exists"):
                await services.create(late)
        wanted = service("b", {"port": 80, "nodePort": 30_100}, type="NodePort", clusterIP="10.96.7.7")
        assert (await services.create(wanted))["spec"]["clusterIP"] == "10.96.7.7"


@pytest.mark.virtual_time
async def test_a_dry_run_of_an_update_takes_no_port():
    async with asking() as asked:
        services = Space(asked).services
        await services.create(service("a", type="NodePort"))
        change = {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30_100}]}}
        assert (await asked.patch("a", change, "services", dry_run=True))["spec"]["ports"][0]["nodePort"] == 30_100
        made = await services.create(service("b", {"port": 80, "nodePort": 30_100}, type="NodePort"))
        assert made["spec"]["ports"][0]["nodePort"] == 30_100


@pytest.mark.virtual_time
async def test_two_ports_of_one_service_cant_have_the_same_node_port():
    async with asking() as asked:
        ports = [{"port": 80, "name": "x", "nodePort": 30_100}, {"port": 81, "name": "y", "nodePort": 30_100}]
        with pytest.raises(StatusError) as refused:
            await Space(asked).services.create(service("a", *ports, type="NodePort"))
        assert refused.value.code == 422


@pytest.mark.virtual_time
async def test_a_service_that_fails_validation_leaves_its_address_free():
    async with asking() as asked:
        services = Space(asked).services
        with pytest.raises(StatusError):
            await services.create(service("Bad_Name", clusterIP="10.96.7.7"))
        assert await services.create(service("good", clusterIP="10.96.7.7"))


@pytest.mark.virtual_time
@pytest.mark.parametrize("address", ["10.95.0.1", "192.0.2.1", "10.96.0.0", "10.96.255.255"])
async def test_an_address_outside_of_the_network_is_refused(address: str):
    async with asking() as asked:
        with pytest.raises(StatusError, match="failed to allocate IP") as refused:
            await Space(asked).services.create(service("a", clusterIP=address))
        assert refused.value.code == 422


@pytest.mark.virtual_time
@pytest.mark.parametrize("port", [80, 29_999, 32_768])
async def test_a_node_port_outside_of_the_range_is_refused(port: int):
    async with asking() as asked:
        with pytest.raises(StatusError, match="provided port is not in the valid range") as refused:
            await Space(asked).services.create(service("a", {"port": 80, "nodePort": port}, type="NodePort"))
        assert refused.value.code == 422


# --- which of them there are ---


@pytest.mark.virtual_time
async def test_a_cluster_can_do_without_a_plugin():
    async with asking(admission=AdmissionSpec(disable=("ServiceAccount",))) as asked:
        created = await Space(asked).pods.create(pod("a"))
        assert "serviceAccountName" not in created["spec"]
        assert created["spec"]["tolerations"], "the others are there"


@pytest.mark.virtual_time
async def test_a_plugin_that_is_not_there_is_told_of_before_anything_runs():
    with pytest.raises(UnknownPluginError, match='there is no admission plugin "NoSuch"; there are NamespaceLifecycle, LimitRanger'):
        async with asking(admission=AdmissionSpec(disable=("NoSuch",))):
            pass


@pytest.mark.virtual_time
async def test_a_binding_or_an_eviction_is_nothing_new_for_a_namespace_that_is_going():
    async with asking() as asked:
        space = Space(asked, "n")
        await space.namespaces.create({"metadata": {"name": "n"}})
        held = pod("p", schedulerName="nobody")
        held["metadata"] = {"name": "p", "finalizers": ["example.com/hold"]}
        await space.pods.create(held)
        await space.namespaces.delete("n")
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n1"}}
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
        for subresource, body in (("binding", binding), ("eviction", eviction)):
            with pytest.raises(StatusError, match='pods "p" is forbidden: unable to create new content in namespace n') as refused:
                await space.pods.create_subresource("p", subresource, body)
            assert refused.value.details["causes"][0]["reason"] == "NamespaceTerminating"
