"""Simulated nodes in a cluster: they register, beat, and live the pods they are given."""

import asyncio

import pytest

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.nodes.machines.csi_node import keep_csi_node
from tests.living import condition, is_ready, living, name, phase, pod
from tests.virtual import run_virtual


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
async def test_nodes_register_with_what_people_look_for(dialect):
    async with living(dialect=dialect) as cluster:
        domain = f"{dialect}.io"
        nodes = await cluster.nodes.list_all()
        assert [name(node) for node in nodes] == ["node-1", "node-2", "node-3"]
        assert all(is_ready(node) for node in nodes)
        node = nodes[1]
        assert node["metadata"]["labels"][f"{domain}/hostname"] == "node-2"
        assert node["metadata"]["labels"][f"topology.{domain}/zone"] == "sim-1b"
        assert node["spec"]["podCIDR"] == "10.224.1.0/24"
        assert node["status"]["addresses"][0] == {"type": "InternalIP", "address": "10.0.0.3"}
        assert node["status"]["capacity"]["cpu"] == "8"
        assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.34.0+svcsim"


@pytest.mark.virtual_time
async def test_leases_are_renewed_and_the_status_reported_now_and_then():
    async with living() as cluster:
        leases = cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease")
        before = await leases.get("node-1")
        heartbeat = (await cluster.nodes.get("node-1"))["status"]["conditions"][0]["lastHeartbeatTime"]
        await cluster.sleep(15)
        assert (await leases.get("node-1"))["spec"]["renewTime"] > before["spec"]["renewTime"]
        assert (await cluster.nodes.get("node-1"))["status"]["conditions"][0]["lastHeartbeatTime"] == heartbeat
        await cluster.sleep(300)
        assert (await cluster.nodes.get("node-1"))["status"]["conditions"][0]["lastHeartbeatTime"] > heartbeat


@pytest.mark.virtual_time
async def test_a_pod_comes_up_with_an_address_of_its_nodes_range():
    async with living() as cluster:
        running = await cluster.run_pod(pod("web"))
        number = int(running["spec"]["nodeName"].removeprefix("node-"))
        assert running["status"]["podIP"].startswith(f"10.224.{number - 1}.")
        assert running["status"]["hostIP"] == f"10.0.0.{number + 1}"
        assert running["status"]["containerStatuses"][0]["imageID"].startswith("docker.io/library/nginx@sha256:")
        reasons = await cluster.reasons("web")
        assert sorted(reasons) == ["Created", "Pulled", "Pulling", "Scheduled", "Started"]


@pytest.mark.virtual_time
async def test_a_node_tells_of_a_pod_when_it_has_taken_it_and_when_it_has_started_it():
    async with living() as cluster:
        await cluster.pods.create(pod("web"))
        seen = []
        async with cluster.pods.watch("0") as events:
            async for event in events:
                seen.append((phase(event.object), "podIP" in event.object["status"]))
                if is_ready(event.object):
                    break
        reported = [one for one in dict.fromkeys(seen) if one[1]]
        assert reported == [("Running", True)], "in between the node is at work on it"


@pytest.mark.virtual_time
async def test_a_deleted_pod_stops_gracefully_and_is_gone():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.pods.delete("web")
        assert (await cluster.pods.get("web"))["metadata"]["deletionGracePeriodSeconds"] == 30
        await cluster.until(lambda pods: pods == [], within_s=3)
        assert "Killing" in await cluster.reasons("web")


@pytest.mark.virtual_time
async def test_a_pod_deleted_by_force_is_gone_at_once_and_its_name_free():
    async with living() as cluster:
        first = await cluster.run_pod(pod("web"))
        await cluster.pods.delete("web", grace_period_s=0)
        with pytest.raises(StatusError, match="not found"):
            await cluster.pods.get("web")
        second = await cluster.run_pod(pod("web"))
        assert second["metadata"]["uid"] != first["metadata"]["uid"]


@pytest.mark.virtual_time
async def test_a_pod_held_by_a_finalizer_ends_and_stays():
    async with living() as cluster:
        held = pod("web")
        held["metadata"]["finalizers"] = ["example.com/hold"]
        await cluster.run_pod(held)
        await cluster.pods.delete("web")
        await cluster.sleep(10)
        ended = await cluster.pods.get("web")
        assert phase(ended) == "Succeeded"
        await cluster.pods.patch("web", {"metadata": {"finalizers": None}})
        await cluster.until(lambda pods: pods == [], within_s=3)


@pytest.mark.virtual_time
async def test_jobs_succeed_fail_and_crash_loop_as_their_commands_say():
    async with living() as cluster:
        await cluster.pods.create(pod("good", image="busybox:1", command=["sleep", "5"], restartPolicy="Never"))
        await cluster.pods.create(pod("bad", image="busybox:1", command=["sh", "-c", "exit 2"], restartPolicy="Never"))
        await cluster.pods.create(pod("loop", image="busybox:1", command=["false"]))
        await cluster.sleep(30)
        phases = {name(item): phase(item) for item in await cluster.pods.list_all()}
        assert phases == {"good": "Succeeded", "bad": "Failed", "loop": "Running"}
        loop = (await cluster.pods.get("loop"))["status"]["containerStatuses"][0]
        assert loop["state"]["waiting"]["reason"] == "CrashLoopBackOff"


@pytest.mark.virtual_time
async def test_conditions_that_others_write_are_kept():
    async with living() as cluster:
        await cluster.pods.create(pod("web", readinessGates=[{"conditionType": "example.com/lb"}]))
        await cluster.until(lambda pods: phase(pods[0]) == "Running")
        waiting = await cluster.pods.get("web")
        assert not is_ready(waiting)
        conditions = [*waiting["status"]["conditions"], {"type": "example.com/lb", "status": "True"}]
        await cluster.pods.patch("web", {"status": {"conditions": conditions}}, subresource="status")
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=3)


def test_a_node_takes_up_the_pods_it_had_when_the_cluster_starts_again(tmp_path):
    async def first():
        async with living(data_dir=tmp_path, durability="process") as cluster:
            await cluster.pods.create(pod("job", image="busybox:1", command=["sleep", "300"], restartPolicy="Never"))
            return await cluster.run_pod(pod("web"))

    async def again():
        async with living(data_dir=tmp_path, durability="process", start_s=None) as cluster:
            web = await cluster.run_pod(pod("other"))
            assert web["status"]["podIP"] != before["status"]["podIP"]
            after = await cluster.pods.get("web")
            assert after["status"] == before["status"]
            await cluster.until(lambda pods: any(name(item) == "job" and phase(item) == "Succeeded" for item in pods), within_s=400)
            await cluster.pods.delete("web")
            await cluster.until(lambda pods: "web" not in map(name, pods), within_s=3)

    before = run_virtual(first())
    run_virtual(again())


def test_a_cluster_that_is_started_with_fewer_nodes_gives_up_the_others(tmp_path):
    """Their pods go where those of a deleted node go. A Node that somebody made stays."""
    foreign = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-9"}, "spec": {"providerID": "other://node-9"}}

    async def first():
        async with living(data_dir=tmp_path, durability="process", nodes=4) as cluster:
            await cluster.nodes.create(foreign)
            await cluster.run_pod(pod("stays", nodeName="node-2"))
            await cluster.run_pod(pod("goes", nodeName="node-3"))

    async def again():
        async with living(data_dir=tmp_path, durability="process", start_s=None, nodes=2) as cluster:
            assert [name(node) for node in await cluster.nodes.list_all()] == ["node-1", "node-2", "node-9"]
            assert "DeletingNode" in await cluster.reasons("node-4")
            pods = await cluster.until(lambda pods: len(pods) == 1, within_s=90)
            assert name(pods[0]) == "stays"
            assert is_ready(pods[0])

    async def grown():
        async with living(data_dir=tmp_path, durability="process", start_s=None, nodes=3) as cluster:
            await cluster.run_pod(pod("anew", nodeName="node-3"))

    for life in (first, again, grown):
        run_virtual(life())


def test_the_same_seed_gives_the_same_history():
    async def main():
        async with living() as cluster:
            for number in range(5):
                await cluster.pods.create(pod(f"web-{number}"))
            await cluster.sleep(20)
            return [
                (e["metadata"]["name"], e["message"], e["metadata"]["creationTimestamp"]) for e in await cluster.events()
            ], await cluster.pods.list_all()

    assert run_virtual(main()) == run_virtual(main())


@pytest.mark.virtual_time
async def test_conditions_that_others_put_on_a_node_are_kept():
    async with living() as cluster:
        node = await cluster.nodes.get("node-1")
        since = condition(node, "Ready")["lastTransitionTime"]
        conditions = [*node["status"]["conditions"], {"type": "example.com/checked", "status": "True"}]
        await cluster.nodes.patch("node-1", {"status": {"conditions": conditions}}, subresource="status")
        await cluster.sleep(400)
        node = await cluster.nodes.get("node-1")
        assert condition(node, "example.com/checked")["status"] == "True"
        assert condition(node, "Ready")["lastTransitionTime"] == since
        assert condition(node, "Ready")["lastHeartbeatTime"] > since


@pytest.mark.virtual_time
async def test_what_others_have_just_written_of_a_node_is_kept_though_its_machine_has_not_seen_it():
    async with living() as cluster:
        theirs: Object = {"status": {"conditions": [{"type": "example.com/checked", "status": "True"}]}}
        writing = asyncio.create_task(cluster.nodes.patch("node-1", theirs, "strategic", subresource="status"))
        cluster.cluster.nodes.faults.add({"type": "node-pressure", "resource": "memory", "target": {"kind": "Node", "name": "node-1"}})
        assert condition(await writing, "MemoryPressure")["status"] == "False"
        await cluster.sleep(1)
        node = await cluster.nodes.get("node-1")
        assert [condition(node, kind)["status"] for kind in ("MemoryPressure", "example.com/checked")] == ["True", "True"]


@pytest.mark.virtual_time
async def test_devices_that_others_say_are_there_may_be_asked_for():
    async with living(nodes=1) as cluster:
        asking = pod("asking")
        asking["spec"]["containers"][0]["resources"] = {"limits": {"example.com/dongle": "2"}}
        await cluster.pods.create(asking)
        await cluster.nodes.patch("node-1", {"status": {"capacity": {"example.com/dongle": "3"}}}, subresource="status")
        await cluster.until(lambda pods: phase(pods[0]) == "Running", within_s=30)
        assert (await cluster.nodes.get("node-1"))["status"]["allocatable"]["example.com/dongle"] == "3"
        await cluster.nodes.patch("node-1", {"status": {"capacity": {"example.com/dongle": None}}}, subresource="status")
        await cluster.sleep(20)
        assert "example.com/dongle" not in (await cluster.nodes.get("node-1"))["status"]["allocatable"]


@pytest.mark.virtual_time
async def test_finished_pods_give_their_addresses_back():
    async with living(nodes=1) as cluster:
        for number in range(300):
            await cluster.pods.create(pod(f"job-{number}", cpu="1m", image="busybox:1", command=["true"], restartPolicy="Never"))
            if number % 50 == 49:
                await cluster.sleep(10)
        await cluster.sleep(20)
        jobs = await cluster.pods.list_all()
        assert all(phase(job) == "Succeeded" and job["status"]["podIP"] for job in jobs)
        assert len(cluster.cluster.nodes.machines["node-1"].addresses) == 0


@pytest.mark.virtual_time
async def test_the_events_of_a_pod_are_listed_in_the_order_they_happened():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        events = await cluster.client.resource("v1", "events", "default").list_all()
        told = ["Scheduled", "Pulling", "Pulled", "Created", "Started"]
        assert [event["reason"] for event in events if event["involvedObject"]["name"] == "web"] == told


@pytest.mark.virtual_time
async def test_a_deadline_set_or_brought_nearer_ends_a_pod_that_runs():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.sleep(30)
        await cluster.pods.patch("web", {"spec": {"activeDeadlineSeconds": 3600}})
        await cluster.sleep(30)
        await cluster.pods.patch("web", {"spec": {"activeDeadlineSeconds": 70}})
        (ended,) = await cluster.until(lambda pods: phase(pods[0]) == "Failed", within_s=15)
        assert ended["status"]["reason"] == "DeadlineExceeded"
        assert "DeadlineExceeded" in await cluster.reasons("web")


@pytest.mark.virtual_time
async def test_whoever_waits_for_the_containers_of_a_pod_that_never_began_sees_them_end():
    async with living() as cluster:
        await cluster.pods.create(pod("late", image="slow:v", activeDeadlineSeconds=1))
        (ended,) = await cluster.until(lambda pods: phase(pods[0]) == "Failed", within_s=15)
        (status,) = ended["status"]["containerStatuses"]
        assert (status["state"]["terminated"]["reason"], status["state"]["terminated"]["exitCode"]) == ("ContainerStatusUnknown", 137)


@pytest.mark.virtual_time
async def test_a_pod_whose_time_ran_out_before_its_volumes_were_there_never_begins():
    async with living() as cluster:
        wanted = pod("late", activeDeadlineSeconds=5)
        wanted["spec"]["volumes"] = [{"name": "v", "secret": {"secretName": "s"}}]
        await cluster.pods.create(wanted)
        (ended,) = await cluster.until(lambda pods: phase(pods[0]) == "Failed", within_s=15)
        (status,) = ended["status"]["containerStatuses"]
        await cluster.client.resource("v1", "secrets", "default").create({"metadata": {"name": "s"}})
        await cluster.sleep(600)
        assert (await cluster.pods.get("late"))["status"] == ended["status"]
        assert status["state"]["terminated"].keys() == {"exitCode", "reason", "message"}


@pytest.mark.virtual_time
async def test_probes_can_be_made_to_fail_in_a_pod_that_has_settled():
    async with living() as cluster:
        probed = pod("web")
        probed["spec"]["containers"][0]["readinessProbe"] = {"httpGet": {"port": 80}, "periodSeconds": 5}
        await cluster.run_pod(probed)
        await cluster.pods.patch("web", {"metadata": {"annotations": {"svcsim.dev/failing-probes": "readiness"}}})
        await cluster.until(lambda pods: not is_ready(pods[0]), within_s=20)
        assert (await cluster.reasons("web"))[-1] == "Unhealthy"
        await cluster.pods.patch("web", {"metadata": {"annotations": {"svcsim.dev/failing-probes": None}}})
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=10)


def test_a_sidecar_in_back_off_is_started_again_when_the_cluster_is(tmp_path):
    def restarts(obj):
        (status,) = obj["status"].get("initContainerStatuses") or [{}]
        return status.get("restartCount", 0)

    async def first():
        async with living(data_dir=tmp_path, durability="process") as cluster:
            sidecar = {"name": "beside", "image": "busybox:1", "command": ["true"], "restartPolicy": "Always"}
            await cluster.pods.create(pod("web", initContainers=[sidecar]))
            (stopped,) = await cluster.until(lambda pods: restarts(pods[0]) >= 3, within_s=120)
            return restarts(stopped)

    async def again():
        async with living(data_dir=tmp_path, durability="process", start_s=None) as cluster:
            await cluster.until(lambda pods: restarts(pods[0]) > before, within_s=330)

    before = run_virtual(first())
    run_virtual(again())


@pytest.mark.virtual_time
async def test_the_status_says_which_generation_of_the_spec_it_is_of():
    def observed(obj):
        return [obj["status"].get("observedGeneration"), *(item.get("observedGeneration") for item in obj["status"]["conditions"])]

    async with living() as cluster:
        web = await cluster.run_pod({**pod("web"), "metadata": {"name": "web", "generation": 7}})
        assert web["metadata"]["generation"] == 1
        assert set(observed(web)) == {1}
        for seconds in (3600, 1800):
            await cluster.pods.patch("web", {"spec": {"activeDeadlineSeconds": seconds}})
        await cluster.pods.patch("web", {"metadata": {"labels": {"a": "b"}}})
        await cluster.sleep(1)
        web = await cluster.pods.get("web")
        assert web["metadata"]["generation"] == 3
        assert set(observed(web)) == {3}
        await cluster.pods.patch("web", {"metadata": {"finalizers": ["example.com/hold"]}})
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: pods[0]["status"].get("observedGeneration") == 4, within_s=3)


@pytest.mark.virtual_time
async def test_a_pod_that_can_not_be_placed_says_which_generation_was_tried():
    async with living() as cluster:
        await cluster.pods.create(pod("large", cpu="900"))
        (large,) = await cluster.until(lambda pods: bool(condition(pods[0], "PodScheduled")))
        assert large["status"]["observedGeneration"] == condition(large, "PodScheduled")["observedGeneration"] == 1
        await cluster.pods.create({**pod("gated"), "spec": {**pod("gated")["spec"], "schedulingGates": [{"name": "example.com/wait"}]}})
        assert condition(await cluster.pods.get("gated"), "PodScheduled")["observedGeneration"] == 1


@pytest.mark.virtual_time
async def test_a_status_that_does_not_say_of_which_generation_it_is_leaves_that_as_it_was() -> None:
    async with living() as cluster:
        await cluster.pods.create(pod("mine", schedulerName="mine"))
        said = {"type": "example.com/a", "status": "True", "observedGeneration": 1}
        await cluster.pods.patch("mine", {"status": {"observedGeneration": 1, "conditions": [said]}}, subresource="status")
        silent = [{"type": "example.com/a", "status": "False"}, {"type": "example.com/b", "status": "True"}]
        changes: tuple[Object, ...] = ({"observedGeneration": None, "conditions": silent}, {"observedGeneration": 0})
        for change in changes:
            status = (await cluster.pods.patch("mine", {"status": change}, subresource="status"))["status"]
            assert status["observedGeneration"] == 1
            assert [(one["status"], one.get("observedGeneration")) for one in status["conditions"]] == [("False", 1), ("True", None)]
        status = (await cluster.pods.patch("mine", {"status": {"observedGeneration": 3}}, subresource="status"))["status"]
        assert status["observedGeneration"] == 3


@pytest.mark.virtual_time
async def test_a_pod_that_is_given_another_image_runs_it_in_the_same_place():
    async with living() as cluster:
        before = (await cluster.run_pod(pod("web", image="nginx:1.28")))["status"]
        await cluster.pods.patch("web", {"spec": {"containers": [{"name": "main", "image": "nginx:1.29"}]}}, "strategic")
        await cluster.until(lambda pods: pods[0]["status"]["containerStatuses"][0]["restartCount"] == 1)
        await cluster.until(lambda pods: is_ready(pods[0]))
        after = await cluster.pods.get("web")
        assert (after["status"]["podIP"], after["status"]["observedGeneration"]) == (before["podIP"], 2)
        assert after["status"]["containerStatuses"][0]["image"] == "docker.io/library/nginx:1.29"
        told = [event for event in await cluster.events("web") if event["reason"] == "Killing"]
        assert [event["message"] for event in told] == ["Container main definition changed, will be restarted"]


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
async def test_each_node_has_a_csi_node_that_goes_with_it(dialect):
    async with living(dialect=dialect) as cluster:
        csi_nodes = cluster.client.resource(f"{cluster.cluster.dialect.group('storage')}/v1", "csinodes")
        for found in await csi_nodes.list_all():
            node = await cluster.nodes.get(name(found))
            (owner,) = found["metadata"]["ownerReferences"]
            assert (owner["kind"], owner["name"], owner["uid"]) == ("Node", name(node), node["metadata"]["uid"])
            assert not found["spec"].get("drivers")
        assert [name(one) for one in await csi_nodes.list_all()] == ["node-1", "node-2", "node-3"]
        await cluster.nodes.delete("node-1")
        await cluster.sleep(60)
        assert [name(one) for one in await csi_nodes.list_all()] == ["node-2", "node-3"]
        made_anew = {**await cluster.nodes.get("node-2"), "metadata": {"name": "node-2", "uid": "another"}}
        for _ in range(2):
            await keep_csi_node(cluster.client, made_anew, cluster.cluster.dialect)
            assert (await csi_nodes.get("node-2"))["metadata"]["ownerReferences"][0]["uid"] == "another"


@pytest.mark.virtual_time
async def test_nodes_come_up_where_nobody_knows_csi_nodes():
    async with living(runtime_config=("storage.k8s.io/v1=false",)) as cluster:
        assert len(await cluster.nodes.list_all()) == 3


@pytest.mark.virtual_time
async def test_what_others_write_over_a_pods_status_is_put_back() -> None:
    async with living(nodes=1) as cluster:
        for gates in ([], [{"conditionType": "example.com/gate"}]):
            obj = pod("gated" if gates else "plain", readinessGates=gates)
            await cluster.pods.create(obj)
            await cluster.sleep(5)
            before = (await cluster.pods.get(name(obj)))["status"]
            for wrong in (
                {"phase": "Failed"},
                {"containerStatuses": None},
                {"conditions": [{"type": "Ready", "status": "True", "reason": "Says", "message": "who"}]},
                {"podIP": "1.2.3.4", "podIPs": [{"ip": "1.2.3.4"}]},
            ):
                await cluster.pods.patch(name(obj), {"status": wrong}, subresource="status")
                await cluster.sleep(11)
                after = (await cluster.pods.get(name(obj)))["status"]
                assert {**after, "conditions": _said(after)} == {**before, "conditions": _said(before)}
        revision = cluster.cluster.store.revision
        await cluster.sleep(60)
        assert cluster.cluster.store.revision == revision


def _said(status: Object) -> dict[str, tuple[str, str]]:
    """What conditions say, whenever that was said first."""
    return {one["type"]: (one["status"], one.get("reason", "")) for one in status["conditions"]}
