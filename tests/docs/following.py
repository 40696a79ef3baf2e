"""Doing what a how-to says, in a copy of the sources: its files are made, its changes applied, its commands run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Copy:
    """The sources in a directory of their own, with a home beside them."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "sources"
        for part in ("svcsim", "completions", "scenarios"):
            shutil.copytree(ROOT / part, self.root / part, ignore=shutil.ignore_patterns("__pycache__"))
        self._home = directory / "home"
        commands = directory / "bin"
        commands.mkdir()
        for name, words in (("svcsim", "-m svcsim "), ("python", "")):
            (commands / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words}"$@"\n')
            (commands / name).chmod(0o755)
        self._environment = {
            **{name: value for name, value in os.environ.items() if name != "KUBECONFIG"},
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.root),
            "SVCSIM_HOME": str(self._home),
            "HOME": str(directory),
            "COLUMNS": "80",
        }

    def run(self, command: str) -> str:
        """What a command line says, on either stream."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def make(self, block: str) -> None:
        """Write a file that begins with its own path."""
        first, _, content = block.partition("\n")
        (self.root / first.removeprefix("# ")).write_text(content)

    def change(self, block: str) -> None:
        """Put the lines with ``+`` behind the line before them, which is there once."""
        first, *lines = block.splitlines()
        file = self.root / first.removeprefix("+++ ")
        content = file.read_text()
        before = [line[1:] for line in lines if line.startswith(" ")]
        assert content.count("\n".join(before) + "\n") == 1, f"{file} does not hold the line {before} once"
        file.write_text(content.replace("\n".join(before) + "\n", "\n".join(line[1:] for line in lines) + "\n"))

    def apply(self, manifest: str) -> str:
        """What is said when a manifest is applied."""
        return self.run(f"svcsim apply -f - <<'END'\n{manifest}END")

    def follow(self, page: Path) -> None:
        """Do everything a page says, in its order, and see that commands say what it says they do."""
        for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            match language:
                case "python":
                    self.make(block)
                case "diff":
                    self.change(block)
                case "sh":
                    assert self.run(f"set -e\n{block}") == ""
                case "yaml":
                    assert self.apply(block).endswith((" created\n", " configured\n", " unchanged\n"))
                case "console":
                    for command, said in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                        assert self.run(command) == said, command
                case _:
                    raise AssertionError(f"nobody knows what to do with {language}")
