"""Which controllers run is chosen by name: users may bring their own in the place of one."""

from pathlib import Path

import pytest

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.controller_choice import ControllerChoice
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.configuration_error import ConfigurationError
from tests.controllers.running import deployment, running
from tests.process import environment, ran

KNOWN = ("namespace-controller", "custom-resource-controller", "deployment-controller", "replicaset-controller", "garbage-collector")


@pytest.mark.parametrize(
    ("words", "off"),
    [
        (("*",), ()),
        (("*", "-deployment"), ("deployment-controller",)),
        (("-deployment-controller", "*"), ("deployment-controller",)),
        (("*", "-garbage-collector-controller", "-scheduler", "-nodes"), ("garbage-collector", "scheduler", "nodes")),
        (("garbagecollector",), ("namespace-controller", "deployment-controller", "replicaset-controller")),
        (("-*",), ("namespace-controller", "deployment-controller", "replicaset-controller", "garbage-collector")),
        (("-*", "deployment", "-scheduler"), ("namespace-controller", "replicaset-controller", "garbage-collector", "scheduler")),
        ((), ("namespace-controller", "deployment-controller", "replicaset-controller", "garbage-collector")),
    ],
)
def test_what_is_said_counts_and_what_the_server_needs_always_runs(words: tuple[str, ...], off: tuple[str, ...]):
    choice = ControllerChoice(words, KNOWN)
    assert choice.off == list(off)
    assert [name for name in (*KNOWN, "scheduler", "nodes") if not choice.runs(name)] == list(off)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("-deploymnt-controller", '--controllers: there is no controller "deploymnt-controller"; did you mean "deployment-controller"?'),
        ("custom-resource-controller", '--controllers: there is no controller "custom-resource-controller"'),
        ("--scheduler", '--controllers: there is no controller "-scheduler"; did you mean "scheduler"?'),
        (
            "x",
            "namespace-controller, deployment-controller, replicaset-controller, garbage-collector, scheduler, nodes, and * for all",
        ),
    ],
)
async def test_a_name_that_none_has_is_refused_before_anything_is_started(word: str, told: str):
    with pytest.raises(ConfigurationError) as refused:
        ControllerChoice((word,), KNOWN)
    assert told in str(refused.value)
    with pytest.raises(ConfigurationError):
        async with open_cluster(ClusterSpec(nodes=0, controllers=(word,))):
            pass


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("deployment,-deployment", 'of deployment-controller it says both "deployment" and "-deployment"'),
        ("-deployment-controller,*,deployment", 'of deployment-controller it says both "-deployment-controller" and "deployment"'),
        ("*,-scheduler,-scheduler", 'of scheduler it says "-scheduler" twice'),
        ("*,-*", 'of all controllers it says both "*" and "-*"'),
        ("*,*", 'of all controllers it says "*" twice'),
    ],
)
def test_one_thing_is_said_of_each(words: str, told: str, tmp_path: Path):
    failed = ran("up", "--controllers", words, "--ephemeral", env=environment(tmp_path))
    assert failed.stderr == f"error: --controllers: {told}; leave one of them out\n"
    assert (failed.returncode, failed.stdout) == (1, "")


@pytest.mark.virtual_time
async def test_what_is_left_out_does_nothing_and_all_others_do():
    async with running(controllers=("*", "-replicaset", "-scheduler")) as r:
        await r.deployments.create(deployment("web", 1))
        (replica_set,) = await r.until(bool, r.sets)
        await r.clock.sleep(60)
        assert replica_set["spec"]["replicas"] == 1
        assert await r.pods.list_all() == []
        pod = {"metadata": {"name": "own"}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
        await r.pods.create(pod)
        await r.clock.sleep(60)
        assert not (await r.pods.get("own"))["spec"].get("nodeName")
