"""Commands that follow objects, while the server goes away and comes back: what is there goes on, nothing is lost or shown twice."""

import re
import time

import pytest

from svcsim.cli.flags import GLOBAL_FLAGS, parse
from svcsim.cli.shared.following import LISTED, Collection, follow, states
from svcsim.cli.shared.outage import Outage
from svcsim.cli.shared.session import Session
from svcsim.meta.errors import StatusError
from tests.process import SVCSIM, environment, served, started
from tests.waiting import until

OWN_WATCHES = 1
"""The cluster's own of each resource, once its components are up."""
EVENT = """
apiVersion: v1
kind: Event
metadata: {{name: {name}, namespace: default}}
involvedObject: {{kind: Pod, name: web, namespace: default}}
reason: {name}
message: something is
type: Normal
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A home of the test's own, and the command line in it."""
    monkeypatch.setenv("SVCSIM_HOME", str(tmp_path / "own"))
    return tmp_path / "own"


@pytest.fixture
def following(own):
    """Start a command that follows something, in a process of its own; it is ended with the test."""
    begun = []

    def start(command):
        begun.append(started([SVCSIM, *command.split()], environment(own)))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.communicate()


@pytest.fixture
def session(own):
    made = Session(parse(GLOBAL_FLAGS, [])[1])
    yield made
    made.close()


def watches(run, plural):
    return sum(map(int, re.findall(rf'registered_watchers{{resource="{plural}"}} (\d+)', run("get --raw /metrics").out)))


def line(process):
    return process.stdout.readline().rstrip("\n")


@pytest.mark.parametrize("signal", ["terminate", "kill"])
def test_whatever_follows_outlives_the_server(own, run, following, tmp_path, signal):
    def happen(name):
        path = tmp_path / "event.yaml"
        path.write_text(EVENT.format(name=name))
        assert run(f"create -f {path}").status == 0

    with served(own, "svcapi", "--nodes", "0") as server:
        run("create configmap first")
        happen("first")
        until(lambda: watches(run, "configmaps") == OWN_WATCHES)
        objects = following("get configmaps -w -o name --field-selector metadata.name!=svc-root-ca.crt")
        events = following("events -w --no-headers -o name")
        awaited = following("wait configmap/last --for=create --timeout=60s")
        assert line(objects) == "configmap/first"
        assert line(events) == "event/first"
        until(lambda: watches(run, "configmaps") == OWN_WATCHES + 2)
        run("create configmap second")
        happen("second")
        assert line(objects) == "configmap/second"
        assert line(events) == "event/second"
        getattr(server.process, signal)()
        server.process.wait()
    with served(own, "svcapi", "--nodes", "0"):
        run("create configmap last")
        happen("last")
        assert line(awaited) == "configmap/last condition met"
        assert line(objects) == "configmap/last"
        assert line(events) == "event/last"
    assert awaited.wait(10) == 0


def test_following_one_object_outlives_the_server(own, run, session):
    with served(own, "svcapi", "--nodes", "0") as server:
        followed = states(session, session.discovery.find("configmaps"), "default", "late", 60.0)
        assert next(followed) is None
        server.process.kill()
        server.process.wait()
    with served(own, "svcapi", "--nodes", "0"):
        run("create configmap late")
        assert next(followed)["metadata"]["name"] == "late"


def test_of_another_cluster_under_the_same_name_everything_is_new(own, run, session):
    with served(own, "svcapi", "--nodes", "0", "--ephemeral"):
        for index in range(30):
            run(f"create configmap c{index}")
        resource = session.discovery.find("configmaps")
        mine = Collection(resource, "default", field_selector="metadata.name!=svc-root-ca.crt")
        changes = follow(session, mine, list_first=True)
        listed = next(changes)
        assert (listed.type, len(listed.object["items"]), listed.since) == (LISTED, 30, "")
    with served(own, "svcapi", "--nodes", "0", "--ephemeral"):
        run("create configmap other")
        listed = next(changes)
        assert (listed.type, [item["metadata"]["name"] for item in listed.object["items"]], listed.since) == (LISTED, ["other"], "")


def test_following_ends_when_its_time_is_over(stub):
    session = Session(parse(GLOBAL_FLAGS, ["--server", stub.url])[1])
    widgets = Collection(session.discovery.find("widgets"), "default")
    began = time.monotonic()  # noqa: TID251 - real time is what this is about
    assert [change.type for change in follow(session, widgets, list_first=True, seconds=0.3)] == [LISTED]
    assert time.monotonic() - began < 10  # noqa: TID251 - as above
    session.close()


def test_a_watch_that_brings_the_same_again_and_ends_is_opened_ever_more_slowly(stub):
    stub.watch_s = 0.0
    for name in ("a", "b", "c"):
        widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "default"}}
        stub.history.append((1000, "ADDED", ("widgets", "default", name), widget))
    session = Session(parse(GLOBAL_FLAGS, ["--server", stub.url])[1])
    widgets = Collection(session.discovery.find("widgets"), "default")
    changes = [change.object["metadata"]["name"] for change in follow(session, widgets, "999", seconds=1.5)]
    assert changes[:3] == ["a", "b", "c"]
    assert sum("watch=" in path for _, path, _ in stub.requests) <= 5
    session.close()


def test_a_server_that_stays_away_ends_the_following_with_its_error(session):
    outage = Outage(session, patience_s=0.0)
    with pytest.raises(ConnectionError, match="gone"):
        outage.wait(ConnectionError("gone"))


def test_what_the_server_refuses_ends_the_following(stub):
    session = Session(parse(GLOBAL_FLAGS, ["--server", stub.url])[1])
    nothing = session.discovery.find("widgets")._replace(plural="gadgets")
    with pytest.raises(StatusError, match="could not find the requested resource"):
        next(follow(session, Collection(nothing, "default"), "1"))
    session.close()
