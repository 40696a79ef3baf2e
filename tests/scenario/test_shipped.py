"""The scenarios people run and CI replays: they hold, and give the same journal again on any machine."""

from svcsim.client.in_process import InProcessTransport
from svcsim.cluster import identities, parts
from svcsim.dialect import SVCAPI
from svcsim.meta.http import Request, Response
from svcsim.scenario.runner import main
from tests.scenario.same_journal import ROOT, begun, ended

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


def test_they_hold_and_give_the_same_journals_whatever_the_order_of_hashes_and_whatever_was_replayed_before():
    """And they do so without importing the HTTP library, which would take longer than many a run."""
    orders = (SCENARIOS, SCENARIOS[::-1], SCENARIOS)
    running = [begun(paths, hash_seed) for paths, hash_seed in zip(orders, ("0", "1", "31337"), strict=True)]
    runs = [ended(run) for run in running]
    assert [(run.status, run.imported) for run in runs] == [(0, "False")] * 3, runs
    journals = [dict(zip(paths, run.journals, strict=True)) for paths, run in zip(orders, runs, strict=True)]
    assert journals == [journals[0]] * 3
    assert all(journal.startswith("sha256:") for journal in journals[0].values())


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
    assert idle == ["legacy-serviceaccount-token-cleaner-controller"], "its first work would come a year later"
