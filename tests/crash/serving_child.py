"""The server the crash test kills: a whole cluster on a socket, that ends itself with SIGKILL at the nth passage of a named point.

``serving_child.py DIRECTORY POINT NTH [TIME]``: prints its URL, its token and its time once it answers; passages count from then on. Its
time goes on from the one named, so that what passed without a server, however slow the machine, is no part of its history.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.http import Request, Response

BEFORE_ANSWER = "before answer"
NEVER = "never"
HISTORY_S = 4.0
"""Short, so that compaction goes on all the time; long beside what passes between the opening of a store and its first watch."""


class Fate:
    """Says when it is over."""

    def __init__(self, point: str, nth: int) -> None:
        self.point = point
        self.left = nth
        self.armed = False

    def pass_(self, point: str) -> None:
        if self.armed and point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


async def main(directory: Path, point: str, nth: int, start_s: float | None) -> None:
    fate = Fate(point, nth)
    spec = ClusterSpec(nodes=1, data_dir=directory, durability="full", history_s=HISTORY_S, served=True, start_s=start_s)
    async with open_cluster(spec, probe=fate.pass_) as cluster:
        handle = cluster.pipeline.handle

        async def handle_and_pass(request: Request) -> Response:
            response = await handle(request)
            if request.method != "GET":
                fate.pass_(BEFORE_ANSWER)
            return response

        cluster.pipeline.handle = handle_and_pass
        served = await cluster.serve()
        fate.armed = True
        print(served.url, served.token, served.ca_certificate, cluster.clock.now(), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]) if len(sys.argv) > 4 else None))
