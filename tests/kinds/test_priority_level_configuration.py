"""How many requests are served at a time: what is wrong with a PriorityLevelConfiguration, and what it is by default."""

import copy

import pytest

from svcsim.kinds.flowcontrol.fixed import FIXED_LEVELS
from svcsim.kinds.flowcontrol.priority_level_configuration import PRIORITY_LEVEL_CONFIGURATION
from tests.kinds.helpers import created, findings, row
from tests.kinds.samples.policy import FULL

REJECT = {"type": "Reject"}
RESPONSE = "spec.limited.limitResponse"
QUEUING = f"{RESPONSE}.queuing"
NO_LIMITS = "spec.limited: Required value: must not be empty when type is Limited"
ONLY_EXEMPT = "type must be 'Exempt' if and only if name is 'exempt'"


def level(name="l", **spec):
    return {"metadata": {"name": name}, "spec": spec}


def limited(name="l", response=REJECT, **fields):
    return level(name, type="Limited", limited={"limitResponse": response, **fields})


def queuing(queues=128, hand=6, length=50):
    return limited(response={"type": "Queue", "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": length}})


def fixed(name, **changes):
    return level(name, **{**copy.deepcopy(FIXED_LEVELS[name]), **changes})


def bits(queues, hand):
    detail = f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than 60"
    return [f"{QUEUING}.handSize: Invalid value: {hand}: {detail}"]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"metadata": {"name": "full"}, **FULL["flowcontrol.apiserver/v1 PriorityLevelConfiguration"]}, []),
        (limited(), []),
        (limited(nominalConcurrencyShares=0, lendablePercent=100, borrowingLimitPercent=0), []),
        (fixed("exempt"), []),
        (fixed("exempt", exempt={"nominalConcurrencyShares": 10, "lendablePercent": 20}), []),
        (fixed("catch-all"), []),
        (level("exempt", type="Exempt"), []),
        (level(), ['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"']),
        (level(type="Free"), ['spec.type: Unsupported value: "Free": supported values: "Exempt", "Limited"']),
        (level(type="Exempt"), [f'spec.type: Invalid value: "Exempt": {ONLY_EXEMPT}']),
        (level(type="Limited"), [NO_LIMITS]),
        (
            level(type="Limited", exempt={}),
            [
                "spec.exempt: Forbidden: must be nil if the type is Limited",
                "spec.limited: Required value: must not be empty when type is Limited",
            ],
        ),
        (
            limited(nominalConcurrencyShares=-1),
            ["spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer"],
        ),
        (limited(lendablePercent=-1), ["spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive"]),
        (limited(lendablePercent=101), ["spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive"]),
        (
            limited(borrowingLimitPercent=-1),
            ["spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer"],
        ),
        (
            fixed("exempt", exempt={"nominalConcurrencyShares": -1, "lendablePercent": 101}),
            [
                "spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
                "spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
            ],
        ),
        (limited(response={}), [f'{RESPONSE}.type: Unsupported value: "": supported values: "Queue", "Reject"']),
        (
            limited(response={"type": "Reject", "queuing": {}}),
            [f"{QUEUING}: Forbidden: must be nil if limited.limitResponse.type is not Limited"],
        ),
        (
            limited(response={"type": "Queue"}),
            [f"{QUEUING}: Required value: must not be empty if limited.limitResponse.type is Limited"],
        ),
        (queuing(512, 4, 100), []),
        (queuing(length=0), [f"{QUEUING}.queueLengthLimit: Invalid value: 0: must be positive"]),
        (queuing(length=-100), [f"{QUEUING}.queueLengthLimit: Invalid value: -100: must be positive"]),
        (
            queuing(queues=-1),
            [
                f"{QUEUING}.queues: Invalid value: -1: must be positive",
                f"{QUEUING}.handSize: Invalid value: 6: should not be greater than queues (-1)",
            ],
        ),
        (queuing(queues=10_000_001, hand=1), [f"{QUEUING}.queues: Invalid value: 10000001: must not be greater than 10000000"]),
        (queuing(hand=0), [f"{QUEUING}.handSize: Invalid value: 0: must be positive"]),
        (queuing(hand=-1), [f"{QUEUING}.handSize: Invalid value: -1: must be positive"]),
        (queuing(queues=4, hand=5), [f"{QUEUING}.handSize: Invalid value: 5: should not be greater than queues (4)"]),
        *((queuing(queues, hand), bits(queues, hand)) for queues, hand in ((512, 8), (128, 10), (256, 10), (10_000_000, 3))),
    ],
)
def test_what_is_wrong_with_a_priority_level(obj, expected):
    assert findings(PRIORITY_LEVEL_CONFIGURATION, obj) == expected


@pytest.mark.parametrize(
    ("obj", "others", "text"),
    [
        (limited("catch-all", nominalConcurrencyShares=42), [], "spec of 'catch-all' must equal the fixed value"),
        (
            limited("exempt"),
            [f'spec.type: Invalid value: "Limited": {ONLY_EXEMPT}'],
            "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
        ),
        (
            fixed("exempt", limited={"limitResponse": REJECT}),
            ["spec.limited: Forbidden: must be nil if the type is not Limited"],
            "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
        ),
    ],
)
def test_a_fixed_priority_level_stays_as_it_is(obj, others, text):
    *found, last = findings(PRIORITY_LEVEL_CONFIGURATION, obj)
    assert found == others
    assert last.startswith("spec: Invalid value: ")
    assert last.endswith(f": {text}")


def test_a_priority_level_by_default():
    made = created(PRIORITY_LEVEL_CONFIGURATION, limited(response={"type": "Queue", "queuing": {}}))["spec"]["limited"]
    assert (made["nominalConcurrencyShares"], made["lendablePercent"], "borrowingLimitPercent" in made) == (30, 0, False)
    assert made["limitResponse"]["queuing"] == {"queues": 64, "handSize": 8, "queueLengthLimit": 50}


def test_a_priority_level_in_one_line():
    names = ["Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", "Age"]
    cells = ["Exempt", *["<none>"] * 4, "<unknown>"]
    assert list(row(PRIORITY_LEVEL_CONFIGURATION, level(type="Exempt")).items()) == list(zip(names, cells, strict=True))
    assert list(row(PRIORITY_LEVEL_CONFIGURATION, queuing()).values())[2:5] == ["128", "6", "50"]
