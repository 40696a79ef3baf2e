"""Processes of svcsim that needn't load it: a nursery has done so, and each of them begins as a copy of that.

Half a second goes by until a new interpreter has all that a server imports, several times as long as the server then takes to come up. The
nursery is a process of its own that imports that, has a cluster of each dialect come up and go, and does nothing else, so what begins as
its copy is what a new interpreter would be by then: it has no threads, no connections, and nothing that a test did before. It ends with the
test process. What is about the start of an interpreter itself starts one.
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
from subprocess import DEVNULL, PIPE
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
MESSAGE_BYTES = 100_000
STREAMS = (0, 1, 2)
"""Of each process, by number: what it reads, and what it says."""
Limits = Mapping[int, int]
"""What a process may have of what `resource` names."""
FAILED = 1


class Child:
    """A process from the nursery, to be used as one of `subprocess` is."""

    def __init__(self, nursery: "Nursery", pid: int, stdin: IO[Any] | None, stdout: IO[Any] | None, stderr: IO[Any] | None) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
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

    def communicate(self, sent: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Send this, and then nothing more; all that it says until it ends, on both streams."""
        with ThreadPoolExecutor(3) as streams:
            if self.stdin:
                streams.submit(self._send, sent)
            told = [streams.submit(stream.read) if stream else None for stream in (self.stdout, self.stderr)]
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

    def _send(self, sent: Any) -> None:
        with contextlib.suppress(BrokenPipeError), self.stdin:
            if sent:
                self.stdin.write(sent)

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
                words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=DEVNULL, pass_fds=[theirs.fileno()]
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
        stdin: int | IO[Any] = DEVNULL,
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
        with ExitStack() as sent:
            form = "" if text else "b"
            streams = ((stdin, f"w{form}"), (stdout, f"r{form}"), (stderr, f"r{form}"))
            theirs, ours = zip(*(_ends(sent, stream, mode) for stream, mode in streams), strict=True)
            return Child(self, self._ask(asked, theirs), *ours)

    def status_of(self, pid: int) -> int:
        """How a process ended that has ended."""
        return self._ask({"ended": pid}, [])

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()

    def _ask(self, question: Mapping[str, object], descriptors: Sequence[int]) -> int:
        with self._asking:
            socket.send_fds(self._socket, [json.dumps(question).encode()], descriptors)
            return int(self._socket.recv(MESSAGE_BYTES))


def _ends(sent: ExitStack, stream: int | IO[Any], mode: str) -> tuple[int, IO[Any] | None]:
    """What a process is to have of a stream, and what remains here, to be used in that mode; what was made for it is closed once sent."""
    if stream not in (PIPE, DEVNULL):
        return stream if isinstance(stream, int) else stream.fileno(), None
    if stream == DEVNULL:
        theirs, ours = os.open(os.devnull, os.O_RDWR), None
    else:
        reader, writer = os.pipe()
        theirs, ours = (writer, os.fdopen(reader, mode)) if mode.startswith("r") else (reader, os.fdopen(writer, mode))
    sent.callback(os.close, theirs)
    return theirs, ours


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
    warm_up()
    gc.collect()
    gc.freeze()  # what is looked at by nobody needn't be copied
    assert threading.active_count() == 1, "a copy has only the thread that made it"
    asked = socket.socket(fileno=descriptor)
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, MESSAGE_BYTES, len(STREAMS))
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
    """Import what ``svcsim up --foreground`` does until requests are answered, the commands, and what many of them import as they begin."""
    import encodings.idna

    import cryptography.hazmat.backends.openssl.backend
    import cryptography.hazmat.primitives.serialization
    import cryptography.x509
    import uvloop

    import svcsim.cli.main
    import svcsim.cli.own.app
    import svcsim.cli.own.daemon
    import svcsim.client.signing
    import svcsim.cluster.cluster
    import svcsim.meta.yaml_reader
    import svcsim.meta.yaml_writer
    import svcsim.scenario.runner
    import svcsim.server.http.front
    from svcsim.cli.commands import KUBECTL_LIKE, OWN
    from svcsim.kinds.all import CATALOGUE

    del cryptography, encodings, uvloop, svcsim
    for entry in CATALOGUE:
        entry.load()
    for command in (*KUBECTL_LIKE.values(), *OWN.values()):
        import_module(command.module)


def warm_up() -> None:
    """Have a cluster of each dialect come up and go again, on virtual time and without threads, so that what is made once is there."""
    from svcsim.cluster.cluster import open_cluster
    from svcsim.cluster.spec import ClusterSpec
    from svcsim.dialect import DIALECTS
    from tests.virtual import run_virtual

    async def live(dialect: str) -> None:
        async with open_cluster(ClusterSpec(dialect=dialect, nodes=1, seed=1)) as cluster:
            await cluster.clock.sleep(1.0)

    for dialect in DIALECTS:
        run_virtual(live(dialect))


def become(question: Mapping[str, object], descriptors: list[int]) -> None:
    """Be the process that is asked for, from here on."""
    try:
        for number, stream in zip(descriptors, STREAMS, strict=True):
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
