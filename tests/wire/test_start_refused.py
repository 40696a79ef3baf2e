"""What a cluster is told at its start and can't follow: one line that names the option, and nothing is started."""

import json

import pytest

from svcsim.dialect import DIALECTS
from tests.process import environment, ran, served
from tests.wire.reviewing import reviewing


def refused(home, dialect, *options):
    """What ``up`` says as it gives up."""
    home.mkdir(parents=True, exist_ok=True)
    done = ran("up", "--foreground", "--dialect", dialect, "--nodes", "0", *options, env=environment(home))
    assert done.returncode == 1, done
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


def private(path, content):
    path.write_text(content)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("dialect", DIALECTS)
def test_files_that_are_no_good_are_refused_in_a_line(tmp_path, dialect):
    home = tmp_path / "home"
    for option in ("--authentication-token-webhook-config-file", "--authorization-webhook-config-file"):
        mode = ("--authorization-mode", "Webhook") if "authorization" in option else ()
        said = refused(home, dialect, *mode, option, str(tmp_path / "missing"))
        assert said == f"error: {option}: {tmp_path}/missing: there is no such file"
        file = private(tmp_path / "webhook", "clusters: [")
        assert refused(home, dialect, *mode, option, str(file)).startswith(f"error: {option}: {file}: ")
    said = refused(home, dialect, "--authorization-webhook-config-file", str(file))
    assert said == "error: --authorization-webhook-config-file is of no use without Webhook among the modes of --authorization-mode"
    said = refused(home, dialect, "--authorization-mode", "Webhook")
    assert said == "error: --authorization-mode: Webhook needs --authorization-webhook-config-file, which says what server to ask"
    option = "--encryption-provider-config"
    assert refused(home, dialect, option, str(tmp_path / "missing")) == f"error: {option}: {tmp_path}/missing: No such file or directory"
    kind, version = "EncryptionConfiguration", f"{DIALECTS[dialect].group('apiserver.config')}/v1"
    file = private(tmp_path / "encryption", "kind: EncryptionConfiguration")
    said = refused(home, dialect, option, str(file))
    assert said == f"error: {option}: {file}: it has to be apiVersion: {version}, kind: {kind}, not None, {kind}"
    resources = [{"resources": ["secrets"], "providers": [{"kms": {}}]}]
    private(file, json.dumps({"apiVersion": version, "kind": kind, "resources": resources}))
    assert refused(home, dialect, option, str(file)).endswith(
        "providers[0].kms: svcsim asks no key management service; there are aescbc, aesgcm, secretbox"
    )
    said = refused(home, dialect, "--authentication-token-webhook-version", "v2")
    assert said == 'error: unknown authentication-token-webhook-version "v2"; there are: v1, v1beta1'


@pytest.mark.parametrize("dialect", DIALECTS)
def test_keys_that_others_can_read_are_refused_as_ssh_does(tmp_path, dialect):
    home = tmp_path / "home"
    with reviewing(tmp_path / "webhook") as remote:
        file = remote.config(tmp_path, token="the-token")
    file.chmod(0o644)
    said = refused(home, dialect, "--authentication-token-webhook-config-file", str(file))
    assert said.endswith(f"{file}: others can get at the secrets in it (its mode is 0644); to mend that: chmod 600 {file}")
    assert "the-token" not in said
    file = tmp_path / "encryption"
    file.write_text("{}")
    file.chmod(0o640)
    assert "chmod 600" in refused(home, dialect, "--encryption-provider-config", str(file))

    again = tmp_path / "again"
    with served(again, dialect, "--nodes", "0") as server:
        pki = server.pki
    for name in ("ca.key", "admin.token"):
        (pki / name).chmod(0o604)
        said = refused(again, dialect)
        key = pki / name
        told = f"{key}: others can get at the secrets in it (its mode is 0604); to mend that: chmod 600 {key}"
        assert said == f"error: this cluster's keys: {told}"
        (pki / name).chmod(0o600)
    with served(again, dialect, "--nodes", "0"):
        pass
