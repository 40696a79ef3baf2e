"""Golden files: command lines and what they print, byte for byte.

A file holds blocks: ``$ command``, what it wrote to stdout, then what it wrote to stderr with ``2> `` before each line, then ``[status]``
if that isn't 0. Each command meets a fresh stub. ``python -m tests.cli.golden`` writes the files anew from what kubectl prints.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from tests.cli.objects import LOGS, OBJECTS
from tests.cli.stub import Stub

DIRECTORY = Path(__file__).parent / "golden"
FILES = sorted(path.stem for path in DIRECTORY.glob("*.txt"))


def blocks(name):
    """The commands in a file, each with its whole block."""
    found = []
    for block in ("\n" + (DIRECTORY / f"{name}.txt").read_text()).split("\n$ ")[1:]:
        command = block.partition("\n")[0]
        found.append((command, "$ " + block.rstrip("\n") + "\n"))
    return found


def block(command, status, out, err):
    """What a golden file holds about a command."""
    text = f"$ {command}\n{out}"
    if out and not out.endswith("\n"):
        text += "\\ no line end\n"
    text += "".join(f"2> {line}\n" for line in err.splitlines())
    text += f"[{status}]\n" if status else ""
    return text.rstrip("\n") + "\n"


def neutral(text, url):
    """The text without what differs from run to run and from program to program."""
    return text.replace(url, "URL").replace(url.removeprefix("http://"), "HOST").replace("kubectl", "svcsim")


def kubectl(command, home):
    """The block kubectl makes of a command."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC", "GOGC": "off", "GOMAXPROCS": "1"}
    with Stub(OBJECTS, LOGS) as stub:
        words = ["kubectl", "--server", stub.url, *shlex.split(command)]
        done = subprocess.run(words, check=False, capture_output=True, text=True, env=env, cwd=DIRECTORY, timeout=60)
        return neutral(block(command, done.returncode, done.stdout, done.stderr), stub.url)


def rewrite(home):
    """Write the golden files anew."""
    for name in FILES:
        if name != "own":
            made = [kubectl(command, home) for command, _ in blocks(name)]
            (DIRECTORY / f"{name}.txt").write_text("\n".join(made))


if __name__ == "__main__":
    rewrite(sys.argv[1] if len(sys.argv) > 1 else "/nonexistent")
