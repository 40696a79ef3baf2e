"""``svcsim up --service-cluster-ip-range`` and ``--service-node-port-range``, in processes of its own and over the wire."""

from tests.cli.own.test_runtime_config import Run, svcsim

__all__ = ["svcsim"]

NETWORKS = "10.30.0.0/24,fd00:30::/112"


def told(svcsim: Run, *words: str) -> str:
    done = svcsim("--cluster", "rc", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_cluster_keeps_its_networks_and_may_change_its_ports(svcsim: Run):
    started = svcsim("up", "rc", "--nodes", "0", "--service-cluster-ip-range", NETWORKS, "--service-node-port-range", "20000-20000")
    assert started.returncode == 0, started.stderr
    assert told(svcsim, "get", "servicecidr", "-o", "jsonpath={.items[*].spec.cidrs}") == '["10.30.0.0/24","fd00:30::/112"]'
    assert told(svcsim, "get", "service", "-o", "jsonpath={.items[*].spec.clusterIP}") == "10.30.0.1"
    told(svcsim, "create", "service", "nodeport", "web", "--tcp", "80")
    assert told(svcsim, "get", "service", "web", "-o", "jsonpath={.spec.ports[0].nodePort}") == "20000"
    running = svcsim("up", "rc", "--service-node-port-range", "20000-20001")
    wanted = 'error: cluster "rc" is already running, with another --service-node-port-range; stop it first: svcsim down rc\n'
    assert (running.returncode, running.stderr) == (1, wanted)
    svcsim("down", "rc")
    moved = svcsim("up", "rc", "--service-cluster-ip-range", "10.96.0.0/16")
    wanted = (
        f'error: cluster "rc" was made with --service-cluster-ip-range {NETWORKS}, for good; choose another name, '
        "or delete it first: svcsim down rc --purge\n"
    )
    assert (moved.returncode, moved.stderr) == (1, wanted)
    again = svcsim("up", "rc", "--service-node-port-range", "21000+5")
    assert again.returncode == 0, again.stderr
    refused = svcsim("--cluster", "rc", "create", "service", "nodeport", "other", "--tcp", "80", "--node-port", "20000")
    assert "provided port is already allocated" in refused.stderr
    told(svcsim, "label", "service", "web", "app=web")
    told(svcsim, "create", "service", "nodeport", "other", "--tcp", "80", "--node-port", "21005")


def test_what_is_no_range_is_told_in_one_line(svcsim: Run):
    refused = svcsim("up", "rc", "--service-cluster-ip-range", "10.30.0.0/24,10.31.0.0/24")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: --service-cluster-ip-range is one network, or two of different IP families ")
    assert refused.stderr.endswith('; not "10.30.0.0/24,10.31.0.0/24"\n')
    refused = svcsim("up", "rc", "--service-node-port-range", "many")
    wanted = 'error: --service-node-port-range is a range of ports such as 30000-32767, not "many"\n'
    assert (refused.returncode, refused.stderr) == (1, wanted)
