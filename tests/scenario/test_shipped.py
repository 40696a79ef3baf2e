"""The scenarios people run and CI replays: they hold, and give the same journal again on any machine."""

import pytest

from svcsim.client.in_process import InProcessTransport
from svcsim.cluster import identities, parts
from svcsim.dialect import SVCAPI
from svcsim.meta.http import Request, Response
from svcsim.scenario.runner import main
from tests.scenario.same_journal import ROOT, journal_of, replay

SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))


def test_there_are_scenarios():
    names = [
        "access",
        "admission",
        "autoscaling",
        "cron-jobs",
        "every-controller",
        "more-nodes",
        "node-agents",
        "node-loss",
        "pod-behaviour",
        "quick-start",
        "rolling-update",
        "stateful-set",
        "volumes",
    ]
    assert [path.stem for path in SCENARIOS] == names


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_it_holds_and_gives_the_same_journal_whatever_the_order_of_hashes(path):
    """And it does so without importing the HTTP library, which would take longer than many a run."""
    runs = [replay(path, hash_seed) for hash_seed in ("0", "1", "31337")]
    assert [run.returncode for run in runs] == [0, 0, 0], runs[0].stdout + runs[0].stderr
    assert len({journal_of(run) for run in runs}) == 1
    assert [run.stdout.splitlines()[1] for run in runs] == ["False"] * 3


def test_every_controller_has_something_to_do_in_the_scenario_of_that_name(monkeypatch):
    """One that comes later gets something to do there, too: what is never at work can't be seen to depend on the order of hashes."""
    writers: dict[str, None] = {}
    call = InProcessTransport.call

    async def noted(self: InProcessTransport, request: Request) -> Response:
        if request.method != "GET":
            writers[(request.user or self._user).name] = None
        return await call(self, request)

    monkeypatch.setattr(InProcessTransport, "call", noted)
    assert main([str(ROOT / "scenarios" / "every-controller.yaml")]) == 0
    of_every_cluster = [name for name, _ in parts.CONTROLLERS]
    others = ["service-account-token-controller", "resourcequota-controller", "apiservice-availability-controller"]
    idle = [name for name in (*of_every_cluster, *others) if identities.controller(name, SVCAPI).name not in writers]
    assert idle == []
