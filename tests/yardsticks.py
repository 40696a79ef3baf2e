"""Where facts and vectors to test against lie. They are no part of the project; tests skip where they are absent."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("SVCSIM_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def yardstick(relative: str) -> Path:
    """The file or directory at that path, or the test is skipped."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"no yardstick {relative}: set SVCSIM_SHARED to where they lie")
    return path
