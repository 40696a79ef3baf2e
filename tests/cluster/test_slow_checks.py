"""Checks that take long are made aside: the first signing request, for one, brings in the whole cryptography."""

import base64
import json
import subprocess
import sys

from tests.kinds.samples.access import SIGNING_REQUEST

PROGRAM = """
import asyncio, json, sys, threading

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec


class Witness:
    threads = []

    def find_spec(self, name, path=None, target=None):
        if name == "cryptography":
            self.threads.append(threading.current_thread() is threading.main_thread())


async def main():
    sys.meta_path.insert(0, Witness())
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=0)) as cluster:
        requests = cluster.user_client("root", ("system:masters",)).resource("certificates.k8s.io/v1", "certificatesigningrequests")
        await requests.create(json.loads(sys.argv[1]))
        print(json.dumps(Witness.threads))


asyncio.run(main())
"""


def test_the_cryptography_is_brought_in_beside_the_event_loop():
    spec = {"request": base64.b64encode(SIGNING_REQUEST).decode(), "signerName": "example.com/any", "usages": ["client auth"]}
    request = json.dumps({"metadata": {"name": "first"}, "spec": spec})
    done = subprocess.run([sys.executable, "-c", PROGRAM, request], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [False], "on another thread than the loop's, and only then"
