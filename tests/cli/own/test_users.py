"""``svcsim user``: users to try things as, in processes of its own and over the wire, in both dialects."""

import json
import os
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svcsim.auth import certificates
from svcsim.dialect import DIALECTS
from tests.cli.own.test_runtime_config import Run, svcsim

__all__ = ["svcsim"]


@pytest.fixture(params=list(DIALECTS))
def dialect(request: pytest.FixtureRequest, svcsim: Run) -> str:
    started = svcsim("up", "rc", "--nodes", "0", "--dialect", request.param)
    assert started.returncode == 0, started.stderr
    return request.param


def test_a_user_acts_with_the_rights_that_are_bound(svcsim: Run, dialect: str, tmp_path: Path):
    made = svcsim("user", "create", "alice", "--group", "dev", "--group", "ops", "--expires", "24h")
    assert made.returncode == 0, made.stderr
    kubeconfig = tmp_path / "clusters" / "rc" / "kubeconfig"
    first, *others = made.stdout.splitlines()
    assert first == f'User "alice" in dev, ops is in {kubeconfig}, with the context "svcsim-rc-alice".'
    assert "  svcsim --cluster rc --user alice auth whoami" in others
    assert ("kubectl" in made.stdout) == (dialect == "kubernetes")
    who = json.loads(svcsim("--cluster", "rc", "--user", "alice", "auth", "whoami", "-o", "json").stdout)["status"]["userInfo"]
    assert (who["username"], who["groups"]) == ("alice", ["dev", "ops", "system:authenticated"])
    refused = svcsim("--cluster", "rc", "--user", "alice", "get", "configmaps")
    assert refused.returncode == 1
    assert 'User "alice" cannot list resource "configmaps"' in refused.stderr
    (bind,) = [line.split()[1:] for line in others if "create rolebinding" in line]
    assert svcsim(*bind).returncode == 0
    assert svcsim("--cluster", "rc", "--user", "alice", "get", "configmaps").returncode == 0
    asking = ("--cluster", "rc", "--user", "alice")
    assert '"speed":' in svcsim(*asking, "get", "--raw", "/svcsim/v1/clock").stdout
    assert 'cannot delete path "/svcsim/v1/clock"' in svcsim(*asking, "delete", "--raw", "/svcsim/v1/clock").stderr
    assert svcsim("--cluster", "rc", "get", "csr").stdout == "", "what was asked for the certificate is gone"


def test_users_outlive_a_restart_and_can_be_removed(svcsim: Run, dialect: str, tmp_path: Path):
    assert svcsim("user", "list", "--cluster", "rc").stderr == 'cluster "rc" has no users yet; make one with: svcsim user create NAME\n'
    assert svcsim("user", "create", "alice", "--context", "try").returncode == 0
    assert svcsim("user", "create", "alice").stderr == 'error: there is a user "alice" already; --force makes a new certificate\n'
    assert svcsim("user", "create", "bob", "--context", "try").returncode == 1, "a context is one user's"
    assert svcsim("user", "create", "alice", "--force").returncode == 0
    svcsim("down", "rc")
    svcsim("up", "rc")
    assert svcsim("user", "list").stdout == "USER    CONTEXT\nalice   svcsim-rc-alice\n"
    assert svcsim("--cluster", "rc", "--user", "alice", "auth", "whoami").returncode == 0
    if dialect == "kubernetes" and (kubectl := shutil.which("kubectl")):
        environment = {**os.environ, "KUBECONFIG": str(tmp_path / "clusters" / "rc" / "kubeconfig")}
        command = [kubectl, "--context", "svcsim-rc-alice", "auth", "whoami"]
        assert "alice" in subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert svcsim("user", "delete", "alice").returncode == 0
    assert svcsim("user", "delete", "alice").stderr == 'error: cluster "rc" has no user "alice"; see: svcsim user list\n'
    assert svcsim("--cluster", "rc", "--user", "alice", "get", "pods").returncode == 1
    assert svcsim("--cluster", "rc", "get", "namespaces").returncode == 0, "the administrator stays"


REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("",), "a user's name has to be text that can be seen"),
    ((" a",), "without spaces around it"),
    (("a\nb",), "a user's name has to be text that can be seen"),
    (("x" * 65,), "at most 64 characters"),
    (("system:admin",), "is a name of the cluster's own"),
    (("svcsim-rc",), "is what the client configuration calls the administrator"),
    (("svcsim-admin",), "is the administrator of this cluster"),
    (("eve", "--context", ""), "a context's name has to be text"),
    (("eve", "--group", "system:masters"), 'certificates for the group "system:masters" are refused'),
    (("eve", "--group", ""), "a group's name has to be text"),
    (("eve", "--expires", "5m"), "--expires takes a duration of at least 10m"),
    (("eve", "--expires", "soon"), "--expires takes a duration of at least 10m"),
]


def test_what_is_no_user_is_told_in_one_line(svcsim: Run, subtests: pytest.Subtests):
    assert svcsim("up", "rc", "--nodes", "0").returncode == 0
    for words, told in REFUSED:
        with subtests.test(words=words):
            refused = svcsim("user", "create", *words)
            assert refused.returncode == 1
            assert told in refused.stderr
            assert len(refused.stderr.splitlines()) == 1
            assert svcsim("user", "list").stdout == ""


def test_users_of_a_stopped_cluster_are_listed_and_removed(svcsim: Run):
    assert svcsim("up", "rc", "--nodes", "0").returncode == 0
    assert svcsim("user", "create", "alice").returncode == 0
    assert svcsim("down", "rc").returncode == 0
    assert "alice" in svcsim("user", "list", "--cluster", "rc").stdout
    assert svcsim("user", "create", "bob", "--cluster", "rc").stderr.startswith(
        'error: cluster "rc" is stopped; start it with: svcsim up rc'
    )
    assert svcsim("user", "delete", "alice", "--cluster", "rc").returncode == 0
    assert svcsim("user", "list", "--cluster", "rc").stdout == ""


def test_without_a_cluster_there_are_no_users(svcsim: Run):
    assert svcsim("user", "create", "alice").stderr == "error: no cluster is running; start one with: svcsim up\n"


def test_users_stand_beside_others_in_a_client_configuration(svcsim: Run, dialect: str, tmp_path: Path):
    """A user of the same name there is somebody else's, and so is a context; what was put there goes again."""
    mine = tmp_path / "mine"
    theirs = {"users": [{"name": "alice", "user": {"token": "precious"}}], "contexts": [context("prod", "prod", "alice")]}
    mine.write_text(json.dumps({"clusters": [], **theirs}))
    assert svcsim("user", "create", "alice").returncode == 0
    assert svcsim("user", "create", "bob", "--context", "try").returncode == 0
    environment = {"KUBECONFIG": str(mine)}
    assert svcsim("kubeconfig", "rc", "--merge", **environment).returncode == 0
    merged = json.loads(mine.read_text())
    assert [one["name"] for one in merged["users"]] == ["alice", "svcsim-rc", "svcsim-rc-alice", "svcsim-rc-bob"]
    assert merged["users"][0] == theirs["users"][0]
    assert merged["contexts"][0] == theirs["contexts"][0]
    assert svcsim("--context", "try", "auth", "whoami", "-o", "name", **environment).returncode == 0
    gone = svcsim("user", "delete", "bob", **environment)
    assert gone.stdout.splitlines()[1] == f'User "bob" is gone from {mine}'
    assert [one["name"] for one in json.loads(mine.read_text())["contexts"]] == ["prod", "svcsim-rc", "svcsim-rc-alice"]
    assert svcsim("user", "create", "carol", "--context", "prod").returncode == 0
    before = mine.read_text()
    refused = svcsim("kubeconfig", "rc", "--merge", **environment)
    assert refused.stderr == (
        f'error: "{mine}" has a context "prod" of another cluster, which is left as it is: give this one another name first\n'
    )
    assert mine.read_text() == before
    assert svcsim("kubeconfig", "rc", "--remove", **environment).returncode == 0
    left = json.loads(mine.read_text())
    assert (left["users"], left["contexts"], left["clusters"]) == (theirs["users"], theirs["contexts"], [])


def context(name: str, cluster: str, user: str) -> dict[str, object]:
    return {"name": name, "context": {"cluster": cluster, "user": user}}


def test_a_new_certificate_is_for_the_groups_of_the_one_before(svcsim: Run, dialect: str):
    assert svcsim("user", "create", "alice", "--group", "dev").returncode == 0
    again = svcsim("--cluster", "rc", "user", "create", "alice", "--force", "--expires", "100000h")
    assert again.stdout.startswith('User "alice" in dev is in ')
    assert again.stderr == "The certificate ends after 365d: the cluster signs none for longer.\n"
    assert svcsim("user", "create", "alice", "--force", "--group", "ops").stdout.startswith('User "alice" in ops is in ')


def test_what_is_said_next_can_be_typed(svcsim: Run, dialect: str):
    made = svcsim("user", "create", "a b/c", "--context", "x y")
    lines = [line for line in made.stdout.splitlines() if line.startswith("  svcsim")]
    assert len(lines) == 3
    for line in lines:
        assert svcsim(*shlex.split(line)[1:]).returncode == 0, line
    assert svcsim("--cluster", "rc", "--user", "a b/c", "get", "pods").returncode == 0


def test_without_a_command_help_is_given(svcsim: Run):
    told = svcsim("user")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("Usage: svcsim user [OPTIONS] COMMAND")


def test_users_that_are_made_at_the_same_time_are_all_kept(svcsim: Run, dialect: str):
    names = [f"u{number}" for number in range(4)]
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda name: svcsim("user", "create", name), names)
    assert [one.returncode for one in made] == [0] * len(names)
    assert sorted(line.split()[0] for line in svcsim("user", "list").stdout.splitlines()[1:]) == names


def test_a_context_of_the_clusters_own_says_which_user_is_meant(svcsim: Run, dialect: str):
    assert svcsim("user", "create", "alice", "--context", "try").returncode == 0
    who = svcsim("--cluster", "rc", "--context", "try", "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
    assert who.stdout == "alice", who.stderr
    other = svcsim("--cluster", "rc", "--context", "nobodys", "auth", "whoami")
    assert other.stderr == 'error: cluster "rc" and --context nobodys are two different places; give only one of them\n'


def test_a_certificate_that_the_cluster_does_not_take_is_told(svcsim: Run, tmp_path: Path):
    other = certificates.ensure(tmp_path / "other").directory
    signing = ("--cluster-signing-cert-file", str(other / "ca.crt"), "--cluster-signing-key-file", str(other / "ca.key"))
    assert svcsim("up", "rc", "--nodes", "0", *signing).returncode == 0
    made = svcsim("user", "create", "alice")
    assert made.returncode == 1
    assert "start it with --client-ca-file, too" in made.stderr
    assert svcsim("user", "list").stdout == "", "and of no use to anybody"
    svcsim("down", "rc")
    assert svcsim("up", "rc", "--client-ca-file", str(other / "ca.crt")).returncode == 0
    assert svcsim("user", "create", "alice").returncode == 0
