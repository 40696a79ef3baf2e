"""What `up` makes of its settings: kept for the next start, refused while the cluster runs with others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from svcsim.cluster.settings import to_json
from svcsim.cluster.spec import ClusterSpec, settled

Up = Callable[..., tuple[int, str]]


@pytest.fixture
def home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the test itself."""
    monkeypatch.setenv("SVCSIM_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def svcsim(svcsim: Callable[..., tuple[int, str, str]]) -> Up:
    """Run the command in a home of its own; the exit code and all it says."""

    def run(*words: str) -> tuple[int, str]:
        code, out, err = svcsim(*words)
        return code, out + err

    return run


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The file that keeps what the cluster was started with."""
    return tmp_path / "clusters" / "lab" / "cluster.json"


def test_a_running_cluster_refuses_to_become_another(svcsim: Up, tmp_path: Path):
    assert svcsim("up", "lab", "--nodes", "1", "--history", "60s", "--seed", "7")[0] == 0
    url = json.loads((tmp_path / "clusters" / "lab" / "server.json").read_text())["url"]
    port = url.rpartition(":")[2]
    same = (0, f'Cluster "lab" is already running at {url}\n')
    for words in ([], ["--nodes", "1"], ["--history", "1m"], ["--port", port], ["--port", "0"], ["--seed", "7"], ["--clock", "x1"]):
        assert svcsim("up", "lab", *words) == same, words

    running, stop = 'error: cluster "lab" is already running, ', "stop it first: svcsim down lab\n"
    assert svcsim("up", "lab", "--nodes", "5") == (1, f"{running}with another --nodes; {stop}")
    assert svcsim("up", "lab", "--nodes", "1", "--durability", "process") == (1, f"{running}with another --durability; {stop}")
    assert svcsim("up", "lab", "--data-dir", "/elsewhere") == (1, f"{running}with another --data-dir; {stop}")
    for_good = "for good; choose another name, or delete it first: svcsim down lab --purge\n"
    assert svcsim("up", "lab", "--dialect", "kubernetes") == (1, f"{running}in the svcapi dialect, {for_good}")
    assert svcsim("up", "lab", "--ephemeral") == (1, f"{running}and keeps its data; {stop}")
    assert svcsim("up", "lab", "--clock", "paused") == (1, f"{running}with another --clock; change it with: svcsim clock\n")


def test_what_is_fixed_when_a_cluster_is_made_is_not_changed_by_starting_it_again(svcsim: Up, kept: Path):
    assert svcsim("up", "lab", "--nodes", "0", "--seed", "7")[0] == 0
    svcsim("down", "lab")
    way_out = "for good; choose another name, or delete it first: svcsim down lab --purge\n"
    assert svcsim("up", "lab", "--seed", "8") == (1, f'error: cluster "lab" was made with another --seed, {way_out}')
    assert svcsim("up", "lab", "--dialect", "kubernetes") == (1, f'error: cluster "lab" was made in the svcapi dialect, {way_out}')
    assert svcsim("up", "lab", "--seed", "7", "--nodes", "1")[0] == 0
    svcsim("down", "lab")
    assert json.loads(kept.read_text())["nodes"] == 1


def test_what_an_older_version_kept_is_gone_by(svcsim: Up, kept: Path, tmp_path: Path):
    assert svcsim("up", "lab", "--dialect", "kubernetes", "--seed", "7")[0] == 0
    assert svcsim("down", "lab")[0] == 0
    older = {"dialect": "kubernetes", "nodes": 1, "port": 0, "data_dir": "", "durability": "process", "history_s": None, "clock": "x10"}
    kept.write_text(json.dumps({**older, "seed": 7, "dataDir": ""}))
    code, said = svcsim("up", "lab")
    assert code == 0, said
    record = json.loads((tmp_path / "clusters" / "lab" / "server.json").read_text())
    assert record["url"].endswith(f":{record['port']}")
    wanted = {"dialect": "kubernetes", "nodes": 1, "durability": "process", "history": "forever", "clock": "x10", "seed": 7}
    assert {name: record[name] for name in wanted} == wanted
    by_default = to_json(settled(ClusterSpec()), lambda one: one.kept)
    now = {**by_default, **wanted, "port": record["port"], "dataDir": ""}
    assert json.loads(kept.read_text()) == now, "what is told anew at each start is not in it"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"nodes": 1, "colour": "red"}', 'unknown setting "colour"'),
        ('{"nodes": "many"}', 'nodes is a whole number from 0 to 5000, not "many"'),
        ("[]", "the settings: expected a map"),
        ("{", "not JSON: "),
    ],
)
def test_a_file_that_can_not_be_gone_by_is_told_in_one_line(svcsim: Up, kept: Path, content: str, message: str):
    kept.parent.mkdir(parents=True)
    kept.write_text(content)
    code, said = svcsim("up", "lab")
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith(f"error: {kept}: {message}")


def test_the_clock_is_compared_as_it_runs_now(svcsim: Up):
    assert svcsim("up", "lab", "--nodes", "0")[0] == 0
    assert svcsim("clock", "speed", "x10", "--cluster", "lab")[0] == 0
    assert svcsim("up", "lab", "--clock", "x10")[0] == 0
    code, said = svcsim("up", "lab", "--clock", "real")
    assert (code, said) == (1, 'error: cluster "lab" is already running, with another --clock; change it with: svcsim clock\n')


def test_what_a_running_server_of_an_older_version_does_not_tell_is_not_held_against_it(svcsim: Up, tmp_path: Path):
    assert svcsim("up", "lab", "--nodes", "1", "--history", "1h")[0] == 0
    file = tmp_path / "clusters" / "lab" / "server.json"
    record = json.loads(file.read_text())
    file.write_text(json.dumps({name: record[name] for name in ("pid", "url", "started", "dialect")}))
    assert svcsim("up", "lab", "--history", "1h")[0] == 0
    assert svcsim("up", "lab", "--dialect", "kubernetes")[0] == 1


def test_a_seed_is_no_negative_number_as_in_a_scenario(svcsim: Up):
    code, said = svcsim("up", "lab", "--seed", "-1")
    assert (code, said.splitlines()[0]) == (1, "error: invalid value for '--seed': -1 is not in the range x>=0")


def test_an_empty_path_and_a_seed_of_more_than_64_bits_are_refused_in_one_line(svcsim: Up):
    assert svcsim("up", "lab", "--data-dir", "") == (1, 'error: --data-dir is an absolute path, not ""\n')
    code, said = svcsim("up", "lab", "--seed", "99999999999999999999999999")
    assert (code, said.count("\n"), "Traceback" in said) == (1, 1, False)


def test_no_clock_starts_before_1970(svcsim: Up, kept: Path):
    told = 'error: --start is a time in 1970 or later, such as 2026-01-01T00:00:00Z, not "1800-01-01T00:00:00Z"\n'
    assert svcsim("up", "lab", "--nodes", "0", "--start", "1800-01-01T00:00:00Z") == (1, told)
    assert not kept.exists()


@pytest.mark.parametrize("given", ["", ",", " "])
def test_no_controllers_at_all_are_asked_for_by_name_and_not_by_an_empty_word(svcsim: Up, kept: Path, given: str):
    told = f'error: --controllers takes names with commas between them, * for all, -* for none; not "{given}"\n'
    assert svcsim("up", "lab", "--nodes", "0", "--controllers", given) == (1, told)
    assert not kept.exists()
    assert svcsim("up", "lab", "--nodes", "0", "--controllers", "-*")[0] == 0
    assert json.loads(kept.read_text())["controllers"] == ["-*"]


def test_nodes_that_are_asked_for_and_left_out_are_refused_and_none_are_claimed(svcsim: Up, kept: Path):
    told = "asks for simulated nodes, and --controllers *,-nodes switches them off; leave out --nodes, or -nodes"
    assert svcsim("up", "lab", "--nodes", "2", "--controllers", "*,-nodes") == (1, f"error: --nodes 2 {told}\n")
    assert not kept.exists()
    code, said = svcsim("up", "lab", "--controllers", "*,-nodes")
    assert (code, said.splitlines()[0].endswith(" s (svcapi dialect, the simulated nodes switched off).")) == (0, True)
    assert svcsim("get", "nodes") == (0, "No resources found\n")
    assert svcsim("up", "lab", "--nodes", "3") == (1, f"error: --nodes 3 {told}\n")
    svcsim("down", "lab")
    assert svcsim("up", "lab", "--nodes", "1") == (1, f"error: --nodes 1 {told}\n"), "as at its last start"
    assert svcsim("up", "lab", "--nodes", "0")[0] == 0
