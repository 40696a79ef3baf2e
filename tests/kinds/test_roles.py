"""Roles and bindings: what is filled in, what is wrong, what may change, and what tables show."""

import pytest

from svcsim.dialect import SVCAPI
from svcsim.kinds.rbac.cluster_role import CLUSTER_ROLE
from svcsim.kinds.rbac.cluster_role_binding import CLUSTER_ROLE_BINDING
from svcsim.kinds.rbac.role import ROLE
from svcsim.kinds.rbac.role_binding import ROLE_BINDING
from svcsim.meta.names import dns_subdomain, validate_metadata
from tests.kinds.helpers import change_findings, context, filled, findings, row
from tests.kinds.samples.access import FULL

GROUP = "rbac.authorization.k8s.io"
RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
URLS = {"verbs": ["get"], "nonResourceURLs": ["/*"]}
BOTH = "rules cannot apply to both regular resources and non-resource URLs"
NO_VERB = "rules[0].verbs: Required value: verbs must contain at least one value"
NO_GROUP = "rules[0].apiGroups: Required value: resource rules must supply at least one api group"
NO_RESOURCE = "rules[0].resources: Required value: resource rules must supply at least one resource"
NO_PATHS = 'rules[0].nonResourceURLs: Invalid value: ["/*"]: namespaced rules cannot apply to non-resource URLs'
EITHER = f'rules[0].nonResourceURLs: Invalid value: ["/*"]: {BOTH}'
NO_SELECTOR = (
    "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"
)
SELECTOR = "aggregationRule.clusterRoleSelectors[0]"
SUBJECT = {"kind": "User", "name": "jane"}
(SUBDOMAIN,) = dns_subdomain("A")


@pytest.mark.parametrize(
    ("kind", "rules", "expected"),
    [
        (ROLE, [], []),
        (ROLE, [RULE], []),
        (ROLE, [{**RULE, "resourceNames": ["a"]}], []),
        (ROLE, [{"apiGroups": [""], "resources": ["pods"]}], [NO_VERB]),
        (ROLE, [{**RULE, "verbs": []}], [NO_VERB]),
        (ROLE, [{"verbs": ["get"], "resources": ["pods"]}], [NO_GROUP]),
        (ROLE, [{"verbs": ["get"], "apiGroups": []}], [NO_GROUP, NO_RESOURCE]),
        (ROLE, [{"verbs": ["get"], "apiGroups": [""]}], [NO_RESOURCE]),
        (ROLE, [{"verbs": ["get"], "resourceNames": ["a"]}], [NO_GROUP, NO_RESOURCE]),
        (ROLE, [{}], [NO_VERB, NO_GROUP, NO_RESOURCE]),
        (ROLE, [URLS], [NO_PATHS]),
        (ROLE, [{**URLS, **RULE}], [NO_PATHS, EITHER]),
        (CLUSTER_ROLE, [], []),
        (CLUSTER_ROLE, [RULE], []),
        (CLUSTER_ROLE, [URLS], []),
        (CLUSTER_ROLE, [{"nonResourceURLs": ["/*"]}], [NO_VERB]),
        (CLUSTER_ROLE, [{**URLS, **RULE}], [EITHER]),
        (CLUSTER_ROLE, [{**URLS, "apiGroups": [""]}], [EITHER]),
        (CLUSTER_ROLE, [{**URLS, "resources": ["pods"]}], [EITHER]),
        (CLUSTER_ROLE, [{**URLS, "resourceNames": ["a"]}], [EITHER]),
        (CLUSTER_ROLE, [{"verbs": ["get"], "nonResourceURLs": ["*", "/*", "/a/*", "/a"]}], []),
        *(
            (
                CLUSTER_ROLE,
                [{"verbs": ["get"], "nonResourceURLs": ["/a", url]}],
                [f"rules[0].nonResourceURLs[1]: Invalid value: \"{url}\": '*' may only be the whole last segment of a path"],
            )
            for url in ("/a*", "/*/a", "/*a", "/a/**")
        ),
        (CLUSTER_ROLE, [{"verbs": ["get"]}], [NO_GROUP, NO_RESOURCE]),
        (CLUSTER_ROLE, [URLS, {**RULE, "verbs": []}], [NO_VERB.replace("[0]", "[1]")]),
    ],
)
def test_what_is_wrong_with_rules(kind, rules, expected):
    assert findings(kind, {"rules": rules}) == expected


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        ({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}, []),
        ({"clusterRoleSelectors": [{}]}, []),
        ({}, [NO_SELECTOR]),
        ({"clusterRoleSelectors": []}, [NO_SELECTOR]),
        (
            {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "Odd"}]}]},
            [f'{SELECTOR}.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator'],
        ),
        (
            {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]},
            [f"{SELECTOR}.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
    ],
)
def test_what_is_wrong_with_an_aggregation(aggregation, expected):
    assert findings(CLUSTER_ROLE, {"aggregationRule": aggregation}) == expected


@pytest.mark.parametrize(
    ("kind", "role", "expected"),
    [
        (ROLE_BINDING, {"kind": "Role", "name": "a"}, []),
        (ROLE_BINDING, {"kind": "ClusterRole", "name": "system:a", "apiGroup": GROUP}, []),
        (
            ROLE_BINDING,
            {"kind": "Role", "name": "a", "apiGroup": "rbac"},
            [f'roleRef.apiGroup: Unsupported value: "rbac": supported values: "{GROUP}"'],
        ),
        (ROLE_BINDING, {"kind": "Pod", "name": "a"}, ['roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"']),
        (ROLE_BINDING, {"name": "a"}, ['roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"']),
        (ROLE_BINDING, {"kind": "Role"}, ["roleRef.name: Required value"]),
        (ROLE_BINDING, {"kind": "Role", "name": "a/b"}, ["roleRef.name: Invalid value: \"a/b\": may not contain '/'"]),
        (ROLE_BINDING, {"kind": "Role", "name": ".."}, ["roleRef.name: Invalid value: \"..\": may not be '..'"]),
        (
            ROLE_BINDING,
            None,
            ['roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"', "roleRef.name: Required value"],
        ),
        (CLUSTER_ROLE_BINDING, {"kind": "ClusterRole", "name": "a"}, []),
        (CLUSTER_ROLE_BINDING, {"kind": "Role", "name": "a"}, ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"']),
        (
            CLUSTER_ROLE_BINDING,
            {"kind": "ClusterRole", "apiGroup": "x"},
            [f'roleRef.apiGroup: Unsupported value: "x": supported values: "{GROUP}"', "roleRef.name: Required value"],
        ),
        (CLUSTER_ROLE_BINDING, {"kind": "ClusterRole", "name": "a%b"}, ["roleRef.name: Invalid value: \"a%b\": may not contain '%'"]),
    ],
)
def test_what_is_wrong_with_the_role_of_a_binding(kind, role, expected):
    assert findings(kind, {"roleRef": role} if role else {}) == expected


@pytest.mark.parametrize(
    ("kind", "subject", "expected"),
    [
        (ROLE_BINDING, SUBJECT, []),
        (ROLE_BINDING, {"kind": "Group", "name": "system:masters", "apiGroup": GROUP}, []),
        (ROLE_BINDING, {"kind": "ServiceAccount", "name": "a"}, []),
        *(
            (kind, {"kind": of, "name": "a", "namespace": "b"}, [f".namespace: Forbidden: may not be set when `kind` is '{of}'"])
            for kind in (ROLE_BINDING, CLUSTER_ROLE_BINDING)
            for of in ("User", "Group")
        ),
        (ROLE_BINDING, {"kind": "User", "name": "a", "namespace": ""}, []),
        (ROLE_BINDING, {"kind": "User"}, [".name: Required value"]),
        (
            ROLE_BINDING,
            {"kind": "Group", "name": "a", "apiGroup": "rbac"},
            [f'.apiGroup: Unsupported value: "rbac": supported values: "{GROUP}"'],
        ),
        (
            ROLE_BINDING,
            {"kind": "User", "name": "a", "apiGroup": "rbac"},
            [f'.apiGroup: Unsupported value: "rbac": supported values: "{GROUP}"'],
        ),
        (
            ROLE_BINDING,
            {"kind": "ServiceAccount", "name": "a", "apiGroup": GROUP},
            [f'.apiGroup: Unsupported value: "{GROUP}": supported values: ""'],
        ),
        (ROLE_BINDING, {"kind": "ServiceAccount", "name": "A"}, [f'.name: Invalid value: "A": {SUBDOMAIN}']),
        (
            ROLE_BINDING,
            {"kind": "Robot", "name": "a"},
            ['.kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
        ),
        (
            ROLE_BINDING,
            {},
            [".name: Required value", '.kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
        ),
        (CLUSTER_ROLE_BINDING, {"kind": "ServiceAccount", "name": "a", "namespace": "b"}, []),
        (CLUSTER_ROLE_BINDING, {"kind": "ServiceAccount", "name": "a"}, [".namespace: Required value"]),
        (CLUSTER_ROLE_BINDING, {"kind": "ServiceAccount"}, [".name: Required value", ".namespace: Required value"]),
        (CLUSTER_ROLE_BINDING, {"kind": "Group"}, [".name: Required value"]),
        (
            CLUSTER_ROLE_BINDING,
            {"kind": "User", "name": "a", "apiGroup": "x"},
            [f'.apiGroup: Unsupported value: "x": supported values: "{GROUP}"'],
        ),
        (
            CLUSTER_ROLE_BINDING,
            {"kind": "Robot", "name": "a"},
            ['.kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
        ),
    ],
)
def test_what_is_wrong_with_subjects(kind, subject, expected):
    binding = {"roleRef": {"kind": "ClusterRole", "name": "a"}, "subjects": [SUBJECT, subject]}
    assert findings(kind, binding) == [f"subjects[1]{text}" for text in expected]


@pytest.mark.parametrize("kind", [ROLE_BINDING, CLUSTER_ROLE_BINDING])
@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"subjects": [SUBJECT]}, False),
        ({"roleRef": {"kind": "ClusterRole", "name": "a", "apiGroup": GROUP}}, False),
        ({"roleRef": {"kind": "ClusterRole", "name": "b"}}, True),
        ({"roleRef": {"kind": "Role", "name": "a"}}, True),
        ({"roleRef": {"kind": "ClusterRole", "name": "a", "apiGroup": "x"}}, True),
    ],
)
def test_the_role_of_a_binding_stays(kind, change, refused):
    before = {"roleRef": {"kind": "ClusterRole", "name": "a"}}
    found = change_findings(kind, before, {**before, **change})
    assert [text.partition(": ")[0] for text in found] == (["roleRef"] if refused else [])
    assert all(text.endswith(": cannot change roleRef") for text in found)


@pytest.mark.parametrize("kind", [ROLE, CLUSTER_ROLE, ROLE_BINDING, CLUSTER_ROLE_BINDING])
@pytest.mark.parametrize(
    ("name", "finding"), [("system:a:B", ""), ("a/b", "may not contain '/'"), ("a%b", "may not contain '%'"), (".", "may not be '.'")]
)
def test_names_are_segments_of_paths(kind, name, finding):
    metadata = {"name": name, "namespace": "a"} if kind.namespaced else {"name": name}
    found = validate_metadata(metadata, "metadata", namespaced=kind.namespaced, name_rule=kind.name_rule)
    assert [one.message for one in found] == ([f'Invalid value: "{name}": {finding}'] if finding else [])


def test_api_groups_are_filled_in_as_the_dialect_calls_them():
    sent = {"roleRef": {"kind": "Role", "name": "a"}, "subjects": [SUBJECT, {"kind": "ServiceAccount", "name": "b"}]}
    read = filled(ROLE_BINDING, sent, context(SVCAPI))
    assert read["roleRef"] == {"kind": "Role", "name": "a", "apiGroup": "rbac.authorization.svcapi.io"}
    assert read["subjects"] == [{**SUBJECT, "apiGroup": "rbac.authorization.svcapi.io"}, {"kind": "ServiceAccount", "name": "b"}]
    assert findings(ROLE_BINDING, sent, context(SVCAPI)) == []


def test_a_role_without_rules_has_none():
    assert filled(ROLE, {}) == filled(ROLE, {"rules": []}) == {"rules": None}


def test_roles_and_bindings_in_one_line():
    assert row(ROLE, {"metadata": {"creationTimestamp": "2026-01-02T03:04:05Z"}}) == {"Created At": "2026-01-02T03:04:05Z"}
    binding = FULL["rbac.authorization/v1 RoleBinding"]
    assert row(ROLE_BINDING, binding, wide=True) == {
        "Role": "Role/view",
        "Age": "<unknown>",
        "Users": "jane",
        "Groups": "system:masters",
        "ServiceAccounts": "default/robot, default/other",
    }
    assert row(CLUSTER_ROLE_BINDING, binding) == {"Role": "Role/view", "Age": "<unknown>"}
