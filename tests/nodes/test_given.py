"""What containers keep of config maps, secrets and fields of their pod that change, or go, after they have been started."""

import base64

import pytest

from svcsim.meta.types import Json, Object
from tests.living import Living, living, name, pod
from tests.nodes.test_processes import log
from tests.nodes.test_streams import of, run, sh


def secret(text: str) -> Object:
    return of("Secret", "login", data={"s": base64.b64encode(text.encode()).decode()})


def settings(text: str) -> Object:
    return of("ConfigMap", "settings", data={"k": f"{text}\n"})


async def prepared(cluster: Living, text: str = "one") -> None:
    await cluster.client.resource("v1", "configmaps", "default").create(settings(text))
    await cluster.client.resource("v1", "secrets", "default").create(secret(text))


async def changed(cluster: Living, text: str) -> None:
    await cluster.client.resource("v1", "configmaps", "default").patch("settings", {"data": {"k": f"{text}\n"}})
    await cluster.client.resource("v1", "secrets", "default").patch("login", {"data": secret(text)["data"]})


async def deleted(cluster: Living) -> None:
    await cluster.client.resource("v1", "configmaps", "default").delete("settings")
    await cluster.client.resource("v1", "secrets", "default").delete("login")


def consumer(name: str = "web", **more: Json) -> Object:
    """A pod whose container is given what is in both, in all ways there are."""
    made = pod(name)
    made["metadata"]["labels"] = {"app": "one"}
    made["spec"]["volumes"] = [
        {"name": "cm", "configMap": {"name": "settings"}},
        {"name": "sec", "secret": {"secretName": "login"}},
        {"name": "down", "downwardAPI": {"items": [{"path": "app", "fieldRef": {"fieldPath": "metadata.labels['app']"}}]}},
        {"name": "all", "projected": {"sources": [{"configMap": {"name": "settings"}}, {"secret": {"name": "login"}}]}},
    ]
    made["spec"]["containers"][0] |= {
        "image": "busybox:1",
        "command": ["sh", "-c", "while true; do echo $S $C $APP $(cat /cm/k /part/k); sleep 10; done"],
        "envFrom": [{"configMapRef": {"name": "settings"}}],
        "env": [
            {"name": "S", "valueFrom": {"secretKeyRef": {"name": "login", "key": "s"}}},
            {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "k"}}},
            {"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
        ],
        "volumeMounts": [
            *({"name": one, "mountPath": f"/{one}"} for one in ("cm", "sec", "down", "all")),
            {"name": "cm", "mountPath": "/part/k", "subPath": "k"},
            {"name": "sec", "mountPath": "/part/s", "subPath": "s"},
            {"name": "down", "mountPath": "/part/app", "subPath": "app"},
            {"name": "all", "mountPath": "/part/all", "subPathExpr": "k"},
        ],
        **more,
    }
    return made


async def environment(cluster: Living) -> str:
    return await sh(cluster, "web", "echo $S $C $k $APP")


async def volumes(cluster: Living) -> str:
    return await sh(cluster, "web", "echo $(cat /cm/k /sec/s; echo; cat /down/app; echo; cat /all/k /all/s)")


async def parts(cluster: Living) -> str:
    return await sh(cluster, "web", "echo $(cat /part/k /part/s; echo; cat /part/app; echo; cat /part/all)")


async def logged(cluster: Living) -> str:
    return (await log(cluster, "web")).splitlines(keepends=True)[-1]


@pytest.mark.virtual_time
async def test_what_is_deleted_stays_in_containers_that_were_given_it():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await deleted(cluster)
        await cluster.sleep(30)
        assert await environment(cluster) == "one one one one\n"
        assert await volumes(cluster) == "one one one one one\n"
        assert await parts(cluster) == "one one one one\n"
        assert await logged(cluster) == "one one one one one\n"


@pytest.mark.virtual_time
async def test_volumes_keep_the_last_state_of_what_was_deleted_although_nobody_has_looked_at_it():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await changed(cluster, "two")
        await cluster.sleep(100)
        await deleted(cluster)
        await cluster.sleep(5)
        assert await volumes(cluster) == "two two one two two\n"


@pytest.mark.virtual_time
async def test_volumes_show_what_is_made_anew_in_the_place_of_what_was_deleted():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await deleted(cluster)
        await cluster.sleep(5)
        await prepared(cluster, "three")
        assert await volumes(cluster) == "three three one three three\n"
        assert await environment(cluster) == "one one one one\n"


@pytest.mark.virtual_time
async def test_the_environment_and_parts_of_volumes_are_those_of_the_start_and_volumes_follow():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await changed(cluster, "two")
        await cluster.pods.patch("web", {"metadata": {"labels": {"app": "two"}}})
        await cluster.sleep(30)
        assert await environment(cluster) == "one one one one\n"
        assert await parts(cluster) == "one one one one\n"
        assert await volumes(cluster) == "two two two two two\n"
        assert await logged(cluster) == "one one one two one\n"


@pytest.mark.virtual_time
async def test_a_container_that_is_started_again_gets_what_is_there_then():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await changed(cluster, "two")
        await cluster.pods.patch("web", {"metadata": {"labels": {"app": "two"}}})
        await sh(cluster, "web", "kill 1")
        await cluster.until(lambda pods: pods[0]["status"]["containerStatuses"][0]["restartCount"] == 1)
        assert await environment(cluster) == "two two two two\n"
        assert await parts(cluster) == "two two two two\n"
        before = await log(cluster, "web", "previous=true")
        assert before.splitlines()[0] == "one one one two one"


@pytest.mark.virtual_time
async def test_a_container_that_is_started_again_waits_for_what_has_gone():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await deleted(cluster)
        await sh(cluster, "web", "kill 1")
        await cluster.sleep(5)
        [status] = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert status["state"]["waiting"]["reason"] == "CreateContainerConfigError"
        await prepared(cluster, "two")
        await cluster.until(lambda pods: pods[0]["status"]["containerStatuses"][0]["restartCount"] == 1)
        assert await environment(cluster) == "two two two one\n"


@pytest.mark.virtual_time
async def test_a_pod_that_is_set_up_anew_waits_for_what_has_gone():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        await deleted(cluster)
        await cluster.pods.create(consumer("late"))
        await cluster.sleep(5)
        troubles = {event["message"] for event in await cluster.events("late") if event["reason"] == "FailedMount"}
        assert troubles == {
            'MountVolume.SetUp failed for volume "cm" : configmap "settings" not found',
            'MountVolume.SetUp failed for volume "sec" : secret "login" not found',
            'MountVolume.SetUp failed for volume "all" : [configmap "settings" not found, secret "login" not found]',
        }
        assert "FailedMount" not in await cluster.reasons("web")


@pytest.mark.virtual_time
async def test_what_was_not_there_at_the_start_and_may_be_missing_stays_away_from_the_environment():
    async with living() as cluster:
        made = pod("web")
        optional = {"name": "settings", "optional": True}
        made["spec"]["volumes"] = [{"name": "cm", "configMap": optional}]
        made["spec"]["containers"][0] |= {
            "envFrom": [{"configMapRef": optional}],
            "volumeMounts": [{"name": "cm", "mountPath": "/cm"}],
        }
        await cluster.run_pod(made)
        await prepared(cluster)
        assert await sh(cluster, "web", "echo [$k]; cat /cm/k") == "[]\none\n"
        await deleted(cluster)
        await cluster.sleep(5)
        assert await sh(cluster, "web", "echo [$k]; ls /cm") == "[]\n"


@pytest.mark.virtual_time
async def test_amounts_in_the_environment_are_those_of_the_start():
    async with living() as cluster:
        made = pod("web")
        made["spec"]["containers"][0] |= {
            "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
            "env": [{"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}],
        }
        await cluster.run_pod(made)
        patch = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}}]}}
        await cluster.pods.patch("web", patch, subresource="resize")
        await cluster.sleep(10)
        assert (await cluster.pods.get("web"))["status"]["containerStatuses"][0]["resources"]["limits"] == {"cpu": "2"}
        assert (await run(cluster, "web", "printenv", "CPU")).out == "1\n"


@pytest.mark.virtual_time
async def test_services_in_the_environment_are_those_of_the_start():
    async with living() as cluster:
        services = cluster.client.resource("v1", "services", "default")
        for name, port in (("stays", 1), ("changes", 2), ("goes", 3)):
            await services.create(of("Service", name, spec={"ports": [{"name": "p", "port": port}]}))
        await cluster.sleep(2)
        await cluster.run_pod(pod("web"))
        await cluster.sleep(2)
        await services.patch("changes", {"spec": {"ports": [{"name": "p", "port": 20}]}})
        await services.patch("changes", {"spec": {"ports": [{"name": "p", "port": 200}]}})
        await services.delete("goes")
        await services.create(of("Service", "comes", spec={"ports": [{"name": "p", "port": 4}]}))
        await cluster.sleep(2)
        script = "echo $STAYS_SERVICE_PORT $CHANGES_SERVICE_PORT $GOES_SERVICE_PORT [$COMES_SERVICE_PORT]"
        assert await sh(cluster, "web", script) == "1 2 3 []\n"
        await sh(cluster, "web", "kill 1")
        await cluster.until(lambda pods: pods[0]["status"]["containerStatuses"][0]["restartCount"] == 1)
        assert await sh(cluster, "web", script) == "1 200 [4]\n"


@pytest.mark.virtual_time
async def test_the_same_state_is_kept_once_for_all_who_were_given_it_and_no_longer_than_they_are_there():
    async with living() as cluster:
        await prepared(cluster)
        await cluster.run_pod(consumer())
        given = cluster.cluster.nodes.given
        kept = given.used_bytes
        assert kept > 0
        for number in range(5):
            await cluster.run_pod(consumer(f"more-{number}"))
        assert given.used_bytes == kept
        for one in await cluster.pods.list_all():
            await cluster.pods.delete(name(one), grace_period_s=0)
        await cluster.sleep(5)
        assert (given.used_bytes, len(given)) == (0, 0)


@pytest.mark.virtual_time
async def test_what_is_optional_goes_from_volumes_when_it_is_deleted_and_comes_back():
    async with living(nodes=1) as cluster:
        await prepared(cluster)
        made = pod("web", image="busybox:1", command=["sleep", "1000"])
        optional = {"optional": True}
        sources = [{"configMap": {"name": "settings", **optional}}, {"secret": {"name": "login", **optional}}]
        made["spec"]["volumes"] = [
            {"name": "cm", "configMap": {"name": "settings", **optional}},
            {"name": "sec", "secret": {"secretName": "login", **optional}},
            {"name": "all", "projected": {"sources": sources}},
            {"name": "needed", "configMap": {"name": "settings"}},
        ]
        mounts = [{"name": one, "mountPath": f"/{one}"} for one in ("cm", "sec", "all", "needed")]
        mounts.append({"name": "cm", "mountPath": "/part/k", "subPath": "k"})
        made["spec"]["containers"][0]["volumeMounts"] = mounts
        await cluster.run_pod(made)
        look = "cd /; echo $(ls cm) $(ls sec) $(ls all), $(ls needed) $(cat /part/k)"
        assert await sh(cluster, "web", look) == "k s k s, k one\n"
        await deleted(cluster)
        await cluster.sleep(1)
        assert await sh(cluster, "web", look) == ", k one\n"
        await prepared(cluster, "two")
        assert await sh(cluster, "web", look) == "k s k s, k one\n"


@pytest.mark.virtual_time
async def test_only_the_config_map_of_the_certificates_is_there_for_everybody():
    async with living(nodes=1) as cluster:
        secret = {"name": "keys", "secret": {"secretName": "kube-root-ca.crt"}}
        await cluster.pods.create(pod("waits", volumes=[secret]))
        await cluster.run_pod(pod("runs", volumes=[{"name": "keys", "configMap": {"name": "kube-root-ca.crt"}}]))
        assert "FailedMount" in await cluster.reasons("waits")
