"""Which cluster a command talks to: one that somebody named, or the only one that can be meant."""

import os
from contextlib import ExitStack

import pytest

from svcsim.cli.shared import state, target
from tests.cli.objects import make
from tests.cli.shared.clusters import config, running, stopped
from tests.cli.stub import Stub

NAMES = "get namespaces -o name"
CHOOSE = "choose one with --cluster NAME, or for all commands with: svcsim use NAME"


@pytest.fixture
def servers():
    """Servers that can be told apart by their only namespace."""
    with ExitStack() as stack:
        yield [stack.enter_context(Stub([make("Namespace", name)])) for name in ("first", "second", "foreign")]


@pytest.fixture
def foreign(servers, tmp_path):
    """A configuration of the user's, whose current context nobody made for svcsim."""
    return config(tmp_path / ".kube" / "config", prod=servers[2].url)


@pytest.fixture
def start(servers):
    """Lets clusters run until the test ends."""
    with ExitStack() as stack:
        yield lambda name, index=0: stack.enter_context(running(name, servers[index].url))


# --- where nobody names one ---


def test_without_anything_the_next_step_is_told(run):
    assert run(NAMES) == (1, "", "error: no cluster is running; start one with: svcsim up\n")


@pytest.mark.parametrize("words", [NAMES, "delete namespace foreign", "apply -f x.yaml", "ui", "status", "clock step 1h", "cluster-info"])
def test_a_foreign_current_context_is_never_used(run, servers, foreign, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n")
    told = "error: no cluster is running; start one with: svcsim up; ~/.kube/config is used only with --context NAME\n"
    assert run(words) == (1, "", told)
    assert servers[2].requests == []


def test_a_merged_context_of_svcsims_is_a_foreign_one_too(run, servers, tmp_path):
    config(tmp_path / ".kube" / "config", **{"svcsim-gone": servers[2].url})
    assert run(NAMES).status == 1


def test_the_default_cluster_goes_before_the_others(run, start, foreign):
    start("default", 0)
    start("lab", 1)
    assert run(NAMES).out == "namespace/first\n"


def test_the_only_cluster_that_runs_is_meant(run, start, foreign):
    stopped("default")
    start("lab", 1)
    assert run(NAMES).out == "namespace/second\n"


def test_of_several_none_is_guessed(run, start, foreign):
    start("labk", 0)
    start("lab", 1)
    for words in (NAMES, "delete namespace first", "status", "ui", "kubeconfig"):
        assert run(words) == (1, "", f"error: several clusters are running: lab, labk; {CHOOSE}\n")


def test_a_cluster_that_is_just_being_started_is_not_passed_over(run, start):
    start("lab", 1)
    held = state.hold(stopped("default").lock_file)
    assert run(NAMES).err == 'error: cluster "default" is just being started; try again in a moment; running: lab\n'
    os.close(held)
    assert run(NAMES).out == "namespace/second\n"


def test_stopped_clusters_are_told_where_none_runs(run):
    stopped("lab")
    assert run(NAMES).err == 'error: no cluster is running; start "lab" again with: svcsim up lab\n'
    stopped("web")
    assert run(NAMES).err == "error: no cluster is running (stopped: lab, web); start one with: svcsim up\n"


def test_those_who_look_do_not_take_each_other_for_a_server():
    cluster = stopped("lab")
    looking = state.hold(cluster.lock_file, create=False, shared=True)
    assert not cluster.running()
    os.close(looking)


# --- where somebody names one ---


def test_the_flag_goes_before_the_variable_and_that_before_the_choice(run, start, monkeypatch):
    for index, name in enumerate(("a", "b", "default")):
        start(name, index)
    target.remember("a")
    assert run(NAMES).out == "namespace/first\n"
    monkeypatch.setenv("SVCSIM_CLUSTER", "b")
    assert run(NAMES).out == "namespace/second\n"
    assert run(f"--cluster default {NAMES}").out == "namespace/foreign\n"


@pytest.mark.parametrize(
    ("by", "words"), [("", "--cluster shop "), (" (named by $SVCSIM_CLUSTER)", ""), (" (chosen with: svcsim use)", "")]
)
def test_no_other_cluster_takes_the_place_of_a_named_one(run, start, monkeypatch, by, words):
    start("default")
    if "$" in by:
        monkeypatch.setenv("SVCSIM_CLUSTER", "shop")
    if "use" in by:
        target.remember("shop")
    for command in (NAMES, "delete namespace first"):
        told = f'error: there is no cluster "shop"{by}; start it with: svcsim up shop; running: default\n'
        assert run(f"{words}{command}") == (1, "", told)
    stopped("shop")
    told = f'error: cluster "shop"{by} is stopped; start it with: svcsim up shop; running: default\n'
    assert run(f"{words}{NAMES}") == (1, "", told)


def test_client_configurations_that_are_asked_for_are_used(run, start, servers, foreign, tmp_path, monkeypatch):
    start("default", 0)
    target.remember("default")
    assert run(f"--context prod {NAMES}").out == "namespace/foreign\n"
    other = config(tmp_path / "other", b=servers[1].url)
    assert run(f"--kubeconfig {other} {NAMES}").out == "namespace/second\n"
    monkeypatch.setenv("KUBECONFIG", str(other))
    assert run(NAMES).out == "namespace/second\n"
    assert run("config current-context").out == "b\n"
    assert run(f"--cluster default {NAMES}").out == "namespace/first\n"
    assert run("--cluster default config current-context").out == "svcsim-default\n"
    monkeypatch.setenv("SVCSIM_CLUSTER", "default")
    assert run(NAMES).out == "namespace/first\n", "the variable that is svcsim's own says it more exactly"


def test_an_environment_that_names_no_configuration_is_told(run, start, tmp_path, monkeypatch):
    start("default")
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/none")
    told = f"error: $KUBECONFIG names {tmp_path}/none, which configures no cluster; unset it, or use --cluster NAME\n"
    assert run(NAMES) == (1, "", told)


def test_an_address_alone_is_not_shown_what_a_configuration_keeps_for_another(run, servers, foreign):
    """Neither the user's credentials nor the namespace go to a server that was named without them."""
    run("config set-context prod --namespace=shop")
    assert run(f"--server {servers[0].url} get pods").err == "No resources found in default namespace.\n"
    assert run(f"--server {servers[0].url} --context prod get pods").err == "No resources found in shop namespace.\n"


def test_flags_that_contradict_each_other_are_refused(run, start, servers, foreign):
    start("lab", 0)
    assert run(f"--cluster lab --context svcsim-lab {NAMES}").out == "namespace/first\n", "both say the same"
    for flag, value in (("context", "prod"), ("kubeconfig", str(foreign)), ("server", servers[1].url)):
        told = f'error: cluster "lab" and --{flag} {value} are two different places; give only one of them\n'
        assert run(f"--cluster lab --{flag} {value} {NAMES}") == (1, "", told)
    assert run("status lab --context prod").status == 1
    assert run("replay x.yaml --against lab --context prod").status == 3


def test_an_unknown_context_or_user_is_told(run, foreign):
    assert run("--context nope get pods").err == 'error: context "nope" does not exist\n'
    assert run("--context prod --user nobody get pods").err == 'error: auth info "nobody" does not exist\n'


def test_config_shows_the_running_clusters_own_where_the_user_has_none(run, start):
    assert run("config get-contexts -o name").out == ""
    start("lab")
    assert run("config get-contexts -o name").out == "svcsim-lab\n"
    assert run("config set-context --current --namespace=shop").out == 'Context "svcsim-lab" modified.\n'
    assert run("get pods").err == "No resources found in shop namespace.\n"


# --- whom it was about ---


def test_a_failure_says_which_cluster_it_was_about_where_several_run(run, start, monkeypatch):
    start("default")
    missing = 'Error from server (NotFound): namespaces "nope" not found\n'
    assert run("get namespace nope").err == missing, "there is no doubt"
    start("lab", 1)
    doubt = f'(this was cluster "default"; also running: lab; {CHOOSE})\n'
    assert run("get namespace nope").err == missing + doubt
    assert run("delete namespace nope").err == missing + doubt
    assert run("get pods").err == "No resources found in default namespace.\n" + doubt
    assert run("--cluster default get namespace nope").err == missing
    monkeypatch.setenv("SVCSIM_CLUSTER", "lab")
    doubt = f'(this was cluster "lab" (named by $SVCSIM_CLUSTER); also running: default; {CHOOSE})\n'
    assert run("get namespace nope").err == missing + doubt


@pytest.mark.parametrize("command", ["clock", "clock pause", "clock speed 2", "clock step 1s", "status"])
def test_a_command_of_svcsims_own_that_fails_says_so_too(run, start, command):
    start("default")
    assert "this was cluster" not in run(command).err, "there is no doubt"
    start("lab", 1)
    doubt = f'(this was cluster "default"; also running: lab; {CHOOSE})\n'
    assert run(command).err.endswith(doubt)
    assert "this was cluster" not in run(f"--cluster default {command}").err


def test_what_is_stopped_or_looked_at_is_named_too(run, start):
    start("lab")
    others = "; running: lab; say which: svcsim down NAME\n"
    assert run("down --purge") == (1, "", f'error: there is no cluster "default"{others}')
    stopped("default")
    assert run("down").out == f'Cluster "default" is not running{others}'
    assert state.cluster_dir("lab").running()


# --- the choice ---


def test_a_choice_is_remembered_shown_and_forgotten(run, start, monkeypatch):
    start("default", 0)
    start("lab", 1)
    assert run("use").out == 'Commands go to cluster "default" (nothing is chosen)\n'
    assert run("use lab").out == 'Commands go to cluster "lab" from now on\n'
    assert run("use").out == 'Commands go to cluster "lab" (chosen with: svcsim use)\n'
    assert run(NAMES).out == "namespace/second\n"
    monkeypatch.setenv("SVCSIM_CLUSTER", "default")
    assert run("use lab").err == "but $SVCSIM_CLUSTER is set, which goes first: default\n"
    monkeypatch.delenv("SVCSIM_CLUSTER")
    assert run("use --forget").out == "No cluster is chosen any more\n"
    assert run(NAMES).out == "namespace/first\n"
    stopped("web")
    assert run("use web").out == 'Commands go to cluster "web" from now on; it is stopped, start it with: svcsim up web\n'
    assert run("use nope").err == 'error: there is no cluster "nope"; there are: default, lab, web\n'
    assert run("use lab --forget").status == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cluster": 1}', '{"cluster": ""}', "{}"])
def test_a_choice_that_cannot_be_read_is_not_passed_over(run, start, content):
    start("default")
    target.choice_file().write_text(content)
    cure = "choose again with: svcsim use NAME, or: svcsim use --forget"
    assert run(NAMES) == (1, "", f"error: {target.choice_file()} doesn't say which cluster was chosen; {cure}\n")
    assert run("use default").status == 0
    assert run(NAMES).status == 0


def test_the_order_is_told_with_the_options(run):
    told = run("options").out
    words = ("--kubeconfig, --context", "--cluster, or $SVCSIM_CLUSTER", "$KUBECONFIG", "svcsim use", '"default"', "the only")
    assert sorted(words, key=lambda word: told.index(word, told.index("The cluster that"))) == list(words)
    assert "~/.kube/config is used with --context" in told


# --- looking at a stopped one ---


def test_a_stopped_cluster_says_what_it_can(run, home):
    stopped("lab", dialect="kubernetes")
    error = 'error: no cluster is running; start "lab" again with: svcsim up lab\n'
    shown = f"Cluster:      lab\nStatus:       stopped\nDialect:      kubernetes\nData:         {home}/clusters/lab\n"
    assert run("status") == (1, shown, error)
    assert run("status lab").out == shown
    assert '"running": false' in run("status lab -o json").out
    assert run("clusters").out.splitlines()[1].split() == ["lab", "stopped", "kubernetes"]
    config(state.cluster_dir("lab").kubeconfig, **{"svcsim-lab": "http://127.0.0.1:1"})
    done = run("kubeconfig lab")
    assert (done.status, done.err) == (0, 'Cluster "lab" is stopped; start it with: svcsim up lab\n')
    assert "server: http://127.0.0.1:1" in done.out
