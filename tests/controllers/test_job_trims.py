"""What is kept of the pods of jobs, and not of others."""

from svcsim.client.informers import FollowedResource
from svcsim.controllers.trims import trims
from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object

STATUS: Object = {
    "phase": "Failed",
    "conditions": [{"type": "Custom", "status": "True", "message": "long"}],
    "containerStatuses": [
        {
            "name": "main",
            "image": "busybox:1",
            "restartCount": 2,
            "state": {"terminated": {"exitCode": 3, "finishedAt": "t", "containerID": "x"}},
        }
    ],
}


def kept(kind: str) -> Object:
    owner = {"kind": kind, "name": "x", "uid": "u", "controller": True}
    pod = {"metadata": {"name": "a", "ownerReferences": [owner]}, "spec": {}, "status": STATUS}
    trimmed = trims(KUBERNETES)[FollowedResource("v1", "pods")](pod)
    assert trimmed is not None
    return trimmed


def test_of_a_jobs_pod_the_ends_of_containers_are_kept():
    status = kept("Job")["status"]
    ended = {"terminated": {"exitCode": 3, "finishedAt": "t"}}
    assert status["containerStatuses"] == [{"name": "main", "restartCount": 2, "state": ended}]
    assert status["conditions"][0]["type"] == "Custom"


def test_of_others_they_are_not():
    status = kept("ReplicaSet")["status"]
    assert status["containerStatuses"] == [{"restartCount": 2}]
    assert "conditions" not in status
