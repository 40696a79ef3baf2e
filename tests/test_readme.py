"""The README's tour: every command in it does what it says, one after the other, on real clusters."""

import json
import re
import shlex
import shutil

import pytest

from tests.kinds.helpers import KINDS
from tests.process import ROOT, answered, environment

README = (ROOT / "README.md").read_text()
TOUR = [line for block in re.findall(r"```sh\n(.*?)```", README.partition("## A tour")[2], re.DOTALL) for line in block.splitlines()]
PICTURE = re.search(r"```console\n(.*?)```", README, re.DOTALL)[1]
AT_A_TERMINAL = "svcsim ui"


@pytest.fixture
def shell(tmp_path):
    """Runs the README's lines in a copy of what they mention; clusters that are left are taken down."""
    for name in ("scenarios", "README.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    env = {**environment(tmp_path / "home"), "KUBECONFIG": "", "COLUMNS": "160"}

    def run(line):
        done = answered(shlex.split(line), env, cwd=tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    yield run
    for cluster in json.loads(run("svcsim clusters -o json")):
        run(f"svcsim down {cluster['name']} --purge")


def test_every_command_of_the_tour_runs(shell):
    shell("svcsim up")
    shell("svcsim apply -f scenarios/manifests/web.yaml")
    shell("svcsim rollout status deployment/web")
    lines = [line for line in TOUR if line != AT_A_TERMINAL and (shutil.which("kubectl") or not line.startswith("kubectl"))]
    assert len(lines) > 20
    for line in lines:
        shell(line)
    assert json.loads(shell("svcsim clusters -o json")) == [], "the tour leaves nothing behind"


def test_the_picture_shows_what_happens(shell):
    shell("svcsim up")
    shown = PICTURE.partition("$ svcsim apply -f scenarios/manifests/web.yaml\n")[2].partition("$ ")[0]
    assert shell("svcsim apply -f scenarios/manifests/web.yaml") == shown
    shell("svcsim rollout status deployment/web")
    replayed = shell("svcsim replay scenarios/node-loss.yaml").split()
    pictured = PICTURE.partition("$ svcsim replay scenarios/node-loss.yaml\n")[2].split()
    assert replayed[:5] == pictured[:5]
    assert replayed[-1] == pictured[-1], "the hash of the journal is the same every time: put the new one into README.md"
    header = re.search(r"(?m)^NAME +READY.*", PICTURE)[0].split()
    assert shell("svcsim get pods -o wide").splitlines()[0].split() == header


def test_what_is_said_to_be_missing_is_missing():
    missing = re.findall(r"`(\w+)`", README.partition("Missing are above all")[2].partition(" (")[0])
    assert len(missing) > 5
    assert [kind.name for kind in KINDS if kind.name in missing] == []
