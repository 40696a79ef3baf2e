"""What a pod gets that its author left out."""

import pytest

from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.core.pod import POD
from svcsim.kinds.shared.pod_spec.images import image_tag
from tests.kinds.helpers import context, created, filled

CONTAINER = {"name": "web", "image": "nginx:1.27"}


def pod(**spec):
    return {"metadata": {"name": "p"}, "spec": {"containers": [CONTAINER], **spec}}


def test_a_minimal_pod_is_completed_as_everywhere():
    assert created(POD, pod()) == {
        "metadata": {"name": "p"},
        "spec": {
            "containers": [
                {
                    **CONTAINER,
                    "resources": {},
                    "terminationMessagePath": "/dev/termination-log",
                    "terminationMessagePolicy": "File",
                    "imagePullPolicy": "IfNotPresent",
                }
            ],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "securityContext": {},
            "schedulerName": "default-scheduler",
            "enableServiceLinks": True,
        },
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    }


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("nginx", "latest"),
        ("nginx:latest", "latest"),
        ("nginx:1.27", "1.27"),
        ("registry.example:5000/a/nginx", "latest"),
        ("registry.example:5000/a/nginx:1", "1"),
        ("nginx@sha256:abc", ""),
        ("nginx:1@sha256:abc", ""),
    ],
)
def test_the_tag_of_an_image(image, tag):
    assert image_tag(image) == tag


@pytest.mark.parametrize(("image", "policy"), [("nginx", "Always"), ("nginx:1", "IfNotPresent"), ("nginx@sha256:abc", "IfNotPresent")])
def test_only_latest_images_are_pulled_each_time(image, policy):
    spec = filled(POD, pod(containers=[{"name": "a", "image": image}], initContainers=[{"name": "b", "image": image}]))["spec"]
    assert [spec[part][0]["imagePullPolicy"] for part in ("containers", "initContainers")] == [policy, policy]


def test_limits_are_requests_where_none_are_made_but_not_in_a_template():
    container = {**CONTAINER, "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    deployment = filled(DEPLOYMENT, {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}})
    assert filled(POD, pod(containers=[container]))["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "500m", "memory": "1Gi"}
    assert deployment["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "500m"}
    assert "enableServiceLinks" not in deployment["spec"]["template"]["spec"]


def test_probes_and_ports_are_completed():
    container = {**CONTAINER, "ports": [{"containerPort": 80}], "livenessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 0}}
    done = filled(POD, pod(containers=[container], hostNetwork=True))["spec"]["containers"][0]
    assert done["ports"] == [{"hostPort": 80, "containerPort": 80, "protocol": "TCP"}]
    assert done["livenessProbe"] == {
        "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }


def test_volumes_are_completed():
    volumes = [
        {"name": "none"},
        {"name": "secret", "secret": {"secretName": "s"}},
        {"name": "host", "hostPath": {"path": "/x"}},
        {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
        {"name": "image", "image": {"reference": "data:1"}},
    ]
    assert filled(POD, pod(volumes=volumes))["spec"]["volumes"] == [
        {"name": "none", "emptyDir": {}},
        {"name": "secret", "secret": {"secretName": "s", "defaultMode": 420}},
        {"name": "host", "hostPath": {"path": "/x", "type": ""}},
        {
            "name": "token",
            "projected": {"sources": [{"serviceAccountToken": {"expirationSeconds": 3600, "path": "token"}}], "defaultMode": 420},
        },
        {"name": "image", "image": {"reference": "data:1", "pullPolicy": "IfNotPresent"}},
    ]


@pytest.mark.parametrize("name", ["serviceAccount", "serviceAccountName"])
def test_both_names_of_the_service_account_say_the_same(name):
    spec = filled(POD, pod(**{name: "robot"}))["spec"]
    assert (spec["serviceAccount"], spec["serviceAccountName"]) == ("robot", "robot")


@pytest.mark.parametrize(
    ("resources", "quality"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "0"}}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1"}}, "Guaranteed"),
        ({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}, "Burstable"),
    ],
)
def test_quality_of_service_follows_from_requests_and_limits(resources, quality):
    assert created(POD, pod(containers=[{**CONTAINER, "resources": resources}]))["status"]["qosClass"] == quality


def test_one_careless_container_makes_the_pod_burstable():
    good = {**CONTAINER, "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}
    assert created(POD, pod(containers=[good, {"name": "b", "image": "b"}]))["status"]["qosClass"] == "Burstable"


def test_a_gated_pod_says_that_it_is_not_scheduled():
    gated = created(POD, pod(schedulingGates=[{"name": "example.com/wait"}]))
    assert [(item["type"], item["status"], item["reason"]) for item in gated["status"]["conditions"]] == [
        ("PodScheduled", "False", "SchedulingGated")
    ]


@pytest.mark.parametrize(
    ("spec", "status", "grace"),
    [
        ({"nodeName": "n"}, {}, 30),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 5}, {"phase": "Running"}, 5),
        ({"nodeName": "n", "terminationGracePeriodSeconds": -1}, {"phase": "Running"}, 1),
        ({"nodeName": "n"}, {"phase": "Succeeded"}, None),
        ({}, {"phase": "Pending"}, None),
    ],
)
def test_only_a_pod_that_runs_somewhere_gets_time_to_stop(spec, status, grace):
    assert POD.strategy.grace({"spec": spec, "status": status}, context()) == grace


def test_a_pod_has_at_least_a_second_to_stop_and_a_template_says_what_it_says():
    assert created(POD, pod(terminationGracePeriodSeconds=-1))["spec"]["terminationGracePeriodSeconds"] == 1
    assert created(POD, pod(terminationGracePeriodSeconds=0))["spec"]["terminationGracePeriodSeconds"] == 0
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER], "terminationGracePeriodSeconds": -3}}
    spec = created(DEPLOYMENT, {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}})["spec"]
    assert spec["template"]["spec"]["terminationGracePeriodSeconds"] == -3


def test_a_deployment_is_completed():
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}}
    spec = created(DEPLOYMENT, {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}})["spec"]
    del spec["template"]
    assert spec == {
        "replicas": 1,
        "selector": {"matchLabels": {"a": "b"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    }


def test_a_deployment_that_recreates_has_no_rolling_update():
    spec = filled(DEPLOYMENT, {"spec": {"strategy": {"type": "Recreate"}}})["spec"]
    assert spec["strategy"] == {"type": "Recreate"}


def test_zero_replicas_are_zero():
    assert filled(REPLICA_SET, {"spec": {"replicas": 0}})["spec"]["replicas"] == 0
