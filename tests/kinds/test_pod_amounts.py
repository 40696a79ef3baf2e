"""What makes amounts, and claims to devices, wrong."""

import pytest

from tests.kinds.wrong_pods import BYTES, CONTAINER, LABEL, ONE, SUBDOMAIN, check, pod, with_container

AMOUNTS = [
    ({"requests": {"hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "1Gi"}}, [": Forbidden: HugePages require cpu or memory"]),
    (
        {"requests": {"cpu": "1", "hugepages-2Mi": "1Gi"}, "limits": {"cpu": "1", "hugepages-2Mi": "2Gi"}},
        ['.requests: Invalid value: "1Gi": must be equal to hugepages-2Mi limit of 2Gi'],
    ),
    (
        {"requests": {"cpu": "1", "hugepages-2Mi": "5Mi"}, "limits": {"cpu": "1", "hugepages-2Mi": "5Mi"}},
        [
            '.limits[hugepages-2Mi]: Invalid value: "5Mi": 5Mi is not positive integer multiple of hugepages-2Mi',
            '.requests[hugepages-2Mi]: Invalid value: "5Mi": 5Mi is not positive integer multiple of hugepages-2Mi',
        ],
    ),
    (
        {"requests": {"example.com/a": "500m"}, "limits": {"example.com/a": "500m"}},
        [
            '.limits[example.com/a]: Invalid value: "500m": must be an integer',
            '.requests[example.com/a]: Invalid value: "500m": must be an integer',
        ],
    ),
    (
        {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}},
        ['.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi'],
    ),
    ({"claims": [{"name": "x"}]}, ['.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims: c1, c2']),
    ({"claims": [{"name": "c1"}, {"name": "c1"}]}, ['.claims[1]: Duplicate value: "c1"']),
    ({"claims": [{"name": "c1", "request": "r"}, {"name": "c1", "request": "r"}]}, ['.claims[1]: Duplicate value: "c1/r"']),
    ({"claims": [{"name": "c1", "request": "r"}, {"name": "c1"}]}, ['.claims[1]: Duplicate value: "c1"']),
    ({"claims": [{"name": "c1"}, {"name": "c1", "request": "r"}]}, ['.claims[1]: Duplicate value: "c1"']),
    ({"claims": [{"name": "c1", "request": "*$@%^"}]}, [f'.claims[0].request: Invalid value: "*$@%^": {LABEL}']),
]


@pytest.mark.parametrize(("resources", "expected"), AMOUNTS)
def test_amounts_and_claims_of_a_container(resources, expected):
    claims = [{"name": name, "resourceClaimName": name} for name in ("c2", "c1")]
    obj = pod(containers=[{**CONTAINER, "resources": resources}], resourceClaims=claims)
    check(obj, [f"{ONE}.resources{text}" for text in expected])


def test_claims_of_a_container_in_a_pod_without():
    check(
        with_container(resources={"claims": [{"name": "x"}]}),
        [f'{ONE}.resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty'],
    )


ONE_CLAIM = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
TWO_CLAIMS = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
CLAIMS = [
    ([{"resourceClaimName": "a"}], ["[0].name: Required value"]),
    ([{"name": "../c", "resourceClaimName": "a"}], [f'[0].name: Invalid value: "../c": {LABEL}']),
    ([{"name": "c"}], [f'[0]: Invalid value: {{"name":"c"}}: {ONE_CLAIM}']),
    (
        [{"name": "c", "resourceClaimName": "a", "resourceClaimTemplateName": "b"}],
        [f'[0]: Invalid value: {{"name":"c","resourceClaimName":"a","resourceClaimTemplateName":"b"}}: {TWO_CLAIMS}'],
    ),
    ([{"name": "c", "resourceClaimName": ".foo"}], [f'[0].resourceClaimName: Invalid value: ".foo": {SUBDOMAIN}']),
    ([{"name": "c", "resourceClaimTemplateName": ".foo"}], [f'[0].resourceClaimTemplateName: Invalid value: ".foo": {SUBDOMAIN}']),
    ([{"name": "c", "resourceClaimName": "a"}, {"name": "c", "resourceClaimName": "b"}], ['[1].name: Duplicate value: "c"']),
]


@pytest.mark.parametrize(("claims", "expected"), CLAIMS)
def test_claims_of_a_pod(claims, expected):
    check(pod(resourceClaims=claims), [f"spec.resourceClaims{text}" for text in expected])


OF_PODS = [
    (
        {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}},
        ['requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2'],
    ),
    (
        {"requests": {"cpu": "4"}, "limits": {"cpu": "2500m"}},
        [
            'requests: Invalid value: "4": must be less than or equal to cpu limit of 2500m',
            'containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2500m',
        ],
    ),
    (
        {"requests": {"cpu": "4", "example.com/a": "1"}, "limits": {"cpu": "4", "example.com/a": "1"}},
        [
            'limits[example.com/a]: Unsupported value: "example.com/a": supported values: "cpu", "hugepages-", "memory"',
            'requests[example.com/a]: Unsupported value: "example.com/a": supported values: "cpu", "hugepages-", "memory"',
        ],
    ),
    (
        {"requests": {"cpu": "4", "ephemeral-storage": "1Gi"}, "limits": {"cpu": "4", "ephemeral-storage": "1Gi"}},
        [
            'limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
            'requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
        ],
    ),
    ({"requests": {"cpu": "4"}, "claims": [{"name": "c"}]}, ["claims: Forbidden: claims cannot be set for Resources at pod-level"]),
]


@pytest.mark.parametrize(("resources", "expected"), OF_PODS)
def test_resources_of_a_whole_pod(resources, expected):
    held = {**CONTAINER, "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}}}
    check(pod(containers=[held], resources=resources), [f"spec.resources.{text}" for text in expected])


def test_what_a_pod_can_not_ask_for_its_containers_may():
    asks = {"cpu": "1", "ephemeral-storage": "1Gi", "example.com/a": "1"}
    check(pod(containers=[{**CONTAINER, "resources": {"requests": asks, "limits": asks}}], resources={"requests": {"cpu": "2"}}), [])


def test_sidecars_and_init_containers_count_in_what_a_pod_asks_for():
    asks = {"resources": {"requests": {"cpu": "1"}}, "image": "i"}
    obj = pod(
        containers=[{**asks, "name": "a"}],
        initContainers=[{**asks, "name": "s", "restartPolicy": "Always"}, {**asks, "name": "i", "resources": {"requests": {"cpu": "5"}}}],
        resources={"requests": {"cpu": "2"}},
    )
    check(obj, ['spec.resources.requests[cpu]: Invalid value: "2": must be greater than or equal to aggregate container requests of 6'])


def test_a_pod_that_never_restarts_does_not_for_a_resize():
    resized = {**CONTAINER, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}
    check(
        pod(containers=[resized], restartPolicy="Never"),
        [f"{ONE}.resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'"],
    )


DIVISORS = [
    ("limits.cpu", "10m", "only divisor's values 1m and 1 are supported with the cpu resource"),
    ("requests.memory", "10Mi", f"only divisor's values {BYTES} are supported with the memory resource"),
    ("limits.ephemeral-storage", "2", f"only divisor's values {BYTES} are supported with the local ephemeral storage resource"),
    ("requests.hugepages-2Mi", "10Mi", f"only divisor's values {BYTES} are supported with the hugepages resource"),
]


@pytest.mark.parametrize(("resource", "divisor", "detail"), DIVISORS)
def test_units_of_amounts(resource, divisor, detail):
    env = [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": resource, "divisor": divisor}}}]
    check(with_container(env=env), [f'{ONE}.env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "{resource}": {detail}'])
