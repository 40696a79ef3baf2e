"""`svcsim webhook serve`, run against a server of its own."""

import signal
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import IO

from tests.nursery import Child, nursery
from tests.process import environment, ran
from tests.waiting import until
from tests.wire.raw import Answer, Wire

MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_S = 30


class Serving:
    """A cluster's server, and commands run against it in a directory."""

    def __init__(self, wire: Wire, kubeconfig: Path, directory: Path) -> None:
        self.wire = wire
        self.directory = directory
        self._env = {**environment(directory / "home"), "KUBECONFIG": str(kubeconfig)}
        self.running: list[Child] = []

    def forget_configuration(self) -> None:
        """Find the cluster by its name, as most people do, and not at the address that it has now."""
        del self._env["KUBECONFIG"]

    def write(self, text: str, name: str = "team.py") -> None:
        (self.directory / name).write_text(textwrap.dedent(text))

    def read(self, name: str) -> str:
        """What a handler has written to a file; nothing as long as there is none."""
        path = self.directory / name
        return path.read_text() if path.exists() else ""

    def start(self, *words: str, out: int | IO[bytes] = subprocess.PIPE, err: int = subprocess.PIPE) -> Child:
        return nursery().begin(["webhook", "serve", *words], self._env, self.directory, out, err, text=True)

    def begin(self, *words: str, out: int | IO[bytes] = subprocess.PIPE) -> Child:
        """Start, and wait until it is asked."""
        process = self.start(*words, out=out)
        self.running.append(process)
        assert process.stderr is not None
        first = process.stderr.readline()
        assert "is asked about" in first, first + process.stderr.read()
        return process

    def refused(self, *words: str) -> str:
        """What it says as it gives up."""
        done = self.svcsim("webhook", "serve", *words)
        assert (done.returncode, done.stdout) == (1, ""), done
        return done.stderr

    def svcsim(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Another command, beside the one that serves."""
        return ran(*words, env=self._env, cwd=self.directory, timeout_s=PATIENCE_S)

    def end(self, process: Child, number: int = signal.SIGINT) -> tuple[str, str]:
        """End it; what it has printed, on stdout and stderr."""
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
        self.running.remove(process)
        assert process.returncode == 0, err
        return out, err

    def make(self, prefix: str = "good") -> Answer:
        return self.wire.ask("POST", MAPS, {"metadata": {"name": self.wire.fresh(prefix)}})

    def until(self, holds: Callable[[], bool]) -> None:
        until(holds)

    def registered(self) -> list[str]:
        root = f"/apis/{self.wire.dialect.group('admissionregistration')}/v1"
        kinds = ("mutating", "validating")
        found = {kind: self.wire.ask("GET", f"{root}/{kind}webhookconfigurations").json["items"] for kind in kinds}
        return [f"{kind} {one['metadata']['name']}" for kind, items in found.items() for one in items]


def unquoted(answer: Answer) -> str:
    """A message that quotes another one, with the quotes of that as they were."""
    return str(answer.message).replace('\\"', '"')


def is_running(number: str) -> bool:
    """Whether there is such a process, other than one that has ended already and whose parent hasn't asked."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", number], capture_output=True, text=True, check=False).stdout.strip()
    return bool(state) and not state.startswith("Z")
