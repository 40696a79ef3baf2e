"""Applying to a real cluster, in both dialects: what is kept, what goes, who owns it."""

import os
import subprocess
import sys

import pytest

from svcsim.cli.shared.openapi_schema import read_struct
from svcsim.cli.verbs import diff
from svcsim.cli.verbs.apply.server_side import owners, upgrade
from svcsim.cli.verbs.diff import States, masked
from svcsim.dialect import DIALECTS
from svcsim.schema.merge_site import site
from tests.process import environment, on_demand

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: a, image: "nginx:1", env: [{name: A, value: "1"}, {name: B, value: "2"}]}
      - {name: b, image: busybox}
"""
SIDECAR = '{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","image":"theirs"}]}}}}'
ENV_OF_A = '{"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"THEIRS","value":"3"}]}]}}}}'


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with on_demand(tmp_path_factory.mktemp("servers"), "--nodes", "1", "--ephemeral") as servers:
        yield servers


@pytest.fixture(params=list(DIALECTS))
def server(request, servers):
    return servers(request.param)


@pytest.fixture
def on(server, run, request):
    """Run a command line on the server, in a namespace of the test's own."""
    namespace = f"t{abs(hash(request.node.nodeid)) % 10**8}"
    assert run(f"--kubeconfig {server.kubeconfig} create namespace {namespace}").status == 0
    return lambda command: run(f"--kubeconfig {server.kubeconfig} -n {namespace} {command}")


@pytest.fixture
def manifest(tmp_path):
    """A file whose content can be changed."""
    path = tmp_path / "m.yaml"

    def write(text):
        path.write_text(text)
        return path

    return write


def test_what_others_added_to_merged_lists_stays_and_what_was_dropped_goes(on, manifest):
    path = manifest(DEPLOYMENT)
    assert on(f"apply -f {path}").out == "deployment.apps/web created\n"
    assert on(f"patch deploy web -p '{SIDECAR}'").status == 0
    assert on(f"patch deploy web -p '{ENV_OF_A}'").status == 0
    manifest(
        DEPLOYMENT.replace('{name: A, value: "1"}, ', "").replace("      - {name: b, image: busybox}\n", "").replace("nginx:1", "nginx:2")
    )
    assert on(f"apply -f {path}").out == "deployment.apps/web configured\n"
    containers = "jsonpath='{range .spec.template.spec.containers[*]}{.name}={.image} {.env[*].name};{end}'"
    assert on(f"get deploy web -o {containers}").out == "sidecar=theirs ;a=nginx:2 THEIRS B;"


def test_the_patch_is_made_anew_when_it_fails_and_told_when_it_is_refused(on, manifest):
    path = manifest(DEPLOYMENT)
    on(f"apply -f {path}")
    manifest(DEPLOYMENT.replace("app: web}}\n  template", "app: other}}\n  template"))
    refused = on(f"apply -f {path}")
    assert (refused.status, refused.out) == (1, "")
    assert "field is immutable" in refused.err


def test_force_makes_anew_what_cannot_be_changed(on, manifest):
    path = manifest(DEPLOYMENT)
    on(f"apply -f {path}")
    before = on("get deploy web -o jsonpath={.metadata.uid}").out
    manifest(DEPLOYMENT.replace("app: web}", "app: other}"))
    assert on(f"apply -f {path} --force").out == "deployment.apps/web configured\n"
    assert on("get deploy web -o jsonpath={.metadata.uid}").out not in ("", before)
    assert on("get deploy web -o jsonpath={.spec.selector.matchLabels.app}").out == "other"


def test_ownership_moves_from_the_client_to_the_server_so_that_dropped_fields_go(on, manifest):
    path = manifest(DEPLOYMENT)
    on(f"apply -f {path}")
    manifest(DEPLOYMENT.replace('{name: A, value: "1"}, ', ""))
    assert on(f"apply -f {path} --server-side").out == "deployment.apps/web serverside-applied\n"
    assert on("get deploy web -o jsonpath={.spec.template.spec.containers[0].env[*].name}").out == "B"
    managers = on("get deploy web -o jsonpath={.metadata.managedFields[*].manager}").out.split()
    assert {"kubectl", "kubectl-last-applied"} <= set(managers)
    assert "kubectl-client-side-apply" not in managers


def test_a_dry_run_of_a_migration_changes_nothing(on, manifest):
    path = manifest(DEPLOYMENT)
    on(f"apply -f {path}")
    before = on("get deploy web -o yaml --show-managed-fields").out
    assert on(f"apply -f {path} --server-side --dry-run=server").out == "deployment.apps/web serverside-applied (server dry run)\n"
    after = on("get deploy web -o jsonpath={.metadata.managedFields[*].manager}").out
    assert "kubectl-last-applied" not in after
    assert "kubectl-client-side-apply" in before


def test_diff_tells_by_its_exit_status(on, manifest):
    path = manifest("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n")
    assert on(f"diff -f {path}").status == 1
    on(f"apply -f {path}")
    assert on(f"diff -f {path}").status == 0
    manifest("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: 3}\n")
    assert on(f"diff -f {path}").status == 2


@pytest.mark.parametrize("how", ["", "--server-side"])
def test_diff_shows_nothing_of_what_others_change_at_the_same_moment(on, manifest, monkeypatch, tmp_path, how):
    config = "{apiVersion: v1, kind: ConfigMap, metadata: {name: busy}, data: {a: %s}}"
    assert on(f"apply {how} -f {manifest(config % 'before')}").status == 0
    path = manifest(config % "after")
    looked_at = []
    live = diff._live

    def with_others(call, item):
        found = live(call, item)
        looked_at.append(found)
        if len(looked_at) < 3:
            call.session.write("PATCH", item.path, {"data": {"theirs": str(len(looked_at))}}, None, "application/merge-patch+json")
        return found

    monkeypatch.setattr(diff, "_live", with_others)
    program, seen = tmp_path / "mydiff", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\ndiff -rN "$1" "$2" > {seen}\n')
    program.chmod(0o755)
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", str(program))
    assert on(f"diff {how} -f {path}").status == 1
    assert len(looked_at) == 3
    assert "a: after" in seen.read_text()
    assert "theirs" not in seen.read_text()


def test_diff_uses_the_program_that_is_named(on, manifest, monkeypatch, tmp_path):
    program = tmp_path / "mydiff"
    seen = tmp_path / "seen"
    program.write_text(f'#!/bin/sh\necho "$1" "$(ls "$3")" > {seen}\nexit 0\n')
    program.chmod(0o755)
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", f"{program} -N ;rm")
    path = manifest("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
    assert on(f"diff -f {path}").status == 0
    assert seen.read_text().startswith("-N v1.ConfigMap.t")


def test_the_schemas_merge_by_what_the_server_tells(server, run):
    document = run(f"--kubeconfig {server.kubeconfig} get --raw /openapi/v3/apis/apps/v1")
    import json

    struct = read_struct(json.loads(document.out), "apps/v1", "Deployment")
    spec = site(struct, "spec").type
    assert site(spec, "strategy").retains
    pod = site(site(spec, "template").type, "spec").type
    assert (site(pod, "containers").strategy, site(pod, "containers").merge_key) == ("merge", "name")
    assert site(site(pod, "containers").item_type, "env").merge_key == "name"
    assert site(pod, "tolerations").strategy == ""
    assert site(pod, "volumes").retains


# --- pure parts ---


def entry(manager, operation, version="v1", subresource="", **fields):
    made = {"manager": manager, "operation": operation, "apiVersion": version, "fieldsV1": fields}
    return {**made, "subresource": subresource} if subresource else made


def test_an_applier_takes_over_the_fields_of_an_updater():
    mine, theirs = entry("me", "Apply", a={}), entry("they", "Update", b={})
    other = entry("they", "Update", subresource="status", c={})
    assert upgrade([mine, theirs, other], "they", "me") == [entry("me", "Apply", a={}, b={}), other]


def test_without_an_applier_the_updater_becomes_it():
    assert upgrade([entry("they", "Update", b={})], "they", "me") == [entry("me", "Apply", b={})]


def test_fields_in_another_version_are_given_up():
    entries = [entry("me", "Apply", a={}), entry("they", "Update", version="v2", b={})]
    assert upgrade(entries, "they", "me") == [entry("me", "Apply", a={})]


def test_who_is_not_there_leaves_all_as_it_is():
    entries = [entry("else", "Update", a={})]
    assert upgrade(entries, "they", "me") == entries


def test_owners_of_an_annotation_are_found_by_their_operation():
    noted = {"f:metadata": {"f:annotations": {"f:k": {}}}}
    entries = [entry("b", "Update", **noted), entry("a", "Update", **noted), entry("c", "Apply", **noted), entry("d", "Update")]
    assert owners(entries, "Update", "k") == ["a", "b"]
    assert owners(entries, "Apply", "k") == ["c"]


def test_secrets_are_masked_but_tell_that_they_differ():
    states = masked(States({"data": {"same": "1", "other": "2", "gone": "3"}}, {"data": {"same": "1", "other": "4", "new": "5"}}))
    assert states.live == {"data": {"same": "***", "other": "*** (before)", "gone": "***"}}
    assert states.merged == {"data": {"same": "***", "other": "*** (after)", "new": "***"}}
    assert masked(States(None, {"data": {"a": "1"}})) == States(None, {"data": {"a": "***"}})


# --- warnings ---


def test_warnings_are_told_once(servers, run, tmp_path):
    path = tmp_path / "m.yaml"
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w%d}\nnope: 1\n"
    path.write_text(text % 1 + "---\n" + text % 2)
    done = run(f"--kubeconfig {servers('svcapi').kubeconfig} create -f {path} --validate=warn")
    assert (done.status, done.err) == (0, 'Warning: unknown field "nope"\n')


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal to pretend")
@pytest.mark.parametrize(
    ("variables", "word"), [({}, "\x1b[33;1mWarning:\x1b[0m"), ({"NO_COLOR": "1"}, "Warning:"), ({"TERM": "dumb"}, "Warning:")]
)
def test_warnings_are_yellow_for_people_who_like_colours(servers, tmp_path, variables, word):
    import pty

    path = tmp_path / "m.yaml"
    path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yellow}\nnope: 1\n")
    server = servers("svcapi")
    ours, theirs = pty.openpty()
    env = {key: value for key, value in environment(server.home).items() if key != "NO_COLOR"} | {"TERM": "xterm"} | variables
    line = [sys.executable, "-m", "svcsim", "--kubeconfig", str(server.kubeconfig)]
    command = [*line, "create", "-f", str(path), "--validate=warn", "--dry-run=server"]
    subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=env, check=True)
    os.close(theirs)
    told = os.read(ours, 1000).decode()
    os.close(ours)
    assert told.rstrip() == f'{word} unknown field "nope"'
