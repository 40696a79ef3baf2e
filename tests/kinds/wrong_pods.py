"""Pods with something wrong in them, and the words that say what."""

from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import findings

CONTAINER = {"name": "a", "image": "a:1"}
ONE = "spec.containers[0]"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
SEARCH = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
EPHEMERAL = "Forbidden: cannot be set for an Ephemeral Container"
WINDOWS = "Forbidden: cannot be set for a windows pod"
BYTES = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
ID = "must be between 0 and 2147483647, inclusive"


def pod(**spec):
    return {"metadata": {"name": "p"}, "spec": {"containers": [CONTAINER], **spec}}


def with_container(**fields):
    return pod(containers=[{**CONTAINER, **fields}])


def check(obj, expected):
    assert findings(POD, obj) == expected


def check_beginnings(obj, expected):
    """The same of findings that go on for long."""
    found = findings(POD, obj)
    assert [text[: len(beginning)] for text, beginning in zip(found, expected, strict=True)] == expected, found


def of_one(texts):
    return [f"{ONE}.{text}" for text in texts]
