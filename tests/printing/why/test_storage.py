"""Why claims, volumes and attachments are as they are."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.kinds import EXPLAINERS
from tests.printing.why.explaining import condition, explained, owned_pod

FIRST_CONSUMER = "A volume of the storage class fast is made for it once a pod that uses it is scheduled (WaitForFirstConsumer)"
NO_CLASS = "There is no StorageClass fast, so that no volume is made for it:"


@pytest.mark.parametrize(
    ("spec", "found", "told"),
    [
        ({"storageClassName": "fast"}, {"class": []}, f"{NO_CLASS} it waits for one of that class that fits."),
        ({"storageClassName": "fast"}, {}, "It waits for a volume of the storage class fast."),
        (
            {"storageClassName": "fast"},
            {"class": [{"volumeBindingMode": "WaitForFirstConsumer", "provisioner": "x"}]},
            f"{FIRST_CONSUMER}.",
        ),
        (
            {"storageClassName": "fast"},
            {
                "class": [
                    {
                        "volumeBindingMode": "WaitForFirstConsumer",
                        "provisioner": "x",
                        "allowedTopologies": [
                            {"matchLabelExpressions": [{"key": "zone", "values": ["mars", "moon"]}, {"key": "row", "values": ["1"]}]},
                            {"matchLabelExpressions": [{"key": "zone", "values": ["sun"]}]},
                        ],
                    }
                ]
            },
            f"{FIRST_CONSUMER}, on a node whose label zone is mars or moon and row is 1, or zone is sun (allowedTopologies).",
        ),
        ({}, {}, "It names no storage class, and there is no default one: it waits for a volume without a class that fits."),
        ({"volumeName": "v1"}, {}, "It asks for the volume v1, which isn't bound to it yet."),
    ],
)
def test_what_a_claim_waits_for(spec: Object, found: dict[str, list[Object]], told: str) -> None:
    assert explained("", "PersistentVolumeClaim", {"spec": spec}, **found).because == (told,)


def test_a_volume_that_is_reserved_is_free_for_nobody_else() -> None:
    volume = {"spec": {"claimRef": {"namespace": "vol", "name": "reserved"}}, "status": {"phase": "Available"}}
    verdict = explained("", "PersistentVolume", volume, claim=[])
    assert verdict.state == "is kept for the claim vol/reserved"
    assert verdict.because == ("Its spec.claimRef keeps it for that claim, which isn't there yet: no other can have it.",)
    assert explained("", "PersistentVolume", {"status": {"phase": "Available"}}).state == "is free for a claim"
    wanted = [one.path for one in EXPLAINERS["", "PersistentVolume"].wanted(volume, KUBERNETES)]
    assert wanted == ["/api/v1/namespaces/vol/persistentvolumeclaims/reserved"]


@pytest.mark.parametrize(
    ("kind", "reason", "told"),
    [
        ("Resizing", "ResizeStarted", "Its volume is being made larger."),
        ("FileSystemResizePending", "", "Its volume is larger by now; its file system follows once a pod uses it on a node."),
        ("Odd", "Why", "Odd is True: Why."),
    ],
)
def test_what_becomes_of_a_bound_claim_is_said_in_words(kind: str, reason: str, told: str) -> None:
    status = {"phase": "Bound", "conditions": [condition(kind, "True", reason)]}
    assert explained("", "PersistentVolumeClaim", {"status": status}).because == (told,)


@pytest.mark.parametrize(
    ("volume", "told"),
    [
        ([], "It asks for the volume v, which isn't there."),
        ([{"spec": {}}], "It asks for the volume v, which isn't bound to it yet."),
        ([{"spec": {"claimRef": {"namespace": "default", "name": "it"}}}], "It asks for the volume v, which isn't bound to it yet."),
        (
            [{"spec": {"claimRef": {"namespace": "shop", "name": "other"}}}],
            "It asks for the volume v, which is kept for another claim, shop/other (its spec.claimRef).",
        ),
    ],
)
def test_a_claim_says_why_it_has_not_got_the_volume_that_it_asks_for(volume: list[Object], told: str) -> None:
    assert explained("", "PersistentVolumeClaim", {"spec": {"volumeName": "v"}}, volume=volume).because == (told,)


def test_a_volume_that_could_not_be_cleared_away_says_why() -> None:
    spec = {"persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": "a", "name": "b"}}
    verdict = explained("", "PersistentVolume", {"spec": spec, "status": {"phase": "Failed", "message": "no plugin"}})
    assert verdict.state == "has failed: its claim a/b is gone, and it couldn't be cleared away"
    assert verdict.because == ("Its reclaim policy is Delete, and that failed: no plugin.",)


def test_a_claim_does_not_complain_of_a_class_that_is_there_by_now() -> None:
    events = [{"reason": "ProvisioningFailed", "message": 'storageclass.storage.k8s.io "fast" not found'}]
    found = {"class": [{"provisioner": "x"}]}
    verdict = explained("", "PersistentVolumeClaim", {"spec": {"storageClassName": "fast"}}, events, **found)
    assert verdict.because == ("It waits for x to make a volume of the storage class fast, or for one that fits.",)
    failed = [{"reason": "ProvisioningFailed", "message": "no quota"}]
    told = explained("", "PersistentVolumeClaim", {"spec": {"storageClassName": "fast"}}, failed, **found).because
    assert told[1] == "Making a volume for it failed: no quota."


@pytest.mark.parametrize(
    ("status", "state", "because"),
    [
        ({"attached": True}, "has attached v to the node n", ()),
        ({"attached": False}, "hasn't attached v to the node n", ("disk has to attach it.",)),
        ({"attachError": {"message": "busy"}}, "hasn't attached v to the node n", ("Attaching it failed: busy.",)),
        ({"attached": True, "detachError": {"message": "busy"}}, "has attached v to the node n", ("Detaching it failed: busy.",)),
    ],
)
def test_an_attachment_says_whether_it_is_one(status: Object, state: str, because: tuple[str, ...]) -> None:
    spec = {"attacher": "disk", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    verdict = explained("storage", "VolumeAttachment", {"spec": spec, "status": status})
    assert (verdict.state, verdict.because) == (state, because)
    assert verdict.fine == (status == {"attached": True})


def by_hand(
    name: str = "v", size: str = "5Gi", *, modes: tuple[str, ...] = ("ReadWriteOnce",), phase: str = "Available", **spec: object
) -> Object:
    """A volume of the class fast that somebody has made."""
    given = {"storageClassName": "fast", "capacity": {"storage": size}, "accessModes": list(modes), **spec}
    return {"metadata": {"name": name}, "spec": given, "status": {"phase": phase}}


ASKED = {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}


@pytest.mark.parametrize(
    ("asked", "volume", "why"),
    [
        ({"accessModes": ["ReadWriteMany"]}, by_hand(), "lacks the access mode ReadWriteMany"),
        ({}, by_hand(size="1Gi"), "is too small (1Gi, and 2Gi is asked for)"),
        ({}, by_hand(volumeMode="Block"), "is of the mode Block, and not Filesystem"),
        ({}, by_hand(claimRef={"namespace": "shop", "name": "other"}), "is for another claim, shop/other"),
        ({"selector": {"matchLabels": {"a": "b"}}}, by_hand(), "hasn't the labels that the claim's selector asks for"),
        ({}, by_hand(phase="Pending"), "isn't free yet (Pending)"),
        ({}, by_hand(volumeAttributesClassName="gold"), 'is of the volume attributes class "gold", and not ""'),
    ],
)
def test_a_claim_for_volumes_made_by_hand_says_why_those_there_do_not_fit(asked: Object, volume: Object, why: str) -> None:
    claim = {"spec": {**ASKED, **asked}}
    another = {**by_hand("w"), "spec": {**by_hand("w")["spec"], "storageClassName": "slow"}}
    verdict = explained("", "PersistentVolumeClaim", claim, **{"class": [], "volumes": [volume, another]})
    assert verdict.because == (f"{NO_CLASS} it waits for one of that class that fits.", f"The volume v doesn't fit: it {why}.")
    none = explained("", "PersistentVolumeClaim", claim, **{"class": [], "volumes": [another]})
    assert none.because[1:] == ("There is no volume of that class.",)


def test_of_many_volumes_that_do_not_fit_a_few_are_told() -> None:
    volumes = [by_hand(f"v{n}", size="1Gi") for n in range(5)]
    told = explained("", "PersistentVolumeClaim", {"spec": ASKED}, **{"class": [], "volumes": volumes}).because
    assert len(told) == 5
    assert told[-1] == "And 2 others of that class do not fit either."


@pytest.mark.parametrize(
    ("provisioner", "none_made"),
    [("x", "none is made for a claim with a selector"), ("kubernetes.io/no-provisioner", "nobody makes any")],
)
def test_a_claim_that_no_volume_is_made_for_says_that_it_waits_for_one_that_is_there(provisioner: str, none_made: str) -> None:
    claim = {"spec": {**ASKED, **({"selector": {"matchLabels": {"a": "b"}}} if provisioner == "x" else {})}}
    storage_class = {"provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
    told = explained("", "PersistentVolumeClaim", claim, **{"class": [storage_class]}).because
    assert told == (
        f"It waits for a volume of the storage class fast that fits; {none_made}.",
        "It is bound once a pod that uses it is scheduled (WaitForFirstConsumer).",
    )


def test_a_claim_says_why_the_volume_that_it_asks_for_does_not_fit() -> None:
    for volume, why in (
        (by_hand(size="1Gi"), "is too small (1Gi, and 2Gi is asked for)"),
        (by_hand(storageClassName="slow"), 'is of the storage class "slow", and not "fast"'),
    ):
        told = explained("", "PersistentVolumeClaim", {"spec": {**ASKED, "volumeName": "v"}}, volume=[volume]).because
        assert told == (f"It asks for the volume v, which can't be bound to it: it {why}.",)


def test_a_volume_that_nobody_has_looked_at_says_so() -> None:
    verdict = explained("", "PersistentVolume", {"spec": {}, "status": {"phase": "Pending"}})
    assert (verdict.state, verdict.fine) == ("waits for its controller", False)
    assert verdict.because == ("Nobody has looked at it yet: no controller for PersistentVolumes runs, or it hasn't come to it.",)


def test_a_claim_that_waits_for_a_pod_to_be_scheduled_leads_to_it() -> None:
    found = {"class": [{"provisioner": "x", "volumeBindingMode": "WaitForFirstConsumer"}]}
    uses = {**owned_pod("u"), "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "it"}}]}}
    elsewhere = {**owned_pod("other"), "spec": {}}
    verdict = explained("", "PersistentVolumeClaim", {"spec": ASKED}, **found, pods=[uses, elsewhere])
    assert (len(verdict.because), verdict.below) == (1, (uses,))
    unused = explained("", "PersistentVolumeClaim", {"spec": ASKED}, **found, pods=[elsewhere])
    assert (unused.because[1:], unused.below) == (("No pod uses it yet.",), ())
    at_once = {"class": [{"provisioner": "x"}]}
    assert explained("", "PersistentVolumeClaim", {"spec": ASKED}, **at_once, pods=[uses]).below == ()


def test_a_claim_that_nobody_makes_larger_says_so() -> None:
    asks = {"resources": {"requests": {"storage": "2Gi"}}, "volumeName": "v"}
    for has, told in (("1Gi", True), ("2Gi", False), ("2048Mi", False), ("3Gi", False)):
        verdict = explained("", "PersistentVolumeClaim", {"spec": asks, "status": {"phase": "Bound", "capacity": {"storage": has}}})
        assert ("It asks for 2Gi, and has 1Gi." in verdict.because, verdict.fine) == (told, not told)
