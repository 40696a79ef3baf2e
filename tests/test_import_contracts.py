"""The contracts about libraries list the rooms they bind one by one: a new room isn't forgotten."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "svcsim"
ROOMS = {path.stem for path in SOURCES.iterdir() if not path.name.startswith("__")}
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
FREE = {
    ("lmdb",): {"storage"},
    ("aiohttp",): {"client"},
    ("typer",): {"cli"},
    ("rich", "textual"): {"tui"},
    ("cryptography", "jwt", "nacl"): {"auth"},
}
"""Libraries, and who alone may import them."""


@pytest.mark.parametrize("libraries", FREE, ids=" ".join)
def test_every_room_is_bound_but_the_one_that_has_the_library(libraries):
    contract = next(one for one in CONTRACTS if tuple(one.get("forbidden_modules", ())) == libraries)
    bound = [name.removeprefix("svcsim.") for name in contract["source_modules"]]
    assert sorted(bound) == sorted(ROOMS - FREE[libraries])
