"""Runtimes that nodes offer: what is wrong with a RuntimeClass, and what may not change."""

import pytest

from svcsim.kinds.node.runtime_class import RUNTIME_CLASS
from tests.kinds.helpers import change_findings, findings, row
from tests.kinds.samples.policy import FULL

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
TOLERATION = {"key": "a", "operator": "Exists", "effect": "NoSchedule"}
LIMIT = "overhead.limits"


def tolerating(*tolerations):
    return {"handler": "runc", "scheduling": {"tolerations": list(tolerations)}}


def taking(**amounts):
    return {"handler": "runc", "overhead": {"podFixed": amounts}}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (FULL["node/v1 RuntimeClass"], []),
        ({"handler": "runc"}, []),
        ({"handler": "runc", "overhead": {}, "scheduling": {}}, []),
        ({}, [f'handler: Invalid value: "": {LABEL}']),
        ({"handler": "A_B"}, [f'handler: Invalid value: "A_B": {LABEL}']),
        ({"handler": "a.b"}, ['handler: Invalid value: "a.b": must not contain dots']),
        ({"handler": "a" * 64}, [f'handler: Invalid value: "{"a" * 64}": must be no more than 63 characters']),
        (taking(cpu="-1"), [f'{LIMIT}[cpu]: Invalid value: "-1": must be greater than or equal to 0']),
        (
            taking(gpu="1"),
            [
                f'{LIMIT}[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
                f'{LIMIT}[gpu]: Invalid value: "gpu": must be a standard resource for containers',
            ],
        ),
        ({"handler": "runc", "scheduling": {"nodeSelector": {"a!": "b"}}}, [f'scheduling.nodeSelector: Invalid value: "a!": {KEY}']),
        ({"handler": "runc", "scheduling": {"nodeSelector": {"a": "b!"}}}, [f'scheduling.nodeSelector: Invalid value: "b!": {VALUE}']),
        (tolerating(TOLERATION, {**TOLERATION, "effect": "NoExecute"}), []),
        (
            tolerating({**TOLERATION, "operator": "Like"}),
            ['scheduling.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"'],
        ),
        (
            tolerating(TOLERATION, TOLERATION),
            [
                (
                    'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"NoSchedule",'
                    '"TolerationSeconds":null}'
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_runtime_class(obj, expected):
    assert findings(RUNTIME_CLASS, {"metadata": {"name": "r"}, **obj}) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({"handler": "runc"}, []),
        (taking(cpu="1"), []),
        (tolerating(TOLERATION), []),
        ({"handler": "other"}, ['handler: Invalid value: "other": field is immutable']),
    ],
)
def test_the_handler_of_a_runtime_class_stays(after, expected):
    assert change_findings(RUNTIME_CLASS, {"handler": "runc"}, after) == expected


def test_a_runtime_class_in_one_line():
    assert row(RUNTIME_CLASS, {"handler": "runc"}) == {"Handler": "runc", "Age": "<unknown>"}
