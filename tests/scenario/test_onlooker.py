"""A scenario that waits for what nodes say of themselves counts as somebody who looks."""

from pathlib import Path

import pytest

from tests.scenario.replaying import Replayer

QUIET = """\
  cluster: {nodes: 2}
  steps:
  - id: quiet
    do:
    - advance: 10m
"""
EXPECTED = """\
    expect:
    - eventually: {kind: Lease, name: node-1, namespace: svc-node-lease, where: "spec.renewTime > '2026-01-01T00:10:05Z'"}
      within: 1m
    - eventually: {kind: Node, name: node-1, where: "object.status.conditions.exists(c, TOLD)"}
      within: 6m
"""
AWAITED = """\
    - wait: {kind: Lease, name: node-2, namespace: svc-node-lease, where: "spec.renewTime > '2026-01-01T00:10:05Z'", within: 30s}
    - wait: {kind: Node, name: node-2, where: "object.status.conditions.exists(c, TOLD)", within: 6m}
"""
TOLD = "c.type == 'Ready' && timestamp(c.lastHeartbeatTime) > timestamp('2026-01-01T00:10:00Z')"


@pytest.mark.parametrize("then", [EXPECTED, AWAITED])
def test_what_nodes_say_comes_where_it_is_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str], then: str):
    replay = Replayer(tmp_path, capsys)
    first, second = (replay(QUIET + then.replace("TOLD", TOLD)) for _ in range(2))
    assert first.code == 0, first.out + first.err
    assert first.out.split("sha256:")[1].split()[0] == second.out.split("sha256:")[1].split()[0]
