"""A kind that a cluster begins to serve, and ceases to, while it runs: as unmodified kubectl sees it."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from svcsim.client import kubeconfig
from svcsim.client.kubeconfig import Access
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from svcsim.registry.scheme import Scheme
from tests.server.test_living_scheme import LATE

KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")

FIRST: Object = {"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": {"name": "first"}, "spec": {"size": 3}}
SECOND: Object = {"apiVersion": "apps.acme.io/v1", "kind": "Widget", "metadata": {"name": "second"}, "spec": {"size": 5}}
LISTED = [f"widgets wi {group}/v1 true Widget" for group in ("acme.io", "apps.acme.io", "events.acme.io")]


@dataclass
class Served:
    """A cluster on a socket in this process, and kubectl beside it."""

    cluster: Cluster
    home: Path

    @property
    def scheme(self) -> Scheme:
        return self.cluster.registry.core.scheme

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "KUBECONFIG": str(self.home / "config")}
        return await asyncio.create_subprocess_exec(KUBECTL, *words, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)

    async def kubectl(self, *words: str, sent: Object | None = None, fails: bool = False) -> str:
        """What it prints; on both channels if it is to fail."""
        process = await self.start(*words)
        out, err = await asyncio.wait_for(process.communicate(json.dumps(sent).encode() if sent else b""), 60)
        assert (process.returncode != 0) == fails, f"kubectl {' '.join(words)}: {process.returncode} {out.decode()}{err.decode()}"
        return (out + err if fails else out).decode()

    async def listed(self) -> list[str]:
        """The widgets among the resource types."""
        shutil.rmtree(self.home / ".kube", ignore_errors=True)  # kubectl keeps discovery for six hours
        lines = (await self.kubectl("api-resources")).splitlines()
        return [" ".join(line.split()) for line in lines if line.startswith("widgets")]


@pytest.fixture(params=list(DIALECTS))
async def served(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Served]:
    async with open_cluster(ClusterSpec(nodes=0, seed=1, dialect=request.param, served=True)) as cluster:
        reached = await cluster.serve()
        access = Access(reached.url, ca_pem=reached.ca_certificate.read_bytes(), token=reached.token)
        kubeconfig.write_file(tmp_path / "config", kubeconfig.describe("test", access))
        yield Served(cluster, tmp_path)
        assert cluster.failures == []


async def test_resource_types_are_listed_while_they_are_served(served: Served):
    assert await served.listed() == []
    served.scheme.serve(LATE)
    assert await served.listed() == LISTED
    served.scheme.replace(LATE[:1], ())
    assert await served.listed() == LISTED[1:]


@pytest.mark.parametrize("served", ["kubernetes"], indirect=True)
async def test_a_kind_that_came_late_is_a_kind_like_others(served: Served):
    served.scheme.serve(LATE)
    for obj in (FIRST, SECOND):
        assert "created" in await served.kubectl("apply", "-f", "-", "--validate=strict", sent=obj)
    assert "configured" in await served.kubectl("apply", "-f", "-", sent={**FIRST, "spec": {"size": 4}})
    assert "serverside-applied" in await served.kubectl("apply", "--server-side", "-f", "-", sent={**SECOND, "metadata": {"name": "third"}})
    wrong = {**FIRST, "spec": {"sise": 1}}
    assert 'unknown field "spec.sise"' in await served.kubectl("apply", "-f", "-", "--validate=strict", sent=wrong, fails=True)

    assert [line.split() for line in (await served.kubectl("get", "wi")).splitlines()] == [["NAME", "SIZE"], ["first", "4"]]
    assert [line.split()[0] for line in (await served.kubectl("get", "widgets.apps.acme.io")).splitlines()] == ["NAME", "second", "third"]
    explained = await served.kubectl("explain", "widgets.spec.size", "--api-version=apps.acme.io/v1")
    assert [line for line in explained.splitlines() if line][:4] == [
        "GROUP:      apps.acme.io",
        "KIND:       Widget",
        "VERSION:    v1",
        "FIELD: size <integer>",
    ]
    assert "How large it is" in explained
    assert "Something to turn" in await served.kubectl("explain", "widget", "--output=plaintext-openapiv2")


@pytest.mark.parametrize("served", ["kubernetes"], indirect=True)
async def test_a_kind_that_was_withdrawn_is_gone_until_it_comes_back(served: Served):
    served.scheme.serve(LATE)
    await served.kubectl("apply", "-f", "-", sent=FIRST)
    watching = await served.start("get", "widgets.acme.io", "--watch")
    assert [(await watching.stdout.readline()).split()[0] for _ in range(2)] == [b"NAME", b"first"]
    await served.kubectl("apply", "-f", "-", sent={**FIRST, "metadata": {"name": "next"}})
    assert (await watching.stdout.readline()).split()[0] == b"next", "the list is over, the watch has begun"

    served.scheme.replace(LATE, ())
    assert await asyncio.wait_for(watching.stdout.read(), 10) == b""
    assert await asyncio.wait_for(watching.wait(), 10) == 0
    assert "(NotFound)" in await served.kubectl("get", "--raw", "/apis/acme.io/v1/namespaces/default/widgets/first", fails=True)
    assert await served.listed() == []
    assert """the server doesn't have a resource type "widgets\"""" in await served.kubectl("get", "widgets.acme.io", fails=True)

    served.scheme.serve(LATE)
    assert await served.listed() == LISTED
    assert "first" in await served.kubectl("get", "widgets.acme.io")
