"""What of a pod may change, and through which subresource."""

import copy

import pytest

from svcsim.kinds.core.pod import POD
from svcsim.meta.errors import StatusError
from tests.kinds.helpers import change_findings, context, created, restored

POD_NOW = {
    "metadata": {"name": "p", "uid": "u-1", "annotations": {"kept": "yes"}},
    "spec": {
        "containers": [{"name": "a", "image": "a:1", "resources": {"requests": {"cpu": "1"}}}],
        "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
    },
}
ONLY = (
    "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n  core.PodSpec{\n"
)


COMMAND = """\
  \t... // 1 identical field
  \tContainers: []core.Container{
  \t\t{
  \t\t\t... // 2 identical fields
- \t\t\tCommand: nil,
+ \t\t\tCommand: {"x"},
  \t\t\t... // 22 identical fields
  \t\t},
  \t},
  \t... // 40 identical fields
  }
"""
PLACE = """\
  \t... // 9 identical fields
- \tNodeName: "",
+ \tNodeName: "n",
  \t... // 5 identical fields
- \tHostname: "",
+ \tHostname: "h",
  \t... // 26 identical fields
  }
"""


def changed(**spec):
    return {**POD_NOW, "spec": {**copy.deepcopy(POD_NOW["spec"]), **spec}}


def with_container(**fields):
    return changed(containers=[{**POD_NOW["spec"]["containers"][0], **fields}])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (POD_NOW, POD_NOW, []),
        (POD_NOW, with_container(image="a:2"), []),
        (POD_NOW, changed(activeDeadlineSeconds=60), []),
        (POD_NOW, with_container(command=["x"]), [f"{ONLY}{COMMAND}"]),
        (POD_NOW, changed(hostname="h", nodeName="n"), [f"{ONLY}{PLACE}"]),
        (
            POD_NOW,
            changed(containers=[*POD_NOW["spec"]["containers"], {"name": "b", "image": "b"}]),
            ["spec.containers: Forbidden: pod updates may not add or remove containers"],
        ),
        (POD_NOW, changed(tolerations=[*POD_NOW["spec"]["tolerations"], {"operator": "Exists"}]), []),
        (POD_NOW, changed(tolerations=[{**POD_NOW["spec"]["tolerations"][0], "tolerationSeconds": 9}]), []),
        (
            POD_NOW,
            changed(tolerations=[]),
            ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
        ),
        (
            changed(activeDeadlineSeconds=60),
            changed(activeDeadlineSeconds=61),
            ["spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value"],
        ),
        (
            changed(activeDeadlineSeconds=60),
            POD_NOW,
            ["spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"],
        ),
        (changed(terminationGracePeriodSeconds=-1), changed(terminationGracePeriodSeconds=1), []),
        (changed(schedulingGates=[{"name": "g"}]), changed(nodeSelector={"a": "b"}), []),
        (
            changed(schedulingGates=[{"name": "g"}]),
            changed(schedulingGates=[{"name": "g"}, {"name": "h"}]),
            ["spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'"],
        ),
    ],
)
def test_an_update_of_a_pod_changes_little(before, after, expected):
    assert change_findings(POD, before, after) == expected


EPHEMERAL = {"name": "e", "image": "e:1"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [EPHEMERAL], []),
        ([EPHEMERAL], [EPHEMERAL, {"name": "f", "image": "f"}], []),
        ([EPHEMERAL], [], ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n']),
        (
            [EPHEMERAL],
            [{"name": "e", "image": "e:2"}],
            ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n'],
        ),
    ],
)
def test_ephemeral_containers_can_only_be_added(before, after, expected):
    states = changed(ephemeralContainers=before), changed(ephemeralContainers=after)
    assert change_findings(POD, *states, subresource="ephemeralcontainers") == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (with_container(resources={"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}}), []),
        (
            with_container(resources={"requests": {"memory": "1Gi"}}),
            ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"],
        ),
        (with_container(image="a:2"), ["spec: Forbidden: only cpu and memory resources are mutable"]),
    ],
)
def test_a_resize_changes_amounts_alone(after, expected):
    assert change_findings(POD, POD_NOW, after, subresource="resize") == expected


def merge(subresource, pod, sent):
    window = next(sub for sub in POD.subresources if sub.name == subresource)
    return window.merge(copy.deepcopy(pod), sent, context())


def test_a_binding_puts_a_pod_on_a_node():
    pod = created(POD, POD_NOW)
    pod["status"]["nominatedNodeName"] = "n2"
    pod["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"}]
    pod["metadata"]["generation"] = 3
    bound = merge("binding", pod, {"metadata": {"name": "p", "annotations": {"new": "yes"}}, "target": {"kind": "Node", "name": "n1"}})
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["annotations"] == {"kept": "yes", "new": "yes"}
    scheduled = {"lastTransitionTime": "2026-01-01T00:00:00Z", "type": "PodScheduled", "status": "True", "observedGeneration": 3}
    assert bound["status"]["conditions"] == [scheduled]
    assert "nominatedNodeName" not in bound["status"]


@pytest.mark.parametrize(
    ("pod", "binding", "message"),
    [
        (
            changed(nodeName="n0"),
            {"target": {"name": "n1"}},
            'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n0"',
        ),
        (
            {**POD_NOW, "metadata": {"name": "p", "deletionTimestamp": "2026-01-01T00:00:00Z"}},
            {"target": {"name": "n1"}},
            'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
        ),
        (
            changed(schedulingGates=[{"name": "g"}]),
            {"target": {"name": "n1"}},
            'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
        ),
        (POD_NOW, {"target": {}}, 'Binding "p" is invalid: target.name: Required value'),
        (
            POD_NOW,
            {"target": {"kind": "Pod", "name": "n1"}},
            'Binding "p" is invalid: target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
        ),
        (
            POD_NOW,
            {"metadata": {"uid": "u-2"}, "target": {"name": "n1"}},
            'Operation cannot be fulfilled on pods/binding "p": Precondition failed: UID in precondition: u-2, UID in object meta: u-1',
        ),
    ],
)
def test_a_binding_that_can_not_be(pod, binding, message):
    with pytest.raises(StatusError) as caught:
        merge("binding", created(POD, pod), binding)
    assert caught.value.message == message


def test_through_a_subresource_only_its_own_part_is_taken():
    pod = created(POD, POD_NOW)
    sent = created(POD, changed(hostname="h", ephemeralContainers=[EPHEMERAL]))
    written = restored(POD, "ephemeralcontainers", sent, pod)
    assert [item["name"] for item in written["spec"]["ephemeralContainers"]] == ["e"]
    assert "hostname" not in written["spec"]
