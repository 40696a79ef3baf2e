"""What is said alike of all that keeps pods."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.kinds import EXPLAINERS
from svcsim.printing.why.verdict import Facts
from tests.printing.why.explaining import NOW, explained, job


def test_a_workload_that_nobody_acts_on_says_so() -> None:
    for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"):
        verdict = explained("apps", kind, {"spec": {"replicas": 1}, "status": {}})
        assert f"no controller for {kind}s runs" in verdict.because[0]


@pytest.mark.parametrize("key", list(EXPLAINERS), ids=str)
@pytest.mark.parametrize("whole", [{}, {"spec": {}, "status": {}}, {"spec": None, "status": None, "metadata": None}])
def test_no_explainer_stumbles_over_what_is_not_there(key: tuple[str, str], whole: Object) -> None:
    obj = {"kind": key[1], "apiVersion": "v1", **whole}
    explainer = EXPLAINERS[key]
    list(explainer.wanted(obj, KUBERNETES))
    assert explainer.explain(obj, Facts(NOW, KUBERNETES, [], {})).state


def test_what_kept_pods_from_being_made_is_told_only_until_one_is_made() -> None:
    refused = {"reason": "FailedCreate", "message": "exceeded quota"}
    made = {"reason": "SuccessfulCreate", "message": "Created pod: it-1"}
    for kind, group in (("Job", "batch"), ("ReplicaSet", "apps")):
        obj = job({"replicas": 1}, {"observedGeneration": 1})
        assert explained(group, kind, obj, [made, refused]).because == ("Pods can't be made: exceeded quota.",)
        assert explained(group, kind, obj, [refused, made]).because == ()
