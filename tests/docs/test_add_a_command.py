"""Adding commands as the how-to says."""

from pathlib import Path

from tests.docs.following import ROOT, Copy


def test_the_page_can_be_followed(tmp_path: Path):
    copy = Copy(tmp_path)
    try:
        assert "is ready at" in copy.run("svcsim up --nodes 0")
        copy.follow(ROOT / "docs" / "how-to" / "add-a-command.md")
        assert "__svcsim_at owners" in (copy.root / "completions" / "fish").read_text()
        assert "How many racks; 1 by default" in (copy.root / "scenarios" / "scenario.schema.json").read_text()
        lint = copy.run(f"python -m ruff check --config {ROOT / 'pyproject.toml'} svcsim/cli svcsim/cluster")
        assert lint == "All checks passed!\n"
    finally:
        copy.run("svcsim down --purge")
