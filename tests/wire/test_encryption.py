"""Secrets at rest: what stands in the data file, who can read it again, and how keys are changed."""

import base64
import json
import subprocess
from contextlib import contextmanager

import pytest

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.raw import Wire

CANARY = "canary-4b1d-not-to-be-found"
ENCODED = base64.b64encode(CANARY.encode()).decode()
SECRETS = "/api/v1/namespaces/default/secrets"


def key(name, fill):
    return {"name": name, "secret": base64.b64encode(bytes([fill]) * 32).decode()}


AESCBC = {"aescbc": {"keys": [key("k1", 1)]}}
AESGCM = {"aesgcm": {"keys": [key("k2", 2)]}}
SECRETBOX = {"secretbox": {"keys": [key("k3", 3)]}}
IDENTITY = {"identity": {}}


def configured(path, dialect, *providers, resources=("secrets",)):
    version = f"{DIALECTS[dialect].group('apiserver.config')}/v1"
    blocks = [{"resources": list(resources), "providers": list(providers)}]
    path.write_text(json.dumps({"apiVersion": version, "kind": "EncryptionConfiguration", "resources": blocks}))
    path.chmod(0o600)
    return path


@contextmanager
def keeping(tmp_path, dialect, *providers, options=(), **given):
    """A cluster that keeps its secrets so."""
    named = ("--encryption-provider-config", "none")
    if providers:
        named = ("--encryption-provider-config", str(configured(tmp_path / "encryption.json", dialect, *providers, **given)))
    data = ("--data-dir", str(tmp_path / "data"))
    with served(tmp_path / "home", dialect, "--nodes", "0", *data, *named, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()


def kept(tmp_path):
    """All bytes of the cluster's data."""
    return b"".join(path.read_bytes() for path in sorted((tmp_path / "data").rglob("*")) if path.is_file())


def revisions(wire):
    """Those of the secrets, since controllers of a cluster that has just started still write other objects."""
    return {one["metadata"]["name"]: int(one["metadata"]["resourceVersion"]) for one in wire.get(SECRETS)["items"]}


def secret(name="a", **other):
    return {"metadata": {"name": name}, "type": "Opaque", "data": {"password": ENCODED}, **other}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("provider", [AESCBC, AESGCM, SECRETBOX], ids=["aescbc", "aesgcm", "secretbox"])
def test_no_value_of_a_secret_stands_in_the_data_file(tmp_path, dialect, provider):
    if provider is SECRETBOX:
        pytest.importorskip("nacl")
    with keeping(tmp_path, dialect, provider, IDENTITY) as wire:
        made = wire.create(SECRETS, secret())
        wire.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "open"}, "data": {"a": "plain-to-see"}})
        with wire.watch(SECRETS, resourceVersion="0") as events:
            wire.patch(f"{SECRETS}/a", {"stringData": {"more": CANARY}, "metadata": {"labels": {"x": "y"}}})
            seen = events.until(lambda event: event["type"] == "MODIFIED")
        assert seen[-1]["object"]["data"] == {"password": ENCODED, "more": ENCODED}
        assert wire.get(f"{SECRETS}/a")["data"]["password"] == ENCODED
        assert [one["metadata"]["name"] for one in wire.get(SECRETS, labelSelector="x=y")["items"]] == ["a"]
        assert [one["metadata"]["name"] for one in wire.get(SECRETS, fieldSelector="type=Opaque")["items"]] == ["a"]
        assert wire.get(f"{SECRETS}", resourceVersion=made["metadata"]["resourceVersion"], resourceVersionMatch="Exact")["items"]
        wire.create(SECRETS, secret("gone"))
        wire.delete(f"{SECRETS}/gone")
        with wire.watch(SECRETS, resourceVersion=made["metadata"]["resourceVersion"]) as events:
            past = events.until(lambda event: event["type"] == "DELETED")
        assert past[-1]["object"]["data"] == {"password": ENCODED}, "history is decrypted too"
    content = kept(tmp_path)
    assert b"plain-to-see" in content
    assert b"enc:" + next(iter(provider)).encode() in content
    assert CANARY.encode() not in content
    assert ENCODED.encode() not in content
    with keeping(tmp_path, dialect, provider, IDENTITY) as wire:
        assert wire.get(f"{SECRETS}/a")["data"] == {"password": ENCODED, "more": ENCODED}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_keys_are_changed_by_writing_everything_again(tmp_path, dialect):
    with keeping(tmp_path, dialect) as wire:
        wire.create(SECRETS, secret("plain"))
    with keeping(tmp_path, dialect, AESCBC, IDENTITY) as wire:
        wire.create(SECRETS, secret("old"))
        assert {one["metadata"]["name"] for one in wire.get(SECRETS)["items"]} == {"plain", "old"}
    with keeping(tmp_path, dialect, AESGCM, AESCBC, IDENTITY) as wire:
        began = wire.revision()
        for name in ("plain", "old"):
            assert wire.ask("PUT", f"{SECRETS}/{name}", wire.get(f"{SECRETS}/{name}")).status == 200
        after = revisions(wire)
        assert all(revision > began for revision in after.values())
        for name in ("plain", "old"):
            wire.ask("PUT", f"{SECRETS}/{name}", wire.get(f"{SECRETS}/{name}"))
        assert revisions(wire) == after, "once is enough"
    with keeping(tmp_path, dialect, AESGCM) as wire:
        assert {one["metadata"]["name"]: one["data"]["password"] for one in wire.get(SECRETS)["items"]} == {
            "plain": ENCODED,
            "old": ENCODED,
        }


def test_kubectl_rewrites_secrets_as_the_manual_has_it(tmp_path):
    with keeping(tmp_path, "kubernetes", AESCBC) as wire:
        wire.create(SECRETS, secret("a"))
        wire.create(SECRETS, secret("b"))
    with keeping(tmp_path, "kubernetes", AESGCM, AESCBC) as wire:
        kubectl = ["kubectl", "--kubeconfig", str(wire.server.kubeconfig)]
        found = subprocess.run([*kubectl, "get", "secrets", "-A", "-o", "json"], capture_output=True, check=True).stdout
        subprocess.run([*kubectl, "replace", "-f", "-"], input=found, capture_output=True, check=True)
    with keeping(tmp_path, "kubernetes", AESGCM) as wire:
        assert [one["data"]["password"] for one in wire.get(SECRETS)["items"]] == [ENCODED, ENCODED]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("left", [(AESGCM, IDENTITY), ()], ids=["another key", "no file"])
def test_what_nobody_can_decrypt_is_named_and_can_be_deleted(tmp_path, dialect, left):
    with keeping(tmp_path, dialect, AESCBC, IDENTITY) as wire:
        wire.create(SECRETS, secret("lost"))
    with keeping(tmp_path, dialect, *left) as wire:
        answer = wire.ask("GET", f"{SECRETS}/lost")
        assert (answer.status, answer.reason) == (500, "StorageReadError")
        assert answer.message.startswith(
            'secrets default/lost: it is encrypted with the aescbc key "k1", which --encryption-provider-config'
        )
        answer = wire.ask("GET", SECRETS)
        assert (answer.status, "default/lost" in answer.message) == (500, True)
        assert wire.ask("PATCH", f"{SECRETS}/lost", {"data": {}}, content_type="application/merge-patch+json").status == 500
        assert wire.ask("DELETE", f"{SECRETS}/lost").status == 500
        wire.create(SECRETS, secret("another"))
        assert wire.get(f"{SECRETS}/another")
        gone = wire.ask("DELETE", f"{SECRETS}/lost", None, ignoreStoreReadErrorWithClusterBreakingPotential="true")
        assert gone.status == 200, gone.body
        assert [one["metadata"]["name"] for one in wire.get(SECRETS)["items"]] == ["another"]
        assert wire.ask("GET", "/readyz").status == 200


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_resource_can_be_kept_so(tmp_path, dialect):
    with keeping(tmp_path, dialect, AESGCM, resources=("configmaps", "*.apps")) as wire:
        wire.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "a"}, "data": {"a": CANARY}})
        wire.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "shown", "annotations": {"a": "plain-to-see"}}})
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": CANARY}]}}
        spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
        wire.create("/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "a"}, "spec": spec})
        wire.until("/apis/apps/v1/namespaces/default/replicasets", lambda found: found["items"])
    assert CANARY.encode() not in kept(tmp_path)
    assert b"plain-to-see" in kept(tmp_path)


def test_the_file_is_followed_where_that_is_asked_for(tmp_path):
    with keeping(tmp_path, "kubernetes", IDENTITY, options=("--encryption-provider-config-automatic-reload", "--clock", "paused")) as wire:

        def a_minute_later():
            assert wire.ask("PUT", "/svcsim/v1/clock", {"step": 61}).status == 200

        a_minute_later()
        configured(tmp_path / "encryption.json", "kubernetes", AESGCM, IDENTITY)
        a_minute_later()
        wire.create(SECRETS, secret("a"))
        assert "has changed" in wire.server.log
        (tmp_path / "encryption.json").write_text("{")
        a_minute_later()
        assert "objects are stored as before" in wire.server.log
        assert wire.get(f"{SECRETS}/a")["data"]["password"] == ENCODED
    assert ENCODED.encode() not in kept(tmp_path)
    assert b"enc:aesgcm:v1:k2:" in kept(tmp_path)
