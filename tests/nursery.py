"""Processes of svcsim that needn't load it: a nursery has done so, and each of them begins as a copy of that.

Half a second goes by until a new interpreter has all that a server imports, several times as long as the server then takes to come up. The
nursery is a process of its own that imports that and does nothing else, so what begins as its copy is what a new interpreter would be by
then: it has no threads, no connections, and nothing that a test did before. It ends with the test process. What is about the start of an
interpreter itself starts one.
"""

import atexit
import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
MESSAGE_BYTES = 100_000
Limits = Mapping[int, int]
"""What a process may have of what `resource` names."""
FAILED = 1


class Child:
    """A process from the nursery, to be used as one of `subprocess` is."""

    def __init__(self, nursery: "Nursery", pid: int, stdout: IO[Any] | None, stderr: IO[Any] | None) -> None:
        self.pid = pid
        self.stdout, self.stderr = stdout, stderr
        self.returncode: int | None = None
        self._nursery = nursery
        self._ended = os.pidfd_open(pid)
        """Readable once it has ended."""

    def poll(self) -> int | None:
        """Its exit status, or the signal that ended it as a negative number; None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(["svcsim"], timeout or 0.0)
            os.close(self._ended)
            self.returncode = self._nursery.status_of(self.pid)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """All that it says until it ends, on both streams."""
        with ThreadPoolExecutor(2) as readers:
            told = [readers.submit(stream.read) if stream else None for stream in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            out, err = (one and one.result() for one in told)
        for stream in (self.stdout, self.stderr):
            if stream:
                stream.close()
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The process that has svcsim loaded, as the test process knows it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = [sys.executable, "-m", "tests.nursery", str(theirs.fileno())]
            self._process = subprocess.Popen(
                words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )
        self._socket = ours
        self._asking = threading.Lock()
        atexit.register(self._end)

    def begin(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path = ROOT,
        stdout: int | IO[Any] = PIPE,
        stderr: int | IO[Any] = PIPE,
        *,
        text: bool = False,
        limits: Limits | None = None,
        copies: bool = False,
    ) -> Child:
        """``svcsim`` with these words; where ``copies`` says so, a server that it starts begins as a copy of its process."""
        asked = {
            "words": list(words),
            "environment": dict(environment),
            "cwd": str(cwd),
            "limits": list((limits or {}).items()),
            "copies": copies,
        }
        theirs, ours = [], []
        with ExitStack() as sent:
            for stream in (stdout, stderr):
                reader, number = os.pipe() if stream == PIPE else (None, stream if isinstance(stream, int) else stream.fileno())
                theirs.append(number)
                ours.append(None if reader is None else os.fdopen(reader, "r" if text else "rb"))
                if reader is not None:
                    sent.callback(os.close, number)
            return Child(self, self._ask(asked, theirs), *ours)

    def status_of(self, pid: int) -> int:
        """How a process ended that has ended."""
        return self._ask({"ended": pid}, [])

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()

    def _ask(self, question: Mapping[str, object], descriptors: list[int]) -> int:
        with self._asking:
            socket.send_fds(self._socket, [json.dumps(question).encode()], descriptors)
            return int(self._socket.recv(MESSAGE_BYTES))


@cache
def nursery() -> Nursery:
    """The test process's own, which is begun when it is first needed."""
    return Nursery()


def main(descriptor: int) -> None:
    """Load all that a server needs, and answer until nobody can ask any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal's interrupts the processes hear by themselves
    from svcsim.cluster.process import tune_process

    tune_process()
    load()
    gc.freeze()  # what is looked at by nobody needn't be copied
    assert threading.active_count() == 1, "a copy has only the thread that made it"
    asked = socket.socket(fileno=descriptor)
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, MESSAGE_BYTES, 2)
        if not message:
            return
        question = json.loads(message)
        if "ended" in question:
            status = os.waitstatus_to_exitcode(os.waitpid(question["ended"], 0)[1])
        else:
            status = os.fork()
            if not status:
                asked.close()
                become(question, descriptors)
        for number in descriptors:
            os.close(number)
        asked.send(str(status).encode())


def load() -> None:
    """Import what ``svcsim up --foreground`` does until requests are answered, and the commands."""
    import cryptography.x509
    import uvloop

    import svcsim.cli.main
    import svcsim.cli.own.app
    import svcsim.cli.own.daemon
    import svcsim.cluster.cluster
    import svcsim.server.http.front
    from svcsim.cli.commands import KUBECTL_LIKE, OWN
    from svcsim.kinds.all import CATALOGUE

    del cryptography, uvloop, svcsim
    for entry in CATALOGUE:
        entry.load()
    for command in (*KUBECTL_LIKE.values(), *OWN.values()):
        import_module(command.module)


def become(question: Mapping[str, object], descriptors: list[int]) -> None:
    """Be the process that is asked for, from here on."""
    try:
        for number, stream in zip(descriptors, (1, 2), strict=True):
            os.dup2(number, stream)
            os.close(number)
        os.environ.clear()
        os.environ.update(question["environment"])
        time.tzset()
        os.chdir(question["cwd"])
        for limited, most in question["limits"]:
            resource.setrlimit(limited, (most, most))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if question["copies"]:
            from svcsim.cli.own import starting
            from tests.copied_servers import copying

            starting.subprocess = copying()
        sys.argv = [str(ROOT / "svcsim" / "__main__.py"), *question["words"]]
        from svcsim.cli.main import main

        main()
    finally:
        os._exit(FAILED)


if __name__ == "__main__":
    main(int(sys.argv[1]))
