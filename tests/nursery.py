"""Processes that needn't load svcsim: a nursery has done it, and each of them begins as a copy of that.

A third of a second goes by until a new interpreter has all that a server imports, twice as long as the server then takes to come up. The
nursery is a process of its own that imports that and does nothing else, so what begins as its copy is what a new interpreter would be by
then: it has no threads, no connections, and nothing that a test did before. It ends with the test process.
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
from functools import cache
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
MESSAGE_BYTES = 100_000
FAILED = 1


class Child:
    """A process from the nursery, to be used as one of `subprocess` is."""

    def __init__(self, nursery: "Nursery", pid: int, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdout = stdout
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

    def begin(self, words: Sequence[str], stderr: IO[bytes], environment: Mapping[str, str], cwd: Path, descriptors: int) -> Child:
        """``svcsim`` with these words; it may have so many ``descriptors``, where that is said."""
        asked = {"words": list(words), "environment": dict(environment), "cwd": str(cwd), "descriptors": descriptors}
        reader, writer = os.pipe()
        try:
            pid = self._ask(asked, [writer, stderr.fileno()])
        finally:
            os.close(writer)
        return Child(self, pid, os.fdopen(reader, "rb"))

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
    """Import what ``svcsim up --foreground`` does until requests are answered."""
    import cryptography.x509
    import uvloop

    import svcsim.cli.main
    import svcsim.cli.own.app
    import svcsim.cli.own.daemon
    import svcsim.cluster.cluster
    import svcsim.server.http.front
    from svcsim.kinds.all import CATALOGUE

    del cryptography, uvloop, svcsim
    for entry in CATALOGUE:
        entry.load()


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
        if question["descriptors"]:
            resource.setrlimit(resource.RLIMIT_NOFILE, (question["descriptors"], question["descriptors"]))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from svcsim.cli.main import main

        main(question["words"])
    finally:
        os._exit(FAILED)


if __name__ == "__main__":
    main(int(sys.argv[1]))
