"""One cluster put together: its first objects, its restarts, what it does when a part of it fails."""

import asyncio
import hashlib
import tempfile
from pathlib import Path

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.keepers import Supervisor
from svcsim.cluster.spec import ClusterSpec
from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.types import Json, Object, User
from svcsim.registry.runtime_config import RuntimeConfigError
from svcsim.storage.contract import FormatError, LockedError
from svcsim.storage.files import DATA_FILE
from tests.living import living, pod
from tests.storage.words import flip
from tests.virtual import START_S, run_virtual


def spec(**fields: Json) -> ClusterSpec:
    return ClusterSpec(**{"nodes": 0, "seed": 1, "start_s": START_S, **fields})


async def names(cluster: Cluster, plural: str, namespace: str = "") -> list[str]:
    found = await cluster.client("test").resource("v1", plural, namespace).list_all()
    return [obj["metadata"]["name"] for obj in found]


def config_map(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("dialect", "namespaces", "service"),
    [
        ("svcapi", ["default", "svc-node-lease", "svc-public", "svc-system"], "svcapi"),
        ("kubernetes", ["default", "kube-node-lease", "kube-public", "kube-system"], "kubernetes"),
    ],
)
async def test_a_new_cluster_has_what_every_cluster_has(dialect: str, namespaces: list[str], service: str):
    async with open_cluster(spec(dialect=dialect, nodes=2)) as cluster:
        await cluster.clock.sleep(2)
        assert await names(cluster, "namespaces") == namespaces
        assert await names(cluster, "services") == [service]
        assert await names(cluster, "endpoints") == [service]
        assert await names(cluster, "nodes") == ["node-1", "node-2"]
        assert await names(cluster, "serviceaccounts") == ["default"] * 4
        own = await cluster.client("test").resource("v1", "services", "default").get(service)
        assert own["spec"]["clusterIP"] == "10.96.0.1"
        assert cluster.failures == []


def test_time_goes_on_where_it_stood(tmp_path: Path):
    year_2100_s = 4_102_444_800.0

    async def run(start_s: float | None, lasting_s: float) -> tuple[float, float]:
        async with open_cluster(spec(data_dir=tmp_path, start_s=start_s)) as cluster:
            began = cluster.clock.now()
            await cluster.clock.sleep(lasting_s)
            return began, cluster.clock.now()

    _, ended = run_virtual(run(year_2100_s, 1000))
    assert ended == pytest.approx(year_2100_s + 1000)
    again, _ = run_virtual(run(None, 10))
    assert again >= ended, "never back by itself, though the machine's time is far behind"
    back, ended = run_virtual(run(START_S, 10))
    assert back == START_S, "but where it is told to"
    later, _ = run_virtual(run(None, 10))
    assert later > ended, "and on, where the machine's time has gone on"


def test_what_was_written_is_there_after_a_restart(tmp_path: Path):
    async def run() -> tuple[list[str], int]:
        async with open_cluster(spec(data_dir=tmp_path, nodes=1)) as cluster:
            maps = cluster.client("test").resource("v1", "configmaps", "default")
            before = [obj["metadata"]["name"] for obj in await maps.list_all()]
            await maps.create(config_map(f"m{len(before)}"))
            await cluster.clock.sleep(1)
            return before, cluster.store.revision

    first, second, third = (run_virtual(run()) for _ in range(3))
    assert [first[0], second[0], third[0]] == [[], ["m0"], ["m0", "m1"]]
    assert first[1] < second[1] < third[1], "revisions go on"


def test_the_seed_is_fixed_when_a_cluster_is_made(tmp_path: Path):
    async def seed(given: int | None) -> int:
        async with open_cluster(spec(data_dir=tmp_path, seed=given)) as cluster:
            return cluster.seed

    assert [run_virtual(seed(given)) for given in (7, 8, None)] == [7, 7, 7]


def test_a_uid_is_not_given_twice_by_a_cluster_that_was_started_again(tmp_path: Path):
    """The same seed must not mean the same chance after a restart."""

    async def made(name: str) -> str:
        async with open_cluster(spec(data_dir=tmp_path)) as cluster:
            created = await cluster.client("test").resource("v1", "configmaps", "default").create(config_map(name))
            return created["metadata"]["uid"]

    uids = [run_virtual(made(f"m{i}")) for i in range(4)]
    assert len(set(uids)) == 4


def test_a_dialect_is_for_life(tmp_path: Path):
    async def run(dialect: str) -> None:
        async with open_cluster(spec(data_dir=tmp_path, dialect=dialect)):
            pass

    run_virtual(run("svcapi"))
    with pytest.raises(FormatError, match="svcapi"):
        run_virtual(run("kubernetes"))
    run_virtual(run("svcapi"))


@pytest.mark.virtual_time
async def test_a_directory_serves_one_cluster_at_a_time(tmp_path: Path):
    async with open_cluster(spec(data_dir=tmp_path)):
        with pytest.raises(LockedError):
            async with open_cluster(spec(data_dir=tmp_path)):
                pass


def test_a_cluster_without_a_directory_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def main():
        async with open_cluster(spec()) as cluster:
            assert list(tmp_path.iterdir())
            assert cluster.store.revision > 0

    run_virtual(main())
    assert list(tmp_path.iterdir()) == []


def test_a_component_that_fails_is_told_of_and_started_again():
    class Frail:
        """Fails twice, then does its work."""

        def __init__(self) -> None:
            self.starts: list[float] = []

        async def run(self) -> None:
            self.starts.append(cluster_time())
            if len(self.starts) < 3:
                raise RuntimeError(f"failure {len(self.starts)}")

    frail = Frail()
    cluster_time = None

    async def main():
        nonlocal cluster_time
        async with open_cluster(spec()) as cluster:
            cluster_time = cluster.clock.now
            supervisor = Supervisor(cluster.clock)
            await supervisor.supervise("frail", frail.run)
            assert [str(failure) for failure in supervisor.failures] == ["failure 1", "failure 2"]
            assert await names(cluster, "nodes") == [], "the others go on"

    run_virtual(main())
    waits = [later - earlier for earlier, later in zip(frail.starts, frail.starts[1:], strict=False)]
    assert waits == pytest.approx([1.0, 1.0])


@pytest.mark.virtual_time
async def test_no_part_of_a_cluster_is_still_at_work_once_it_has_ended():
    before = asyncio.all_tasks()
    async with living() as cluster:
        await cluster.pods.create(pod("under-way"))
    assert asyncio.all_tasks() == before


@pytest.mark.virtual_time
async def test_component_statuses_tell_what_has_failed_until_it_is_started_again(monkeypatch: pytest.MonkeyPatch):
    failures, run = [RuntimeError("no way")], DeploymentController.run

    async def fail_once(controller: DeploymentController) -> None:
        if failures:
            raise failures.pop()
        await run(controller)

    monkeypatch.setattr(DeploymentController, "run", fail_once)
    async with open_cluster(spec()) as cluster:
        api = cluster.client("test").resource("v1", "componentstatuses")
        await cluster.clock.sleep(0.5)
        why = "deployment-controller failed and is started again: RuntimeError('no way')"
        unwell = {"type": "Healthy", "status": "False", "error": why}
        assert (await api.get("controller-manager"))["conditions"] == [unwell]
        assert (await api.get("scheduler"))["conditions"] == [{"type": "Healthy", "status": "True", "message": "ok"}]
        await cluster.clock.sleep(2)
        assert (await api.get("controller-manager"))["conditions"] == [{"type": "Healthy", "status": "True", "message": "ok"}]


@pytest.mark.virtual_time
async def test_users_of_a_cluster_may_do_what_they_may():
    async with open_cluster(spec()) as cluster:
        jane = cluster.user_client(User("jane")).resource("v1", "configmaps", "default")
        with pytest.raises(StatusError, match='User "jane" cannot create resource "configmaps"') as refused:
            await jane.create(config_map("a"))
        assert refused.value.code == 403
        root = cluster.user_client(User("root", ("system:masters",))).resource("v1", "configmaps", "default")
        assert await root.create(config_map("a"))


def test_the_same_seed_gives_the_same_history():
    def history(seed: int) -> str:
        digest = hashlib.sha256()

        async def main():
            async with living(seed=seed) as alive:
                for i in range(3):
                    await alive.pods.create(pod(f"p{i}"))
                await alive.sleep(60)
                await alive.pods.delete("p1")
                await alive.sleep(60)
                watcher = alive.cluster.store.at(0).watch()
                newest = alive.cluster.store.revision
                async for batch in watcher:
                    for event in batch:
                        digest.update(event.record.body)
                    if watcher.revision >= newest:
                        watcher.close()

        run_virtual(main())
        return digest.hexdigest()

    assert history(1) == history(1)
    assert history(1) != history(2)


@pytest.mark.virtual_time
async def test_a_cluster_that_is_not_to_be_served_has_no_keys_and_says_so(tmp_path: Path):
    async with open_cluster(spec(data_dir=tmp_path)) as cluster:
        assert not (tmp_path / "pki").exists()
        with pytest.raises(ValueError, match="served=True"):
            await cluster.serve()


@pytest.mark.virtual_time
async def test_status_tells_what_there_is():
    async with open_cluster(spec(nodes=1)) as cluster:
        await cluster.clock.sleep(2)
        status = await cluster.client("test").get_json("/svcsim/v1/status")
        assert status["dialect"] == "svcapi"
        assert status["revision"] == cluster.store.revision
        assert status["objects"] > 5
        assert status["rssBytes"] > 10_000_000
        assert status["seed"] == 1


@pytest.mark.parametrize(
    ("plural", "namespace", "name"),
    [("namespaces", "", "default"), ("namespaces", "", "shop"), ("services", "default", "svcapi"), ("services", "default", "web")],
)
def test_what_is_damaged_keeps_nobody_from_starting_and_stays_unreadable(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, plural: str, namespace: str, name: str
):
    """Bit rot in what admission rests on, be it one of the objects that every cluster has or another one."""
    service = {"spec": {"ports": [{"port": 80}]}}

    async def write() -> None:
        async with open_cluster(spec(data_dir=tmp_path)) as cluster:
            resource = cluster.client("test").resource("v1", plural, namespace)
            if name in ("shop", "web"):
                await resource.create({"metadata": {"name": name}, **(service if namespace else {})})
            await resource.patch(name, {"metadata": {"annotations": {"note": "precious"}}})

    async def read() -> None:
        async with open_cluster(spec(data_dir=tmp_path)) as cluster:
            client = cluster.client("test")
            with pytest.raises(StatusError, match=f"{plural} {namespace}/?{name}: .* is damaged") as raised:
                await client.resource("v1", plural, namespace).get(name)
            assert raised.value.code == 500
            await client.resource("v1", "services", "svc-public").create({"metadata": {"name": "new"}, **service})
            assert await names(cluster, "services", "svc-public") == ["new"]

    run_virtual(write())
    assert flip(tmp_path / "store" / DATA_FILE, b"precious", bytes.swapcase)
    run_virtual(read())
    assert [name in record.getMessage() for record in caplog.records if record.name == "svcsim.registry.lister"] == [True]


SWITCHED_OFF = {
    "v1/services=false": "/api/v1/services",
    "v1/endpoints=false": "/api/v1/endpoints",
    "discovery.k8s.io/v1=false": "/apis/discovery.k8s.io/v1/endpointslices",
    "api/all=false,v1=true,apps/v1": "/apis/discovery.k8s.io/v1/endpointslices",
}


@pytest.mark.virtual_time
@pytest.mark.parametrize("config", SWITCHED_OFF)
async def test_a_cluster_starts_without_what_it_does_not_serve(config: str):
    async with open_cluster(spec(dialect="kubernetes", runtime_config=(config,))) as cluster:
        admin = User("admin", ("system:masters",))
        asked = [await cluster.pipeline.handle(Request("GET", path, user=admin)) for path in (SWITCHED_OFF[config], "/api/v1/namespaces")]
        assert [answer.status for answer in asked] == [404, 200]


@pytest.mark.virtual_time
@pytest.mark.parametrize("config", ["v1=false", "api/ga=false", "api/v1/namespaces=false"])
async def test_a_cluster_without_namespaces_is_refused_with_what_to_add(config: str):
    with pytest.raises(RuntimeConfigError) as refused:
        async with open_cluster(spec(runtime_config=(config,))):
            pass
    assert (
        str(refused.value)
        == "--runtime-config: it switches v1/namespaces off, which every cluster needs; add v1=true, or v1/namespaces=true"
    )
