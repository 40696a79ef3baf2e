"""Workloads: their tables, their scales, and what is wrong with a Deployment."""

import pytest

from svcsim.kinds.apps.controller_revision import CONTROLLER_REVISION
from svcsim.kinds.apps.daemon_set import DAEMON_SET
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.apps.stateful_set import STATEFUL_SET
from svcsim.kinds.core.replication_controller import REPLICATION_CONTROLLER
from svcsim.meta.errors import StatusError
from tests.kinds.helpers import ago, change_findings, context, created, findings, row

TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:2"}]},
}
SELECTOR = {"matchLabels": {"app": "web"}}


def deployment(**spec):
    return {"metadata": {"name": "d"}, "spec": {"selector": SELECTOR, "template": TEMPLATE, **spec}}


def template(**spec):
    return {**TEMPLATE, "spec": {**TEMPLATE["spec"], **spec}}


def rolling(**values):
    return deployment(strategy={"rollingUpdate": values})


PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (deployment(), []),
        (deployment(replicas=-1), ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]),
        (
            deployment(selector=None),
            [
                "spec.selector: Required value",
                'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
            ],
        ),
        (deployment(selector={}), ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]),
        (
            deployment(selector={"matchLabels": {"app": "other"}}),
            ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
        ),
        (
            deployment(selector={"matchExpressions": [{"key": "app", "operator": "Near"}]}),
            [
                'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
                'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Near"}]}: invalid label selector',
            ],
        ),
        (
            deployment(template=None),
            [
                "spec.template.spec.containers: Required value",
                "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
            ],
        ),
        (deployment(template=template(containers=[])), ["spec.template.spec.containers: Required value"]),
        (
            deployment(template=template(restartPolicy="Never")),
            ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
        ),
        (
            deployment(strategy={"type": "Recreate", "rollingUpdate": {}}),
            ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
        ),
        (
            deployment(strategy={"type": "Odd"}),
            ['spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"'],
        ),
        (
            rolling(maxSurge=0, maxUnavailable="0%"),
            ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
        ),
        (
            rolling(maxUnavailable="101%"),
            ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
        ),
        (rolling(maxSurge="some"), [f'spec.strategy.rollingUpdate.maxSurge: Invalid value: "some": {PERCENT}']),
        (rolling(maxSurge=-1), ["spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"]),
        (
            deployment(minReadySeconds=600),
            ["spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"],
        ),
    ],
)
def test_what_is_wrong_with_a_deployment(obj, expected):
    if obj["spec"]["template"] is None:
        del obj["spec"]["template"]
    assert findings(DEPLOYMENT, obj) == expected


@pytest.mark.parametrize("kind", [DEPLOYMENT, REPLICA_SET], ids=lambda kind: kind.name)
def test_a_selector_does_not_change(kind):
    other = {"matchLabels": {"app": "web", "tier": "x"}}
    expected = ['spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable']
    assert change_findings(kind, deployment(), deployment(selector=other)) == expected
    assert change_findings(kind, deployment(), deployment(replicas=5)) == []


def test_a_deployment_in_one_line():
    obj = {
        **deployment(replicas=3),
        "metadata": {"creationTimestamp": ago(7200)},
        "status": {"readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1},
    }
    assert row(DEPLOYMENT, obj, wide=True) == {
        "Ready": "2/3",
        "Up-to-date": 3,
        "Available": 1,
        "Age": "120m",
        "Containers": "a,b",
        "Images": "a:1,b:2",
        "Selector": "app=web",
    }


def test_a_replica_set_in_one_line():
    assert row(REPLICA_SET, {**deployment(replicas=3), "status": {"replicas": 2}}) == {
        "Desired": 3,
        "Current": 2,
        "Ready": 0,
        "Age": "<unknown>",
    }


def test_the_other_workloads_in_one_line():
    daemons = {
        **deployment(template=template(nodeSelector={"disk": "ssd", "arch": "arm"})),
        "status": {"desiredNumberScheduled": 5, "currentNumberScheduled": 4, "numberReady": 3, "updatedNumberScheduled": 2},
    }
    assert row(DAEMON_SET, daemons, wide=True) == {
        "Desired": 5,
        "Current": 4,
        "Ready": 3,
        "Up-to-date": 2,
        "Available": 0,
        "Node Selector": "arch=arm,disk=ssd",
        "Age": "<unknown>",
        "Containers": "a,b",
        "Images": "a:1,b:2",
        "Selector": "app=web",
    }
    assert row(DAEMON_SET, deployment())["Node Selector"] == "<none>"
    assert row(STATEFUL_SET, {**deployment(replicas=3), "status": {"readyReplicas": 1}}, wide=True) == {
        "Ready": "1/3",
        "Age": "<unknown>",
        "Containers": "a,b",
        "Images": "a:1,b:2",
    }
    controller = {**deployment(replicas=3, selector={"app": "web", "a": "b"}), "status": {"replicas": 2, "readyReplicas": 1}}
    assert row(REPLICATION_CONTROLLER, controller, wide=True) == {
        "Desired": 3,
        "Current": 2,
        "Ready": 1,
        "Age": "<unknown>",
        "Containers": "a,b",
        "Images": "a:1,b:2",
        "Selector": "a=b,app=web",
    }


def test_a_revision_in_one_line():
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "web", "uid": "1", "controller": True}
    revision = {"metadata": {"ownerReferences": [owner]}, "revision": 7}
    assert row(CONTROLLER_REVISION, revision) == {"Controller": "daemonset.apps/web", "Revision": "7", "Age": "<unknown>"}
    assert row(CONTROLLER_REVISION, {"revision": 0})["Controller"] == "<none>"


def scale(kind):
    return next(sub for sub in kind.subresources if sub.name == "scale")


@pytest.mark.parametrize("kind", [DEPLOYMENT, REPLICA_SET, STATEFUL_SET], ids=lambda kind: kind.name)
def test_a_scale_shows_the_size_and_changes_nothing_else(kind):
    obj = created(kind, deployment(replicas=3))
    obj["status"]["replicas"] = 2
    assert scale(kind).view(obj, context()) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "d"},
        "spec": {"replicas": 3},
        "status": {"replicas": 2, "selector": "app=web"},
    }
    none = created(kind, deployment(replicas=0))
    assert (scale(kind).view(none, context())["spec"], scale(kind).view(none, context())["status"]["replicas"]) == ({}, 0)
    scaled = scale(kind).merge(obj, {"spec": {"replicas": 7}, "status": {"replicas": 9}}, context())
    assert (scaled["spec"]["replicas"], scaled["status"]["replicas"]) == (7, 2)


def test_a_scale_shows_a_selector_that_is_labels_and_nothing_else():
    obj = created(REPLICATION_CONTROLLER, deployment(selector={"app": "web", "a": "b"}))
    assert scale(REPLICATION_CONTROLLER).view(obj, context())["status"] == {"replicas": 0, "selector": "a=b,app=web"}


def test_a_size_below_nothing_is_refused():
    with pytest.raises(StatusError) as caught:
        scale(DEPLOYMENT).merge(created(DEPLOYMENT, deployment()), {"spec": {"replicas": -1}}, context())
    assert caught.value.message == 'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
