"""The pages on trying things out, on scaling, and on others' controllers say what happens, from their first line to their last."""

from pathlib import Path

import pytest

from tests.docs.told_pages import follow

PAGES = [
    "try-out-access",
    "try-out-admission",
    "see-where-pods-go",
    "try-out-devices",
    "scale-by-load",
    "reach-into-pods",
    "bring-your-own-controllers",
]


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_true(tmp_path: Path, page: str) -> None:
    follow(f"docs/how-to/{page}.md", tmp_path)
