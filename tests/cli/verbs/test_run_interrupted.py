"""``run --rm`` that is interrupted while the server still makes what it asked for."""

import os
import signal
import threading
from pathlib import Path

import pytest

from tests.cli.stub import Stub
from tests.process import SVCSIM, started
from tests.waiting import until


class SlowToMake(Stub):
    """Has made a pod, and answers later."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = threading.Event()

    def put(self, obj, event=None):
        made = super().put(obj, event)
        if obj["kind"] == "Pod":
            self.answers.wait(30)
        return made


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_pod_whose_making_was_not_answered_yet_is_removed(number: signal.Signals, status: int):
    with SlowToMake() as stub:
        process = started([SVCSIM, "--server", stub.url, "run", "x", "-i", "--rm", "--image=busybox"], os.environ)
        until(lambda: stub.objects)
        process.send_signal(number)
        stub.answers.set()
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (status, 'pod "x" deleted\n', "")
        assert stub.objects == {}


def test_a_second_interrupt_counts_at_once():
    with SlowToMake() as stub:
        process = started([SVCSIM, "--server", stub.url, "run", "x", "-i", "--rm", "--image=busybox"], os.environ)
        until(lambda: stub.objects)
        process.send_signal(signal.SIGINT)
        until(lambda: _pending_signals(process.pid) == 0)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        stub.answers.set()


def _pending_signals(pid: int) -> int:
    """What the kernel has still to deliver to a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd")))
