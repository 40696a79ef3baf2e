"""Devices that drivers offer: what is wrong with a ResourceSlice, and what may not change."""

import pytest

from svcsim.kinds.resource.resource_slice import RESOURCE_SLICE
from tests.kinds.helpers import change_findings, context, created, findings, row
from tests.kinds.samples.policy import FULL

DEVICE = "spec.devices[0]"
ONE_WAY = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
ONE_DEVICE_WAY = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true "
    "in the ResourceSlice spec"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
POOL = {"name": "p", "generation": 1, "resourceSliceCount": 1}
SEMVER = "must be a string compatible with semver.org spec 2.0.0"
POLICY = f"{DEVICE}.capacity[memory].requestPolicy"
TERM = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}


def offered(**spec):
    return {"metadata": {"name": "s"}, "spec": {"driver": "example.com", "pool": POOL, "allNodes": True, **spec}}


def device(**fields):
    return offered(devices=[{"name": "d", **fields}])


def attribute(**value):
    return device(attributes={"a": value})


def policy(**request_policy):
    return device(allowMultipleAllocations=True, capacity={"memory": {"value": "8", "requestPolicy": request_policy}})


def ranged(default="1", **span):
    return policy(default=default, validRange={"min": "1", **span})


def choosing(**fields):
    return {**device(**fields), "spec": {**device(**fields)["spec"], "allNodes": None, "perDeviceNodeSelection": True}}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"metadata": {"name": "s"}, **FULL["resource/v1 ResourceSlice"]}, []),
        (offered(), []),
        (offered(driver=""), ["spec.driver: Required value"]),
        (offered(driver="a_b"), [f'spec.driver: Invalid value: "a_b": {SUBDOMAIN}']),
        (offered(driver="a" * 64), ["spec.driver: Too long: may not be more than 63 bytes"]),
        (offered(pool={**POOL, "name": ""}), ["spec.pool.name: Required value"]),
        (offered(pool={**POOL, "name": "a/B_"}), [f'spec.pool.name: Invalid value: "B_": {SUBDOMAIN}']),
        (offered(pool={**POOL, "generation": -1}), ["spec.pool.generation: Invalid value: -1: must be greater than or equal to zero"]),
        (offered(pool={**POOL, "resourceSliceCount": 0}), ["spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero"]),
        (offered(allNodes=None), [f"spec: Required value: {ONE_WAY}"]),
        (
            offered(nodeName="n"),
            [f'spec: Invalid value: "{{`nodeName`, `allNodes`}}": {ONE_WAY}, but multiple fields are set'],
        ),
        (
            offered(allNodes=None, nodeName=""),
            ['spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string', f"spec: Required value: {ONE_WAY}"],
        ),
        (
            offered(perDeviceNodeSelection=False),
            ["spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true"],
        ),
        (
            offered(allNodes=False, nodeName="n"),
            ["spec.allNodes: Invalid value: false: must be either unset or set to true"],
        ),
        (offered(allNodes=None, nodeSelector={"nodeSelectorTerms": [TERM]}), []),
        (
            offered(sharedCounters=[{"name": "c", "counters": {"a": {"value": "1"}}}], devices=[{"name": "d"}]),
            ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
        ),
        (offered(sharedCounters=[{"name": "c", "counters": {"a": {"value": "1"}}}]), []),
        (offered(sharedCounters=[{"name": "c", "counters": {}}]), ["spec.sharedCounters[0].counters: Required value"]),
        (offered(sharedCounters=[{"counters": {"a": {"value": "1"}}}]), ["spec.sharedCounters[0].name: Required value"]),
        (
            offered(sharedCounters=[{"name": "c", "counters": {"A": {"value": "1"}}}]),
            [f'spec.sharedCounters[0].counters: Invalid value: "A": {LABEL}'],
        ),
        (
            offered(sharedCounters=[{"name": "c", "counters": {"a": {"value": "1"}}}] * 2),
            ['spec.sharedCounters[1]: Duplicate value: "c"'],
        ),
        (offered(devices=[{"name": f"d{i}"} for i in range(129)]), ["spec.devices: Too many: 129: must have at most 128 items"]),
        (
            offered(devices=[{"name": f"d{i}", "attributes": {"a": {"ints": [1]}}} for i in range(65)]),
            ["spec.devices: Too many: 65: must have at most 64 items"],
        ),
        (offered(devices=[{"name": "d"}, {"name": "d"}]), ['spec.devices[1]: Duplicate value: "d"']),
        (device(name="D_"), [f'{DEVICE}.name: Invalid value: "D_": {LABEL}']),
        (attribute(int=1), []),
        (attribute(version="1.2.3-a.1+b"), []),
        (attribute(strings=["a", "b"]), []),
        (attribute(), [f'{DEVICE}.attributes[a]: Invalid value: "": exactly one value must be specified']),
        (
            attribute(int=1, bool=True),
            [f'{DEVICE}.attributes[a]: Invalid value: {{"int":1,"bool":true}}: exactly one value must be specified'],
        ),
        (attribute(version="1.2"), [f'{DEVICE}.attributes[a].version: Invalid value: "1.2": {SEMVER}']),
        (attribute(versions=["1.2.3", "x"]), [f'{DEVICE}.attributes[a].versions[1]: Invalid value: "x": {SEMVER}']),
        (attribute(string="x" * 65), [f"{DEVICE}.attributes[a].string: Too long: may not be more than 64 bytes"]),
        (
            device(attributes={f"a{i}": {"int": i} for i in range(33)}),
            [f"{DEVICE}: Invalid value: 33: the total number of attributes and capacities must not exceed 32"],
        ),
        (
            device(attributes={"/a": {"int": 1}}),
            [f'{DEVICE}.attributes: Invalid value: "": the domain must not be empty'],
        ),
        (
            device(capacity={"memory": {"value": "1", "requestPolicy": {}}}),
            [f"{POLICY}: Forbidden: allowMultipleAllocations must be true"],
        ),
        (policy(default="2", validValues=["1", "2"]), []),
        (ranged(default="3", max="5", step="2"), []),
        (policy(validValues=["1"]), [f"{POLICY}.default: Required value: required when validValues is defined"]),
        (policy(validRange={"min": "1"}), [f"{POLICY}.default: Required value: required when validRange is defined"]),
        (
            policy(default="1", validValues=["1"], validRange={"min": "1"}),
            [f'{POLICY}: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'],
        ),
        (
            policy(default="1", validValues=["2", "1"]),
            [f'{POLICY}.validValues[1]: Invalid value: "1": values must be sorted in ascending order'],
        ),
        (
            policy(default="9", validValues=["9"]),
            [f'{POLICY}.validValues[0]: Invalid value: "9": option is larger than capacity value: 8'],
        ),
        (
            policy(default="3", validValues=["1", "2"]),
            [f'{POLICY}.validValues: Invalid value: "3": default value is not valid according to the requestPolicy'],
        ),
        (ranged(default="0"), [f'{POLICY}.validRange.default: Invalid value: "0": default is less than min: 1']),
        (ranged(default="3", max="2"), [f'{POLICY}.validRange.default: Invalid value: "3": default is more than max: 2']),
        (ranged(max="9"), [f'{POLICY}.validRange.max: Invalid value: "9": max is larger than capacity value: 8']),
        (ranged(step="0"), [f'{POLICY}.validRange.step: Invalid value: "0": must be greater than zero']),
        (ranged(step="8"), [f'{POLICY}.validRange.step: Invalid value: "8": one step 9 is larger than capacity value: 8']),
        (
            ranged(default="2", step="2"),
            [f'{POLICY}.validRange.step: Invalid value: "2": value is not a multiple of a given step (2) from (1)'],
        ),
        (
            device(taints=[{"key": "a"}]),
            [f"{DEVICE}.taints[0].effect: Required value"],
        ),
        (
            device(taints=[{"key": "a", "effect": "Odd"}]),
            [f'{DEVICE}.taints[0].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"'],
        ),
        (
            device(taints=[{"key": "a", "effect": "None"}] * 17),
            [f"{DEVICE}.taints: Too many: 17: must have at most 16 items"],
        ),
        (
            device(consumesCounters=[{"counterSet": "c", "counters": {"a": {"value": "1"}}}] * 3),
            [f"{DEVICE}.consumesCounters: Too many: 3: must have at most 2 items"]
            + [f'{DEVICE}.consumesCounters[{i}]: Duplicate value: "c"' for i in (1, 2)],
        ),
        (device(consumesCounters=[{"counters": {"a": {"value": "1"}}}]), [f"{DEVICE}.consumesCounters[0].counterSet: Required value"]),
        (
            device(nodeName="n"),
            [
                (
                    f"{DEVICE}: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if "
                    "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
                )
            ],
        ),
        (choosing(nodeName="n"), []),
        (choosing(), [f"{DEVICE}: Required value: {ONE_DEVICE_WAY}"]),
        (choosing(nodeName="n", allNodes=True), [f'{DEVICE}: Invalid value: "{{`nodeName`, `allNodes`}}": {ONE_DEVICE_WAY}']),
        (
            choosing(nodeName=""),
            [f'{DEVICE}.nodeName: Invalid value: "": must not be empty', f"{DEVICE}: Required value: {ONE_DEVICE_WAY}"],
        ),
        (
            device(bindingConditions=["a"]),
            [f"{DEVICE}.bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions"],
        ),
        (
            device(bindingFailureConditions=["a"]),
            [f"{DEVICE}.bindingConditions: Invalid value: []: bindingConditions are required to use bindingFailureConditions"],
        ),
        (
            device(bindingConditions=["a"], bindingFailureConditions=["a"]),
            [f'{DEVICE}.bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions'],
        ),
        (
            device(bindingConditions=["a", "a"], bindingFailureConditions=["b"]),
            [f'{DEVICE}.bindingConditions[1]: Duplicate value: "a"'],
        ),
        (
            device(bindingConditions=["a", "b", "c", "d", "e"], bindingFailureConditions=["f"]),
            [f"{DEVICE}.bindingConditions: Too many: 5: must have at most 4 items"],
        ),
        (
            device(nodeAllocatableResourceMappings={"cpu": {"capacityKey": "cores"}}),
            [f'{DEVICE}.nodeAllocatableResourceMappings[cpu].capacityKey: Not found: "cores"'],
        ),
    ],
)
def test_what_is_wrong_with_a_slice(obj, expected):
    assert findings(RESOURCE_SLICE, obj) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (offered(pool={**POOL, "generation": 2}), []),
        (offered(driver="other"), ['spec.driver: Invalid value: "other": field is immutable']),
        (offered(pool={**POOL, "name": "q"}), ['spec.pool.name: Invalid value: "q": field is immutable']),
        (offered(allNodes=None, nodeName="n"), ['spec.nodeName: Invalid value: "n": field is immutable']),
    ],
)
def test_whose_slice_it_is_stays_so(after, expected):
    assert change_findings(RESOURCE_SLICE, offered(), after) == expected


def test_a_taint_is_there_from_now_on():
    (made,) = created(RESOURCE_SLICE, device(taints=[{"key": "a", "effect": "None"}]))["spec"]["devices"]
    assert made["taints"][0]["timeAdded"] == context().timestamp


def test_a_slice_in_one_line():
    cells = {"Node": "node-1", "Driver": "gpu.example.com", "Pool": "node-1/gpus", "Age": "<unknown>"}
    assert list(row(RESOURCE_SLICE, FULL["resource/v1 ResourceSlice"]).items()) == list(cells.items())
    assert [selectable.path for selectable in RESOURCE_SLICE.selectable] == ["spec.nodeName", "spec.driver"]
