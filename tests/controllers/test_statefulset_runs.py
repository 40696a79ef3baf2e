"""StatefulSets in a running cluster: pods that have names, come and go in order, and are made again as who they were."""

import pytest

from svcsim.client.revisions import HASH_LABEL
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.pods import is_ready
from tests.controllers.running import running
from tests.controllers.statefuls import PARALLEL, Statefuls, comings, serving, stateful_set, with_claims

NAMES = ["db-0", "db-1", "db-2"]


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["kubernetes", "svcapi"])
async def test_pods_have_their_names_their_labels_and_their_place_under_a_service(dialect: str):
    async with running(dialect=dialect) as r:
        s, key = Statefuls(r), r.dialect.key
        await s.sets.create(stateful_set(**with_claims("data")))
        item = await s.done()
        ((number, revision),) = (await s.revisions()).items()
        assert number == 1
        assert item["status"] == {
            "observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "currentReplicas": 3, "updatedReplicas": 3, "availableReplicas": 3,
            "currentRevision": revision, "updateRevision": revision, "collisionCount": 0,
        }  # fmt: skip
        pods = await s.pods()
        assert list(map(name_of, pods)) == NAMES
        for index, pod in enumerate(pods):
            assert pod["metadata"]["generateName"] == "db-"
            assert labels_of(pod) == {
                "app": "db", HASH_LABEL: revision,
                key("pod-name", "statefulset"): name_of(pod), key("pod-index", "apps"): str(index),
            }  # fmt: skip
            assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == (name_of(pod), "db")
            (owner,) = pod["metadata"]["ownerReferences"]
            assert (owner["kind"], owner["uid"], owner["controller"]) == ("StatefulSet", item["metadata"]["uid"], True)
            assert pod["spec"]["volumes"][0] == {"name": "data", "persistentVolumeClaim": {"claimName": f"data-{name_of(pod)}"}}
        (kept,) = await s.kept.list_all()
        assert labels_of(kept) == {"app": "db", key("hash", "controller"): revision.removeprefix("db-")}


@pytest.mark.virtual_time
async def test_pods_come_one_after_another_each_when_those_before_it_are_ready_and_go_from_the_last_one():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        states = await s.observed(60)
        assert comings(states) == NAMES
        for pods in states:
            assert all(is_ready(pod) for pod in sorted(pods, key=name_of)[:-1]), "only the last one may not be ready yet"
        await s.scale(0)
        states = await s.observed(200)
        assert [name for name in comings(states) if name not in NAMES] == ["-db-2", "-db-1", "-db-0"]
        for pods in states:
            going = [pod for pod in pods if pod["metadata"].get("deletionTimestamp")]
            assert len(going) <= 1, "each one goes when the one after it is gone"
        await s.done(replicas=0)
        assert [message for _, message in await r.events_of("db")] == [
            *(f"create Pod {name} in StatefulSet db successful" for name in NAMES),
            *(f"delete Pod {name} in StatefulSet db successful" for name in reversed(NAMES)),
        ]
        events = await r.client.resource("v1", "events", "default").list_all(field_selector="involvedObject.name=db")
        assert {event["source"]["component"] for event in events} == {"statefulset-controller"}
        assert {event["type"] for event in events} == {"Normal"}


@pytest.mark.virtual_time
async def test_in_parallel_they_come_and_go_all_at_once():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(replicas=5, **PARALLEL))
        pods = await r.until(lambda pods: len(pods) == 5, r.pods)
        assert not any(map(is_ready, pods))
        await s.done(replicas=5)
        await s.scale(1)
        pods = await r.until(lambda pods: sum("deletionTimestamp" in pod["metadata"] for pod in pods) == 4, r.pods)
        assert serving(pods) == 1
        await s.done(replicas=1)
        assert await s.names() == ["db-0"]


@pytest.mark.virtual_time
async def test_ordinals_start_where_they_are_told_to_and_move_when_that_changes():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(replicas=2, ordinals={"start": 5}))
        await s.done(replicas=2)
        assert await s.names() == ["db-5", "db-6"]
        assert [labels_of(pod)["apps.kubernetes.io/pod-index"] for pod in await s.pods()] == ["5", "6"]
        await s.sets.patch("db", {"spec": {"ordinals": {"start": 6}}})
        await r.until(lambda pods: sorted(map(name_of, pods)) == ["db-6", "db-7"], r.pods)
        await s.done(replicas=2)
        await s.sets.patch("db", {"spec": {"ordinals": None}})
        await r.until(lambda pods: sorted(map(name_of, pods)) == ["db-0", "db-1"], r.pods)


@pytest.mark.virtual_time
async def test_ordinals_may_be_as_large_as_the_api_lets_them():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(replicas=2**31 - 1, ordinals={"start": 2**31 - 1}))
        await s.until(readyReplicas=3)
        assert (await s.names())[:3] == [f"db-{2**31 + more}" for more in (-1, 0, 1)]
        await s.scale(0)
        await s.done(replicas=0)


@pytest.mark.virtual_time
async def test_a_set_without_a_service_gives_its_pods_no_subdomain():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(replicas=1, serviceName=""))
        await s.done(replicas=1)
        (pod,) = await s.pods()
        assert (pod["spec"]["hostname"], pod["spec"].get("subdomain")) == ("db-0", None)


@pytest.mark.virtual_time
async def test_a_pod_that_is_deleted_comes_back_under_its_name_once_it_is_gone():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        before = {name_of(pod): pod["metadata"]["uid"] for pod in await s.pods()}
        await r.pods.patch("db-1", {"metadata": {"finalizers": ["mine.io/hold"]}})
        await r.pods.delete("db-1")
        await r.clock.sleep(300)
        assert await s.names() == ["db-0", "db-2"], "while it is going nobody has its name"
        await s.release("db-1")
        await s.done()
        after = {name_of(pod): pod["metadata"]["uid"] for pod in await s.pods()}
        assert [name for name in NAMES if before[name] != after[name]] == ["db-1"]


@pytest.mark.virtual_time
async def test_a_pod_that_never_gets_ready_keeps_all_others_waiting_and_is_the_first_to_go():
    async with running() as r:
        s = Statefuls(r)
        wish = stateful_set(replicas=4)
        await s.sets.create(wish)
        await s.done(replicas=4)
        await r.client.resource("v1", "nodes").patch("node-1", {"spec": {"unschedulable": True}})
        for node in ("node-2", "node-3"):
            await r.client.resource("v1", "nodes").patch(node, {"spec": {"unschedulable": True}})
        await r.pods.delete("db-1")
        await s.until(replicas=4, readyReplicas=3)
        await s.scale(6)
        await r.clock.sleep(300)
        assert await s.names() == ["db-0", "db-1", "db-2", "db-3"], "db-4 has to wait for db-1"
        await s.scale(2)
        await r.clock.sleep(300)
        assert await s.names() == ["db-0", "db-1", "db-2", "db-3"], "so have those that are to go"
        await s.scale(1)
        await s.until(replicas=2)
        await r.clock.sleep(300)
        assert await s.names() == ["db-0"], "but what is to go itself holds nobody up"


@pytest.mark.virtual_time
async def test_pods_that_ended_are_replaced_whether_they_failed_or_not():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        for name, phase in (("db-0", "Failed"), ("db-2", "Succeeded")):
            before = (await r.pods.get(name))["metadata"]["uid"]
            status = {"phase": phase, "reason": "Evicted", "message": "The node was low on resource: memory."}
            await r.pods.patch(name, {"status": status}, subresource="status")
            await r.until(lambda pods, uid=before: all(pod["metadata"]["uid"] != uid for pod in pods), r.pods)
            await s.done()
        assert await s.names() == NAMES
        told = [message for reason, message in await r.events_of("db") if reason == "SuccessfulDelete"]
        assert told == ["delete Pod db-0 in StatefulSet db successful", "delete Pod db-2 in StatefulSet db successful"]


@pytest.mark.virtual_time
async def test_a_pod_has_to_be_ready_for_as_long_as_is_asked():
    async with running() as r:
        s = Statefuls(r)
        since = r.clock.now()
        await s.sets.create(stateful_set(minReadySeconds=60))
        await s.until(readyReplicas=2, availableReplicas=1)
        assert 60 <= r.clock.now() - since <= 90
        await s.done()
        assert 180 <= r.clock.now() - since <= 240


@pytest.mark.virtual_time
async def test_a_pod_of_a_fitting_name_and_labels_is_adopted_and_others_are_left_alone():
    async with running() as r:
        s = Statefuls(r)
        container = {"name": "main", "image": "db:1"}
        for name in ("db-0", "db-00", "db", "other-0", "db-x"):
            metadata = {"name": name, "namespace": "default", "labels": {"app": "db"}}
            await r.pods.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}})
        first = await r.pods.get("db-0")
        item = await s.sets.create(stateful_set(replicas=2, updateStrategy={"type": "OnDelete"}))
        await s.until(replicas=2, readyReplicas=2)
        await r.clock.sleep(30)
        adopted = await r.pods.get("db-0")
        assert adopted["metadata"]["uid"] == first["metadata"]["uid"]
        assert [owner["uid"] for owner in adopted["metadata"]["ownerReferences"]] == [item["metadata"]["uid"]]
        assert labels_of(adopted)["statefulset.kubernetes.io/pod-name"] == "db-0"
        assert labels_of(adopted)["apps.kubernetes.io/pod-index"] == "0"
        assert ("SuccessfulUpdate", "update Pod db-0 in StatefulSet db successful") in await r.events_of("db")
        for name in ("db-00", "db", "other-0", "db-x"):
            assert "ownerReferences" not in (await r.pods.get(name))["metadata"], name


@pytest.mark.virtual_time
async def test_a_pod_that_does_not_fit_any_more_is_let_go_and_its_name_is_waited_for():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        await r.pods.patch("db-1", {"metadata": {"labels": {"app": "mine"}}})
        await s.until(replicas=2)
        assert "ownerReferences" not in (await r.pods.get("db-1"))["metadata"]
        await r.clock.sleep(120)
        assert not [message for reason, message in await r.events_of("db") if reason == "FailedCreate"], "Kubernetes tells nothing of it"
        await r.pods.delete("db-1", grace_period_s=0)
        await r.until(lambda pods: len([pod for pod in pods if labels_of(pod)["app"] == "db"]) == 3, r.pods, 5)
        await s.done()


@pytest.mark.virtual_time
async def test_orphans_stay_and_a_new_set_of_the_name_takes_them_over():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        before = {name_of(pod): pod["metadata"]["uid"] for pod in await s.pods()}
        history = await s.revisions()
        await s.sets.delete("db", propagation="Orphan")
        await r.until_gone(s.sets, "db")
        await r.clock.sleep(60)
        assert all("ownerReferences" not in pod["metadata"] for pod in await s.pods())
        item = await s.sets.create(stateful_set())
        await s.done()
        await r.clock.sleep(60)
        assert {name_of(pod): pod["metadata"]["uid"] for pod in await s.pods()} == before
        assert await s.revisions() == history
        for owned in (*await s.pods(), *await s.kept.list_all()):
            assert [owner["uid"] for owner in owned["metadata"]["ownerReferences"]] == [item["metadata"]["uid"]]


@pytest.mark.virtual_time
async def test_a_set_that_is_deleted_and_made_again_at_once_gets_pods_of_its_own():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        await s.sets.delete("db")
        await s.sets.create(stateful_set(image="db:2"))
        item = await s.done()
        assert {pod["metadata"]["ownerReferences"][0]["uid"] for pod in await s.pods()} == {item["metadata"]["uid"]}
        assert {one["metadata"]["ownerReferences"][0]["uid"] for one in await s.kept.list_all()} == {item["metadata"]["uid"]}


@pytest.mark.virtual_time
async def test_a_set_that_waits_for_its_pods_to_go_makes_none_and_reports_those_that_are_left():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        await r.pods.patch("db-1", {"metadata": {"finalizers": ["mine.io/hold"]}})
        await s.sets.delete("db", propagation="Foreground")
        await s.until(replicas=1)
        await r.clock.sleep(60)
        assert await s.names() == []
        await s.release("db-1")
        await r.until_gone(s.sets, "db")


@pytest.mark.virtual_time
async def test_what_can_not_be_made_is_told_in_the_words_of_kubernetes_and_tried_again():
    async with running() as r:
        s = Statefuls(r)
        quotas = r.client.resource("v1", "resourcequotas", "default")
        metadata = {"name": "few", "namespace": "default"}
        await quotas.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": {"pods": "1"}}})
        await r.until(lambda items: "hard" in items[0]["status"], quotas)
        await s.sets.create(stateful_set())
        await s.until(readyReplicas=1)
        await r.clock.sleep(60)
        assert await s.names() == ["db-0"]
        told = dict(await r.events_of("db"))["FailedCreate"]
        assert told.startswith('create Pod db-1 in StatefulSet db failed error: pods "db-1" is forbidden: exceeded quota: few')
        await quotas.patch("few", {"spec": {"hard": {"pods": "5"}}})
        await s.done(within_s=600)


@pytest.mark.virtual_time
async def test_a_namespace_takes_its_sets_along():
    async with running() as r:
        s = Statefuls(r)
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        await s.sets.within("shop").create({**stateful_set(**with_claims("data")), "metadata": {"name": "db"}})
        await r.until(lambda pods: len(pods) == 3 and all(map(is_ready, pods)), r.pods.within("shop"))
        await namespaces.delete("shop")
        await r.until_gone(namespaces, "shop", 300)


@pytest.mark.virtual_time
async def test_a_pod_whose_node_is_gone_is_made_again_when_it_has_been_collected():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set())
        await s.done()
        node = (await r.pods.get("db-1"))["spec"]["nodeName"]
        on_it = [name_of(pod) for pod in await s.pods() if pod["spec"]["nodeName"] == node]
        await r.client.resource("v1", "nodes").delete(node)
        await r.until(lambda pods: len(pods) == 3 and all(pod["spec"].get("nodeName") not in (None, node) for pod in pods), r.pods, 900)
        await s.done()
        assert "db-1" in on_it
        assert await s.names() == NAMES


@pytest.mark.virtual_time
async def test_a_quiet_set_costs_no_write():
    async with running() as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(**with_claims("data", scaled="Delete", deleted="Delete")))
        await s.done()
        await r.clock.sleep(60)
        before = [item["metadata"]["resourceVersion"] for api in (s.sets, r.pods, s.claims, s.kept) for item in await api.list_all()]
        await r.clock.sleep(3600)
        after = [item["metadata"]["resourceVersion"] for api in (s.sets, r.pods, s.claims, s.kept) for item in await api.list_all()]
        assert before == after


@pytest.mark.virtual_time
async def test_hundreds_of_pods_come_and_go_at_once():
    async with running(nodes=10) as r:
        s = Statefuls(r)
        await s.sets.create(stateful_set(replicas=700, **PARALLEL))
        await s.done(replicas=700)
        await s.scale(10)
        await s.done(replicas=10)
        assert len(await s.names()) == 10


@pytest.mark.virtual_time
async def test_a_name_too_long_for_the_labels_of_pods_is_told_of():
    """As in Kubernetes, which lets such a set be made: the revision's name, with its hash, is a label of each pod."""
    async with running() as r:
        s, name = Statefuls(r), "d" * 60
        await s.sets.create(stateful_set(name, replicas=1))
        await r.clock.sleep(60)
        told = dict(await r.events_of(name))["FailedCreate"]
        assert told.startswith(f'create Pod {name}-0 in StatefulSet {name} failed error: Pod "{name}-0" is invalid:')
        assert "must be no more than 63" in told
        assert await s.names() == []
        await s.sets.delete(name)
        await r.until_gone(s.sets, name)
