"""The server the crash test kills: a whole cluster on a socket, that ends itself with SIGKILL at the nth passage of a named point.

``serving_child.py DIRECTORY POINT NTH``: prints its URL and its token once it answers; passages count from then on.
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
"""Short, so that compaction goes on all the time; long beside the time a restart takes."""


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


async def main(directory: Path, point: str, nth: int) -> None:
    fate = Fate(point, nth)
    spec = ClusterSpec(nodes=1, data_dir=directory, durability="full", history_s=HISTORY_S, served=True)
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
        print(served.url, served.token, served.ca_certificate, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
