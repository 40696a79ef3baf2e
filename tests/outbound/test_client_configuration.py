"""Files that name a server to be asked: what they come to, and what is said of those that are no good."""

import base64
import json

import pytest

from svcsim.meta.configuration_error import ConfigurationError
from svcsim.outbound.client_configuration import remote_in_file
from tests.outbound.tls import Authority

AUTHORITY = Authority()
CERTIFICATE, KEY = AUTHORITY.issue("client")
OPTION = "--some-webhook-config-file"


def encoded(content):
    return base64.b64encode(content).decode()


def written(tmp_path, cluster=None, user=None, mode=0o600, **other):
    content = {
        "clusters": [{"name": "c", "cluster": {"server": "https://a.example:8443/x/", **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "here",
        **other,
    }
    path = tmp_path / "config"
    path.write_text(json.dumps(content))
    path.chmod(mode)
    return path


def read(path):
    return remote_in_file(OPTION, path, "test")


def test_a_file_says_where_the_server_is_and_how_to_be_sure_of_each_other(tmp_path):
    (tmp_path / "ca.pem").write_bytes(AUTHORITY.pem)
    (tmp_path / "client.pem").write_bytes(CERTIFICATE)
    remote = read(
        written(
            tmp_path,
            {"certificate-authority": "ca.pem", "tls-server-name": "b.example"},
            {"client-certificate": "client.pem", "client-key-data": encoded(KEY), "token": "the-token"},
        )
    )
    assert (remote.base, remote.server_name) == ("https://a.example:8443/x", "b.example")
    assert remote.trust.ca_pem == AUTHORITY.pem
    assert (remote.trust.certificate_pem, remote.trust.key_pem, remote.trust.verify) == (CERTIFICATE, KEY, True)
    assert remote.headers == (("authorization", "Bearer the-token"),)
    assert "the-token" not in repr(remote)


def test_what_is_inline_goes_before_files_and_tokens_may_stand_in_one(tmp_path):
    (tmp_path / "token").write_text("from a file\n")
    (tmp_path / "token").chmod(0o600)
    cluster = {"certificate-authority": "not there", "certificate-authority-data": encoded(AUTHORITY.pem)}
    remote = read(written(tmp_path, cluster, {"tokenFile": "token"}))
    assert remote.trust.ca_pem == AUTHORITY.pem
    assert remote.headers == (("authorization", "Bearer from a file"),)
    assert read(written(tmp_path, {"insecure-skip-tls-verify": True})).trust.verify is False


def test_yaml_will_do_and_nobody_need_be_shown_anything(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "clusters:\n- name: c\n  cluster: {server: https://a.example}\ncontexts:\n- name: x\n  context: {cluster: c}\ncurrent-context: x\n"
    )
    assert read(path).headers == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"current-context": ""}, "it has no current-context, which says which cluster and user are meant"),
        ({"current-context": "there"}, 'its current-context "there" is not among its contexts'),
        ({"clusters": []}, 'the cluster "c" of its context "here" is not among its clusters'),
        ({"users": []}, 'the user "u" of its context "here" is not among its users'),
        ({"clusters": 7}, "not a client configuration"),
        ({"cluster": {"server": 7}}, "the cluster's server is not a string"),
        ({"cluster": {"server": ""}}, "must begin with https:// and name a host"),
        ({"cluster": {"server": "http://a.example"}}, "must begin with https:// and name a host"),
        ({"cluster": {"server": "https://u:p@a.example"}}, "a URL without user, query and fragment is needed"),
        ({"cluster": {"insecure-skip-tls-verify": "yes"}}, "insecure-skip-tls-verify is neither true nor false"),
        (
            {"cluster": {"insecure-skip-tls-verify": True, "certificate-authority-data": encoded(AUTHORITY.pem)}},
            "insecure-skip-tls-verify and a certificate-authority contradict each other",
        ),
        ({"cluster": {"certificate-authority": "missing.pem"}}, "No such file or directory"),
        ({"cluster": {"certificate-authority-data": "***"}}, "certificate-authority-data is not base64"),
        ({"cluster": {"certificate-authority-data": encoded(b"no PEM")}}, "there is no usable certificate in it"),
        ({"user": {"client-certificate-data": encoded(CERTIFICATE)}}, "one of them is missing"),
        (
            {"user": {"client-certificate-data": encoded(CERTIFICATE), "client-key-data": encoded(AUTHORITY.issue("other")[1])}},
            "they are no pair of a certificate and its key",
        ),
        ({"user": {"token": "t", "username": "u"}}, "only one of them can be sent"),
        ({"user": {"token": "two\nlines"}}, "characters that no header can carry"),
        ({"user": {"exec": {"command": "x"}}}, "the user's exec is a plugin, which a server does not run"),
        ({"user": {"tokenFile": "missing"}}, "No such file or directory"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line_that_names_the_option(tmp_path, given, said):
    path = written(tmp_path, **given)
    with pytest.raises(ConfigurationError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{OPTION}: {path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_file_or_no_yaml_is_named(tmp_path):
    for content in (None, b"\xff\xfe", b"{", b"a: [", b"- 1\n", b""):
        path = tmp_path / "config"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigurationError, match=f"^{OPTION}: {path}: "):
            read(path)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_files_with_secrets_are_their_owner_s_alone(tmp_path, mode):
    path = written(tmp_path, user={"token": "the-token"}, mode=mode)
    with pytest.raises(ConfigurationError) as caught:
        read(path)
    said = f"{OPTION}: {path}: others can get at the secrets in it (its mode is {mode:04o}); to mend that: chmod 600 {path}"
    assert str(caught.value) == said
    assert read(written(tmp_path, mode=mode)).headers == (), "without a secret anybody may read it"
    (tmp_path / "key.pem").write_bytes(KEY)
    (tmp_path / "key.pem").chmod(mode)
    with pytest.raises(ConfigurationError, match=r"key\.pem: others can get at the secrets in it"):
        read(written(tmp_path, user={"client-certificate-data": encoded(CERTIFICATE), "client-key": "key.pem"}))
