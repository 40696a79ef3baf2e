"""What a cluster can't be without is there again whenever somebody has deleted it."""

from dataclasses import replace
from pathlib import Path

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.put_right import put_right
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import condition
from svcsim.meta.types import Object
from tests.virtual import START_S, run_virtual

WITH_NODES = replace(ClusterSpec(dialect="kubernetes", seed=1, start_s=START_S), nodes=2)


FLOW_CONTROL = "flowcontrol.apiserver.k8s.io/v1"
NOTE = "apf.kubernetes.io/autoupdate-spec"


async def of_service(cluster: Cluster) -> list[Object]:
    """The Service by which pods find the API server, and what leads on from it."""
    client = cluster.client("test")
    ways = (("v1", "services"), ("v1", "endpoints"), ("discovery.k8s.io/v1", "endpointslices"))
    return [await client.resource(api_version, plural, "default").get("kubernetes") for api_version, plural in ways]


def test_the_service_of_the_api_server_comes_back_with_its_address():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(10)
            before = await of_service(cluster)
            for one, plural in zip(before, ("services", "endpoints", "endpointslices"), strict=True):
                await client.resource(one["apiVersion"], plural, "default").delete("kubernetes")
            await cluster.clock.sleep(5)
            after = await of_service(cluster)
            assert not {uid_of(one) for one in before} & {uid_of(one) for one in after}
            assert [one["spec"]["clusterIP"] for one in (before[0], after[0])] == ["10.96.0.1"] * 2
            assert after[1]["subsets"] == before[1]["subsets"]
            assert after[2]["endpoints"] == before[2]["endpoints"]

    run_virtual(scenario())


def test_nodes_stay_ready_though_the_namespace_of_their_leases_is_deleted():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(30)
            namespaces = client.resource("v1", "namespaces")
            before = await namespaces.get("kube-node-lease")
            await namespaces.delete("kube-node-lease")
            for _ in range(30):
                await cluster.clock.sleep(10)
                for node in await client.resource("v1", "nodes").list_all():
                    ready = condition(node, "Ready")
                    assert ready is not None
                    assert ready["status"] == "True"
            assert uid_of(await namespaces.get("kube-node-lease")) != uid_of(before)
            leases = await client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease").list_all()
            assert {lease["metadata"]["name"] for lease in leases} == {"node-1", "node-2"}

    run_virtual(scenario())


def test_shares_of_the_server_come_back_and_other_deletions_are_meant():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(10)
            schemas = client.resource("flowcontrol.apiserver.k8s.io/v1", "flowschemas")
            classes = client.resource("storage.k8s.io/v1", "storageclasses")
            await schemas.delete("service-accounts")
            for one in await classes.list_all():
                await classes.delete(one["metadata"]["name"])
            await client.resource("v1", "services", "kube-system").create(
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kubernetes"}, "spec": {"ports": [{"port": 80}]}}
            )
            await client.resource("v1", "services", "kube-system").delete("kubernetes")
            await cluster.clock.sleep(120)
            assert (await schemas.get("service-accounts"))["status"]["conditions"]
            assert not await classes.list_all()
            with pytest.raises(StatusError, match="not found"):
                await client.resource("v1", "services", "kube-system").get("kubernetes")

    run_virtual(scenario())


def test_where_the_api_server_is_is_put_right_when_somebody_has_changed_it():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(10)
            _, endpoints, endpoint_slice = await of_service(cluster)
            api = client.resource("v1", "endpoints", "default")
            await api.patch(
                "kubernetes", {"subsets": None, "metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": None, "x": "y"}}}
            )
            slices = client.resource("discovery.k8s.io/v1", "endpointslices", "default")
            await slices.patch("kubernetes", {"endpoints": [], "metadata": {"labels": None}})
            await cluster.clock.sleep(11)
            after = await of_service(cluster)
            assert after[1]["subsets"] == endpoints["subsets"]
            assert after[1]["metadata"]["labels"] == {**endpoints["metadata"]["labels"], "x": "y"}
            assert (after[2]["endpoints"], after[2]["metadata"]["labels"]) == (
                endpoint_slice["endpoints"],
                endpoint_slice["metadata"]["labels"],
            )
            assert {uid_of(one) for one in after[1:]} == {uid_of(endpoints), uid_of(endpoint_slice)}

    run_virtual(scenario())


def test_its_service_is_put_right_at_the_next_start(tmp_path: Path):
    kept = replace(WITH_NODES, data_dir=tmp_path / "data")

    async def change():
        async with open_cluster(kept) as cluster:
            await cluster.client("test").resource("v1", "services", "default").patch("kubernetes", {"spec": {"ports": [{"port": 1}]}})

    async def ports() -> list[int]:
        async with open_cluster(kept) as cluster:
            service, *_ = await of_service(cluster)
            return [port["port"] for port in service["spec"]["ports"]]

    run_virtual(change())
    assert run_virtual(ports()) == [443]


@pytest.mark.parametrize(
    ("note", "ends_as"),
    [("true", ("true", 30)), ("false", ("false", 7)), (None, ("false", 7)), ("perhaps", ("false", 7))],
    ids=["says so", "says not", "says nothing any more", "says nothing that counts"],
)
def test_a_share_of_the_server_is_put_right_if_it_says_so(note: str | None, ends_as: tuple[str, int]):
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            levels = cluster.client("test").resource(FLOW_CONTROL, "prioritylevelconfigurations")
            changed = {"spec": {"limited": {"nominalConcurrencyShares": 7}}, "metadata": {"annotations": {NOTE: note}}}
            await levels.patch("system", changed)
            await cluster.clock.sleep(60)
            level = await levels.get("system")
            assert (level["metadata"]["annotations"][NOTE], level["spec"]["limited"]["nominalConcurrencyShares"]) == ends_as

    run_virtual(scenario())


def test_a_share_that_says_nothing_is_kept_while_nobody_has_changed_it_and_one_that_must_be_there_always():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            schemas = cluster.client("test").resource(FLOW_CONTROL, "flowschemas")
            await schemas.patch("probes", {"metadata": {"annotations": {NOTE: None}}})
            await schemas.patch("catch-all", {"metadata": {"annotations": {NOTE: "false"}}})
            await cluster.clock.sleep(60)
            assert [(await schemas.get(name))["metadata"]["annotations"] for name in ("probes", "catch-all")] == [{NOTE: "true"}] * 2

    run_virtual(scenario())


def test_what_the_exempt_lend_is_anybodys_to_say():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            levels = cluster.client("test").resource(FLOW_CONTROL, "prioritylevelconfigurations")
            await levels.patch("exempt", {"spec": {"exempt": {"lendablePercent": 20}}})
            await cluster.clock.sleep(60)
            assert (await levels.get("exempt"))["spec"]["exempt"]["lendablePercent"] == 20

    run_virtual(scenario())


def test_a_share_that_says_the_cluster_keeps_it_and_is_none_of_its_goes():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            schemas = cluster.client("test").resource(FLOW_CONTROL, "flowschemas")
            spec = (await schemas.get("probes"))["spec"]
            for name, annotations in (("left-over", {NOTE: "true"}), ("own", {NOTE: "false"}), ("other", {})):
                made = {"apiVersion": FLOW_CONTROL, "kind": "FlowSchema", "metadata": {"name": name, "annotations": annotations}}
                await schemas.create({**made, "spec": spec})
            await cluster.clock.sleep(60)
            names = {schema["metadata"]["name"] for schema in await schemas.list_all()}
            assert names & {"left-over", "own", "other"} == {"own", "other"}

    run_virtual(scenario())


def test_of_what_servers_behind_this_one_know_it_by_what_others_say_there_stays():
    wanted: Object = {"data": {"client-ca-file": "new", "requestheader-allowed-names": "[]"}}
    about: Object = {"metadata": {"name": "extension-apiserver-authentication"}}
    assert put_right("configmaps", {**about, "data": None}, wanted) == {**about, **wanted}
    assert put_right("configmaps", {**about, "data": {"client-ca-file": "old", "theirs": "x"}}, wanted) == {
        **about,
        "data": {"theirs": "x", **wanted["data"]},
    }
    assert put_right("configmaps", {**about, "data": {"theirs": "x", **wanted["data"]}}, wanted) is None
