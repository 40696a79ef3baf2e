"""What a pod asks for as a whole: what isn't said follows from its containers, or else from its limits."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire

CPU = {"requests": {"cpu": "100m"}}
HUGE = {"limits": {"cpu": "1", "hugepages-2Mi": "4Mi"}}


@pytest.mark.parametrize(
    ("resources", "containers", "expected", "quality"),
    [
        (
            {"limits": {"cpu": "2", "memory": "1Gi"}},
            [CPU],
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "100m", "memory": "1Gi"}},
            "Burstable",
        ),
        (
            {"limits": {"cpu": "2"}},
            [CPU, {"limits": {"cpu": "300m", "memory": "10Mi"}}],
            {"limits": {"cpu": "2"}, "requests": {"cpu": "400m", "memory": "10Mi"}},
            "Burstable",
        ),
        (
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}},
            [{"requests": {"cpu": "100m", "memory": "5Mi"}}],
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "5Mi"}},
            "Burstable",
        ),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            [CPU],
            {"limits": {"hugepages-2Mi": "4Mi"}, "requests": {"cpu": "100m", "hugepages-2Mi": "4Mi"}},
            "Burstable",
        ),
        (
            {"requests": {"cpu": "3"}},
            [HUGE, HUGE],
            {"limits": {"hugepages-2Mi": "8Mi"}, "requests": {"cpu": "3", "hugepages-2Mi": "8Mi"}},
            "Burstable",
        ),
        ({"limits": {"cpu": "2"}}, [{}], {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}, "Burstable"),
        (
            {"limits": {"cpu": "2", "memory": "1Gi"}},
            [{}],
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "2", "memory": "1Gi"}},
            "Guaranteed",
        ),
        ({"requests": {"cpu": "2"}}, [{"requests": {"memory": "5Mi", "cpu": "1"}}], None, ""),
    ],
)
def test_what_is_not_said_of_the_pod_follows_from_its_containers(
    wire: Wire, ns: str, resources: Object, containers: list[Object], expected: Object | None, quality: str
) -> None:
    spec = {"containers": [{"name": f"c{n}", "image": "i", "resources": one} for n, one in enumerate(containers)]}
    pod = {"metadata": {"name": "p"}, "spec": {"schedulerName": "nobody", "resources": resources, **spec}}
    answer = wire.ask("POST", f"/api/v1/namespaces/{ns}/pods", pod)
    if expected is None:
        assert "spec.resources.requests[memory]" in answer.message, "without limits nothing is filled in"
        return
    assert answer.status == 201, answer.message
    assert answer.json["spec"]["resources"] == expected
    assert answer.json["status"]["qosClass"] == quality


def test_init_containers_and_sidecars_count_as_they_run(wire: Wire, ns: str) -> None:
    first = {"name": "first", "image": "i", "resources": {"requests": {"cpu": "5"}}}
    sidecar = {"name": "beside", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1", "memory": "1Mi"}}}
    main = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Mi"}}}
    spec = {"schedulerName": "nobody", "resources": {"limits": {"cpu": "8"}}, "containers": [main], "initContainers": [sidecar, first]}
    pod = wire.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "p"}, "spec": spec})
    assert pod["spec"]["resources"]["requests"] == {"cpu": "6", "memory": "2Mi"}


def test_in_a_template_nothing_is_filled_in(wire: Wire, ns: str) -> None:
    spec = {"resources": {"limits": {"cpu": "2"}}, "containers": [{"name": "c", "image": "i"}]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
    body = {"metadata": {"name": "d"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}}
    made = wire.create(f"/apis/apps/v1/namespaces/{ns}/deployments", body)
    assert made["spec"]["template"]["spec"]["resources"] == {"limits": {"cpu": "2"}}
