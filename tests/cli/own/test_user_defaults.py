"""What a user wants every new cluster to have: $SVCSIM_DIALECT and the settings file."""

import base64
import json
import os
from pathlib import Path

import pytest
from cryptography import x509

from svcsim.cli.failure import CommandError
from svcsim.cli.own.user_defaults import settings_file, user_defaults
from svcsim.client import kubeconfig
from svcsim.cluster.settings import settings, to_json
from svcsim.cluster.spec import ClusterSpec
from tests.process import ran

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def write(home):
    home.mkdir()
    return lambda value: settings_file().write_text(value if isinstance(value, str) else json.dumps(value))


def test_without_either_all_is_as_declared():
    assert user_defaults(ClusterSpec, None) == ClusterSpec()


def test_any_setting_of_up_may_stand_in_the_file(write):
    optional = [one for one in settings(ClusterSpec) if one.flag]
    write(to_json(ClusterSpec(), lambda one: one in optional))
    assert user_defaults(ClusterSpec, None) == ClusterSpec()
    write({"dialect": "kubernetes", "nodes": 7, "history": "1h", "clock": "x10", "disableAdmissionPlugins": ["LimitRanger"]})
    found = user_defaults(ClusterSpec, None)
    assert (found.dialect, found.nodes, found.history_s, found.clock_speed) == ("kubernetes", 7, 3600.0, 10.0)
    assert found.admission.disable == ("LimitRanger",)


def test_the_variable_goes_before_the_file_and_an_empty_one_says_nothing(write, monkeypatch):
    write({"dialect": "kubernetes", "nodes": 7})
    monkeypatch.setenv("SVCSIM_DIALECT", "svcapi")
    assert (user_defaults(ClusterSpec, None).dialect, user_defaults(ClusterSpec, None).nodes) == ("svcapi", 7)
    monkeypatch.setenv("SVCSIM_DIALECT", "")
    assert user_defaults(ClusterSpec, None).dialect == "kubernetes"


def test_a_cluster_stays_what_it_was_made_but_for_what_no_cluster_keeps(write):
    write({"dialect": "kubernetes", "nodes": 7, "runtimeConfig": ["api/beta=true"]})
    found = user_defaults(ClusterSpec, ClusterSpec(nodes=2))
    assert (found.dialect, found.nodes, found.runtime_config) == ("svcapi", 2, ("api/beta=true",))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "not JSON: "),
        ("{", "not JSON: "),
        ("[]", "the settings: expected a map"),
        ({"nodez": 3}, 'unknown setting "nodez"'),
        ({"nodes": "three"}, "nodes is a whole number from 0 to 5000, not "),
        ({"dialect": "latin"}, 'unknown dialect "latin"; there are: svcapi, kubernetes'),
    ],
)
def test_an_odd_file_is_told_in_one_line(write, run, content, told):
    write(content)
    done = run("up")
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith(f"error: {settings_file()}: {told}")


def test_a_file_that_cannot_be_read_is_told(home):
    settings_file().mkdir(parents=True)
    with pytest.raises(CommandError, match=r"can't read .*settings\.json: is a directory"):
        user_defaults(ClusterSpec, None)


def test_an_odd_variable_is_told(run, monkeypatch):
    monkeypatch.setenv("SVCSIM_DIALECT", "latin")
    assert run("up") == (1, "", 'error: unknown $SVCSIM_DIALECT "latin"; there are: svcapi, kubernetes\n')


def test_help_names_the_variable(run):
    assert "$SVCSIM_DIALECT" in " ".join(run("up --help").out.split())


def test_clusters_of_both_dialects_say_what_kubectl_needs(home, tmp_path, monkeypatch):
    def svcsim(*words):
        done = ran(*words, env=os.environ, copies=True)
        return done.returncode, done.stdout, done.stderr

    try:
        _, out, _ = svcsim("up", "own", "--nodes", "0", "--ephemeral")
        assert "svcsim up k8s --dialect kubernetes   start one for kubectl and other Kubernetes clients\n" in out
        for words in ((), ("--merge",)):
            assert svcsim("kubeconfig", "own", *words)[2] == (
                'Cluster "own" speaks the svcapi dialect. '
                "For kubectl and other Kubernetes clients start one with: svcsim up NAME --dialect kubernetes\n"
            )
        monkeypatch.setenv("SVCSIM_DIALECT", "kubernetes")
        code, out, err = svcsim("up", "own")
        assert (code, err) == (0, 'Cluster "own" was made in the svcapi dialect, for good; your default is for new clusters\n')
        _, out, _ = svcsim("up", "k8s", "--nodes", "0", "--ephemeral")
        assert "(kubernetes dialect, 0 nodes)" in out
        assert "svcsim kubeconfig k8s --merge            use it from kubectl and other Kubernetes clients\n" in out
        assert svcsim("kubeconfig", "k8s")[2] == ""
        target = tmp_path / "certificate"
        target.write_text(svcsim("kubeconfig", "k8s", "--client-certificate")[1])
        assert "token:" not in target.read_text()
        assert svcsim("--kubeconfig", str(target), "get", "namespaces", "-o", "name")[0] == 0
        user = kubeconfig.load([target])["users"][0]["user"]
        certificate = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
        assert certificate.subject.rfc4514_string() == "CN=kubernetes-admin,O=system:masters"
    finally:
        for name in ("own", "k8s"):
            svcsim("down", name, "--purge")
