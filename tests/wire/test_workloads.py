"""Workloads over the wire, in both dialects: what may change of them, what may not, what the server makes of them, and their tables."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire

POD: Object = {"schedulerName": "nobody", "containers": [{"name": "main", "image": "nginx:1.29"}]}
LABELS: Object = {"app": "web"}
TEMPLATE: Object = {"metadata": {"labels": LABELS}, "spec": POD}
ENDING: Object = {"metadata": {"labels": LABELS}, "spec": {**POD, "restartPolicy": "Never"}}
SET: Object = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
OTHER: Object = {"spec": {"selector": {"matchLabels": {"app": "other"}}}}

KINDS: dict[str, tuple[str, Object, Object, Object, list[str], list[str]]] = {
    "replicationcontrollers": (
        "/api/v1",
        {"spec": {"replicas": 0, "selector": LABELS, "template": TEMPLATE}},
        {"spec": {"minReadySeconds": 3}},
        {"spec": {"selector": {"app": "other"}}},
        ["spec.template.metadata.labels"],
        ["Name", "Desired", "Current", "Ready", "Age", "Containers", "Images", "Selector"],
    ),
    "statefulsets": (
        "/apis/apps/v1",
        {"spec": {**SET, "replicas": 0, "serviceName": "web"}},
        {"spec": {"minReadySeconds": 3}},
        {"spec": {"serviceName": "other"}},
        ["spec"],
        ["Name", "Ready", "Age", "Containers", "Images"],
    ),
    "daemonsets": (
        "/apis/apps/v1",
        {"spec": SET},
        {"spec": {"template": {"spec": {"hostname": "x"}}}},
        OTHER,
        ["spec.template.metadata.labels", "spec.selector"],
        ["Name", "Desired", "Current", "Ready", "Up-to-date", "Available", "Node Selector", "Age", "Containers", "Images", "Selector"],
    ),
    "controllerrevisions": (
        "/apis/apps/v1",
        {"revision": 1, "data": {"a": 1}},
        {"revision": 2},
        {"data": {"a": 2}},
        ["data"],
        ["Name", "Controller", "Revision", "Age"],
    ),
    "jobs": (
        "/apis/batch/v1",
        {"spec": {"suspend": True, "template": ENDING}},
        {"spec": {"parallelism": 2}},
        {"spec": {"completions": 2}},
        ["spec.completions"],
        ["Name", "Status", "Completions", "Duration", "Age", "Containers", "Images", "Selector"],
    ),
    "cronjobs": (
        "/apis/batch/v1",
        {"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": ENDING}}}},
        {"spec": {"schedule": "@daily"}},
        {"spec": {"schedule": "never"}},
        ["spec.schedule"],
        ["Name", "Schedule", "Timezone", "Suspend", "Active", "Last Schedule", "Age", "Containers", "Images", "Selector"],
    ),
}
"""Each with its root, an object, a change that is fine, one that is not, the fields the refusal tells of, and the columns of its table."""


@pytest.mark.parametrize("plural", KINDS)
def test_what_may_change_changes_and_the_rest_is_refused(wire: Wire, ns: str, plural: str):
    root, obj, fine, wrong, fields, columns = KINDS[plural]
    path = f"{root}/namespaces/{ns}/{plural}"
    made = wire.create(path, {**obj, "metadata": {"name": "one"}})
    changed = wire.patch(f"{path}/one", fine)
    generations = [found["metadata"].get("generation", 0) for found in (made, changed)]
    assert generations == ([0, 0] if plural == "controllerrevisions" else [1, 2])
    refused = wire.ask("PATCH", f"{path}/one", wrong, content_type="application/merge-patch+json")
    assert (refused.status, refused.reason) == (422, "Invalid")
    assert [cause["field"] for cause in refused.json["details"]["causes"]] == fields
    table = wire.ask("GET", path, headers={"Accept": f"application/json;as=Table;v=v1;g={wire.dialect.group('meta')}"}).json
    assert [column["name"] for column in table["columnDefinitions"]] == columns


PRESERVED = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)


@pytest.mark.parametrize(
    ("plural", "query", "orphans", "warning"),
    [
        ("jobs", {}, True, f'299 - "{PRESERVED}"'),
        ("jobs", {"propagationPolicy": "Orphan"}, True, None),
        ("jobs", {"propagationPolicy": "Background"}, False, None),
        ("jobs", {"orphanDependents": "false"}, False, None),
        ("replicationcontrollers", {}, True, None),
        ("statefulsets", {}, False, None),
    ],
)
def test_pods_of_some_workloads_stay_unless_it_is_said(wire: Wire, ns: str, plural: str, query: Object, orphans: bool, warning: str | None):
    root, obj, *_ = KINDS[plural]
    path = f"{root}/namespaces/{ns}/{plural}"
    wire.create(path, {**obj, "metadata": {"name": "one"}})
    answer = wire.ask("DELETE", f"{path}/one", dryRun="All", **query)
    assert answer.headers.get("warning") == warning
    assert ("orphan" in answer.json.get("metadata", {}).get("finalizers", [])) == orphans
