"""Adding a kind as the how-to says."""

import re
import shutil
from pathlib import Path

from tests.docs.following import ROOT, Copy

PAGE = ROOT / "docs" / "how-to" / "add-a-kind.md"


class AgelessCopy(Copy):
    """A copy whose tables show every object as new, however slow the machine is."""

    def run(self, command: str) -> str:
        return re.sub(r"(?m) \d+s$", " 0s", super().run(command))


def test_the_page_can_be_followed(tmp_path: Path):
    copy = AgelessCopy(tmp_path)
    try:
        copy.follow(PAGE)
        if shutil.which("kubectl"):
            assert copy.run("kubectl --kubeconfig=$SVCSIM_HOME/clusters/default/kubeconfig get rw -o name") == "rolloutwindow.apps/night\n"
        checked = copy.run(f"python -m ruff check --config {ROOT / 'pyproject.toml'} svcsim/kinds")
        assert checked == "All checks passed!\n"
    finally:
        copy.run("svcsim down --purge")
