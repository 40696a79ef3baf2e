"""What a scenario would take for its own, and is not, stays: also where that shows only while it runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.process import ServerProcess, environment, ran, served
from tests.scenario.replaying import HEAD

if TYPE_CHECKING:
    import subprocess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with served(tmp_path_factory.mktemp("cluster"), "svcapi", "--nodes", "1", "--ephemeral", "--clock", "x5") as server:
        yield server


def _kubectl(server: ServerProcess, *words: str) -> "subprocess.CompletedProcess[str]":
    return ran(*words, env=environment(server.home))


def _replayed(server: ServerProcess, file: Path, steps: list[str], closing: str = "") -> "subprocess.CompletedProcess[str]":
    lines = ["  steps:", "  - id: a", "    do:", *(f"    - {step}" for step in steps)]
    lines += ["  finally:", f"  - {closing}"] if closing else []
    file.write_text(HEAD + "\n".join([*lines, ""]))
    return ran("replay", str(file), "--against", "default", env=environment(server.home))


MINE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: mine, labels: {demo: '1'}}}"
BARE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: mine}}"
PATH = "/api/v1/namespaces/default/configmaps"
BY_LABEL = "delete: {kind: ConfigMap, selector: demo=1}"
CASES: dict[str, list[str]] = {
    "labelled by what is applied": [f"apply: {{force: true, object: {MINE}}}", BY_LABEL],
    "labelled": [f"apply: {{object: {BARE}}}", "label: {kind: ConfigMap, name: mine, labels: {demo: '1'}}", BY_LABEL],
    "labelled by a patch": ["patch: {kind: ConfigMap, name: mine, patch: {metadata: {labels: {demo: '1'}}}}", BY_LABEL],
    "applied by a patch": [
        f"patch: {{kind: ConfigMap, name: mine, type: apply, patch: {BARE}}}",
        "delete: {kind: ConfigMap, name: mine}",
    ],
    "deleted by a request": [f"apply: {{object: {BARE}}}", f"request: {{method: DELETE, path: {PATH}/mine}}"],
    "all deleted by a request": [f"request: {{method: DELETE, path: {PATH}}}"],
    "selected with what was made": [
        "create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-, labels: {app: theirs}}}}",
        "delete: {kind: ConfigMap, selector: app=theirs}",
    ],
    "refused as anything may be": [
        f"apply: {{object: {BARE}}}\n      expect: {{reason: '*'}}",
        "delete: {kind: ConfigMap, name: mine}",
    ],
    "named by what is saved": [
        f"apply: {{object: {BARE}}}\n      save: {{n: metadata.name}}",
        'delete: {kind: ConfigMap, name: "${saved.n}"}',
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_there_before_stays(server, tmp_path, name):
    _kubectl(server, "delete", "configmap", "mine", "--ignore-not-found")
    assert _kubectl(server, "create", "configmap", "mine").returncode == 0
    assert _kubectl(server, "label", "configmap", "mine", "app=theirs").returncode == 0
    done = _replayed(server, tmp_path / "s.yaml", CASES[name])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "was not made by this scenario, which would take it for its own; it is left alone" in done.stdout
    assert _kubectl(server, "get", "configmap", "mine").returncode == 0


def test_an_event_is_the_same_in_both_groups(server, tmp_path):
    event = "{apiVersion: v1, kind: Event, metadata: {name: mine}, involvedObject: {namespace: default}}"
    (tmp_path / "event.yaml").write_text(event)
    assert _kubectl(server, "create", "-f", str(tmp_path / "event.yaml")).returncode == 0
    deletion = "delete: {kind: Event, apiVersion: events.svcapi.io/v1, name: mine}"
    done = _replayed(server, tmp_path / "s.yaml", [f"apply: {{object: {event}}}", deletion])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "it is left alone" in done.stdout
    assert _kubectl(server, "get", "events.v1.events.svcapi.io", "mine").returncode == 0


def test_what_others_made_first_while_it_runs_stays(server, tmp_path):
    space = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"
    account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}}"
    steps = [
        f"create: {{object: {space}}}",
        "wait: {kind: ServiceAccount, namespace: shop, name: default, where: 'true', within: 1m}",
        f"create: {{object: {account}}}",
    ]
    done = _replayed(server, tmp_path / "s.yaml", steps, "delete: {kind: ServiceAccount, namespace: shop, name: default}")
    assert done.returncode == 1
    assert "ServiceAccount default in the namespace shop was not made by this scenario" in done.stdout


def test_what_it_made_goes_however_it_was_made(server, tmp_path):
    own = "{apiVersion: v1, kind: ConfigMap, metadata: {name: own%s, labels: {of: us}}}"
    steps = [
        f"create: {{object: {own % 1}}}",
        f"apply: {{object: {own % 1}}}",
        f"create: {{object: {own % 1}}}\n      expect: {{status: 409}}",
        f"request: {{method: POST, path: {PATH}, body: {own % 2}}}",
        f"request: {{method: DELETE, path: {PATH}/own2}}",
        f"apply: {{object: {own % 3}}}",
        "delete: {kind: ConfigMap, name: own1}",
        "delete: {kind: ConfigMap, selector: of=us}",
    ]
    done = _replayed(server, tmp_path / "s.yaml", steps)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert _kubectl(server, "get", "configmaps", "-l", "of=us", "-o", "name").stdout == ""
