"""What components hand over is stored as if it had been sent: nobody can tell."""

import asyncio

import pytest

from svcsim.client.events import EventRecorder
from svcsim.meta.codec import encode
from svcsim.meta.types import Object
from tests.living import living

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
