"""APIService: which of them are right, and what a table says of them."""

import pytest

from svcsim.kinds.apiregistration.api_service import API_SERVICE
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.kinds.helpers import change_findings, created, filled, findings, row

SERVICE = {"namespace": "ns", "name": "api", "port": 443}
BUNDLE = "Q0VSVA=="


def api_service(name=None, **spec):
    whole = {"group": "example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15, **spec}
    whole = {key: value for key, value in whole.items() if value is not None}
    return {"metadata": {"name": name or f"{whole.get('version', '')}.{whole.get('group', '')}"}, "spec": whole}


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"service": SERVICE},
        {"service": SERVICE, "caBundle": BUNDLE},
        {"service": SERVICE, "insecureSkipTLSVerify": True},
        {"group": "", "version": "v1"},
        {"group": None},
        {"groupPriorityMinimum": 20_000, "versionPriority": 1_000},
        {"service": {"namespace": "ns", "name": "api"}},
    ],
)
def test_what_is_right(spec):
    assert findings(API_SERVICE, api_service(**spec)) == []


LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an "
    "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


@pytest.mark.parametrize(
    ("spec", "finding"),
    [
        (
            {"name": "example.com.v1"},
            'metadata.name: Invalid value: "example.com.v1": must be `spec.version+"."+spec.group`: "v1.example.com"',
        ),
        ({"name": "v1"}, 'metadata.name: Invalid value: "v1": must be `spec.version+"."+spec.group`: "v1.example.com"'),
        (
            {"group": "", "version": "v2"},
            "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
        ),
        ({"group": "Example.com"}, f'spec.group: Invalid value: "Example.com": {SUBDOMAIN}'),
        ({"group": "a_b"}, f'spec.group: Invalid value: "a_b": {SUBDOMAIN}'),
        ({"version": "1"}, f'spec.version: Invalid value: "1": {LABEL_1035}'),
        ({"version": "V1"}, f'spec.version: Invalid value: "V1": {LABEL_1035}'),
        ({"version": None}, f'spec.version: Invalid value: "": {LABEL_1035}'),
        ({"groupPriorityMinimum": 0}, "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000"),
        ({"groupPriorityMinimum": None}, "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000"),
        ({"groupPriorityMinimum": -1}, "spec.groupPriorityMinimum: Invalid value: -1: must be positive and less than 20000"),
        ({"groupPriorityMinimum": 20_001}, "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000"),
        ({"versionPriority": 0}, "spec.versionPriority: Invalid value: 0: must be positive and less than 1000"),
        ({"versionPriority": None}, "spec.versionPriority: Invalid value: 0: must be positive and less than 1000"),
        ({"versionPriority": -1}, "spec.versionPriority: Invalid value: -1: must be positive and less than 1000"),
        ({"versionPriority": 1_001}, "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000"),
        ({"caBundle": BUNDLE}, 'spec.caBundle: Invalid value: "4 bytes": local APIServices may not have a caBundle'),
        (
            {"insecureSkipTLSVerify": True},
            "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
        ),
        ({"service": {"name": "api"}}, "spec.service.namespace: Required value"),
        ({"service": {"namespace": "ns"}}, "spec.service.name: Required value"),
        (
            {"service": {**SERVICE, "port": 0}},
            "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            {"service": {**SERVICE, "port": 65_536}},
            "spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            {"service": SERVICE, "insecureSkipTLSVerify": True, "caBundle": BUNDLE},
            "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
        ),
    ],
)
def test_what_is_wrong_is_said(spec, finding):
    assert findings(API_SERVICE, api_service(**spec)) == [finding]


def test_all_that_is_wrong_is_said_at_once():
    wrong = {"group": "", "version": "", "groupPriorityMinimum": 0, "versionPriority": 0, "service": {"port": -1}}
    assert [one.partition(":")[0] for one in findings(API_SERVICE, api_service("x", **wrong))] == [
        "spec.group",
        "spec.version",
        "spec.groupPriorityMinimum",
        "spec.versionPriority",
        "spec.service.namespace",
        "spec.service.name",
        "spec.service.port",
        "metadata.name",
    ]


def test_a_service_may_come_and_go():
    assert change_findings(API_SERVICE, api_service(), api_service(service=SERVICE)) == []


def test_conditions_have_one_of_three_states():
    wrong = api_service()
    wrong["status"] = {"conditions": [{"type": "Available", "status": "Maybe"}]}

    found = compile_struct(object_struct(API_SERVICE.schema)).validate(filled(API_SERVICE, wrong))
    assert [(f.path, f.message) for f in found] == [
        ("status.conditions[0].status", 'Unsupported value: "Maybe": supported values: "True", "False", "Unknown"')
    ]


def test_the_port_is_that_of_https_unless_it_is_said():
    assert filled(API_SERVICE, api_service(service={"namespace": "ns", "name": "api"}))["spec"]["service"]["port"] == 443


def test_what_the_server_answers_itself_is_available_from_the_beginning():
    (condition,) = created(API_SERVICE, api_service())["status"]["conditions"]
    assert {**condition, "lastTransitionTime": ""} == {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": "",
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    assert created(API_SERVICE, api_service(service=SERVICE)).get("status") == {}


@pytest.mark.parametrize(
    ("service", "conditions", "cells"),
    [
        (None, [{"type": "Available", "status": "True", "reason": "Local"}], ["Local", "True"]),
        (SERVICE, [], ["ns/api", "Unknown"]),
        (SERVICE, [{"type": "Available", "status": "False", "reason": "MissingEndpoints"}], ["ns/api", "False (MissingEndpoints)"]),
        (SERVICE, [{"type": "Available", "status": "False"}], ["ns/api", "False"]),
        (SERVICE, [{"type": "Available", "status": "True", "reason": "Passed"}], ["ns/api", "True"]),
    ],
)
def test_a_table_says_who_answers_and_whether(service, conditions, cells):
    obj = {**api_service(service=service), "status": {"conditions": conditions}}
    assert list(row(API_SERVICE, obj).values())[:2] == cells
