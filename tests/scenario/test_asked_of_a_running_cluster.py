"""A scenario on a cluster that is up, which has to be what the scenario asks for."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import ROOT, ServerProcess, environment, served
from tests.scenario.replaying import HEAD


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    plugins = ("--enable-admission-plugins", "AlwaysPullImages", "--disable-admission-plugins", "LimitRanger")
    with served(tmp_path_factory.mktemp("cluster"), "kubernetes", "--nodes", "2", "--ephemeral", *plugins) as server:
        yield server


def _replayed(server: ServerProcess, file: Path, block: str) -> tuple[int, str]:
    file.write_text(f"{HEAD}  cluster: {block}\n  steps: [{{id: a, do: [{{sleep: 0s}}]}}]\n")
    command = [sys.executable, "-m", "svcsim", "replay", str(file), "--kubeconfig", str(server.kubeconfig)]
    ran = subprocess.run(command, env=environment(server.home), cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stderr.replace(str(file), "s.yaml")


def test_a_cluster_that_is_what_the_scenario_asks_for_will_do(server, tmp_path):
    """More nodes do no harm, and what is so by default need not have been asked for."""
    block = "{dialect: kubernetes, nodes: 1, admission: {enable: [AlwaysPullImages, Priority], disable: [LimitRanger]}}"
    assert _replayed(server, tmp_path / "s.yaml", block) == (0, "")


def test_any_other_is_told_with_its_place_in_the_file(server, tmp_path):
    block = """
    dialect: svcapi
    nodes: 3
    serviceNodePortRange: 30000-30100
    admission:
      enable: [AlwaysPullImages, NamespaceExists]
      disable: [Priority]
    authorization: {modes: [AlwaysAllow]}"""
    code, said = _replayed(server, tmp_path / "s.yaml", block)
    assert said.splitlines() == [
        "s.yaml:6:14: the cluster that is up speaks the dialect kubernetes, and the scenario svcapi",
        "s.yaml:7:12: the cluster that is up has 2 nodes, and the scenario asks for 3",
        's.yaml:8:27: the cluster that is up has serviceNodePortRange "30000-32767", and the scenario asks for "30000-30100"',
        "s.yaml:10:15: the cluster that is up doesn't have the admission plugin NamespaceExists on",
        "s.yaml:11:16: the cluster that is up has the admission plugin Priority on",
        's.yaml:12:28: the cluster that is up has authorization.modes ["Node","RBAC"], and the scenario asks for ["AlwaysAllow"]',
    ]
    assert code == 2
