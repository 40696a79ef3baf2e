"""``svcsim up --cluster-cidr``: what can't be is refused at once, and a node that gets no network is told of wherever somebody asks."""

import pytest

from tests.cli.own.test_runtime_config import Run, svcsim

__all__ = ["svcsim"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--cluster-cidr", "10.9.0.0/23"),
            "--cluster-cidr: 10.9.0.0/23 has 2 networks of 24 bits, too few for 3 nodes; give a larger one, or fewer --nodes",
        ),
        (
            ("--nodes", "20", "--cluster-cidr", "10.9.0.0/16", "--node-cidr-mask-size", "20"),
            "--cluster-cidr: 10.9.0.0/16 has 16 networks of 20 bits, too few for 20 nodes; give a larger one, or fewer --nodes",
        ),
        (
            ("--cluster-cidr", "10.96.0.0/14"),
            "--cluster-cidr: 10.96.0.0/14 overlaps 10.96.0.0/16, where services get their addresses (--service-cluster-ip-range)",
        ),
    ],
)
def test_what_can_not_be_is_refused_in_one_line(svcsim: Run, options: tuple[str, ...], told: str):
    refused = svcsim("up", "rc", *options)
    assert (refused.returncode, refused.stderr) == (1, f"error: {told}\n")
    assert "rc" not in svcsim("clusters").stdout


def test_a_node_without_a_network_is_not_ready_and_everybody_tells_why(svcsim: Run):
    def told(*words: str) -> str:
        done = svcsim("--cluster", "rc", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    lack = "Its pods can get no addresses: what nodes get their networks from (--cluster-cidr) has none left for it."
    told_up = svcsim("up", "rc", "--nodes", "1", "--cluster-cidr", "10.9.0.0/24", "--dialect", "kubernetes", "--clock", "paused")
    assert told_up.returncode == 0, told_up.stderr
    told("clock", "step", "5s")
    told("nodes", "add", "--count", "1", "--prefix", "more")
    told("clock", "step", "5s")
    assert [line.split()[:2] for line in told("get", "nodes", "--no-headers").splitlines()] == [["more-1", "NotReady"], ["node-1", "Ready"]]
    assert lack in told("why", "node/more-1")
    for name, how in (("waits", '"nodeSelector":{"kubernetes.io/hostname":"more-1"}'), ("there", '"nodeName":"more-1"')):
        told("run", name, "--image=nginx", "--overrides", f'{{"spec":{{{how}}}}}')
    told("clock", "step", "5s")
    assert lack in told("why", "pod/waits")
    assert lack in told("why", "pod/there")
    assert lack in told("explain-schedule", "waits")
