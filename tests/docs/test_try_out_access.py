"""The page on access says what happens, from its first line to its last."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.process import ROOT, environment

PAGE = (ROOT / "docs/how-to/try-out-access.md").read_text()
BLOCKS = re.findall(r"```(sh|console)\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_is_true(tmp_path: Path) -> None:
    env = {**environment(tmp_path / "home"), "KUBECONFIG": ""}

    def run(line: str) -> "subprocess.CompletedProcess[str]":
        words = shlex.split(line.removesuffix(" || true"))
        assert words[0] == "svcsim", line
        command = [sys.executable, "-m", "svcsim", *words[1:]]
        return subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, check=False, timeout=60)

    try:
        for kind, text in BLOCKS:
            if kind == "sh":
                for line in text.splitlines():
                    done = run(line)
                    assert done.returncode == 0 or line.endswith("|| true"), f"{line}\n{done.stdout}{done.stderr}"
            else:
                for line, told in re.findall(r"\$ (.*)\n([^$]*)", text):
                    done = run(line)
                    assert (done.returncode, (done.stdout + done.stderr).strip()) == (1, told.strip()), line
    finally:
        run("svcsim down --purge")
    assert "can't" not in run("svcsim clusters").stderr
