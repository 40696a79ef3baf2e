"""Webhook configurations: what is filled in, what is wrong, and what tables show."""

import pytest

from svcsim.kinds.admissionregistration.mutating_webhook_configuration import MUTATING_WEBHOOK_CONFIGURATION as MUTATING
from svcsim.kinds.admissionregistration.validating_webhook_configuration import VALIDATING_WEBHOOK_CONFIGURATION as VALIDATING
from svcsim.meta.names import dns_1035_label, dns_subdomain, qualified_name
from tests.kinds.helpers import filled, findings, row

RULE = {"operations": ["CREATE"], "apiGroups": ["a"], "apiVersions": ["v1"], "resources": ["pods"]}
SERVICE = {"name": "n", "namespace": "ns"}
HOOK = {
    "name": "a.example.com",
    "clientConfig": {"url": "https://example.com/a"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "rules": [RULE],
}
EVERY = pytest.mark.parametrize("kind", [MUTATING, VALIDATING], ids=["mutating", "validating"])
FORM = "; desired format: https://host[/path]"
ALL_OPERATIONS = '"*", "CONNECT", "CREATE", "DELETE", "UPDATE"'
ONE_OF_BOTH = ".clientConfig: Required value: exactly one of url or service is required"


def no_url(url, why):
    return f'.url: Required value: url must be a valid URL: parse "{url}": {why}{FORM}'


def check(kind, hook, expected):
    assert findings(kind, {"webhooks": [hook]}) == [f"webhooks[0]{text}" for text in expected]


def without(name):
    return {key: value for key, value in HOOK.items() if key != name}


@EVERY
@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        (HOOK, []),
        (without("rules"), []),
        (without("name"), [".name: Required value"]),
        ({**HOOK, "name": ""}, [".name: Required value"]),
        ({**HOOK, "name": "k8s.io"}, ['.name: Invalid value: "k8s.io": should be a domain with at least three segments separated by dots']),
        ({**HOOK, "name": "a.b.c-"}, [f'.name: Invalid value: "a.b.c-": {dns_subdomain("a.b.c-")[0]}']),
        (without("sideEffects"), [".sideEffects: Required value: must specify one of None, NoneOnDryRun"]),
        ({**HOOK, "sideEffects": "NoneOnDryRun"}, []),
        ({**HOOK, "sideEffects": "Some"}, ['.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"']),
        ({**HOOK, "sideEffects": "Unknown"}, ['.sideEffects: Unsupported value: "Unknown": supported values: "None", "NoneOnDryRun"']),
        ({**HOOK, "failurePolicy": "other"}, ['.failurePolicy: Unsupported value: "other": supported values: "Fail", "Ignore"']),
        ({**HOOK, "matchPolicy": "other"}, ['.matchPolicy: Unsupported value: "other": supported values: "Equivalent", "Exact"']),
        ({**HOOK, "timeoutSeconds": 30}, []),
        ({**HOOK, "timeoutSeconds": 0}, [".timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"]),
        ({**HOOK, "timeoutSeconds": 31}, [".timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"]),
        ({**HOOK, "timeoutSeconds": -1}, [".timeoutSeconds: Invalid value: -1: the timeout value must be between 1 and 30 seconds"]),
        (without("admissionReviewVersions"), [".admissionReviewVersions: Required value: must specify one of v1, v1beta1"]),
        ({**HOOK, "admissionReviewVersions": []}, [".admissionReviewVersions: Required value: must specify one of v1, v1beta1"]),
        ({**HOOK, "admissionReviewVersions": ["v2", "v1beta1"]}, []),
        (
            {**HOOK, "admissionReviewVersions": ["v2"]},
            ['.admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
        ),
        (
            {**HOOK, "admissionReviewVersions": ["v1", "v1"]},
            ['.admissionReviewVersions[1]: Invalid value: "v1": duplicate version'],
        ),
        (
            {**HOOK, "admissionReviewVersions": ["v1", "1v"]},
            [f'.admissionReviewVersions[1]: Invalid value: "1v": {dns_1035_label("1v")[0]}'],
        ),
        (
            {**HOOK, "namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Odd"}]}},
            ['.namespaceSelector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator'],
        ),
        (
            {**HOOK, "objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            [".objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
    ],
)
def test_what_is_wrong_with_a_webhook(kind, hook, expected):
    check(kind, hook, expected)


@EVERY
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "scope": "*"}, []),
        ({"apiGroups": [""]}, []),
        ({"operations": []}, [".operations: Required value"]),
        (
            {"operations": ["CREATE", "*"]},
            ['.operations: Invalid value: ["CREATE","*"]: if \'*\' is present, must not specify other operations'],
        ),
        ({"operations": ["PATCH"]}, [f'.operations[0]: Unsupported value: "PATCH": supported values: {ALL_OPERATIONS}']),
        ({"operations": [""]}, [f'.operations[0]: Unsupported value: "": supported values: {ALL_OPERATIONS}']),
        ({"apiGroups": []}, [".apiGroups: Required value"]),
        ({"apiGroups": ["a", "*"]}, ['.apiGroups: Invalid value: ["a","*"]: if \'*\' is present, must not specify other API groups']),
        ({"apiVersions": []}, [".apiVersions: Required value"]),
        ({"apiVersions": [""]}, [".apiVersions[0]: Required value"]),
        (
            {"apiVersions": ["v1", "*"]},
            ['.apiVersions: Invalid value: ["v1","*"]: if \'*\' is present, must not specify other API versions'],
        ),
        ({"resources": []}, [".resources: Required value"]),
        ({"resources": ["a", ""]}, [".resources[1]: Required value"]),
        ({"resources": ["a/*", "b", "*/c"]}, []),
        ({"resources": ["*", "a/b"]}, []),
        ({"resources": ["a/*", "a/x"]}, [".resources[1]: Invalid value: \"a/x\": if 'a/*' is present, must not specify a/x"]),
        ({"resources": ["*/a", "x/a"]}, [".resources[1]: Invalid value: \"x/a\": if '*/a' is present, must not specify x/a"]),
        ({"resources": ["*/*", "a"]}, ['.resources: Invalid value: ["*/*","a"]: if \'*/*\' is present, must not specify other resources']),
        (
            {"resources": ["*", "a"]},
            ['.resources: Invalid value: ["*","a"]: if \'*\' is present, must not specify other resources without subresources'],
        ),
        ({"scope": "Cluster"}, []),
        ({"scope": "Odd"}, ['.scope: Unsupported value: "Odd": supported values: "*", "Cluster", "Namespaced"']),
    ],
)
def test_what_is_wrong_with_a_rule(kind, change, expected):
    check(kind, {**HOOK, "rules": [RULE, {**RULE, **change}]}, [f".rules[1]{text}" for text in expected])


@EVERY
@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, [ONE_OF_BOTH]),
        ({}, [ONE_OF_BOTH]),
        ({"url": "https://a", "service": SERVICE}, [ONE_OF_BOTH]),
        ({"url": "https://a:8443/b/c"}, []),
        (
            {"url": ""},
            [
                f".url: Invalid value: \"\": 'https' is the only allowed URL scheme{FORM}",
                f'.url: Invalid value: "": host must be provided{FORM}',
            ],
        ),
        ({"url": "http://a"}, [f".url: Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}"]),
        ({"url": "https:///fancy"}, [f'.url: Invalid value: "": host must be provided{FORM}']),
        ({"url": "https://user@a"}, ['.url: Invalid value: "user": user information is not permitted in the URL']),
        ({"url": "https://a#b"}, ['.url: Invalid value: "b": fragments are not permitted in the URL']),
        ({"url": "https://a?b=c"}, ['.url: Invalid value: "b=c": query parameters are not permitted in the URL']),
        ({"url": "https://user:pa ss@a"}, [no_url("https://user:pa ss@a", "net/url: invalid userinfo")]),
        ({"url": "https://a:99999/"}, []),
        ({"url": "https://a:port"}, [no_url("https://a:port", 'invalid port ":port" after host')]),
        ({"url": "https://a b/"}, [no_url("https://a b/", 'invalid character " " in host name')]),
        ({"url": "https://a%zz/"}, [no_url("https://a%zz/", 'invalid URL escape "%zz"')]),
        ({"url": "https://a/%zz"}, [no_url("https://a/%zz", 'invalid URL escape "%zz"')]),
        ({"url": "https://a/#%zz"}, [no_url("https://a/#%zz", 'invalid URL escape "%zz"')]),
        ({"url": "https://a\n/"}, [no_url("https://a\\n/", "net/url: invalid control character in URL")]),
        ({"url": " https://a"}, [no_url(" https://a", "first path segment in URL cannot contain colon")]),
        ({"url": "://a"}, [no_url("://a", "missing protocol scheme")]),
        ({"url": "https://[::1"}, [no_url("https://[::1", "missing ']' in host")]),
        ({"url": "https://[1.2.3.4]/"}, [no_url("https://[1.2.3.4]/", "invalid IP-literal")]),
        ({"service": {**SERVICE, "path": "/a/b.c/", "port": 8443}}, []),
        ({"service": {**SERVICE, "path": "/"}}, []),
        (
            {"service": {}},
            [
                ".service.name: Required value: service name is required",
                ".service.namespace: Required value: service namespace is required",
            ],
        ),
        (
            {"service": {**SERVICE, "port": 0}},
            [".service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"],
        ),
        (
            {"service": {**SERVICE, "port": 65536}},
            [".service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive"],
        ),
        ({"service": {**SERVICE, "path": "foo/"}}, [".service.path: Invalid value: \"foo/\": must start with a '/'"]),
        ({"service": {**SERVICE, "path": "//"}}, ['.service.path: Invalid value: "//": segment[0] may not be empty']),
        ({"service": {**SERVICE, "path": "/a//b"}}, ['.service.path: Invalid value: "/a//b": segment[1] may not be empty']),
        ({"service": {**SERVICE, "path": "/a/b//"}}, ['.service.path: Invalid value: "/a/b//": segment[2] may not be empty']),
        ({"service": {**SERVICE, "path": "/a_b"}}, [f'.service.path: Invalid value: "/a_b": segment[0]: {dns_subdomain("a_b")[0]}']),
    ],
)
def test_what_is_wrong_with_the_way_to_a_webhook(kind, config, expected):
    found = findings(kind, {"webhooks": [{**HOOK, "clientConfig": config} if config is not None else without("clientConfig")]})
    paths = [f"webhooks[0]{text}" if text == ONE_OF_BOTH else f"webhooks[0].clientConfig{text}" for text in expected]
    assert len(found) == len(paths)
    assert all(text.startswith(begin) for text, begin in zip(found, paths, strict=True)), found


@EVERY
@pytest.mark.parametrize(
    ("change", "begins"),
    [
        ({"failurePolicy": ""}, 'failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"'),
        ({"matchPolicy": ""}, 'matchPolicy: Unsupported value: "": supported values: "Equivalent", "Exact"'),
        ({"rules": [{**RULE, "scope": ""}]}, 'rules[0].scope: Unsupported value: "": supported values: '),
    ],
)
def test_an_empty_word_is_another_than_none(kind, change, begins):
    """What isn't there has a default; what is empty says nothing that means anything."""
    (found,) = findings(kind, {"webhooks": [{**HOOK, **change}]})
    assert found.startswith(f"webhooks[0].{begins}"), found


NAMED = {"name": "a", "expression": "true"}


@EVERY
@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([NAMED], []),
        ([{"name": "a", "expression": "object.spec.replicas > 3 && authorizer.group('').resource('pods').check('get').allowed()"}], []),
        ([{"expression": "true"}], ["[0].name: Required value"]),
        ([{"name": "a"}], ["[0].expression: Required value"]),
        ([{"name": "a", "expression": "  "}], ["[0].expression: Required value"]),
        ([{"name": "a b", "expression": "true"}], [f'[0].name: Invalid value: "a b": {qualified_name("a b")[0]}']),
        ([NAMED, NAMED], ['[1].name: Duplicate value: "a"']),
        ([{**NAMED, "expression": "1"}], ['[0].expression: Invalid value: "1": must evaluate to bool but got int']),
        ([{**NAMED, "expression": "object.x"}], ['[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn']),
        ([{**NAMED, "expression": "request.dryRun"}], []),
        ([{**NAMED, "expression": "1 < 1.5 && request.userInfo.groups.all(i, group, i < 9 && group != 'a')"}], []),
        ([{**NAMED, "expression": "!format.dns1123Label().validate(request.name).hasValue() && request.options.x"}], []),
        (
            [{**NAMED, "expression": "request.operation == 1"}],
            ['[0].expression: Invalid value: "request.operation == 1": compilation failed: ERROR: <input>:1:19: found no matching'],
        ),
        (
            [{**NAMED, "expression": "request.kind.plural == 'a'"}],
            ["[0].expression: Invalid value: \"request.kind.plural == 'a'\": compilation failed: ERROR: <input>:1:13: undefined field"],
        ),
        (
            [{**NAMED, "expression": "request.name"}],
            ['[0].expression: Invalid value: "request.name": must evaluate to bool but got string'],
        ),
        (
            [{**NAMED, "expression": "params.x == 1"}],
            ['[0].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared'],
        ),
        (
            [{**NAMED, "expression": "variables.x == 1"}],
            ['[0].expression: Invalid value: "variables.x == 1": compilation failed: ERROR: <input>:1:1: undeclared'],
        ),
        (
            [{**NAMED, "expression": "object.x =="}],
            ['[0].expression: Invalid value: "object.x ==": compilation failed: ERROR: <input>:1:12: Syntax error: '],
        ),
        ([{**NAMED, "name": f"a{number}"} for number in range(64)], []),
        ([{**NAMED, "name": f"a{number}"} for number in range(65)], [": Too many: 65: must have at most 64 items"]),
    ],
)
def test_what_is_wrong_with_conditions(kind, conditions, expected):
    found = findings(kind, {"webhooks": [{**HOOK, "matchConditions": conditions}]})
    assert len(found) == len(expected)
    assert all(text.startswith(f"webhooks[0].matchConditions{begin}") for text, begin in zip(found, expected, strict=True)), found


@EVERY
def test_webhooks_are_told_apart_by_their_names(kind):
    assert findings(kind, {"webhooks": [HOOK, {**HOOK, "name": "b.example.com"}, HOOK]}) == [
        'webhooks[2].name: Duplicate value: "a.example.com"'
    ]


def test_who_changes_objects_says_when_it_is_asked_again():
    hook = {**HOOK, "reinvocationPolicy": "Odd"}
    check(MUTATING, hook, ['.reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"'])
    check(MUTATING, {**HOOK, "reinvocationPolicy": "IfNeeded"}, [])


@EVERY
def test_what_a_webhook_leaves_out(kind):
    (hook,) = filled(kind, {"webhooks": [{**HOOK, "clientConfig": {"service": SERVICE}}]})["webhooks"]
    expected = {
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "timeoutSeconds": 10,
        "clientConfig": {"service": {**SERVICE, "port": 443}},
        "rules": [{**RULE, "scope": "*"}],
    }
    assert {name: hook[name] for name in expected} == expected
    assert hook.get("reinvocationPolicy") == ("Never" if kind is MUTATING else None)


@EVERY
def test_a_configuration_in_one_line(kind):
    assert row(kind, {"webhooks": [HOOK, HOOK]}) == {"Webhooks": 2, "Age": "<unknown>"}
