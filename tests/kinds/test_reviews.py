"""Reviews and requests for tokens: what is wrong with what is asked."""

import pytest

from svcsim.kinds.authentication.token_request import TOKEN_REQUEST
from svcsim.kinds.authorization.local_subject_access_review import LOCAL_SUBJECT_ACCESS_REVIEW
from svcsim.kinds.authorization.self_subject_access_review import SELF_SUBJECT_ACCESS_REVIEW
from svcsim.kinds.authorization.subject_access_review import SUBJECT_ACCESS_REVIEW
from svcsim.kinds.core.service_account import SERVICE_ACCOUNT
from svcsim.registry.kind import Context
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.kinds.helpers import context, filled, findings, texts

RESOURCE = {"resourceAttributes": {"verb": "get", "resource": "pods"}}
PATH = {"nonResourceAttributes": {"path": "/", "verb": "get"}}
JANE = {"user": "jane"}
NONE_OF_BOTH = "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
BOTH = 'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: cannot be specified in combination with resourceAttributes'
NOBODY = 'spec.user: Invalid value: "": at least one of user or group must be specified'
NAMED = 'metadata: Invalid value: {"name":"a"}: must be empty'


def asked(kind, spec, metadata=None):
    return findings(kind, {"metadata": metadata or {}, "spec": spec})


@pytest.mark.parametrize(
    ("spec", "metadata", "expected"),
    [
        ({**RESOURCE, **JANE}, {}, []),
        ({**PATH, "groups": ["dev"]}, {}, []),
        ({**RESOURCE, **JANE}, {"managedFields": [{"manager": "a"}]}, []),
        ({}, {}, [NONE_OF_BOTH, NOBODY]),
        (JANE, {}, [NONE_OF_BOTH]),
        ({**RESOURCE, **PATH, **JANE}, {}, [BOTH]),
        (RESOURCE, {}, [NOBODY]),
        ({**PATH, "user": "", "groups": []}, {}, [NOBODY]),
        ({**RESOURCE, **JANE}, {"name": "a"}, [NAMED]),
        ({**RESOURCE, **JANE}, {"labels": {"a": "b"}}, ['metadata: Invalid value: {"labels":{"a":"b"}}: must be empty']),
        ({}, {"name": "a"}, [NONE_OF_BOTH, NOBODY, NAMED]),
    ],
)
def test_what_is_wrong_with_a_question_about_somebody(spec, metadata, expected):
    assert asked(SUBJECT_ACCESS_REVIEW, spec, metadata) == expected


@pytest.mark.parametrize(
    ("spec", "metadata", "expected"),
    [
        (RESOURCE, {}, []),
        (PATH, {}, []),
        ({}, {}, [NONE_OF_BOTH]),
        ({**RESOURCE, **PATH}, {}, [BOTH]),
        (RESOURCE, {"name": "a"}, [NAMED]),
        (PATH, {"namespace": "a"}, ['metadata: Invalid value: {"namespace":"a"}: must be empty']),
    ],
)
def test_what_is_wrong_with_a_question_about_oneself(spec, metadata, expected):
    assert asked(SELF_SUBJECT_ACCESS_REVIEW, spec, metadata) == expected


HERE = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "a"}}
ELSEWHERE = 'spec.resourceAttributes.namespace: Invalid value: "{}": must match metadata.namespace'


@pytest.mark.parametrize(
    ("spec", "metadata", "expected"),
    [
        ({**HERE, **JANE}, {"namespace": "a"}, []),
        ({**HERE, **JANE}, {"namespace": "b"}, [ELSEWHERE.format("a")]),
        ({**RESOURCE, **JANE}, {"namespace": "a"}, [ELSEWHERE.format("")]),
        (HERE, {"namespace": "a"}, [NOBODY]),
        (JANE, {"namespace": "a"}, [NONE_OF_BOTH]),
        (
            {**PATH, **JANE},
            {"namespace": "a"},
            ['spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: disallowed on this kind of request'],
        ),
        (
            {**HERE, **PATH, **JANE},
            {"namespace": "a"},
            [BOTH, 'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: disallowed on this kind of request'],
        ),
        (
            {**HERE, **JANE},
            {"namespace": "a", "name": "b"},
            ['metadata: Invalid value: {"name":"b","namespace":"a"}: must be empty except for namespace'],
        ),
    ],
)
def test_what_is_wrong_with_a_question_about_somebody_here(spec, metadata, expected):
    assert asked(LOCAL_SUBJECT_ACCESS_REVIEW, spec, metadata) == expected


@pytest.mark.parametrize("name", ["fieldSelector", "labelSelector"])
@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"rawSelector": "a=b"}, []),
        ({"requirements": [{"key": "a", "operator": "In", "values": ["b"]}]}, []),
        ({"requirements": [{"key": "a", "operator": "Exists"}]}, []),
        ({"requirements": [{"key": "a", "operator": "Newer"}]}, []),
        ({}, [".requirements: Required value: when {path} is specified, requirements or rawSelector is required"]),
        (
            {"rawSelector": "a", "requirements": [{"key": "a", "operator": "Exists"}]},
            ['.rawSelector: Invalid value: "a": may not specified at the same time as requirements'],
        ),
        ({"requirements": [{"operator": "Exists"}]}, [".requirements[0].key: Required value: must be specified"]),
        (
            {"requirements": [{"key": "a", "operator": "In"}]},
            [".requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            {"requirements": [{"key": "a", "operator": "NotIn", "values": []}]},
            [".requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            {"requirements": [{"key": "a", "operator": "DoesNotExist", "values": ["b"]}]},
            [".requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
        ),
    ],
)
def test_what_is_wrong_with_the_selector_of_a_question(name, selector, expected):
    path = f"spec.resourceAttributes.{name}"
    spec = {"resourceAttributes": {**RESOURCE["resourceAttributes"], name: selector}}
    assert asked(SELF_SUBJECT_ACCESS_REVIEW, spec) == [f"{path}{text.format(path=path)}" for text in expected]


SHORT = "may not specify a duration less than 10 minutes"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (600, []),
        (2**32, []),
        (599, [f"spec.expirationSeconds: Invalid value: 599: {SHORT}"]),
        (0, [f"spec.expirationSeconds: Invalid value: 0: {SHORT}"]),
        (-1, [f"spec.expirationSeconds: Invalid value: -1: {SHORT}"]),
        (2**32 + 1, ["spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds"]),
    ],
)
def test_for_how_long_a_token_may_be_asked(seconds, expected):
    assert texts(compile_struct(object_struct(TOKEN_REQUEST)).validate({"spec": {"expirationSeconds": seconds}})) == expected


def test_a_token_is_asked_for_an_hour():
    request = {}
    compile_struct(object_struct(TOKEN_REQUEST)).default(request)
    assert request == {"spec": {"expirationSeconds": 3600}}


def test_of_an_accounts_secrets_the_names_are_kept():
    account = filled(SERVICE_ACCOUNT, {"secrets": [{"name": "a", "namespace": "b", "uid": "c"}, {"kind": "Secret"}]})
    SERVICE_ACCOUNT.strategy.create(account, context())
    assert account["secrets"] == [{"name": "a"}, {}]
    SERVICE_ACCOUNT.strategy.update(account := {"secrets": [{"name": "a", "kind": "x"}]}, {}, context())
    assert account == {"secrets": [{"name": "a"}]}


@pytest.mark.parametrize(("before", "warned"), [({}, True), ({"kubernetes.io/enforce-mountable-secrets": "false"}, False)])
def test_who_has_mounts_enforced_is_warned_once(before, warned):
    warnings: list[str] = []
    told = Context(*context()[:4], warnings=warnings)
    new = {"metadata": {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}}
    SERVICE_ACCOUNT.strategy.update(new, {"metadata": {"annotations": before}}, told)
    path = "metadata.annotations[kubernetes.io/enforce-mountable-secrets]"
    advice = f"{path}: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
    assert warnings == ([advice] if warned else [])
