"""Client configurations are read, merged and written as kubectl does it."""

import base64
import json
import os
import threading
from pathlib import Path

import pytest
import yaml

from svcsim.client import kubeconfig
from svcsim.client.config_lock import changing
from svcsim.client.kubeconfig import Access, KubeconfigError
from svcsim.meta.types import Object


def config(name: str, server: str = "https://127.0.0.1:1", **user: object) -> Object:
    return {
        **kubeconfig.empty(),
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }


def write(path: Path, content: Object) -> Path:
    path.write_text(yaml.safe_dump(content))
    return path


def test_the_first_file_wins_and_later_ones_add(tmp_path):
    one = write(tmp_path / "one", config("a", "https://first"))
    two = write(tmp_path / "two", {**config("a", "https://second"), "clusters": config("b", "https://b")["clusters"]})
    merged = kubeconfig.load([one, tmp_path / "missing", two])
    assert merged["current-context"] == "a"
    assert [(c["name"], c["cluster"]["server"]) for c in merged["clusters"]] == [("a", "https://first"), ("b", "https://b")]


def test_paths_come_from_the_flag_the_environment_or_the_home(monkeypatch, tmp_path):
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/one:{tmp_path}/two")
    assert kubeconfig.default_paths("given") == [Path("given")]
    assert kubeconfig.default_paths() == [tmp_path / "one", tmp_path / "two"]
    monkeypatch.delenv("KUBECONFIG")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert kubeconfig.default_paths() == [tmp_path / ".kube" / "config"]


def test_credentials_come_inline_or_from_files_beside_the_configuration(tmp_path):
    (tmp_path / "ca.pem").write_bytes(b"the authority")
    (tmp_path / "token").write_text("from a file\n")
    content = config("a", tokenFile="token")
    content["clusters"][0]["cluster"]["certificate-authority"] = "ca.pem"
    content["users"][0]["user"]["client-certificate-data"] = base64.b64encode(b"inline").decode()
    content["users"][0]["user"]["client-key-data"] = base64.b64encode(b"key").decode()
    content["contexts"][0]["context"]["namespace"] = "shop"
    access = kubeconfig.resolve(kubeconfig.load([write(tmp_path / "config", content)]))
    assert access.ca_pem == b"the authority"
    assert access.certificate_pem == b"inline"
    assert access.namespace == "shop"
    assert access.headers() == [("authorization", "Bearer from a file")]


def test_a_password_makes_a_basic_header():
    assert Access("https://x", username="a", password="b").headers() == [("authorization", "Basic YTpi")]


def test_a_described_cluster_resolves_to_the_same_access():
    access = Access("https://x:1", "shop", b"ca", tls_server_name="y", token="t", certificate_pem=b"c", key_pem=b"k")
    assert kubeconfig.resolve(kubeconfig.describe("name", access), "name") == access


@pytest.mark.parametrize(
    ("content", "context", "message"),
    [
        (kubeconfig.empty(), "", "no cluster is configured: run `svcsim up`, or name a context with --context"),
        (kubeconfig.empty(), "x", 'context "x" does not exist'),
        ({**config("a"), "clusters": []}, "a", 'cluster "a" does not exist'),
        (config("a", exec={"command": "login"}), "a", "apiVersion must be specified for a to use exec"),
        (
            config("a", exec={"command": "x", "apiVersion": "client.authentication.k8s.io/v1"}),
            "a",
            "interactiveMode must be specified for a",
        ),
        (config("a", exec={"command": "x", "apiVersion": "client.authentication.k8s.io/v2"}), "a", "invalid apiVersion"),
        (config("a", **{"auth-provider": {"name": "oidc"}}), "a", "use an exec plugin instead"),
        (config("a", **{"client-key-data": "!"}), "a", "client-key-data is not base64"),
        (config("a", token="x", username="u"), "a", "more than one authentication method found for a; found [token basicAuth], only one"),
        (
            config("a", **{"client-certificate-data": "eA=="}),
            "a",
            "client-key-data or client-key must be specified for a to use the clientCert authentication method.",
        ),
        (
            config("a", **{"client-certificate": "/nowhere/crt", "client-certificate-data": "eA==", "client-key-data": "eA=="}),
            "a",
            "client-cert-data and client-cert are both specified for a",
        ),
        (
            config("a", **{"client-key": "/nowhere/key", "client-certificate-data": "eA==", "client-key-data": "eA=="}),
            "a",
            "client-key-data and client-key are both specified for a",
        ),
        (config("a", tokenFile="/nowhere/token"), "a", "open /nowhere/token: no such file or directory"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(content, context, message):
    with pytest.raises(KubeconfigError) as raised:
        kubeconfig.resolve(content, context)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", ["[]", "just words", "{", "a: b: c"])
def test_a_file_that_is_no_configuration_is_told(tmp_path, content):
    (tmp_path / "config").write_text(content)
    with pytest.raises(KubeconfigError, match="error loading config file"):
        kubeconfig.load([tmp_path / "config"])


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing yet\n"])
def test_a_file_without_content_is_an_empty_configuration(tmp_path, content):
    path = tmp_path / "config"
    path.write_text(content)
    assert kubeconfig.load([path]) == kubeconfig.empty()
    assert kubeconfig.merge_into(path, config("a")) == "a"
    assert kubeconfig.resolve(kubeconfig.load([path])).server == "https://127.0.0.1:1"


def test_a_user_who_is_named_and_is_not_there_is_told():
    with pytest.raises(KubeconfigError, match='auth info "nobody" does not exist'):
        kubeconfig.resolve(config("a"), "a", user="nobody")


def test_a_named_file_that_is_missing_is_told(tmp_path):
    with pytest.raises(KubeconfigError, match="no such file"):
        kubeconfig.load([tmp_path / "x"], must_exist=True)


def test_merging_replaces_the_same_names_and_keeps_the_rest(tmp_path):
    path = tmp_path / "kube" / "config"
    kubeconfig.merge_into(path, config("a", "https://old"))
    kubeconfig.merge_into(path, config("b"))
    assert kubeconfig.merge_into(path, config("a", "https://new")) == "a"
    merged = json.loads(path.read_bytes())
    assert [(c["name"], c["cluster"]["server"]) for c in merged["clusters"]] == [("a", "https://new"), ("b", "https://127.0.0.1:1")]
    assert merged["current-context"] == "a", "the one that was chosen stays"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_yaml_file_stays_yaml_and_keeps_what_it_is_not_ours_to_know(tmp_path):
    path = write(tmp_path / "config", {**config("a"), "extensions": [{"name": "x", "extension": {"y": 1}}]})
    kubeconfig.merge_into(path, config("b"))
    assert not path.read_text().startswith("{")
    assert yaml.safe_load(path.read_text())["extensions"] == [{"name": "x", "extension": {"y": 1}}]


def test_a_link_to_a_configuration_stays_a_link(tmp_path):
    real = write(tmp_path / "real", config("a"))
    (tmp_path / "link").symlink_to(real)
    kubeconfig.merge_into(tmp_path / "link", config("b"))
    assert (tmp_path / "link").is_symlink()
    assert len(yaml.safe_load(real.read_text())["clusters"]) == 2


def test_what_was_added_can_be_removed(tmp_path):
    path = tmp_path / "config"
    kubeconfig.merge_into(path, config("a"))
    kubeconfig.merge_into(path, config("b"))
    kubeconfig.remove_from(path, "a")
    assert json.loads(path.read_bytes()) == {**config("b"), "current-context": ""}
    assert kubeconfig.merge_into(path, config("c")) == "c", "with none chosen the new one is the current one"
    kubeconfig.remove_from(tmp_path / "missing", "b")
    assert not (tmp_path / "missing").exists()


def test_using_a_context_changes_the_file_that_names_the_current_one(tmp_path):
    one = write(tmp_path / "one", {**config("a"), "current-context": ""})
    two = write(tmp_path / "two", config("b"))
    kubeconfig.use_context([one, two], "a")
    assert kubeconfig.load([one, two])["current-context"] == "a"
    assert yaml.safe_load(one.read_text())["current-context"] == ""
    with pytest.raises(KubeconfigError, match='no context exists with the name: "c"'):
        kubeconfig.use_context([one, two], "c")


def test_a_file_that_another_is_changing_is_waited_for_and_an_abandoned_lock_is_none(tmp_path: Path) -> None:
    path, lock = tmp_path / "config", tmp_path / "config.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    assert kubeconfig.merge_into(path, config("a")) == "a", "whoever took that was killed long ago"
    assert not lock.exists()
    order: list[str] = []

    def change() -> None:
        with changing(path):
            order.append("other")

    other = threading.Thread(target=change)
    with changing(path):
        other.start()
        order.append("this")
    other.join()
    assert order == ["this", "other"]


@pytest.mark.parametrize("command", ["./login", "bin/login", "../login", "./"])
@pytest.mark.parametrize("given", ["config", "./config", "{}/config"])
def test_a_plugin_with_a_path_is_never_sought_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "config", config("a", exec={"command": command}))
    loaded = kubeconfig.load([Path(given.format(tmp_path))])
    assert loaded["users"][0]["user"]["exec"]["command"] == str(tmp_path / command)


def test_a_plugin_without_a_path_is_left_to_it(tmp_path: Path) -> None:
    path = write(tmp_path / "config", config("a", exec={"command": "login"}))
    assert kubeconfig.load([path])["users"][0]["user"]["exec"]["command"] == "login"
