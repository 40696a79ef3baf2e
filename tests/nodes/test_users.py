"""As whom containers may run."""

import pytest

from svcsim.meta.types import Object
from tests.living import living, pod


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("image", "of_pod", "own", "refused"),
    [
        ("nginx:1", {}, {"runAsNonRoot": True}, "container has runAsNonRoot and image will run as root"),
        ("nginx:1", {"runAsNonRoot": True}, {}, "container has runAsNonRoot and image will run as root"),
        ("somebody/web:1", {"runAsNonRoot": True}, {"runAsUser": 0}, "container's runAsUser breaks non-root policy"),
        ("nginx:1", {"runAsUser": 0}, {"runAsNonRoot": True}, "container's runAsUser breaks non-root policy"),
        ("nginx:1", {"runAsNonRoot": True}, {"runAsNonRoot": False}, ""),
        ("nginx:1", {"runAsNonRoot": True}, {"runAsUser": 101}, ""),
        ("nginx:1", {"runAsUser": 101}, {"runAsNonRoot": True}, ""),
        ("nginxinc/nginx:1", {"runAsNonRoot": True}, {}, ""),
        ("nginx:1", {}, {"runAsUser": 0}, ""),
    ],
)
async def test_who_must_not_be_root_is_not_started_as_root(image: str, of_pod: Object, own: Object, refused: str):
    async with living(nodes=1) as cluster:
        wanted = pod("web", image=image, securityContext=of_pod)
        wanted["spec"]["containers"][0]["securityContext"] = own
        uid = (await cluster.pods.create(wanted))["metadata"]["uid"]
        await cluster.sleep(20)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        if not refused:
            assert "running" in status["state"]
            return
        message = f'{refused} (pod: "web_default({uid})", container: {status["name"]})'
        assert status["state"] == {"waiting": {"reason": "CreateContainerConfigError", "message": message}}
        assert f"Error: {message}" in [event["message"] for event in await cluster.events("web") if event["reason"] == "Failed"]
