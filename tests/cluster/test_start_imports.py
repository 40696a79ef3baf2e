"""What opening a cluster may not load: what most clusters never need, and all would wait for."""

import subprocess
import sys

SCRIPT = """
import asyncio, sys
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec

async def main():
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=1, seed=1)) as cluster:
        await cluster.loaded.wait()
        print(*sorted(name for name in sys.modules if name.partition(".")[0] in ("cel_expr_python", "re2", "jwt", "yaml")))

asyncio.run(main())
"""


def test_expressions_tokens_and_yaml_are_not_there_before_somebody_uses_them():
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "\n"), ran.stderr
