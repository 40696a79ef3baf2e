"""A clock that goes on until something holds stops at the very moment, whatever it did before."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from svcsim.client.api import Client
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object, User
from tests.living import pod
from tests.virtual import START_S

CLOCK = "/svcsim/v1/clock"
WEB = {"apiVersion": "apps/v1", "resource": "deployments", "namespace": "default", "name": "web"}


@asynccontextmanager
async def paused(tmp_path: Path, speed: float = 0.0) -> AsyncIterator[tuple[Cluster, Client]]:
    spec = ClusterSpec(dialect="kubernetes", nodes=2, clock_speed=speed, seed=1, start_s=START_S, data_dir=tmp_path / "c")
    async with open_cluster(spec) as cluster:
        yield cluster, cluster.client("test")


async def until(client: Client, wanted: str, *objects: Object, within: float = 3600) -> Object:
    body: Json = {"until": {"for": wanted, "objects": list(objects)}, "within": within}
    answer: Object = await client.request("PUT", CLOCK, body=body)
    if answer.get("kind") == "Status":
        raise StatusError(answer["code"], answer["reason"], answer["message"])
    return answer


def named(plural: str, name: str) -> Object:
    return {"apiVersion": "v1", "resource": plural, "namespace": "default", "name": name}


def deployment(replicas: int) -> Object:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
    return {"metadata": {"name": "web"}, "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}}


@pytest.mark.parametrize("speed", [0.0, 1.0, 50.0])
async def test_it_stops_at_the_moment_at_which_a_condition_came_true_and_stands(tmp_path: Path, speed: float) -> None:
    async with paused(tmp_path, speed) as (cluster, client):
        deployments = client.resource("apps/v1", "deployments", "default")
        await deployments.create(deployment(3))
        answer = await until(client, "condition=Available", WEB)
        assert (answer["met"], answer["arrived"], answer["speed"]) == (True, True, 0)
        web = await deployments.get("web")
        available = next(one for one in web["status"]["conditions"] if one["type"] == "Available")
        assert available["status"] == "True"
        assert cluster.clock.timestamp() == available["lastTransitionTime"]
        stood = cluster.clock.now()
        assert (await until(client, "condition=Available", WEB))["met"]
        assert cluster.clock.now() == stood, "what holds already moves nothing"


async def test_what_is_true_for_less_than_a_moment_is_seen(tmp_path: Path) -> None:
    """Somebody who takes back what has just been done, before any time has passed."""
    async with paused(tmp_path) as (cluster, client):
        maps = client.resource("v1", "configmaps", "default")

        async def make_and_unmake() -> None:
            await maps.create({"metadata": {"name": "brief"}})
            await maps.delete("brief")

        tasks: list[asyncio.Task[None]] = []
        cluster.clock.call_later(90, lambda: tasks.append(asyncio.create_task(make_and_unmake())))
        assert (await until(client, "create", named("configmaps", "brief")))["met"]
        assert cluster.clock.now() == START_S + 90
        await asyncio.gather(*tasks)


async def test_a_pod_that_goes_is_awaited_and_one_of_its_name_that_comes_later_is_another(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        pods = client.resource("v1", "pods", "default")
        await pods.create(pod("web"))
        assert (await until(client, "condition=Ready", named("pods", "web")))["met"]
        began = cluster.clock.now()
        await pods.delete("web")
        assert (await until(client, "delete", named("pods", "web")))["met"]
        assert 0 <= cluster.clock.now() - began <= 31
        assert (await until(client, "delete", named("pods", "web"), named("pods", "never")))["met"], "what was never there is gone"


async def test_it_goes_no_further_than_it_is_told_and_says_what_is_left(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        await client.resource("apps/v1", "deployments", "default").create(deployment(2))
        answer = await until(client, "jsonpath={.status.readyReplicas}=3", WEB, within=600)
        assert (answer["met"], answer["left"]) == (False, ["deployments.apps/web {.status.readyReplicas} is 2"])
        assert cluster.clock.now() == START_S + 600
        many = [named("configmaps", f"m-{number}") for number in range(30)]
        answer = await until(client, "create", *many, within=1)
        assert (len(answer["left"]), answer["left"][-1]) == (11, "and 20 more")


async def test_a_path_that_fits_one_of_them_in_two_ways_ends_it(tmp_path: Path) -> None:
    async with paused(tmp_path) as (_, client):
        maps = client.resource("v1", "configmaps", "default")
        for name, data in (("one", {}), ("two", {"a": "1", "b": "2"})):
            await maps.create({"metadata": {"name": name}, "data": data})
        wanted, both = "jsonpath={.data.*}", [named("configmaps", name) for name in ("one", "two")]
        assert "given jsonpath expression matches more than one value" in str((await until(client, wanted, *both, within=1))["left"])
        with pytest.raises(StatusError, match="given jsonpath expression matches more than one value"):
            await until(client, wanted, both[1])


async def test_several_have_to_hold_at_once(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        pods = client.resource("v1", "pods", "default")
        await pods.create(pod("quick"))
        await pods.create(pod("late", command=["sleep", "1000"]))
        await cluster.clock.step(60)
        await pods.create(pod("third"))
        answer = await until(client, "condition=Ready", *(named("pods", name) for name in ("quick", "late", "third")))
        assert answer["met"]
        assert START_S + 60 < cluster.clock.now() < START_S + 120


async def test_an_object_that_goes_or_was_never_there_ends_it_where_it_is(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        with pytest.raises(StatusError, match="pods/never isn't there"):
            await until(client, "condition=Ready", named("pods", "never"))
        assert cluster.clock.now() == START_S
        pods = client.resource("v1", "pods", "default")
        await pods.create(pod("web", nodeSelector={"no": "such"}))
        tasks: list[asyncio.Task[Object]] = []
        cluster.clock.call_later(30, lambda: tasks.append(asyncio.create_task(pods.delete("web"))))
        with pytest.raises(StatusError, match="pods/web isn't there any more"):
            await until(client, "condition=Ready", named("pods", "web"))
        assert cluster.clock.now() == START_S + 30
        assert cluster.clock.target is None


async def test_a_watch_that_comes_to_its_end_meanwhile_loses_nothing(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        maps = client.resource("v1", "configmaps", "default")
        tasks: list[asyncio.Task[Object]] = []
        cluster.clock.call_later(5 * 3600, lambda: tasks.append(asyncio.create_task(maps.create({"metadata": {"name": "late"}}))))
        assert (await until(client, "create", named("configmaps", "late"), within=86400))["met"]
        assert cluster.clock.now() == START_S + 5 * 3600


@pytest.mark.parametrize("speed", [0.0, 1.0, 1000.0])
async def test_a_time_is_gone_to_and_no_further(tmp_path: Path, speed: float) -> None:
    async with paused(tmp_path, speed) as (_, client):
        answer: Object = await client.request("PUT", CLOCK, body={"until": {"time": "2026-01-01T02:00:00Z"}})
        assert (answer["now"], answer["speed"]) == ("2026-01-01T02:00:00.000000Z", 0)
        with pytest.raises(StatusError, match="the clock is beyond that already: it is at 2026-01-01T02:00:00"):
            await client.request("PUT", CLOCK, body={"until": {"time": "2026-01-01T01:00:00Z"}})
        with pytest.raises(StatusError, match="can't go beyond the year 9999"):
            await client.request("PUT", CLOCK, body={"until": {"time": "9999-12-31T23:59:59.9Z"}})


async def test_who_may_not_read_the_objects_learns_nothing_of_them(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        roles = client.resource("rbac.authorization.k8s.io/v1", "clusterroles")
        bindings = client.resource("rbac.authorization.k8s.io/v1", "clusterrolebindings")
        await roles.create({"metadata": {"name": "clock"}, "rules": [{"nonResourceURLs": [CLOCK], "verbs": ["get", "put"]}]})
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "clock"}
        jane = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}
        await bindings.create({"metadata": {"name": "clock"}, "roleRef": reference, "subjects": [jane]})
        secret = {"metadata": {"name": "login"}, "stringData": {"password": "x"}}
        await client.resource("v1", "secrets", "default").create(secret)
        user = cluster.user_client(User("jane", ("system:authenticated",)))
        with pytest.raises(StatusError, match='User "jane" cannot list resource "secrets"'):
            await until(user, "jsonpath={.data.password}=eA==", named("secrets", "login"))
        assert cluster.clock.now() == START_S


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ({"until": 1}, "must be a JSON object with for"),
        ({"until": {"for": "condition=Ready"}}, "for 1 to 1000 objects"),
        ({"until": {"for": "condition=Ready", "objects": []}}, "for 1 to 1000 objects"),
        ({"until": {"for": "condition=Ready", "objects": [{"name": 1}]}}, "each object must have an apiVersion"),
        ({"until": {"for": "soon", "objects": [WEB]}}, 'unrecognized condition: "soon"'),
        ({"until": {"for": "create", "objects": [WEB]}, "within": -1}, "a step must be a number of seconds"),
        ({"until": {"time": "noon"}}, "must be one such as 2026-01-01T12:00:00Z"),
        ({"until": {"for": "create", "objects": [{**WEB, "resource": "nothings"}]}}, "could not find the requested resource"),
    ],
)
@pytest.mark.virtual_time
async def test_what_can_not_be_meant_is_refused(wish: Object, told: str) -> None:
    async with open_cluster(ClusterSpec(nodes=0, clock_speed=0.0, start_s=START_S)) as cluster:
        try:
            answer = await cluster.client("test").request("PUT", CLOCK, body=wish)
        except StatusError as error:
            answer = error.status()
        assert told in answer["message"]
        assert cluster.clock.now() == START_S


async def test_one_at_a_time(tmp_path: Path) -> None:
    async with paused(tmp_path) as (cluster, client):
        under_way = asyncio.Event()
        cluster.clock.call_later(100, under_way.set)
        going = asyncio.create_task(until(client, "create", named("configmaps", "never"), within=3.6e7))
        await under_way.wait()
        with pytest.raises(StatusError, match="stepped already"):
            await until(client, "create", named("configmaps", "x"))
        await client.request("PUT", CLOCK, body={"speed": 0})
        answer = await going
        assert (answer["arrived"], answer["met"]) == (False, False)
        assert cluster.clock.target is None
