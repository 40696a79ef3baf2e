"""Checks that take long are made aside: the first signing request, or certificate, brings in the whole cryptography."""

import base64
import json
import subprocess
import sys

import pytest

from tests.kinds.samples.access import SIGNING_REQUEST

PROGRAM = """
import asyncio, json, sys, threading

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.types import User


class Witness:
    threads = []

    def find_spec(self, name, path=None, target=None):
        if name == "cryptography":
            self.threads.append(threading.current_thread() is threading.main_thread())


async def main():
    sys.meta_path.insert(0, Witness())
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=0)) as cluster:
        resources = cluster.user_client(User("root", ("system:masters",))).resource(*json.loads(sys.argv[1]))
        await resources.create(json.loads(sys.argv[2]))
        print(json.dumps(Witness.threads))


asyncio.run(main())
"""


PAIR = dict.fromkeys(("tls.crt", "tls.key"), base64.b64encode(b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n").decode())
PAIR["tls.key"] = base64.b64encode(b"-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n").decode()
REQUEST = {"request": base64.b64encode(SIGNING_REQUEST).decode(), "signerName": "example.com/any", "usages": ["client auth"]}


@pytest.mark.parametrize(
    ("resource", "said"),
    [
        (("certificates.k8s.io/v1", "certificatesigningrequests"), {"spec": REQUEST}),
        (("v1", "secrets", "default"), {"type": "kubernetes.io/tls", "data": PAIR}),
    ],
    ids=["a signing request", "a certificate and its key"],
)
def test_the_cryptography_is_brought_in_beside_the_event_loop(resource, said):
    words = [json.dumps(resource), json.dumps({"metadata": {"name": "first"}, **said})]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [False], "on another thread than the loop's, and only then"
