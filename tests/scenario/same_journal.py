"""Whether a scenario writes the same journal whatever the order of hashes: ``python -m tests.scenario.same_journal FILE --runs 100``.

Each run is a process of its own, since only a new one has another order of hashes.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from svcsim.chance import Chance

ROOT = Path(__file__).parents[2]
REPLAY = """
import sys
from svcsim import limits
from svcsim.cluster.process import tune_process

tune_process(limits.REPLAY_GARBAGE_THRESHOLDS)  # as `svcsim replay` does

from svcsim.scenario.runner import main

code = main(sys.argv[1:])
print("aiohttp" in sys.modules)
sys.exit(code)
"""
_HASH_SEEDS = 2**32 - 1


class Replayed(NamedTuple):
    """What came of a run."""

    status: int
    journals: list[str]
    """The hash of each file's; where one of them didn't hold, what was said instead."""
    imported: str
    """Whether the HTTP library was."""


def begun(paths: Sequence[Path], hash_seed: str) -> subprocess.Popen[str]:
    """A run of files one after the other, in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", REPLAY, *map(str, paths)]
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(run: subprocess.Popen[str]) -> Replayed:
    """What comes of it."""
    out, err = run.communicate()
    *told, imported = out.splitlines() or [""]
    return Replayed(run.returncode, [line.rpartition("journal ")[2] for line in told] if run.returncode == 0 else [out + err], imported)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    chance = Chance()
    journals: Counter[str] = Counter()
    for _ in range(given.runs):
        seed = str(chance.integer(0, _HASH_SEEDS))
        journal = ended(begun([given.file], seed)).journals[0]
        if journal not in journals:
            print(f"PYTHONHASHSEED={seed}: {journal}", flush=True)
        journals[journal] += 1
    print(f"{given.runs} runs, {len(journals)} journal{'s' if len(journals) > 1 else ''}")
    return 0 if len(journals) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
