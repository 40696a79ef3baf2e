"""A credential plugin that asks the user, on a terminal of the test's own."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process import environment

VERSION = "client.authentication.k8s.io/v1"
PROGRAM = """#!{python}
import json, os, sys
told = json.loads(os.environ["KUBERNETES_EXEC_INFO"])["spec"]["interactive"]
print("terminal" if sys.stdin.isatty() else "none", told, file=sys.stderr)
sys.exit(3)
"""


@pytest.mark.parametrize("mode", ["Never", "IfAvailable", "Always"])
def test_a_plugin_asks_on_the_terminal_where_it_may(tmp_path: Path, mode: str):
    program = tmp_path / "login"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o700)
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"exec": {"command": str(program), "apiVersion": VERSION, "interactiveMode": mode}}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "c",
    }
    (tmp_path / "config").write_text(json.dumps(config))
    command = [sys.executable, "-m", "svcsim", "--kubeconfig", str(tmp_path / "config"), "get", "--raw", "/version"]
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, env=environment(tmp_path), timeout=60, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stderr.splitlines()[0] == ("none False" if mode == "Never" else "terminal True")
    assert (done.returncode, done.stderr.endswith("failed with exit code 3\n")) == (1, True)
