"""A power failure at any moment of a cluster's first start, first write and restart: it starts, serves, stops and can be purged.

The long run is ``python -m tests.soak images``.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGES = 24


def test_whatever_a_power_failure_leaves_of_a_directory_can_be_started_stopped_and_purged(tmp_path: Path):
    words = [sys.executable, "-m", "tests.soak", "images", str(IMAGES), "20"]
    surroundings = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(words, check=False, capture_output=True, text=True, cwd=ROOT, env=surroundings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{IMAGES} images of " in done.stdout
