"""What a namespace may take: what is wrong with a ResourceQuota, and what a table shows of it."""

import pytest

from svcsim.kinds.core.resource_quota import RESOURCE_QUOTA
from tests.kinds.helpers import change_findings, context, findings, row, texts
from tests.kinds.samples.policy import FULL

STANDARD = "must be a standard resource type or fully qualified"
OF_QUOTA = "must be a standard resource for quota"
SELECTOR = "spec.scopeSelector.matchExpressions"
UNFIT = "unsupported scope applied to resource"
MUST_EXIST = (
    "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)
EVERY_RESOURCE = (
    *("cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage"),
    *("limits.cpu", "limits.memory", "limits.ephemeral-storage", "hugepages-2Mi", "requests.hugepages-2Mi"),
    *("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps", "persistentvolumeclaims"),
    *("services.nodeports", "services.loadbalancers", "requests.example.com/gpu", "count/deployments.apps"),
    "gold.storageclass.storage.example.com/requests.storage",
)


def quota(*scopes, hard=None, **spec):
    return {"spec": {"hard": hard or {"pods": "1"}, **({"scopes": list(scopes)} if scopes else {}), **spec}}


def selecting(*requirements, hard=None):
    return quota(hard=hard, scopeSelector={"matchExpressions": list(requirements)})


def requirement(scope, operator, *values):
    return {"scopeName": scope, "operator": operator, **({"values": list(values)} if values else {})}


def shown(*scopes):
    return "[" + ",".join(f'"{scope}"' for scope in scopes) + "]"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (FULL["v1 ResourceQuota"], []),
        ({"spec": {}}, []),
        (quota(hard=dict.fromkeys(EVERY_RESOURCE, "1")), []),
        (quota("Terminating", hard={"cpu": "1", "pods": "1"}), []),
        (quota("BestEffort"), []),
        (quota("VolumeAttributesClass", hard={"requests.storage": "1Gi", "persistentvolumeclaims": "1"}), []),
        (quota("BestEffort", hard={"example.com/any": "1"}), []),
        (quota(hard={"cpu": "100m", "memory": "0"}), []),
        (quota(hard={"cpu": "-1"}), ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0']),
        (quota(hard={"pods": "100m"}), ['spec.hard[pods]: Invalid value: "100m": must be an integer']),
        (quota(hard={"example.com/gpu": "1500m"}), ['spec.hard[example.com/gpu]: Invalid value: "1500m": must be an integer']),
        (
            quota(hard={"gpu": "1"}),
            [f'spec.hard[gpu]: Invalid value: "gpu": {STANDARD}', f'spec.hard[gpu]: Invalid value: "gpu": {OF_QUOTA}'],
        ),
        (quota(hard={"storage": "1"}), [f'spec.hard[storage]: Invalid value: "storage": {OF_QUOTA}']),
        (quota("Odd"), [f"spec.scopes: Invalid value: {shown('Odd')}: unsupported scope"]),
        (
            quota("BestEffort", "NotBestEffort"),
            [f"spec.scopes: Invalid value: {shown('BestEffort', 'NotBestEffort')}: conflicting scopes"],
        ),
        (
            quota("NotTerminating", "Terminating"),
            [f"spec.scopes: Invalid value: {shown('NotTerminating', 'Terminating')}: conflicting scopes"],
        ),
        (quota("BestEffort", hard={"cpu": "1"}), [f"spec.scopes: Invalid value: {shown('BestEffort')}: {UNFIT}"]),
        (
            quota("Terminating", hard={"secrets": "1", "services": "1"}),
            [f"spec.scopes: Invalid value: {shown('Terminating')}: {UNFIT}"] * 2,
        ),
        (quota("VolumeAttributesClass"), [f"spec.scopes: Invalid value: {shown('VolumeAttributesClass')}: {UNFIT}"]),
        (selecting(requirement("PriorityClass", "In", "high")), []),
        (selecting(requirement("PriorityClass", "Exists"), requirement("BestEffort", "Exists")), []),
        (selecting(requirement("CrossNamespacePodAffinity", "Exists")), []),
        (selecting(requirement("PriorityClass", "DoesNotExist")), []),
        (selecting(requirement("Odd", "Exists")), [f'{SELECTOR}.scopeName: Invalid value: "Odd": unsupported scope']),
        (selecting(requirement("Terminating", "In", "x")), [f'{SELECTOR}.operator: Invalid value: "In": {MUST_EXIST}']),
        (
            selecting(requirement("PriorityClass", "NotIn")),
            [f"{SELECTOR}.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"],
        ),
        (
            selecting(requirement("PriorityClass", "Exists", "a")),
            [
                (
                    f'{SELECTOR}.values: Invalid value: ["a"]: '
                    "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                )
            ],
        ),
        (
            selecting(requirement("PriorityClass", "Like", "a")),
            [f'{SELECTOR}.operator: Invalid value: "Like": not a valid selector operator'],
        ),
        (
            selecting(requirement("PriorityClass", "Exists"), hard={"secrets": "1"}),
            [f'{SELECTOR}: Invalid value: {{"matchExpressions":[{{"scopeName":"PriorityClass","operator":"Exists"}}]}}: {UNFIT}'],
        ),
        (
            selecting(requirement("BestEffort", "Exists"), requirement("NotBestEffort", "Exists")),
            [f"{SELECTOR}: Invalid value: []: conflicting scopes"],
        ),
    ],
)
def test_what_is_wrong_with_a_quota(obj, expected):
    assert findings(RESOURCE_QUOTA, obj) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (quota("Terminating"), quota("Terminating", hard={"pods": "2"}), []),
        (quota("BestEffort", "Terminating"), quota("Terminating", "BestEffort"), []),
        (quota(), quota("Terminating"), [f"spec.scopes: Invalid value: {shown('Terminating')}: field is immutable"]),
        (quota("Terminating"), quota(), ["spec.scopes: Invalid value: []: field is immutable"]),
    ],
)
def test_the_scopes_of_a_quota_stay(before, after, expected):
    assert change_findings(RESOURCE_QUOTA, before, after) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"hard": {"pods": "1"}, "used": {"pods": "0"}}, []),
        ({"hard": {"pods": "-1"}}, ['status.hard[pods]: Invalid value: "-1": must be greater than or equal to 0']),
        ({"used": {"pods": "1500m"}}, ['status.used[pods]: Invalid value: "1500m": must be an integer']),
        ({"used": {"storage": "1"}}, [f'status.used[storage]: Invalid value: "storage": {OF_QUOTA}']),
    ],
)
def test_what_is_wrong_with_the_status_of_a_quota(status, expected):
    (rule,) = RESOURCE_QUOTA.status.subresource.update_rules
    assert texts(list(rule({"status": status}, {}, context()))) == expected


def test_a_quota_in_one_line():
    status = {"hard": {"pods": "10", "limits.cpu": "4", "cpu": "2"}, "used": {"pods": "3", "cpu": "500m"}}
    assert row(RESOURCE_QUOTA, {"status": status}) == {"Request": "cpu: 500m/2, pods: 3/10", "Limit": "limits.cpu: 0/4", "Age": "<unknown>"}
