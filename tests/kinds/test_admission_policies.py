"""Admission policies and their bindings: what is filled in, what is wrong, and what tables show."""

import pytest

from svcsim.kinds.admissionregistration.mutating_admission_policy import MUTATING_ADMISSION_POLICY as MUTATING
from svcsim.kinds.admissionregistration.mutating_admission_policy_binding import MUTATING_ADMISSION_POLICY_BINDING as MUTATING_BINDING
from svcsim.kinds.admissionregistration.mutating_webhook_configuration import MUTATING_WEBHOOK_CONFIGURATION as MUTATING_WEBHOOKS
from svcsim.kinds.admissionregistration.validating_admission_policy import VALIDATING_ADMISSION_POLICY as VALIDATING
from svcsim.kinds.admissionregistration.validating_admission_policy_binding import VALIDATING_ADMISSION_POLICY_BINDING as VALIDATING_BINDING
from svcsim.kinds.admissionregistration.validating_webhook_configuration import VALIDATING_WEBHOOK_CONFIGURATION as VALIDATING_WEBHOOKS
from svcsim.meta.names import dns_1035_label, dns_subdomain, qualified_name
from svcsim.schema.cel.constructions import as_maps
from tests.kinds.helpers import change_findings, created, filled, findings, row
from tests.kinds.samples.admission import FULL

RULE = {"operations": ["CREATE"], "apiGroups": ["a"], "apiVersions": ["v1"], "resources": ["pods"]}
MATCH = {"resourceRules": [RULE]}
NOTHING = "Required value: validations or auditAnnotations must contain at least one item"
BAD_LABEL = dns_1035_label("1v")[0]
OPERATIONS = '"*", "CONNECT", "CREATE", "UPDATE"'
APPLY = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}
PATCH = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'remove', path: '/a'}]"}}
BASE = {
    VALIDATING.name: {"matchConstraints": MATCH, "validations": [{"expression": "true"}]},
    MUTATING.name: {"matchConstraints": MATCH, "mutations": [APPLY], "reinvocationPolicy": "Never"},
    VALIDATING_BINDING.name: {"policyName": "p", "validationActions": ["Deny"]},
    MUTATING_BINDING.name: {"policyName": "p"},
}
POLICIES = pytest.mark.parametrize("kind", [VALIDATING, MUTATING], ids=["validating", "mutating"])
BINDINGS = pytest.mark.parametrize("kind", [VALIDATING_BINDING, MUTATING_BINDING], ids=["validating", "mutating"])


LONG = f"[{','.join('1' * 5_000)}]"


def check(kind, change, expected):
    """Each finding begins as expected."""
    spec = {name: value for name, value in {**BASE[kind.name], **change}.items() if value is not None}
    found = findings(kind, {"metadata": {"name": "p"}, "spec": spec})
    assert len(found) == len(expected), found
    assert all(text.startswith(f"spec.{begin}") for text, begin in zip(found, expected, strict=True)), found


@POLICIES
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"failurePolicy": "other"}, ['failurePolicy: Unsupported value: "other": supported values: "Fail", "Ignore"']),
        ({"matchConstraints": None}, ["matchConstraints: Required value"]),
        ({"matchConstraints": {}}, ["matchConstraints.resourceRules: Required value"]),
        ({"matchConstraints": {"resourceRules": []}}, ["matchConstraints.resourceRules: Required value"]),
        (
            {"matchConstraints": {**MATCH, "matchPolicy": "other"}},
            ['matchConstraints.matchPolicy: Unsupported value: "other": supported values: "Equivalent", "Exact"'],
        ),
        (
            {"matchConstraints": {"resourceRules": [{**RULE, "apiGroups": []}]}},
            ["matchConstraints.resourceRules[0].apiGroups: Required value"],
        ),
        (
            {"matchConstraints": {"resourceRules": [{**RULE, "resourceNames": ["a/b", "c", "c"]}]}},
            [
                "matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: \"a/b\": may not contain '/'",
                'matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
            ],
        ),
        (
            {"matchConstraints": {**MATCH, "excludeResourceRules": [{**RULE, "operations": []}]}},
            ["matchConstraints.excludeResourceRules[0].operations: Required value"],
        ),
        (
            {"matchConstraints": {**MATCH, "objectSelector": {"matchLabels": {"a b": "c"}}}},
            [f'matchConstraints.objectSelector.matchLabels: Invalid value: "a b": {qualified_name("a b")[0]}'],
        ),
        ({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}, []),
        ({"paramKind": {}}, ["paramKind.apiVersion: Required value", "paramKind.kind: Required value"]),
        (
            {"paramKind": {"apiVersion": "a/b/v1", "kind": "X"}},
            ['paramKind.apiVersion: Invalid value: "a/b/v1": unexpected GroupVersion string: a/b/v1'],
        ),
        ({"paramKind": {"apiVersion": "a/", "kind": "X"}}, ['paramKind.apiVersion: Invalid value: "a/": version must be specified']),
        ({"paramKind": {"apiVersion": "a_b/v1", "kind": "X"}}, [f'paramKind.apiVersion: Invalid value: "a_b": {dns_subdomain("a_b")[0]}']),
        ({"paramKind": {"apiVersion": "a/1v", "kind": "X"}}, [f'paramKind.apiVersion: Invalid value: "1v": {BAD_LABEL}']),
        (
            {"paramKind": {"apiVersion": "v1", "kind": "1V"}},
            ['paramKind.kind: Invalid value: "1V": may have mixed case, but should otherwise match: '],
        ),
        ({"matchConditions": [{"name": "a", "expression": "params.x == 1"}]}, ["matchConditions[0].expression: Invalid value: "]),
        (
            {"paramKind": {"apiVersion": "v1", "kind": "X"}, "matchConditions": [{"name": "a", "expression": "params.x == 1"}]},
            [],
        ),
        (
            {"variables": [{"name": "x", "expression": "1"}], "matchConditions": [{"name": "a", "expression": "variables.x == 1"}]},
            [
                (
                    'matchConditions[0].expression: Invalid value: "variables.x == 1": compilation failed: '
                    "ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')"
                )
            ],
        ),
        ({"matchConditions": [{"name": "", "expression": "true"}]}, ["matchConditions[0].name: Required value"]),
        (
            {"matchConditions": [{"name": "a", "expression": "true"}] * 2},
            ['matchConditions[1].name: Duplicate value: "a"'],
        ),
        ({"variables": [{"name": "a", "expression": "1"}, {"name": "b", "expression": "variables.a + 1"}]}, []),
        ({"variables": [{"name": "", "expression": "1"}]}, ["variables[0].name: Required value: name is not specified"]),
        ({"variables": [{"name": "a"}]}, ["variables[0].expression: Required value: expression is not specified"]),
        (
            {"variables": [{"name": "a-b", "expression": "1"}]},
            ['variables[0].name: Invalid value: "a-b": name is not a valid CEL identifier'],
        ),
        (
            {"variables": [{"name": "if", "expression": "1"}]},
            ['variables[0].name: Invalid value: "if": name is not a valid CEL identifier'],
        ),
        (
            {"variables": [{"name": "a", "expression": "1 +"}]},
            ['variables[0].expression: Invalid value: "1 +": compilation failed: ERROR: <input>:1:4: Syntax error: '],
        ),
        (
            {"variables": [{"name": "a", "expression": LONG}]},
            [f'variables[0].expression: Invalid value: "{LONG}": compilation failed: expression has 10001 words and marks'],
        ),
        (
            {"variables": [{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}]},
            [
                (
                    'variables[0].expression: Invalid value: "variables.b": compilation failed: '
                    "ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^"
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_any_policy(kind, change, expected):
    check(kind, change, expected)


@POLICIES
@pytest.mark.parametrize(
    "expression",
    [
        "namespaceObject.metadata.name == 'a' && namespaceObject.metadata.UID != 'b'",
        "'a' in namespaceObject.metadata.labels && namespaceObject.metadata.labels['a'] == 'b' && namespaceObject.metadata.labels.a != 'c'",
        "namespaceObject.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')",
        "!has(namespaceObject.metadata.deletionTimestamp)",
        "'kubernetes' in namespaceObject.spec.finalizers && namespaceObject.status.phase == 'Active'",
        "namespaceObject.status.conditions.exists(c, c.type == 'A' && c.status == 'True')",
    ],
)
def test_the_namespace_of_a_request_has_the_fields_it_is_known_to_have(kind, expression):
    check(kind, {"matchConditions": [{"name": "a", "expression": expression}]}, [])


@POLICIES
@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("namespaceObject.foo == 'a'", "undefined field 'foo'"),
        ("namespaceObject.metadata.uid == 'a'", "undefined field 'uid'"),
        ("namespaceObject.status.nope == 'a'", "undefined field 'nope'"),
        ("namespaceObject.metadata.name == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
        ("namespaceObject.metadata.name", "must evaluate to bool but got string"),
    ],
)
def test_other_fields_of_the_namespace_are_refused(kind, expression, why):
    spec = {**BASE[kind.name], "matchConditions": [{"name": "a", "expression": expression}]}
    (found,) = findings(kind, {"metadata": {"name": "p"}, "spec": spec})
    assert found.startswith("spec.matchConditions[0].expression: Invalid value: ")
    assert why in found


def valid(**fields):
    return {"validations": [{"expression": "true", **fields}]}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"validations": None}, [f"validations: {NOTHING}", f"auditAnnotations: {NOTHING}"]),
        ({"validations": None, "auditAnnotations": [{"key": "a", "valueExpression": "'b'"}]}, []),
        ({"validations": [{}]}, ["validations[0].expression: Required value: expression is not specified"]),
        (valid(expression=" "), ["validations[0].expression: Required value: expression is not specified"]),
        (valid(expression="object.x > 1 && oldObject != null && namespaceObject.metadata.name == 'a'"), []),
        (valid(expression="object.x"), ['validations[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn']),
        (valid(expression="[1]"), ['validations[0].expression: Invalid value: "[1]": must evaluate to bool but got list(int)']),
        (valid(expression="params.x"), ['validations[0].expression: Invalid value: "params.x": compilation failed: ']),
        (valid(expression="foo"), ['validations[0].expression: Invalid value: "foo": compilation failed: ERROR: <input>:1:1: undeclared']),
        (
            valid(expression="variables.x > 1"),
            [
                (
                    'validations[0].expression: Invalid value: "variables.x > 1": compilation failed: '
                    "ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')"
                )
            ],
        ),
        ({"variables": [{"name": "x", "expression": "1"}], **valid(expression="variables.x > 1")}, []),
        (valid(message=" "), ['validations[0].message: Invalid value: " ": message must be non-empty if specified']),
        (valid(message="a\nb"), ['validations[0].message: Invalid value: "a\\nb": message must not contain line breaks']),
        (valid(expression="true &&\ntrue"), []),
        (valid(messageExpression="'a' + string(object.x)"), []),
        (valid(messageExpression=" "), ['validations[0].messageExpression: Invalid value: " ": must be non-empty if specified']),
        (valid(messageExpression="1"), ['validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int']),
        (
            valid(messageExpression="authorizer.path('/a').check('get').reason()"),
            ['validations[0].messageExpression: Invalid value: "authorizer.path'],
        ),
        (valid(reason="Forbidden"), []),
        (
            valid(reason="Odd"),
            ['validations[0].reason: Unsupported value: "Odd": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"'],
        ),
        (
            {"auditAnnotations": [{"key": "a"}]},
            ["auditAnnotations[0].valueExpression: Required value: valueExpression is not specified"],
        ),
        (
            {"auditAnnotations": [{"key": "a", "valueExpression": "1"}]},
            ['auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int'],
        ),
        ({"auditAnnotations": [{"key": "a", "valueExpression": "null"}]}, []),
        (
            {"auditAnnotations": [{"key": "a", "valueExpression": f"'{'x' * 5119}'"}]},
            ["auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length"],
        ),
        (
            {"auditAnnotations": [{"key": "a", "valueExpression": "'b'"}] * 2},
            ['auditAnnotations[1].key: Duplicate value: "a"'],
        ),
        (
            {"auditAnnotations": [{"key": "a b", "valueExpression": "'b'"}]},
            ['auditAnnotations[0].key: Invalid value: "p/a b": name part must consist of alphanumeric characters'],
        ),
        (
            {"auditAnnotations": [{"key": f"a{number}", "valueExpression": "'b'"} for number in range(21)]},
            ["auditAnnotations: Invalid value: "],
        ),
    ],
)
def test_what_is_wrong_with_what_a_policy_refuses(change, expected):
    check(VALIDATING, change, expected)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"mutations": None}, ["mutations: Required value: mutations must contain at least one item"]),
        ({"reinvocationPolicy": None}, ["reinvocationPolicy: Required value"]),
        ({"reinvocationPolicy": "Odd"}, ['reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"']),
        ({"mutations": [PATCH, APPLY]}, []),
        ({"mutations": [{"applyConfiguration": {"expression": "Object{}"}}]}, ["mutations[0].patchType: Required value"]),
        (
            {"mutations": [{**APPLY, "patchType": "Odd"}]},
            ['mutations[0].patchType: Unsupported value: "Odd": supported values: "ApplyConfiguration", "JSONPatch"'],
        ),
        (
            {"mutations": [{**APPLY, "patchType": "JSONPatch"}]},
            [
                'mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
                "mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
            ],
        ),
        (
            {"mutations": [{**PATCH, "patchType": "ApplyConfiguration"}]},
            [
                'mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
                "mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration",
            ],
        ),
        ({"mutations": [{**APPLY, "applyConfiguration": {}}]}, ["mutations[0].applyConfiguration.expression: Required value"]),
        ({"mutations": [{**PATCH, "jsonPatch": {"expression": " "}}]}, ["mutations[0].jsonPatch.expression: Required value"]),
        (
            {"mutations": [{**APPLY, "applyConfiguration": {"expression": "Object{spec: Object.spec{a: foo}}"}}]},
            ['mutations[0].applyConfiguration.expression: Invalid value: "Object{spec: Object.spec{a: foo}}": compilation failed: '],
        ),
        ({"mutations": [{**PATCH, "jsonPatch": {"expression": "1"}}]}, ["mutations[0].jsonPatch.expression: Invalid value: "]),
        (
            {"matchConstraints": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}},
            [f'matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: {OPERATIONS}'],
        ),
    ],
)
def test_what_is_wrong_with_what_a_policy_changes(change, expected):
    check(MUTATING, change, expected)


@BINDINGS
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"policyName": None}, ["policyName: Required value"]),
        ({"policyName": "A"}, [f'policyName: Invalid value: "A": {dns_subdomain("A")[0]}']),
        ({"paramRef": {"name": "a", "parameterNotFoundAction": "Deny"}}, []),
        ({"paramRef": {"selector": {}, "parameterNotFoundAction": "Allow"}}, []),
        ({"paramRef": {"name": "a"}}, ["paramRef.parameterNotFoundAction: Required value"]),
        (
            {"paramRef": {"name": "a", "parameterNotFoundAction": "Odd"}},
            ['paramRef.parameterNotFoundAction: Unsupported value: "Odd": supported values: "Deny", "Allow"'],
        ),
        ({"paramRef": {"parameterNotFoundAction": "Deny"}}, ["paramRef: Required value: one of name or selector must be specified"]),
        (
            {"paramRef": {"name": "a", "selector": {}, "parameterNotFoundAction": "Deny"}},
            [
                "paramRef.name: Forbidden: name and selector are mutually exclusive",
                "paramRef.selector: Forbidden: name and selector are mutually exclusive",
            ],
        ),
        ({"paramRef": {"name": "a/b", "parameterNotFoundAction": "Deny"}}, ["paramRef.name: Invalid value: \"a/b\": may not contain '/'"]),
        (
            {"paramRef": {"selector": {"matchLabels": {"a b": "c"}}, "parameterNotFoundAction": "Deny"}},
            ['paramRef.selector.matchLabels: Invalid value: "a b": '],
        ),
        ({"matchResources": {}}, []),
        ({"matchResources": {"matchPolicy": "Odd"}}, ['matchResources.matchPolicy: Unsupported value: "Odd"']),
        (
            {"matchResources": {"resourceRules": [{**RULE, "apiVersions": ["v1", "*"]}]}},
            ["matchResources.resourceRules[0].apiVersions: Invalid value: "],
        ),
    ],
)
def test_what_is_wrong_with_any_binding(kind, change, expected):
    check(kind, change, expected)


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["Deny", "Audit"], []),
        (["Warn", "Audit"], []),
        (None, ["validationActions: Required value: at least one validation action is required"]),
        ([], ["validationActions: Required value: at least one validation action is required"]),
        (["Odd"], ['validationActions[0]: Unsupported value: "Odd": supported values: "Audit", "Deny", "Warn"']),
        (["Deny", "Deny"], ['validationActions[1]: Duplicate value: "Deny"']),
        (["Deny", "Warn"], ['validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn']),
    ],
)
def test_what_follows_where_a_policy_is_not_met(actions, expected):
    check(VALIDATING_BINDING, {"validationActions": actions}, expected)


def test_what_is_deleted_is_not_changed():
    match = {"matchResources": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}}
    check(MUTATING_BINDING, match, ['matchResources.resourceRules.operations: Unsupported value: "DELETE"'])
    check(VALIDATING_BINDING, match, [])


@POLICIES
def test_what_a_policy_leaves_out(kind):
    spec = filled(kind, {"spec": {"matchConstraints": MATCH}})["spec"]
    assert spec["failurePolicy"] == "Fail"
    assert spec["matchConstraints"] == {
        "resourceRules": [{**RULE, "scope": "*"}],
        "namespaceSelector": {},
        "objectSelector": {},
        "matchPolicy": "Equivalent",
    }


def test_a_policy_begins_with_an_empty_status():
    assert created(VALIDATING, {"spec": BASE[VALIDATING.name]})["status"] == {}


def test_what_is_constructed_is_compiled_as_maps():
    text = "Object{spec: Object.spec{replicas: 1, ?a: none, x: {'a': 1, b: 2}}, y: [JSONPatch{op: 'Object{a: 1}'}], z: has(object.a)}"
    expected = "{'spec': {'replicas': 1, ?'a': none, 'x': {'a': 1, b: 2}}, 'y': [{'op': 'Object{a: 1}'}], 'z': has(object.a)}"
    made = as_maps(text)
    assert made.text.replace(" ", "") == expected.replace(" ", "")
    assert [(made.text[at], str(kind)) for at, kind in made.types.items()] == [("{", "Object"), ("{", "Object.spec"), ("{", "JSONPatch")]


def test_policies_and_bindings_in_one_line():
    def of(kind, **more):
        return row(kind, {"spec": {**BASE[kind.name], **more}})

    assert of(VALIDATING) == {"Validations": 1, "ParamKind": "<unset>", "Age": "<unknown>"}
    assert of(MUTATING, paramKind={"apiVersion": "v1", "kind": "X"}) == {"Mutations": 1, "ParamKind": "v1/X", "Age": "<unknown>"}
    assert row(MUTATING_BINDING, FULL["admissionregistration/v1 MutatingAdmissionPolicyBinding"])["ParamRef"] == "default/limits"
    assert of(VALIDATING_BINDING, paramRef={"name": "a"}) == {"PolicyName": "p", "ParamRef": "*/a", "Age": "<unknown>"}
    assert of(VALIDATING_BINDING)["ParamRef"] == "<unset>"
    assert of(VALIDATING_BINDING, paramRef={"selector": {"matchLabels": {"a": "b"}}})["ParamRef"] == "a=b"


BOUND = "cel.bind(a, 1, a == 1)"
HOLDERS = {
    "validations": (VALIDATING, {"validations": [{"expression": BOUND}]}),
    "a message": (VALIDATING, {"validations": [{"expression": "true", "messageExpression": "cel.bind(a, 'b', a)"}]}),
    "an annotation": (VALIDATING, {"auditAnnotations": [{"key": "k", "valueExpression": " cel.bind(a, 'b', a) "}]}),
    "a condition of a validating one": (VALIDATING, {"matchConditions": [{"name": "a", "expression": BOUND}]}),
    "a condition of a mutating one": (MUTATING, {"matchConditions": [{"name": "a", "expression": BOUND}]}),
    "a variable": (VALIDATING, {"variables": [{"name": "a", "expression": BOUND}]}),
    "a mutation": (MUTATING, {"mutations": [{**APPLY, "applyConfiguration": {"expression": "cel.bind(a, 1, Object{})"}}]}),
}


@pytest.mark.parametrize(("kind", "holder"), HOLDERS.values(), ids=HOLDERS)
def test_an_expression_that_was_stored_may_use_what_could_be_used_then(kind, holder):
    metadata, spec = {"name": "p"}, {**BASE[kind.name], **holder}
    stored = {"metadata": metadata, "spec": spec}
    assert len(findings(kind, stored)) == 1, "today it is refused"
    assert change_findings(kind, stored, stored) == []
    assert change_findings(kind, stored, {"metadata": metadata, "spec": {**spec, "failurePolicy": "Ignore"}}) == []
    (told,) = change_findings(kind, {"metadata": metadata, "spec": BASE[kind.name]}, stored)
    assert "undeclared reference to 'cel'" in told or "compilation failed" in told


def test_a_stored_expression_still_has_to_fit_its_surroundings():
    spec = {
        **BASE[VALIDATING.name],
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "params != null"}],
    }
    (told,) = change_findings(VALIDATING, {"spec": spec}, {"spec": {name: part for name, part in spec.items() if name != "paramKind"}})
    assert "undeclared reference to 'params'" in told


@pytest.mark.parametrize("kind", [VALIDATING_WEBHOOKS, MUTATING_WEBHOOKS], ids=["validating", "mutating"])
def test_conditions_of_webhooks_that_were_stored_are_kept_alike(kind):
    webhook = {
        "name": "a.b.c",
        "clientConfig": {"url": "https://a.b"},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "matchConditions": [{"name": "a", "expression": BOUND}],
    }
    assert len(findings(kind, {"webhooks": [webhook]})) == 1
    assert change_findings(kind, {"webhooks": [webhook]}, {"webhooks": [{**webhook, "timeoutSeconds": 5}]}) == []
    other = [{"name": "a", "expression": f"{BOUND} || true"}]
    assert len(change_findings(kind, {"webhooks": [webhook]}, {"webhooks": [{**webhook, "matchConditions": other}]})) == 1


@pytest.mark.parametrize(
    ("patch", "expression", "told"),
    [
        ("ApplyConfiguration", '{"a": 1}', "must evaluate to Object but got map(string, int)"),
        ("ApplyConfiguration", "null", "must evaluate to Object but got null_type"),
        ("ApplyConfiguration", "[Object{}]", "must evaluate to Object but got list(Object)"),
        ("ApplyConfiguration", "Object.data{}", "must evaluate to Object but got Object.data"),
        ("ApplyConfiguration", 'Object{data: {"a": "b"}}', ""),
        ("ApplyConfiguration", 'has(object.data) ? Object{} : Object{data: {"a": "b"}}', ""),
        ("ApplyConfiguration", "variables.patch", "must evaluate to Object but got map(string, string)"),
        ("JSONPatch", '[{"op": "add"}]', "must evaluate to list(JSONPatch) but got list(map(string, string))"),
        ("JSONPatch", 'JSONPatch{op: "add"}', "must evaluate to list(JSONPatch) but got JSONPatch"),
        ("JSONPatch", "[]", "must evaluate to list(JSONPatch) but got list(dyn)"),
        ("JSONPatch", '[JSONPatch{op: "remove", path: "/data/a"}]', ""),
        ("JSONPatch", "has(object.data) ? [JSONPatch{op: 'remove', path: '/data', value: Object.data{}}] : []", ""),
        ("JSONPatch", "['/a', '/b'].map(path, JSONPatch{op: 'remove', path: path})", ""),
        ("JSONPatch", "[?object.?data.optMap(data, JSONPatch{op: 'add', path: '/data', value: data})]", ""),
    ],
)
def test_a_mutation_comes_to_what_it_has_to(patch: str, expression: str, told: str) -> None:
    field = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}[patch]
    change = {
        "mutations": [{"patchType": patch, field: {"expression": expression}}],
        "variables": [{"name": "patch", "expression": "{'a': 'b'}"}],
    }
    found = findings(MUTATING, {"metadata": {"name": "p"}, "spec": {**BASE[MUTATING.name], **change}})
    assert len(found) == bool(told)
    assert all(finding.startswith(f"spec.mutations[0].{field}.expression: ") and told in finding for finding in found), found


NULLS = {
    "Object{} == null": "",
    "null != Object.spec{replicas: 1}": "",
    "JSONPatch{op: 'add'} == null || null == JSONPatch{}": "",
    "(true ? Object{} : null) == Object{}": "",
    "Object{}.data == null && null == Object{}.data": "",
    "optional.of(Object{}) != null && namespaceObject != null && timestamp('2026-01-01T00:00:00Z') != null": "",
    "{} == null": "'_==_' applied to '(map(T%1, T%2), null)'",
    "null == {'a': Object{}}": "'_==_' applied to '(null, map(string, Object))'",
    "[Object{}] != null": "'_!=_' applied to '(list(Object), null)'",
    "'a' == null": "'_==_' applied to '(string, null)'",
    "[Object{}, null] != []": "expected type 'Object' but found 'null'",
}
"""Conditions within mutations, and what is wrong with them: what is constructed may be null, and a list, a map or a text may not."""
OBJECTS = {
    "Object{} == Object{a: 1} && Object{a: Object.a{}}.a == Object.a{} && has(Object{}.a) && Object{}.?a.orValue(1) == 1": "",
    "Object{} == {}": "'_==_' applied to '(Object, map(T%1, T%2))'",
    "Object{} == Object.spec{}": "'_==_' applied to '(Object, Object.spec)'",
    "[Object{}, Object.spec{}] == []": "expected type 'Object' but found 'Object.spec'",
    "Object{a: [1, 'a']} == Object{}": "expected type 'int' but found 'string'",
    "JSONPatch{op: 1} == JSONPatch{}": "expected type of field 'op' is 'string' but provided type is 'int'",
    "JSONPatch{?path: optional.of(1)} == JSONPatch{}": "expected type of field 'path' is 'string' but provided type is 'int'",
    "JSONPatch{path: object.a, from: dyn(1), value: 1} == JSONPatch{value: 'a'}": "",
    "JSONPatch{nope: 1} == JSONPatch{}": "undefined field 'nope'",
    "Other{} == Other{}": "undeclared reference to 'Other' (in container '')",
}
"""Others."""


@pytest.mark.parametrize(("condition", "told"), [*NULLS.items(), *OBJECTS.items()])
def test_what_is_constructed_has_a_type(condition: str, told: str) -> None:
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": f"{condition} ? Object{{}} : Object{{a: 1}}"}}
    found = findings(MUTATING, {"metadata": {"name": "p"}, "spec": {**BASE[MUTATING.name], "mutations": [mutation]}})
    assert len(found) == bool(told)
    assert all(told in finding for finding in found), found


MARKED = (
    ("[JSONPatch{op: 1}]", ":", "expected type of field 'op' is 'string' but provided type is 'int'"),
    ("[JSONPatch{path: '/a', ?op : optional.of(1)}]", ": opt", "expected type of field 'op' is 'string' but provided type is 'int'"),
    ("[JSONPatch{path: true ? '/a' : '/b', nope: 1}]", ": 1", "undefined field 'nope'"),
    ("[JSONPatch{op: 'add', path: nothing}]", "nothing", "undeclared reference to 'nothing' (in container '')"),
    ("[JSONPatch{op: 'add', value: {a: 1}}]", "a: 1", "undeclared reference to 'a' (in container '')"),
    ("[JSONPatch{op: 'add', value: )}]", ")", ""),
)
"""Mutations, the part of each that is marked, and what is said of it."""


@pytest.mark.parametrize(("expression", "part", "told"), MARKED)
def test_what_is_wrong_is_marked_in_what_the_author_has_written(expression: str, part: str, told: str) -> None:
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}
    (found,) = findings(MUTATING, {"metadata": {"name": "p"}, "spec": {**BASE[MUTATING.name], "mutations": [mutation]}})
    column = expression.index(part)
    assert f"ERROR: <input>:1:{column + 1}: {told}" in found
    assert f"\n | {expression}\n | {'.' * column}^" in found


@pytest.mark.parametrize("field", ["variables", "matchConditions"])
def test_nothing_is_constructed_but_in_mutations(field: str) -> None:
    spec = {**BASE[MUTATING.name], field: [{"name": "a", "expression": "Object{} == Object{}"}]}
    (told,) = findings(MUTATING, {"metadata": {"name": "p"}, "spec": spec})
    assert "undeclared reference to 'Object' (in container '')" in told
