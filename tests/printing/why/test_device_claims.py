"""Why claims on devices have none, and what is said of pods that wait for them."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.attended import ATTENDANTS
from svcsim.printing.why.kinds import EXPLAINERS
from svcsim.printing.why.scheduling import in_words
from tests.printing.why.explaining import condition, explained

SPEC = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
USING = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "it"}], "containers": []}
MADE = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}], "containers": []}
SLICE = {"spec": {"devices": [{"name": "a"}, {"name": "b"}]}}
STILL = "still not schedulable, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
NEVER = "preemption: not eligible due to preemptionPolicy=Never."
SOME = "1 of 3 nodes has no way to the devices that a claim of its has"
OTHERS = "2 of 3 nodes have no devices left that fulfil its claims"
NO_POD = "No pod uses it yet: it is given devices when the first one that does is placed."


def result(device: str) -> Object:
    return {"request": "r", "driver": "x.example.com", "pool": "n", "device": device}


def allocated(*devices: str, users: tuple[str, ...] = ()) -> Object:
    reserved = [{"resource": "pods", "name": name, "uid": name} for name in users]
    return {"allocation": {"devices": {"results": [result(one) for one in devices]}}, "reservedFor": reserved}


@pytest.mark.parametrize(
    ("status", "state", "told"),
    [
        (allocated("a", users=("p",)), "has a of the pool n (x.example.com)", "The pod p uses it."),
        (allocated("a"), "has a of the pool n (x.example.com)", "No pod uses it now."),
        (
            allocated(*"abcde", users=("p", "q", "r", "s")),
            "has a of the pool n (x.example.com), b of the pool n (x.example.com), c of the pool n (x.example.com) and 2 more",
            "The pods p, q, r and 1 more use it.",
        ),
    ],
)
def test_what_a_claim_has(status: Object, state: str, told: str) -> None:
    verdict = explained("resource", "ResourceClaim", {"spec": SPEC, "status": status})
    assert (verdict.state, verdict.because, verdict.fine) == (state, (told,), True)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"class gpu": [], "slices": [SLICE], "pods": []}, ("There is no DeviceClass gpu, which it asks for.", NO_POD)),
        ({"class gpu": [{}], "slices": [], "pods": []}, ("No ResourceSlice offers any devices.", NO_POD)),
        (
            {
                "class gpu": [{}],
                "slices": [SLICE],
                "claims": [{"status": allocated("a")}],
                "pods": [{"metadata": {"name": "p"}, "spec": USING}],
            },
            ("2 devices are offered by ResourceSlices, of any class; claims have 1 of them.",),
        ),
        ({}, ()),
    ],
)
def test_why_a_claim_has_no_devices(found: dict[str, list[Object]], told: tuple[str, ...]) -> None:
    verdict = explained("resource", "ResourceClaim", {"spec": SPEC}, **found)
    assert (verdict.state, verdict.because, verdict.fine) == ("has no devices yet", told, False)
    assert len(verdict.below) == sum(bool(pod.get("spec")) for pod in found.get("pods", []))


def test_a_pod_says_which_claim_it_waits_for() -> None:
    waits = "It waits for the ResourceClaim of its entry gpu to be made from the ResourceClaimTemplate gpus."
    assert explained("", "Pod", {"spec": MADE}).because == (waits,)
    events = [{"reason": "FailedResourceClaimCreation", "message": "no such template"}]
    assert explained("", "Pod", {"spec": MADE}, events=events).because == (waits, "Making one failed: no such template.")
    missing: dict[str, list[Object]] = {"device claim it": []}
    assert explained("", "Pod", {"spec": USING}, **missing).because == ("There is no ResourceClaim it, which it uses.",)


def test_a_pod_without_devices_leads_to_its_claims() -> None:
    said = condition(
        "PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable"
    )
    claim = {"kind": "ResourceClaim", "metadata": {"name": "it", "namespace": "default"}, "spec": SPEC}
    pod = {"spec": USING, "status": {"phase": "Pending", "conditions": [said]}}
    found: dict[str, list[Object]] = {"device claim it": [claim]}
    assert explained("", "Pod", pod, **found).below == (claim,)
    found = {"device claim it": [{**claim, "status": allocated("a")}]}
    assert explained("", "Pod", pod, **found).below == ()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            f"0/3 nodes are available: 1 resourceclaim not available on the node, 2 cannot allocate all claims. {STILL}",
            (f"No node takes it: {SOME}, {OTHERS}.", "Taking other pods away wouldn't help."),
        ),
        (
            f"0/3 nodes are available: request gpu: device class none does not exist. no new claims to deallocate, {NEVER}",
            ("None of 3 nodes takes it: request gpu: device class none does not exist.",),
        ),
        (
            "0/2 nodes are available: 2 resourceclaim not available on the node. deallocation of ResourceClaim completed",
            ("No node takes it: all 2 nodes have no way to the devices that a claim of its has.",),
        ),
    ],
)
def test_what_the_scheduler_says_of_devices_is_said_in_plain_words(message: str, words: tuple[str, ...]) -> None:
    assert in_words(message) == words


def test_what_is_read_to_explain_a_claim() -> None:
    claim = {"metadata": {"name": "it", "namespace": "lab"}, "spec": SPEC}
    paths = [one.path for one in EXPLAINERS["resource", "ResourceClaim"].wanted(claim, KUBERNETES)]
    api = "/apis/resource.k8s.io/v1"
    assert paths == [f"{api}/deviceclasses/gpu", f"{api}/resourceslices", f"{api}/resourceclaims", "/api/v1/namespaces/lab/pods"]
    assert not list(EXPLAINERS["resource", "ResourceClaim"].wanted({**claim, "status": allocated("a")}, KUBERNETES))
    assert [one.name for one in ATTENDANTS["resource", "ResourceClaim"]] == ["scheduler", "resource-claim-controller"]
