"""A server that is held up: whoever asks it is told so, and waits no longer than he has to."""

import os
import signal
from collections.abc import Iterator

import orjson
import pytest

from svcsim import limits

pytestmark = pytest.mark.servers_from_scratch


@pytest.fixture
def frozen(svcsim, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The process of a cluster that does nothing any more."""
    svcsim("up", "ice", "--nodes", "0", "--durability", "process")
    pid = orjson.loads(svcsim("status", "ice", "-o", "json")[1])["pid"]
    for name in ("HANDSHAKE_S", "STATUS_S", "SILENT_S"):
        monkeypatch.setattr(limits, name, 0.2)
    os.kill(pid, signal.SIGSTOP)
    yield pid
    os.kill(pid, signal.SIGCONT)


def test_every_command_tells_which_cluster_does_not_answer(svcsim_here, frozen: int):
    told = (
        f'cluster "ice" doesn\'t answer, though its process {frozen} is there: it is held up or overloaded; '
        "svcsim logs-server ice shows its log, svcsim down ice ends it\n"
    )
    assert svcsim_here("status", "ice") == (1, "", f"error: {told}")
    for command in (("get", "nodes"), ("clock", "show"), ("nodes", "list"), ("port-forward", "pod/web", "80")):
        handshake = "Unable to connect to the server: net/http: TLS handshake timeout\n"
        assert svcsim_here(*command) == (1, "", handshake + told), command
    assert svcsim_here("get", "nodes", "--request-timeout", "100ms")[2].endswith(told)
