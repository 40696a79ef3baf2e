"""What components hand over is stored as if it had been sent: nobody can tell."""

import asyncio
import json

import pytest

from svcsim.client.events import EventRecorder
from svcsim.cluster.default_roles.objects import default_roles
from svcsim.controllers.api_services.local import registered, registration
from svcsim.dialect import DIALECTS
from svcsim.meta.codec import encode
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.core import decode_record
from svcsim.storage.contract import Event, Key
from tests.living import living, pod

POD: Object = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web", "namespace": "default", "uid": "u1", "resourceVersion": "7"}}
NODE: Object = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "node-9", "uid": "u2"}}


def reported(recorder: EventRecorder) -> None:
    recorder.normal(POD, "Handed", "Pulled it", "spec.containers{web}")
    recorder.warning(NODE, "Handed", "")
    recorder.normal(POD, "HandedNewer", "Successfully assigned", action="Binding")


@pytest.mark.virtual_time
@pytest.mark.parametrize("host", ["node-1", ""])
async def test_an_event_that_is_handed_over_is_stored_like_one_that_is_sent(host):
    async with living() as cluster:
        client = cluster.cluster.client("kubelet")
        recorder = EventRecorder(client, cluster.cluster.clock, "kubelet", host)
        task = asyncio.create_task(recorder.run())
        reported(recorder)
        await cluster.sleep(1)
        task.cancel()
        events = client.resource("v1", "events", "default")
        handed = [event for event in await events.list_all() if event["reason"].startswith("Handed")]
        assert len(handed) == 3
        for event in handed:
            sent = {name: value for name, value in event.items() if name != "metadata" and value != {}}
            again = await events.create({**sent, "metadata": {"name": f"{event['metadata']['name']}-again"}})
            again["metadata"] |= {name: event["metadata"][name] for name in ("name", "uid", "resourceVersion", "creationTimestamp")}
            again["metadata"]["managedFields"][0]["time"] = event["metadata"]["managedFields"][0]["time"]
            assert encode(again) == encode(event)


def of_all_sorts() -> list[Object]:
    """Pods in whose statuses there is all that a node tells of."""
    init: Object = {"name": "first", "image": "busybox:1", "command": ["true"]}
    sidecar: Object = {"name": "beside", "image": "proxy:1", "restartPolicy": "Always"}
    probe: Object = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 1}
    odd: Object = {"requests": {"cpu": "0.1", "memory": "1024Mi"}, "limits": {"cpu": "1000m", "memory": "1Gi"}}
    mounts = [{"name": "v", "mountPath": "/v"}, {"name": "v", "mountPath": "/r", "readOnly": True, "recursiveReadOnly": "IfPossible"}]
    odd_resources = {"resources": odd, "securityContext": {"runAsUser": 3}}
    gated: Object = {"readinessGates": [{"conditionType": "example.com/gate"}]}
    return [
        pod("plain"),
        pod("in-order", initContainers=[init, sidecar]),
        pod("of-the-host", hostNetwork=True, **gated),
        pod("not-pulled", image="nginx:404"),
        _annotated(pod("ends", restartPolicy="Never"), {"run-for": "2s", "exit-code": "3"}),
        _annotated(pod("succeeds", restartPolicy="OnFailure"), {"run-for": "2s"}),
        _annotated(pod("crashes"), {"crash-after": "1s"}),
        _annotated(pod("unready"), {"failing-probes": "readiness"}),
        _with(pod("odd"), resources=odd, readinessProbe=probe, resizePolicy=[{"resourceName": "cpu", "restartPolicy": "NotRequired"}]),
        pod("too-late", activeDeadlineSeconds=3),
        _with(pod("mounts", volumes=[{"name": "v", "emptyDir": {}}], securityContext={"fsGroup": 5}), volumeMounts=mounts, **odd_resources),
    ]


def _annotated(obj: Object, behaviour: dict[str, str]) -> Object:
    return {**obj, "metadata": {**obj["metadata"], "annotations": {f"svcsim.dev/{key}": value for key, value in behaviour.items()}}}


def _with(obj: Object, **fields: object) -> Object:
    (container,) = obj["spec"]["containers"]
    return {**obj, "spec": {**obj["spec"], "containers": [{**container, **fields}]}}


@pytest.mark.virtual_time
async def test_the_statuses_that_nodes_hand_over_are_in_the_form_in_which_they_would_be_read():
    async with living() as cluster:
        core = cluster.cluster.registry.core
        pods = core.scheme.find(GroupVersion("", "v1"), "pods")
        told: dict[str, list[Object]] = {}

        def note(event: Event) -> None:
            pod = decode_record(event.record)
            if any(entry["manager"] == "kubelet" for entry in pod["metadata"]["managedFields"]):
                told.setdefault(pod["metadata"]["name"], []).append(pod)

        core.store.on_commit("pods", note)
        for obj in of_all_sorts():
            await cluster.pods.create(obj)
        await cluster.sleep(20)
        ephemeral = {"spec": {"ephemeralContainers": [{"name": "look", "image": "busybox:1", "targetContainerName": "main"}]}}
        await cluster.pods.patch("plain", ephemeral, "strategic", subresource="ephemeralcontainers")
        smaller = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "50m"}}}]}}
        await cluster.pods.patch("odd", smaller, "strategic", subresource="resize")
        await cluster.sleep(60)
        for obj in of_all_sorts():
            await cluster.pods.delete(obj["metadata"]["name"])
        await cluster.sleep(60)
    for obj in of_all_sorts():
        assert len(told[obj["metadata"]["name"]]) >= 3
    for pod_as_stored in (one for every in told.values() for one in every):
        read, unknown = pods.compiled.decode(pod_as_stored)
        pods.compiled.default(read)
        assert not unknown
        assert encode(read["status"]) == encode(pod_as_stored["status"])
        assert pods.compiled.validate(pod_as_stored) == []


@pytest.mark.virtual_time
async def test_the_pods_of_a_replica_set_are_in_the_form_in_which_they_would_be_read():
    odd = _with(pod("odd"), resources={"requests": {"cpu": "0.1"}, "limits": {"cpu": "1000m"}}, env=[{"name": "A", "value": ""}])
    template = {"metadata": {"finalizers": ["example.com/kept"], "annotations": {"b": "1", "a": "2"}, "labels": {"z": "1", "app": "web"}}}
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {**template, "spec": odd["spec"]}}
    async with living() as cluster:
        client = cluster.cluster.client("test")
        sets = client.resource("apps/v1", "replicasets", "default")
        await sets.create({"metadata": {"name": "web"}, "spec": spec})
        await cluster.sleep(20)
        made = await cluster.pods.list_all()
        assert len(made) == 3
        for one in made:
            (how,) = [entry for entry in one["metadata"]["managedFields"] if "subresource" not in entry and entry["manager"] != "scheduler"]
            given = ("generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers")
            metadata = {name: one["metadata"][name] for name in given}
            again = await cluster.pods.create({"metadata": metadata, "spec": odd["spec"]})
            (so,) = again["metadata"]["managedFields"]
            assert so["fieldsV1"] == how["fieldsV1"]
            for obj in (one, again):
                (token,) = [volume["name"] for volume in obj["spec"]["volumes"]]
                obj["spec"] = json.loads(json.dumps(obj["spec"]).replace(token, "token"))
                obj["spec"].pop("nodeName", None)
                obj["metadata"] |= dict.fromkeys(("name", "uid", "resourceVersion", "creationTimestamp"), "")
                del obj["metadata"]["managedFields"], obj["status"]
            assert encode(again) == encode(one)


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_a_first_start_hands_over_is_in_the_form_in_which_it_would_be_read(dialect):
    async with living(dialect=dialect, nodes=0) as cluster:
        scheme, words = cluster.cluster.registry.core.scheme, cluster.cluster.dialect
        versions = registered(scheme.group_versions(), words).values()
        handed = [*default_roles(words), *(("apiservices", registration(one, words)) for one in versions)]
        assert len(handed) > 200
        for plural, obj in handed:
            resource = scheme.find(GroupVersion.parse(obj["apiVersion"]), plural)
            read, unknown = resource.compiled.decode(obj)
            assert (encode(read), unknown) == (encode(obj), [])


@pytest.mark.virtual_time
@pytest.mark.parametrize("for_good", [True, False])
async def test_what_is_handed_over_is_on_disk_once_it_is_taken_unless_it_may_be_lost(for_good):
    async with living(nodes=0) as cluster:
        new: Object = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "handed"}, "data": {"a": "b"}}
        maps = cluster.client.resource("v1", "configmaps", "default")
        await (maps.hand_over(new) if for_good else maps.drop_off(new))
        assert cluster.cluster.store.pending(Key("configmaps", "default", "handed")) is not for_good


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_new_nodes_hand_over_is_stored_like_what_is_sent(dialect):
    async with living(dialect=dialect) as cluster:
        client, words = cluster.cluster.client("kubelet"), cluster.cluster.dialect
        for group, plural, namespace in (("storage", "csinodes", ""), ("coordination", "leases", words.node_lease_namespace)):
            collection = client.resource(f"{words.group(group)}/v1", plural, namespace)
            handed = await collection.get("node-1")
            owners = handed["metadata"]["ownerReferences"]
            again = await collection.create({"metadata": {"name": "again", "ownerReferences": owners}, "spec": handed["spec"]})
            again["metadata"] |= {name: handed["metadata"][name] for name in ("name", "uid", "resourceVersion", "creationTimestamp")}
            again["metadata"]["managedFields"][0]["time"] = handed["metadata"]["managedFields"][0]["time"]
            assert encode(again) == encode(handed)
