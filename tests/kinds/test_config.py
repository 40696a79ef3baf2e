"""ConfigMap and Secret."""

import base64

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.core.config_map import CONFIG_MAP
from svcsim.kinds.core.secret import SECRET
from tests.kinds.helpers import ago, change_findings, context, filled, findings, row

BIG = "x" * (1024 * 1024 + 1)
KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
    "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
FROZEN = "Forbidden: field is immutable when `immutable` is set"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"data": {"a.b-C_1": "x"}, "binaryData": {"b": b64("x")}}, []),
        ({"data": {"a b": "x"}}, [f'data[a b]: Invalid value: "a b": {KEY}']),
        ({"data": {"..a": "x"}}, ["data[..a]: Invalid value: \"..a\": must not start with '..'"]),
        (
            {"data": {"a": "x"}, "binaryData": {"a": b64("x")}},
            [
                'data[a]: Invalid value: "a": duplicate of key present in binaryData',
                'binaryData[a]: Invalid value: "a": duplicate of key present in data',
            ],
        ),
        ({"data": {"a": BIG}}, ["[]: Too long: may not be more than 1048576 bytes"]),
        ({"binaryData": {"a": b64(BIG)}}, ["[]: Too long: may not be more than 1048576 bytes"]),
    ],
)
def test_keys_and_size_of_a_config_map(obj, expected):
    assert findings(CONFIG_MAP, obj) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"data": {"a": "1"}}, {"data": {"a": "2"}, "immutable": True}, []),
        ({"data": {"a": "1"}, "immutable": True}, {"data": {"a": "1"}, "immutable": True}, []),
        ({"data": {"a": "1"}, "immutable": True}, {"data": {"a": "2"}}, [f"immutable: {FROZEN}", f"data: {FROZEN}"]),
        ({"immutable": True}, {"immutable": True, "binaryData": {"a": b64("1")}}, [f"binaryData: {FROZEN}"]),
    ],
)
def test_an_immutable_config_map_stays_as_it_is(before, after, expected):
    assert change_findings(CONFIG_MAP, before, after) == expected


def test_text_of_a_secret_becomes_data_and_wins_over_it():
    secret = filled(SECRET, {"data": {"a": b64("old"), "b": b64("kept")}, "stringData": {"a": "new"}})
    assert secret == {"type": "Opaque", "data": {"a": b64("new"), "b": b64("kept")}}


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("tls", {"tls.crt": "c", "tls.key": "k"}, []),
        ("tls", {}, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]),
        ("basic-auth", {"username": "u"}, []),
        ("basic-auth", {}, ["data[username]: Required value", "data[password]: Required value"]),
        ("ssh-auth", {}, ["data[ssh-privatekey]: Required value"]),
        ("dockerconfigjson", {".dockerconfigjson": "{}"}, []),
        ("dockerconfigjson", {}, ["data[.dockerconfigjson]: Required value"]),
        ("dockercfg", {".dockercfg": "[]"}, ['data[.dockercfg]: Invalid value: "<secret contents redacted>": must be a JSON object']),
    ],
)
def test_a_type_of_secrets_says_what_they_hold(dialect, kind, data, expected):
    secret = {"type": dialect.key(kind), "stringData": data}
    assert findings(SECRET, secret, context(dialect)) == expected


def test_a_token_secret_names_its_account():
    secret = {"type": "kubernetes.io/service-account-token"}
    assert findings(SECRET, secret) == ["metadata.annotations[kubernetes.io/service-account.name]: Required value"]


def test_a_secrets_type_does_not_change():
    assert change_findings(SECRET, {"type": "a/b"}, {"type": "a/c"}) == ['type: Invalid value: "a/c": field is immutable']


def test_tables_count_keys():
    metadata = {"creationTimestamp": ago(90)}
    assert row(CONFIG_MAP, {"metadata": metadata, "data": {"a": "1"}, "binaryData": {"b": "", "c": ""}}) == {"Data": 3, "Age": "90s"}
    assert row(SECRET, {"metadata": {}, "type": "Opaque", "data": {"a": ""}}) == {"Type": "Opaque", "Data": 1, "Age": "<unknown>"}
