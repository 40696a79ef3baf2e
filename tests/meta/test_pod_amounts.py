"""The spec that counts of a pod: nobody asks for less than he has, and what can't be granted doesn't count."""

import pytest

from svcsim.meta.pod_amounts import pod_amounts, spec_in_force
from svcsim.meta.types import Object

HAS = {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}}


def pod(asked: Object | None, status: Object, *conditions: Object, **more: Object) -> Object:
    container = {"name": "main", **({} if asked is None else {"resources": asked})}
    told = {"name": "main", **status}
    return {"spec": {"containers": [container], **more}, "status": {"containerStatuses": [told], "conditions": list(conditions)}}


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (HAS, {}),
        (HAS, {"resources": HAS}),
        (HAS, {"resources": HAS, "allocatedResources": HAS["requests"]}),
        (None, {"resources": {}}),
        ({"claims": [{"name": "gpu"}]}, {"resources": {}}),
    ],
)
def test_where_all_have_what_they_ask_for_it_is_the_spec_itself(asked, status):
    one = pod(asked, status, overhead={"cpu": "1"})
    assert spec_in_force(one) is one["spec"]


@pytest.mark.parametrize(
    ("asked", "status", "requests"),
    [
        ({"requests": {"cpu": "100m"}}, {"resources": HAS}, "500m"),
        ({"requests": {"cpu": "2"}}, {"resources": HAS}, "2"),
        (HAS, {"resources": HAS, "allocatedResources": {"cpu": "2"}}, "2"),
        (None, {"resources": HAS}, "500m"),
        ({"requests": {"cpu": "0.5"}, "limits": {"cpu": "1"}}, {"resources": HAS}, "500m"),
    ],
)
def test_who_has_more_than_he_asks_for_still_counts_with_it(asked, status, requests):
    assert (
        pod_amounts(spec_in_force(pod(asked, status)), "requests")["cpu"]
        == pod_amounts({"containers": [{"resources": {"requests": {"cpu": requests}}}]}, "requests")["cpu"]
    )


def test_what_can_not_be_granted_does_not_count():
    infeasible = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    found = spec_in_force(pod({"requests": {"cpu": "900"}}, {"resources": HAS}, infeasible))
    assert found["containers"][0]["resources"] == HAS
