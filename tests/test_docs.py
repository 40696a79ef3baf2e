"""The documents name files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/architecture.md", *sorted(f"docs/how-to/{page.name}" for page in (ROOT / "docs/how-to").glob("*.md")))


@pytest.mark.parametrize("page", PAGES)
def test_every_file_a_page_names_is_there(page: str) -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.(?:py|yaml|toml))`", (ROOT / page).read_text()))
    absent = [name for name in sorted(named) if not (ROOT / name).exists() and not (ROOT / "svcsim" / name).exists()]
    assert absent == []
