"""Follows a page that tells what to type and what comes back: files to be written, lines that go well, and lines that don't."""

import re
import shlex
import subprocess
from pathlib import Path

from tests.process import ROOT, answered, environment


def follow(page: str, tmp_path: Path, section: str = "") -> None:
    """From its first line to its last, or those of one section up to the next heading.

    A block of YAML begins with its file's name; what ``console`` shows fails, in these words.
    """
    text = (ROOT / page).read_text()
    if section:
        text = re.split(r"^##+ ", text.partition(f"\n## {section}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    blocks = re.findall(r"```(sh|console|yaml)\n(.*?)```", text, re.DOTALL)
    assert blocks, "there is something to follow"
    env = {**environment(tmp_path / "home"), "KUBECONFIG": ""}

    def run(line: str) -> subprocess.CompletedProcess[str]:
        words = shlex.split(line.removesuffix(" || true"))
        assert words[0] == "svcsim", line
        return answered(words, env, cwd=tmp_path)

    try:
        for kind, text in blocks:
            if kind == "yaml":
                (tmp_path / text.partition("\n")[0].removeprefix("# ")).write_text(text)
            elif kind == "sh":
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
