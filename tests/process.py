"""The server as people start it: ``svcsim up --foreground`` in a process of its own, reaped whatever happens."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from svcsim.dialect import DIALECTS, Dialect
from tests.nursery import ROOT, Child, Limits, nursery

COMMAND_S = 60.0
"""How long a command is given."""
SVCSIM = "svcsim"
"""Its name as a program."""
END_S = 20.0
"""How long a server is given to end in good order."""


@dataclass
class ServerProcess:
    """A server that answers, and what it takes to reach it."""

    home: Path
    process: subprocess.Popen[bytes] | Child
    url: str
    dialect: Dialect

    @property
    def kubeconfig(self) -> Path:
        return self.home / "clusters" / "default" / "kubeconfig"

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def token(self) -> str:
        return json.loads(self.kubeconfig.read_text())["users"][0]["user"]["token"]

    @property
    def ca_pem(self) -> str:
        cluster = json.loads(self.kubeconfig.read_text())["clusters"][0]["cluster"]
        return base64.b64decode(cluster["certificate-authority-data"]).decode()

    @property
    def pki(self) -> Path:
        """Where its keys lie, unless it is ephemeral."""
        return self.home / "clusters" / "default" / "pki"

    @property
    def log(self) -> str:
        """What it has complained about so far."""
        return (self.home / "stderr").read_text()


def environment(home: Path, source: Path = ROOT) -> dict[str, str]:
    """Ours, with a source tree, this one or a copy, and a home of the server's own."""
    own = {name: value for name, value in os.environ.items() if name not in ("KUBECONFIG", "SVCSIM_CLUSTER", "SVCSIM_DIALECT")}
    return {**own, "SVCSIM_HOME": str(home), "HOME": str(home), "PYTHONPATH": str(source)}


def ran(
    *words: str, env: Mapping[str, str], cwd: Path = ROOT, timeout_s: float = COMMAND_S, sent: str = "", copies: bool = False
) -> "subprocess.CompletedProcess[str]":
    """What ``svcsim`` with these words comes to that reads what is sent, in a process of its own; ``copies``: as the nursery has it."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(sent.encode())
        given.seek(0)
        process = nursery().begin(words, env, cwd, out, err, stdin=given, copies=copies)
        try:
            process.wait(timeout_s)
        finally:
            process.kill()
        said = [stream.seek(0) or stream.read().decode() for stream in (out, err)]
        return subprocess.CompletedProcess(list(words), process.wait(), *said)


def started(
    line: Sequence[str],
    env: Mapping[str, str],
    *,
    stdin: int | IO[Any] = subprocess.DEVNULL,
    stdout: int | IO[Any] = subprocess.PIPE,
    stderr: int | IO[Any] = subprocess.PIPE,
) -> "subprocess.Popen[str] | Child":
    """A program that has begun, svcsim or another one, with text on its streams."""
    program, *words = line
    if program == SVCSIM:
        return nursery().begin(words, env, ROOT, stdout, stderr, stdin=stdin, text=True)
    return subprocess.Popen(line, text=True, env=env, stdin=stdin, stdout=stdout, stderr=stderr)


def answered(line: Sequence[str], env: Mapping[str, str], *, cwd: Path = ROOT, sent: str = "") -> "subprocess.CompletedProcess[str]":
    """What a program comes to, svcsim or another one, that reads what is sent. svcsim's servers are copies of its process."""
    program, *words = line
    if program == SVCSIM:
        return ran(*words, env=env, cwd=cwd, sent=sent, copies=True)
    return subprocess.run(line, input=sent, capture_output=True, text=True, env=env, cwd=cwd, check=False, timeout=COMMAND_S)


@contextmanager
def served(home: Path, dialect: str, *options: str, source: Path = ROOT, limits: Limits | None = None) -> Iterator[ServerProcess]:
    """A server for as long as the context lasts; only one of this tree can be limited."""
    home.mkdir(parents=True, exist_ok=True)
    words = ["up", "--foreground", "--dialect", dialect, *options]
    with (home / "stderr").open("ab") as errors:
        if source == ROOT:
            process = nursery().begin(words, environment(home), stderr=errors, limits=limits)
        else:
            command = [sys.executable, "-m", "svcsim", *words]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment(home, source), cwd=source)
    try:
        yield ServerProcess(home, process, _url(process, home), DIALECTS[dialect])
    finally:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@contextmanager
def on_demand(home: Path, *options: str) -> Iterator[Callable[[str], ServerProcess]]:
    """Servers by dialect, each started when it is first asked for; they go on for as long as the context lasts."""
    with ExitStack() as contexts:
        yield cache(lambda dialect: contexts.enter_context(served(home / dialect, dialect, *options)))


def _url(process: subprocess.Popen[bytes] | Child, home: Path) -> str:
    for line in process.stdout:
        words = line.decode().split()
        if "https:" in line.decode():
            return next(word for word in words if word.startswith("https://"))
    raise AssertionError(f"the server did not start: {(home / 'stderr').read_text()}")
