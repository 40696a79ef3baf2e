"""The scenarios people run and CI replays: they hold, and give the same journal again on any machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
REPLAY = "import sys; from svcsim.scenario.runner import main; code = main(sys.argv[1:]); print('aiohttp' in sys.modules); sys.exit(code)"


def replay(path: Path, hash_seed: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, since only a new one has another order of hashes."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", REPLAY, str(path)], env=environment, capture_output=True, text=True, check=False)


def test_there_are_scenarios():
    names = ["access", "admission", "cron-jobs", "more-nodes", "node-agents", "node-loss", "quick-start", "rolling-update", "stateful-set"]
    assert [path.stem for path in SCENARIOS] == names


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_it_holds_and_gives_the_same_journal_whatever_the_order_of_hashes(path):
    """And it does so without importing the HTTP library, which would take longer than many a run."""
    runs = [replay(path, hash_seed) for hash_seed in ("0", "1", "31337")]
    assert [run.returncode for run in runs] == [0, 0, 0], runs[0].stdout + runs[0].stderr
    lines = [run.stdout.splitlines() for run in runs]
    assert len({line[0].rpartition("journal ")[2] for line in lines}) == 1
    assert [line[1] for line in lines] == ["False"] * 3
