"""Claims on devices, their templates and classes: what is wrong with them, what is filled in, and what may not change."""

import copy

import pytest

from svcsim.kinds.resource.device_class import DEVICE_CLASS
from svcsim.kinds.resource.resource_claim import RESOURCE_CLAIM
from svcsim.kinds.resource.resource_claim_template import RESOURCE_CLAIM_TEMPLATE
from tests.kinds.helpers import change_findings, context, created, findings, row
from tests.kinds.samples.policy import FULL

DEVICES = "spec.devices"
REQUEST = f"{DEVICES}.requests[0]"
EXACTLY = f"{REQUEST}.exactly"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
IDENTIFIER = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' "
    "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"
)
NO_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
ONE_FORM = "exactly one of `exactly` or `firstAvailable` is required"
ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
FULL_NAME = "a fully qualified name must be a domain and a name separated by a slash"
OPAQUE = {"driver": "example.com", "parameters": {"a": 1}}
GIVEN = {"request": "a", "driver": "example.com", "pool": "p", "device": "d"}


def claim(*requests, **devices):
    return {"metadata": {"name": "c"}, "spec": {"devices": {"requests": list(requests), **devices}}}


def exactly(name="a", **fields):
    return {"name": name, "exactly": {"deviceClassName": "c", **fields}}


def asked(**fields):
    return claim(exactly(**fields))


def tolerating(**fields):
    return asked(tolerations=[fields])


def constrained(**constraint):
    return claim(exactly(), constraints=[constraint])


def configured(**config):
    return claim(exactly(), config=[config])


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"metadata": {"name": "c"}, **FULL["resource/v1 ResourceClaim"]}, []),
        (claim(), []),
        (claim({"name": "a"}), [f"{REQUEST}: Required value: {ONE_FORM}"]),
        (
            claim({**exactly(), "firstAvailable": [{"name": "b", "deviceClassName": "c"}]}),
            [f"{REQUEST}: Invalid value: null: {ONE_FORM}, but multiple fields are set"],
        ),
        (claim(exactly("A_b")), [f'{REQUEST}.name: Invalid value: "A_b": {LABEL}']),
        (claim(exactly(), exactly()), [f'{DEVICES}.requests[1]: Duplicate value: "a"']),
        (claim(*(exactly(f"a{i}") for i in range(33))), [f"{DEVICES}.requests: Too many: 33: must have at most 32 items"]),
        (claim({"name": "a", "exactly": {}}), [f"{EXACTLY}.deviceClassName: Required value"]),
        (asked(deviceClassName="a_b"), [f'{EXACTLY}.deviceClassName: Invalid value: "a_b": {SUBDOMAIN}']),
        (
            asked(allocationMode="Some"),
            [f'{EXACTLY}.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"'],
        ),
        (asked(count=-1), [f"{EXACTLY}.count: Invalid value: -1: must be greater than zero"]),
        (
            asked(allocationMode="All", count=1),
            [f"{EXACTLY}.count: Invalid value: 1: must not be specified when allocationMode is 'All'"],
        ),
        (asked(selectors=[{}]), [f"{EXACTLY}.selectors[0].cel: Required value"]),
        (asked(selectors=[{"cel": {}}]), [f"{EXACTLY}.selectors[0].cel.expression: Required value"]),
        (
            asked(selectors=[{"cel": {"expression": "a" * 10241}}]),
            [f"{EXACTLY}.selectors[0].cel.expression: Too long: may not be more than 10240 bytes"],
        ),
        (
            asked(selectors=[{"cel": {"expression": "true"}}] * 33),
            [f"{EXACTLY}.selectors: Too many: 33: must have at most 32 items"],
        ),
        (tolerating(key="a"), []),
        (
            tolerating(operator="Exists", value="x"),
            [f'{EXACTLY}.tolerations[0].value: Invalid value: "x": must be empty for operator `Exists`'],
        ),
        (
            tolerating(operator="Like"),
            [f'{EXACTLY}.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"'],
        ),
        (
            tolerating(effect="Odd"),
            [f'{EXACTLY}.tolerations[0].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"'],
        ),
        (
            claim({"name": "a", "firstAvailable": [{"name": "b", "deviceClassName": "c"}, {"name": "b", "deviceClassName": "d"}]}),
            [f'{REQUEST}.firstAvailable[1]: Duplicate value: "b"'],
        ),
        (
            claim({"name": "a", "firstAvailable": [{"name": "B_", "deviceClassName": ""}]}),
            [
                f'{REQUEST}.firstAvailable[0].name: Invalid value: "B_": {LABEL}',
                f"{REQUEST}.firstAvailable[0].deviceClassName: Required value",
            ],
        ),
        (
            claim({"name": "a", "firstAvailable": [{"name": f"b{i}", "deviceClassName": "c"} for i in range(9)]}),
            [f"{REQUEST}.firstAvailable: Too many: 9: must have at most 8 items"],
        ),
        (constrained(matchAttribute="example.com/numa"), []),
        (constrained(), [f"{DEVICES}.constraints[0]: Required value: {ONE_ATTRIBUTE}"]),
        (
            constrained(matchAttribute="example.com/a", distinctAttribute="example.com/b"),
            [f"{DEVICES}.constraints[0]: Required value: {ONE_ATTRIBUTE}"],
        ),
        (constrained(matchAttribute="numa"), [f'{DEVICES}.constraints[0].matchAttribute: Invalid value: "numa": {FULL_NAME}']),
        (
            constrained(matchAttribute="example.com/a-b"),
            [f'{DEVICES}.constraints[0].matchAttribute: Invalid value: "a-b": {IDENTIFIER}'],
        ),
        (
            constrained(matchAttribute="example.com/" + "a" * 33),
            [f"{DEVICES}.constraints[0].matchAttribute: Too long: may not be more than 32 bytes"],
        ),
        (
            constrained(matchAttribute="/"),
            [
                f'{DEVICES}.constraints[0].matchAttribute: Invalid value: "": the domain must not be empty',
                f'{DEVICES}.constraints[0].matchAttribute: Invalid value: "": the name must not be empty',
            ],
        ),
        (
            constrained(matchAttribute="a/b/c"),
            [f'{DEVICES}.constraints[0].matchAttribute: Invalid value: "a/b/c": must not contain more than one slash'],
        ),
        (
            constrained(matchAttribute="example.com/a", requests=["b"]),
            [f'{DEVICES}.constraints[0].requests[0]: Invalid value: "b": {NO_REQUEST}'],
        ),
        (
            constrained(matchAttribute="example.com/a", requests=["a/b/c"]),
            [f'{DEVICES}.constraints[0].requests[0]: Invalid value: "a/b/c": {NO_REQUEST}'],
        ),
        (
            constrained(matchAttribute="example.com/a", requests=["a", "a"]),
            [f'{DEVICES}.constraints[0].requests[1]: Duplicate value: "a"'],
        ),
        (configured(opaque=OPAQUE), []),
        (configured(), [f"{DEVICES}.config[0].opaque: Required value"]),
        (configured(opaque={**OPAQUE, "driver": ""}), [f"{DEVICES}.config[0].opaque.driver: Required value"]),
        (configured(opaque={**OPAQUE, "driver": "a_b"}), [f'{DEVICES}.config[0].opaque.driver: Invalid value: "a_b": {SUBDOMAIN}']),
        (
            configured(opaque={**OPAQUE, "driver": "a" * 64}),
            [f"{DEVICES}.config[0].opaque.driver: Too long: may not be more than 63 bytes"],
        ),
        (configured(opaque={"driver": "a"}), [f"{DEVICES}.config[0].opaque.parameters: Required value"]),
        (
            configured(opaque={**OPAQUE, "parameters": [1]}),
            [f'{DEVICES}.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'],
        ),
        (
            configured(opaque={**OPAQUE, "parameters": {"a": "b" * 10240}}),
            [f"{DEVICES}.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"],
        ),
        (configured(opaque=OPAQUE, requests=["b"]), [f'{DEVICES}.config[0].requests[0]: Invalid value: "b": {NO_REQUEST}']),
    ],
)
def test_what_is_wrong_with_a_claim(obj, expected):
    assert findings(RESOURCE_CLAIM, obj) == expected
    template = {"metadata": {"name": "t"}, "spec": {"spec": obj["spec"]}}
    assert findings(RESOURCE_CLAIM_TEMPLATE, template) == [text.replace("spec.", "spec.spec.", 1) for text in expected]


def test_one_device_is_asked_for_unless_more_or_all_are():
    def mode_and_count(**fields):
        (request,) = created(RESOURCE_CLAIM, asked(**fields))["spec"]["devices"]["requests"]
        return request["exactly"]["allocationMode"], request["exactly"].get("count")

    assert mode_and_count() == ("ExactCount", 1)
    assert mode_and_count(count=3) == ("ExactCount", 3)
    assert mode_and_count(allocationMode="All") == ("All", None)


@pytest.mark.parametrize("kind", [RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE], ids=lambda kind: kind.name)
def test_what_is_claimed_stays(kind):
    before = {"metadata": {"name": "a"}, **FULL[f"resource/v1 {kind.name}"]}
    assert change_findings(kind, before, {**before, "metadata": {"name": "a", "labels": {"b": "c"}}}) == []
    after = copy.deepcopy(before)
    devices = after["spec"].get("spec", after["spec"])["devices"]
    devices["config"] = []
    (found,) = change_findings(kind, before, after)
    assert found.startswith("spec: Invalid value: ")
    assert found.endswith(": field is immutable")


def allocated(*results, **status):
    return {"allocation": {"devices": {"results": list(results)}}, **status}


USER = {"resource": "pods", "name": "p", "uid": "u"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, allocated(GIVEN), []),
        ({}, allocated(GIVEN, reservedFor=[USER], devices=[{"driver": "example.com", "pool": "p", "device": "d"}]), []),
        (allocated(GIVEN), {}, []),
        (
            {},
            allocated({**GIVEN, "request": "b"}),
            [f'status.allocation.devices.results[0].request: Invalid value: "b": {NO_REQUEST}'],
        ),
        ({}, {"reservedFor": [USER]}, ["status.reservedFor: Forbidden: may not be specified when `allocated` is not set"]),
        (
            {},
            allocated(devices=[{"driver": "example.com", "pool": "p", "device": "d"}]),
            ['status.devices[0]: Invalid value: "example.com/p/d": must be an allocated device in the claim'],
        ),
        (allocated(GIVEN), allocated(), ['status.allocation: Invalid value: {"devices":{"results":[]}}: field is immutable']),
    ],
)
def test_what_is_wrong_with_the_status_of_a_claim(before, after, expected):
    (rule,) = RESOURCE_CLAIM.status.subresource.update_rules
    old, new = ({**claim(exactly()), "status": status} for status in (before, after))
    assert [f"{one.path}: {one.message}" for one in rule(new, old, context())] == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (FULL["resource/v1 DeviceClass"]["spec"], []),
        ({}, []),
        ({"selectors": [{}]}, ["spec.selectors[0].cel: Required value"]),
        ({"config": [{}]}, ["spec.config[0].opaque: Required value"]),
        ({"config": [{"opaque": OPAQUE}] * 33}, ["spec.config: Too many: 33: must have at most 32 items"]),
        *(
            (
                {"extendedResourceName": name},
                [f'spec.extendedResourceName: Invalid value: "{name}": must be a valid extended resource name'],
            )
            for name in ("cpu", "kubernetes.io/gpu", "requests.example.com/gpu")
        ),
    ],
)
def test_what_is_wrong_with_a_class(spec, expected):
    assert findings(DEVICE_CLASS, {"metadata": {"name": "c"}, "spec": spec}) == expected


def test_claims_and_classes_in_one_line():
    assert list(row(RESOURCE_CLAIM, claim()).items()) == [("State", "pending"), ("Age", "<unknown>")]
    assert row(RESOURCE_CLAIM, {"status": allocated(GIVEN)})["State"] == "allocated"
    assert row(RESOURCE_CLAIM, {"status": allocated(GIVEN, reservedFor=[USER])})["State"] == "allocated,reserved"
    assert row(RESOURCE_CLAIM, {"metadata": {"deletionTimestamp": "x"}})["State"] == "deleted"
    assert list(row(DEVICE_CLASS, {})) == list(row(RESOURCE_CLAIM_TEMPLATE, {})) == ["Age"]
