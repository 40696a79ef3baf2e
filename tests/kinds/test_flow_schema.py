"""Which requests are of which priority level: what is wrong with a FlowSchema, and what a table shows of it."""

import copy

import pytest

from svcsim.kinds.flowcontrol.fixed import FIXED_SCHEMAS
from svcsim.kinds.flowcontrol.flow_schema import FLOW_SCHEMA
from tests.kinds.helpers import created, findings, row
from tests.kinds.samples.policy import FULL

RULE = "spec.rules[0]"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
VERBS = ", ".join(f'"{verb}"' for verb in ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"))
USER = {"kind": "User", "user": {"name": "jane"}}
ANY = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"]}
PATHS = {"verbs": ["*"], "nonResourceURLs": ["*"]}


def schema(name="s", **spec):
    return {"metadata": {"name": name}, "spec": {"priorityLevelConfiguration": {"name": "l"}, **spec}}


def of(*subjects):
    return schema(rules=[{"subjects": list(subjects), "resourceRules": [ANY]}])


def resources(**fields):
    return schema(rules=[{"subjects": [USER], "resourceRules": [{**ANY, **fields}]}])


def paths(*urls, **fields):
    return schema(rules=[{"subjects": [USER], "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": list(urls), **fields}]}])


def account(name="robot", namespace="a"):
    return {"kind": "ServiceAccount", "serviceAccount": {"name": name, "namespace": namespace}}


def fixed(name, **changes):
    return {"metadata": {"name": name}, "spec": {**copy.deepcopy(FIXED_SCHEMAS[name]), **changes}}


def shown(value):
    return "[" + ",".join(f'"{one}"' for one in value) + "]"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"metadata": {"name": "full"}, **FULL["flowcontrol.apiserver/v1 FlowSchema"]}, []),
        (schema(), []),
        (schema(matchingPrecedence=10000), []),
        (fixed("exempt"), []),
        (fixed("catch-all"), []),
        (schema(matchingPrecedence=-1), ["spec.matchingPrecedence: Invalid value: -1: must be a positive value"]),
        (schema(matchingPrecedence=0), []),
        (schema(matchingPrecedence=10001), ["spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"]),
        (
            schema(matchingPrecedence=1),
            ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
        ),
        (
            schema(distinguisherMethod={"type": "ByColour"}),
            ['spec.distinguisherMethod.type: Unsupported value: "ByColour": supported values: "ByNamespace", "ByUser"'],
        ),
        (
            {"metadata": {"name": "s"}, "spec": {}},
            ["spec.priorityLevelConfiguration.name: Required value: must reference a priority level"],
        ),
        (
            schema(priorityLevelConfiguration={"name": "a_b"}),
            [f'spec.priorityLevelConfiguration.name: Invalid value: "a_b": {SUBDOMAIN}'],
        ),
        (of(account(), account("*"), {"kind": "Group", "group": {"name": "g"}}), []),
        (
            of({"kind": "Robot"}),
            [f'{RULE}.subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"'],
        ),
        (
            of({"kind": "User"}),
            [f"{RULE}.subjects[0].user: Required value: user is required when subject kind is 'User'"],
        ),
        (
            of({"kind": "Group", "user": {"name": "a"}}),
            [
                f"{RULE}.subjects[0].group: Required value: group is required when subject kind is 'Group'",
                f"{RULE}.subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
            ],
        ),
        (
            of({**account(), "group": {"name": "g"}}),
            [f"{RULE}.subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"],
        ),
        (
            of({**USER, "serviceAccount": {"name": "a", "namespace": "b"}}),
            [f"{RULE}.subjects[0].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'"],
        ),
        (
            of({"kind": "ServiceAccount"}),
            [f"{RULE}.subjects[0].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'"],
        ),
        (of({"kind": "User", "user": {}}), [f"{RULE}.subjects[0].user.name: Required value"]),
        (of({"kind": "Group", "group": {"name": ""}}), [f"{RULE}.subjects[0].group.name: Required value"]),
        (of(account("")), [f"{RULE}.subjects[0].serviceAccount.name: Required value"]),
        (
            of(account(namespace="")),
            [f"{RULE}.subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account"],
        ),
        (of(account("a_b")), [f'{RULE}.subjects[0].serviceAccount.name: Invalid value: "a_b": {SUBDOMAIN}']),
        (of(account(namespace="a_b")), [f'{RULE}.subjects[0].serviceAccount.namespace: Invalid value: "a_b": {LABEL}']),
        (of(), [f"{RULE}.subjects: Required value: subjects must contain at least one value"]),
        (schema(rules=[{"resourceRules": [ANY]}]), [f"{RULE}.subjects: Required value"]),
        (
            schema(rules=[{"subjects": [USER]}]),
            [f"{RULE}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty"],
        ),
        (resources(verbs=[]), [f"{RULE}.resourceRules[0].verbs: Required value: verbs must contain at least one value"]),
        (
            resources(verbs=["*", "get"]),
            [f"{RULE}.resourceRules[0].verbs: Invalid value: {shown(['*', 'get'])}: if '*' is present, must not specify other verbs"],
        ),
        (
            resources(verbs=["feed"]),
            [f"{RULE}.resourceRules[0].verbs: Unsupported value: {shown(['feed'])}: supported values: {VERBS}"],
        ),
        (
            resources(apiGroups=[]),
            [f"{RULE}.resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group"],
        ),
        (
            resources(apiGroups=["apps", "*"]),
            [
                (
                    f"{RULE}.resourceRules[0].apiGroups: Invalid value: {shown(['apps', '*'])}: "
                    "if '*' is present, must not specify other api groups"
                )
            ],
        ),
        (
            resources(resources=[]),
            [f"{RULE}.resourceRules[0].resources: Required value: resource rules must supply at least one resource"],
        ),
        (
            resources(resources=["*", "pods"]),
            [
                (
                    f"{RULE}.resourceRules[0].resources: Invalid value: {shown(['*', 'pods'])}: "
                    "if '*' is present, must not specify other resources"
                )
            ],
        ),
        (
            resources(namespaces=[]),
            [
                (
                    f"{RULE}.resourceRules[0].namespaces: Required value: "
                    "resource rules that are not cluster scoped must supply at least one namespace"
                )
            ],
        ),
        (resources(namespaces=[], clusterScope=True), []),
        (
            resources(namespaces=["*", "a"]),
            [
                (
                    f"{RULE}.resourceRules[0].namespaces: Invalid value: {shown(['*', 'a'])}: "
                    "if '*' is present, must not specify other namespaces"
                )
            ],
        ),
        (
            resources(namespaces=["-foo"]),
            [
                (
                    f'{RULE}.resourceRules[0].namespaces[0]: Invalid value: "-foo": '
                    f"each member of this list must be '*' or a DNS-1123 label; {LABEL}"
                )
            ],
        ),
        (paths("/", "/healthz", "/a/*"), []),
        (paths(), [f"{RULE}.nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value"]),
        (
            paths("/", verbs=["feed"]),
            [f"{RULE}.nonResourceRules[0].verbs: Unsupported value: {shown(['feed'])}: supported values: {VERBS}"],
        ),
        (
            paths("*", "/a"),
            [
                (
                    f"{RULE}.nonResourceRules[0].nonResourceURLs: Invalid value: {shown(['*', '/a'])}: "
                    "if '*' is present, must not specify other non-resource URLs"
                )
            ],
        ),
        *(
            (paths(bad), [f'{RULE}.nonResourceRules[0].nonResourceURLs[0]: Invalid value: "{bad}": {why}'])
            for bad, why in (
                ("", "must not be empty"),
                ("a", "must start with slash"),
                ("/a b", "must not contain white-space"),
                ("//", "must not contain double slash"),
                ("/a*", "wildcard can only do suffix matching"),
                ("/*/*", "wildcard can only do suffix matching"),
                ("/*/a", "wildcard can only do suffix matching"),
            )
        ),
    ],
)
def test_what_is_wrong_with_a_flow_schema(obj, expected):
    assert findings(FLOW_SCHEMA, obj) == expected


@pytest.mark.parametrize("name", ["exempt", "catch-all"])
def test_a_fixed_flow_schema_stays_as_it_is(name):
    (found,) = findings(FLOW_SCHEMA, fixed(name, distinguisherMethod={"type": "ByNamespace"}))
    assert found.startswith("spec: Invalid value: ")
    assert found.endswith(f": spec of '{name}' must equal the fixed value")


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([{"type": "Dangling"}], []),
        ([{}], ["status.conditions[0].type: Required value: must not be empty"]),
        ([{"type": "Dangling"}, {"type": "Dangling"}], ['status.conditions[1].type: Duplicate value: "Dangling"']),
    ],
)
def test_what_is_wrong_with_the_conditions_of_a_flow_schema(conditions, expected):
    _, rule = FLOW_SCHEMA.strategy.rules
    assert [f"{one.path}: {one.message}" for one in rule({"status": {"conditions": conditions}}, None)] == expected


def test_a_new_flow_schema_is_in_the_middle():
    assert created(FLOW_SCHEMA, schema())["spec"]["matchingPrecedence"] == 1000
    assert created(FLOW_SCHEMA, schema(matchingPrecedence=0))["spec"]["matchingPrecedence"] == 1000


def test_a_flow_schema_in_one_line():
    obj = {"spec": {"priorityLevelConfiguration": {"name": "l"}, "matchingPrecedence": 7}}
    found = {"PriorityLevel": "l", "MatchingPrecedence": 7, "DistinguisherMethod": "<none>", "Age": "<unknown>", "MissingPL": "?"}
    assert list(row(FLOW_SCHEMA, obj).items()) == list(found.items())
    assert row(FLOW_SCHEMA, {"status": {"conditions": [{"type": "Dangling", "status": "True"}]}})["MissingPL"] == "True"
