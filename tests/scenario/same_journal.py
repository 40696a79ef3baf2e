"""Whether a scenario writes the same journal whatever the order of hashes: ``python -m tests.scenario.same_journal FILE --runs 100``.

Each run is a process of its own, since only a new one has another order of hashes.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from svcsim.clock import Chance

ROOT = Path(__file__).parents[2]
REPLAY = "import sys; from svcsim.scenario.runner import main; code = main(sys.argv[1:]); print('aiohttp' in sys.modules); sys.exit(code)"
_HASH_SEEDS = 2**32 - 1


def replay(path: Path, hash_seed: str) -> subprocess.CompletedProcess[str]:
    """One run. Its last line tells whether the HTTP library was imported."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", REPLAY, str(path)], env=environment, capture_output=True, text=True, check=False)


def journal_of(run: subprocess.CompletedProcess[str]) -> str:
    """The hash of its journal; where it didn't hold, what it said."""
    return run.stdout.splitlines()[0].rpartition("journal ")[2] if run.returncode == 0 else run.stdout + run.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    chance = Chance()
    journals: Counter[str] = Counter()
    for _ in range(given.runs):
        seed = str(chance.integer(0, _HASH_SEEDS))
        journal = journal_of(replay(given.file, seed))
        if journal not in journals:
            print(f"PYTHONHASHSEED={seed}: {journal}", flush=True)
        journals[journal] += 1
    print(f"{given.runs} runs, {len(journals)} journal{'s' if len(journals) > 1 else ''}")
    return 0 if len(journals) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
