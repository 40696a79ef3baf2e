"""What ``get pods`` says of a pod."""

import pytest

from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import ago, row


def pod(status=None, spec=None, **metadata):
    containers = {"containers": [{"name": "a"}, {"name": "b"}]}
    return {"metadata": {"creationTimestamp": ago(300), **metadata}, "spec": {**containers, **(spec or {})}, "status": status or {}}


def container(name="a", ready=False, restarts=0, ended_s=None, **state):
    found = {"name": name, "ready": ready, "restartCount": restarts, "state": state}
    if ended_s is not None:
        found["lastState"] = {"terminated": {"finishedAt": ago(ended_s)}}
    return found


RUNNING = {"running": {"startedAt": ago(60)}}
COMPLETED = {"terminated": {"exitCode": 0, "reason": "Completed"}}
CREATING = {"waiting": {"reason": "ContainerCreating"}}
READY = [{"type": "Ready", "status": "True"}]
INITIALIZED = [{"type": "Initialized", "status": "True"}]
INIT = {"initContainers": [{"name": "i"}, {"name": "j"}]}
SIDECAR = {"initContainers": [{"name": "s", "restartPolicy": "Always"}]}


@pytest.mark.parametrize(
    ("given", "ready", "status", "restarts"),
    [
        (pod({"phase": "Pending"}), "0/2", "Pending", "0"),
        (pod({"phase": "Pending", "containerStatuses": [container(**CREATING)]}), "0/2", "ContainerCreating", "0"),
        (
            pod({"phase": "Running", "containerStatuses": [container(ready=True, **RUNNING), container("b", **RUNNING)]}),
            "1/2",
            "Running",
            "0",
        ),
        (
            pod({"phase": "Running", "containerStatuses": [container(restarts=3, ended_s=300, waiting={"reason": "CrashLoopBackOff"})]}),
            "0/2",
            "CrashLoopBackOff",
            "3 (5m ago)",
        ),
        (pod({"phase": "Succeeded", "containerStatuses": [container(**COMPLETED)]}), "0/2", "Completed", "0"),
        (
            pod(
                {
                    "phase": "Running",
                    "containerStatuses": [container(**COMPLETED), container("b", ready=True, **RUNNING)],
                    "conditions": READY,
                }
            ),
            "1/2",
            "Running",
            "0",
        ),
        (
            pod({"phase": "Running", "containerStatuses": [container(**COMPLETED), container("b", ready=True, **RUNNING)]}),
            "1/2",
            "NotReady",
            "0",
        ),
        (pod({"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 3})]}), "0/2", "ExitCode:3", "0"),
        (pod({"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 137, "signal": 9})]}), "0/2", "Signal:9", "0"),
        (pod({"phase": "Failed", "reason": "Evicted"}), "0/2", "Evicted", "0"),
        (pod({"phase": "Pending", "initContainerStatuses": [container("i", **RUNNING)]}, INIT), "0/2", "Init:0/2", "0"),
        (
            pod({"phase": "Pending", "initContainerStatuses": [container("i", **COMPLETED), container("j", **RUNNING)]}, INIT),
            "0/2",
            "Init:1/2",
            "0",
        ),
        (
            pod(
                {
                    "phase": "Pending",
                    "initContainerStatuses": [container("i", restarts=2, ended_s=60, terminated={"exitCode": 1, "reason": "Error"})],
                },
                INIT,
            ),
            "0/2",
            "Init:Error",
            "2 (60s ago)",
        ),
        (
            pod({"phase": "Pending", "initContainerStatuses": [container("i", terminated={"exitCode": 1})]}, INIT),
            "0/2",
            "Init:ExitCode:1",
            "0",
        ),
        (
            pod({"phase": "Pending", "initContainerStatuses": [container("i", waiting={"reason": "ImagePullBackOff"})]}, INIT),
            "0/2",
            "Init:ImagePullBackOff",
            "0",
        ),
        (
            pod({"phase": "Pending", "initContainerStatuses": [container("i", waiting={"reason": "PodInitializing"})]}, INIT),
            "0/2",
            "Init:0/2",
            "0",
        ),
        (
            pod(
                {
                    "phase": "Running",
                    "initContainerStatuses": [{**container("s", ready=True, restarts=1, **RUNNING), "started": True}],
                    "containerStatuses": [container(ready=True, **RUNNING), container("b", ready=True, **RUNNING)],
                    "conditions": INITIALIZED,
                },
                SIDECAR,
            ),
            "3/3",
            "Running",
            "1",
        ),
        (pod({"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]}), "0/2", "SchedulingGated", "0"),
        (pod({"phase": "Running"}, deletionTimestamp=ago(0)), "0/2", "Terminating", "0"),
        (pod({"phase": "Running", "reason": "NodeLost"}, deletionTimestamp=ago(0)), "0/2", "Unknown", "0"),
        (pod({"phase": "Succeeded"}, deletionTimestamp=ago(0)), "0/2", "Succeeded", "0"),
    ],
)
def test_a_pod_in_one_line(given, ready, status, restarts):
    assert row(POD, given) == {"Ready": ready, "Status": status, "Restarts": restarts, "Age": "5m"}


def test_wide_output_says_where_a_pod_is():
    gates = {"nodeName": "n1", "readinessGates": [{"conditionType": "x/a"}, {"conditionType": "x/b"}]}
    status = {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}], "conditions": [{"type": "x/a", "status": "True"}]}
    wide = row(POD, pod(status, gates), wide=True)
    assert [wide[name] for name in ("IP", "Node", "Nominated Node", "Readiness Gates")] == ["10.0.0.1", "n1", "<none>", "1/2"]


def test_wide_output_of_a_pod_that_is_nowhere():
    wide = row(POD, pod(), wide=True)
    assert [wide[name] for name in ("IP", "Node", "Nominated Node", "Readiness Gates")] == ["<none>"] * 4
