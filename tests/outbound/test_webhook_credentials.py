"""Which user of a file the server is to which webhook."""

import json
from pathlib import Path

import pytest

from svcsim.meta.configuration_error import ConfigurationError
from svcsim.outbound.remote import Remote, ServiceReference
from svcsim.outbound.webhook_credentials import WebhookCredentials
from tests.outbound.tls import Authority

OPTION = "--admission-control-config-file"


def credentials(tmp_path: Path, *names: str) -> WebhookCredentials:
    users = [{"name": name, "user": {"token": name}} for name in names]
    return _read(tmp_path, users)


def _read(tmp_path: Path, users: list[object]) -> WebhookCredentials:
    file = tmp_path / "users"
    file.write_text(json.dumps({"users": users}))
    file.chmod(0o600)
    return WebhookCredentials.read(OPTION, file)


ALL = ("a.default.svc:443", "a.default.svc", "*.default.svc:443", "*.default.svc", "*.svc", "*", "hooks.example.com:8443", "[::1]:9443")
A_SERVICE, ANOTHER_PORT = (Remote("w", service=ServiceReference("default", "a", port)) for port in (443, 8443))


@pytest.mark.parametrize(
    ("remote", "known", "wanted"),
    [
        (A_SERVICE, ALL, "a.default.svc:443"),
        (A_SERVICE, ALL[1:], "*.default.svc:443"),
        (A_SERVICE, ("a.default.svc", "*.svc", "*"), "a.default.svc"),
        (A_SERVICE, ("*.default.svc", "*.svc", "*"), "*.default.svc"),
        (A_SERVICE, ("*.svc", "*"), "*.svc"),
        (A_SERVICE, ("*",), "*"),
        (A_SERVICE, (), ""),
        (ANOTHER_PORT, ("a.default.svc", "*"), "*"),
        (ANOTHER_PORT, ("a.default.svc:8443", "*"), "a.default.svc:8443"),
        (ANOTHER_PORT, ("*.default.svc:8443", "*"), "*.default.svc:8443"),
        (Remote("w", "https://hooks.example.com:8443/x"), ALL, "hooks.example.com:8443"),
        (Remote("w", "https://hooks.example.com/x"), ALL, "*"),
        (Remote("w", "https://[::1]:9443/x"), ALL, "[::1]:9443"),
    ],
)
def test_the_name_that_fits_best_counts(tmp_path: Path, remote: Remote, known: tuple[str, ...], wanted: str):
    headers = credentials(tmp_path, *known).known_to(remote).headers
    assert headers == ((("authorization", f"Bearer {wanted}"),) if wanted else ())


def test_a_user_may_have_a_certificate_or_a_password(tmp_path: Path):
    certificate, key = Authority().issue("server")
    (tmp_path / "c.pem").write_bytes(certificate)
    (tmp_path / "k.pem").write_bytes(key)
    (tmp_path / "k.pem").chmod(0o600)
    users = [
        {"name": "*.svc", "user": {"client-certificate": "c.pem", "client-key": "k.pem"}},
        {"name": "*", "user": {"username": "u", "password": "p"}},
    ]
    found = _read(tmp_path, users)
    trust = found.known_to(A_SERVICE).trust
    assert (trust.certificate_pem, trust.key_pem) == (certificate, key)
    assert found.known_to(Remote("w", "https://x/")).headers == (("authorization", "Basic dTpw"),)


@pytest.mark.parametrize(
    ("user", "why"),
    [
        ({"exec": {}}, "the user's exec is a plugin"),
        ({"token": "t", "username": "u"}, "only one of them can be sent"),
        ({"client-certificate-data": "eA=="}, "client-certificate and client-key belong together"),
        ({"token": 7}, "the user's token is not a string"),
    ],
)
def test_what_is_wrong_with_a_user_is_told(tmp_path: Path, user: object, why: str):
    with pytest.raises(ConfigurationError, match=why):
        _read(tmp_path, [{"name": "*", "user": user}])
