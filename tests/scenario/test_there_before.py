"""A scenario on a cluster that is up deletes nothing that was there before, and goes by that cluster's clock, also where it is paused."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from tests.nursery import nursery
from tests.process import ServerProcess, environment, ran, served
from tests.scenario.replaying import HEAD
from tests.waiting import until

if TYPE_CHECKING:
    import subprocess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with served(tmp_path_factory.mktemp("cluster"), "svcapi", "--nodes", "1", "--ephemeral", "--clock", "x5") as server:
        for words in ("deployment web --image=nginx", "configmap old", "namespace busy", "configmap one -n busy"):
            assert ran("create", *words.split(), env=environment(server.home)).returncode == 0
        yield server


def _replayed(server: ServerProcess, file: Path, spec: str) -> "subprocess.CompletedProcess[str]":
    file.write_text(HEAD + spec)
    return ran("replay", str(file), "--against", "default", env=environment(server.home))


def _names(server: ServerProcess, *words: str) -> list[str]:
    return ran("get", *words, "-o", "name", env=environment(server.home)).stdout.split()


MAKE = "create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}}"


def test_nothing_begins_where_what_the_scenario_makes_and_deletes_is_there(server, tmp_path):
    spec = f"""\
  vars: {{name: old}}
  steps:
  - id: a
    do:
    - {MAKE % "new"}
    - {MAKE % '"${vars.name}"'}
  finally:
  - delete: {{kind: ConfigMap, name: new}}
  - delete: {{kind: ConfigMap, name: "${{vars.name}}"}}
"""
    done = _replayed(server, tmp_path / "s.yaml", spec)
    assert done.stderr.replace(str(tmp_path / "s.yaml"), "s.yaml") == (
        "s.yaml:10:7: the cluster that is up has configmap/old in the namespace default already, which would be deleted in line 13; "
        "give one of them another name, or delete it before, if it isn't needed\n"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "configmap/new" not in _names(server, "configmaps")


def test_a_shipped_scenario_leaves_a_deployment_alone_that_has_the_name_of_its_own(server):
    which = ("get", "deployment/web", "-o", "jsonpath={.metadata.uid} {.spec} {.metadata.deletionTimestamp}")
    before = ran(*which, env=environment(server.home)).stdout
    done = ran("replay", "scenarios/quick-start.yaml", "--against", "default", env=environment(server.home))
    assert done.returncode == 2
    assert "deployment.apps/web in the namespace default" in done.stderr
    assert ran(*which, env=environment(server.home)).stdout == before


@pytest.mark.parametrize(
    ("deletion", "place"),
    [("selector: app=x", "5:7"), ("all: true, namespace: busy", "6:7")],
)
def test_selectors_and_all_count_as_well(server, tmp_path, deletion, place):
    assert ran("label", "configmap/old", "app=x", "--overwrite", env=environment(server.home)).returncode == 0
    spec = f"  steps: [{{id: a, do: [{{sleep: 0s}}]}}]\n  finally:\n  - {{delete: {{kind: ConfigMap, {deletion}}}}}\n"
    made = spec.replace("[{sleep: 0s}]}]", f"[{{{MAKE % 'old'}}}]}}]")
    done = _replayed(server, tmp_path / "s.yaml", made if "selector" in deletion else spec)
    assert (done.returncode, done.stdout) == (2, "")
    assert "which would be deleted" in done.stderr
    assert _names(server, "configmaps", "-n", "busy") == ["configmap/one", "configmap/svc-root-ca.crt"]


def test_copies_of_a_template_count_by_their_numbers(server, tmp_path):
    assert ran("create", "configmap", "copy-2", env=environment(server.home)).returncode == 0
    (tmp_path / "copy.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: copy}\n")
    spec = """\
  steps:
  - {id: a, do: [{load: {template: copy.yaml, count: 2}}]}
  finally:
  - {delete: {kind: ConfigMap, name: copy-1}}
  - {delete: {kind: ConfigMap, name: copy-2}}
"""
    done = _replayed(server, tmp_path / "s.yaml", spec)
    assert done.returncode == 2
    assert "configmap/copy-2 in the namespace default already" in done.stderr
    assert ran("delete", "configmap", "copy-2", env=environment(server.home)).returncode == 0
    assert _replayed(server, tmp_path / "s.yaml", spec).returncode == 0


def test_what_is_named_and_not_made_is_meant(server, tmp_path):
    """To be changed, to be deleted, or to be in the way."""
    assert ran("create", "configmap", "victim", env=environment(server.home)).returncode == 0
    spec = f"""\
  steps:
  - id: a
    do:
    - {MAKE % "victim"}
      expect: {{status: 409}}
    - label: {{kind: ConfigMap, name: victim, labels: {{a: b}}}}
    - delete: {{kind: ConfigMap, name: victim}}
    - {MAKE % "later"}
      save: {{name: metadata.name}}
    - apply: {{object: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: "${{saved.name}}"}}}}}}
  finally:
  - delete: {{kind: ConfigMap, name: "${{saved.name}}"}}
"""
    done = _replayed(server, tmp_path / "s.yaml", spec)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_what_is_on_its_way_out_is_waited_for(server, tmp_path):
    spec = """\
  steps:
  - id: a
    do:
    - create:
        object: {apiVersion: v1, kind: Pod, metadata: {name: slow}, spec: {containers: [{name: a, image: nginx, command: [sleep, inf]}]}}
    - wait: {kind: Pod, name: slow, for: condition=Ready}
  finally:
  - delete: {kind: Pod, name: slow, grace: 2s}
"""
    file = tmp_path / "s.yaml"
    file.write_text(HEAD + spec)
    done = ran("replay", str(file), str(file), "--against", "default", env=environment(server.home))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_paused_clock_is_told_and_gone_along_with(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(HEAD + "  steps: [{id: a, do: [{advance: 30s}, {sleep: 10m}]}]\n")
    with served(tmp_path / "home", "svcapi", "--nodes", "1", "--ephemeral", "--clock", "paused") as server:
        env, said = environment(server.home), tmp_path / "stderr"
        with said.open("wb") as errors, (tmp_path / "stdout").open("wb") as out:
            replaying = nursery().begin(["replay", str(file), "--against", "default"], env, stdout=out, stderr=errors)
            try:
                until(lambda: said.read_text().endswith("\n"))
                assert said.read_text() == (
                    "The cluster's clock is paused, and nothing happens until it goes on: svcsim clock --cluster default resume\n"
                )
                assert ran("clock", "step", "9m", env=env).returncode == 0
                assert ran("clock", "resume", env=env).returncode == 0
                assert ran("clock", "speed", "x100", env=env).returncode == 0
                assert replaying.wait(60) == 0
            finally:
                replaying.kill()
    assert said.read_text().count("\n") == 1


def test_a_run_that_loses_its_cluster_is_over_and_tells_which_step_that_was(tmp_path):
    file, report = tmp_path / "s.yaml", tmp_path / "report.json"
    made = "create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: begun}}}"
    waits = "eventually: {kind: ConfigMap, name: none}, within: 30m"
    file.write_text(f"{HEAD}  steps:\n  - {{id: one, do: [{{{made}}}], expect: [{{{waits}}}]}}\n  - {{id: two, do: [{{sleep: 1s}}]}}\n")
    with served(tmp_path / "home", "svcapi", "--nodes", "1", "--ephemeral") as server:
        env = environment(server.home)
        with (tmp_path / "stdout").open("wb") as out:
            replaying = nursery().begin(["replay", str(file), "--against", "default", "--json", str(report)], env, stdout=out, stderr=out)
            try:
                until(lambda: "configmap/begun" in _names(server, "configmaps"))
                assert ran("down", env=env).returncode == 0
                assert replaying.wait(60) == 3
            finally:
                replaying.kill()
    lines = [orjson.loads(line) for line in report.read_bytes().splitlines()]
    assert [(line["id"], line["outcome"]) for line in lines if line["type"] == "step"][:2] == [("one", "failed"), ("two", "skipped")]
    (whole,) = [line for line in lines if line["type"] == "scenario"]
    assert (whole["outcome"], whole["clusterSeconds"] > 0) == ("broken", True)


def test_the_command_that_repeats_a_run_names_the_cluster(server, tmp_path):
    spec = "  steps: [{id: a, expect: [{eventually: {kind: ConfigMap, name: none}, within: 1s}]}]\n"
    done = _replayed(server, tmp_path / "s.yaml", spec)
    assert done.returncode == 1
    assert f"run it again: svcsim replay {tmp_path}/s.yaml --against default --seed 1" in done.stdout
