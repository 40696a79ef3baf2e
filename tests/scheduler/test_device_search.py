"""Which devices claims are given on a node: the choice alone, without a cluster."""

from fractions import Fraction

import pytest

from svcsim import limits
from svcsim.meta.device_claims import DeviceId
from svcsim.meta.types import Json, Object
from svcsim.scheduler.devices.pools import Inventory, inventory, read_slice
from svcsim.scheduler.devices.results import allocation
from svcsim.scheduler.devices.search import DeviceSearch, SearchTooLongError, Stock
from svcsim.scheduler.devices.wishes import Wish, wishes_of
from svcsim.scheduler.node import NodeInfo
from tests.devices import DRIVER, device_claim, device_class, device_slice, request

CLASSES = {name: device_class(name, "") for name in ("gpu", "nic")}


def offered(*slices: Object) -> Inventory:
    return inventory([read_slice(one) for one in slices])


def devices(count: int, **said: Json) -> list[Object]:
    return [{"name": f"d{number}", **said} for number in range(count)]


def numa(*numbers: int) -> list[Object]:
    """Devices on parts of a machine."""
    return [{"name": f"d{at}", "attributes": {"numa": {"int": number}}} for at, number in enumerate(numbers)]


def found(stock: Inventory, *claims: Object, taken: tuple[str, ...] = (), node: str = "n") -> list[str] | None:
    """The devices that claims are given, each as ``request=device``; without what expressions select."""
    wishes = [wishes_of(claim, CLASSES.get) for claim in claims]
    assert not any(isinstance(one, str) for one in wishes)
    near = stock.near(NodeInfo(node))

    def fitting(wish: Wish) -> list[Json]:
        return [one for one in near if wish.number is None or wish.tolerates(one.spec)]

    ids = {DeviceId(DRIVER, "n", name): 1 for name in taken}
    given = DeviceSearch([one for one in wishes if not isinstance(one, str)], Stock(fitting, ids, lambda pool: stock.counters[pool])).find()
    return None if given is None else [f"{one.wish.name}={one.device.id.name}" for one in given]


def test_a_request_is_given_as_many_as_it_asks_for():
    stock = offered(device_slice("n", devices(3)))
    assert found(stock, device_claim("c", request(count=2))) == ["gpu=d0", "gpu=d1"]
    assert found(stock, device_claim("c", request(count=2)), taken=("d0",)) == ["gpu=d1", "gpu=d2"]
    assert found(stock, device_claim("c", request(count=2)), taken=("d0", "d1")) is None
    assert found(stock, device_claim("c", request(count=4))) is None
    assert found(stock, device_claim("c", request(count=1)), node="other") is None


def test_claims_of_one_pod_are_given_different_devices():
    stock = offered(device_slice("n", devices(2)))
    assert found(stock, device_claim("a"), device_claim("b")) == ["gpu=d0", "gpu=d1"]
    assert found(stock, device_claim("a"), device_claim("b"), device_claim("c")) is None


def test_a_request_for_all_is_given_all_or_none():
    stock = offered(device_slice("n", devices(3)))
    everything = device_claim("c", request(allocationMode="All"))
    assert found(stock, everything) == ["gpu=d0", "gpu=d1", "gpu=d2"]
    assert found(stock, everything, taken=("d2",)) is None
    assert found(offered(device_slice("n", [])), everything) is None
    sick = devices(2, taints=[{"key": "sick", "effect": "NoSchedule"}])
    assert found(offered(device_slice("n", sick)), everything) is None
    tolerating = request(allocationMode="All", tolerations=[{"key": "sick", "operator": "Exists"}])
    assert found(offered(device_slice("n", sick)), device_claim("c", tolerating)) == ["gpu=d0", "gpu=d1"]
    assert found(offered(device_slice("n", devices(33))), everything) is None  # a claim may have 32


def test_who_looks_after_devices_is_given_those_that_others_have():
    stock = offered(device_slice("n", devices(2)))
    watching = device_claim("c", request(allocationMode="All", adminAccess=True))
    assert found(stock, watching, taken=("d0", "d1")) == ["gpu=d0", "gpu=d1"]
    assert found(stock, watching, device_claim("own", request(count=2))) == ["gpu=d0", "gpu=d1", "gpu=d0", "gpu=d1"]


def test_the_first_alternative_that_can_be_met_counts():
    several = {
        "name": "any",
        "firstAvailable": [{"name": "two", "deviceClassName": "gpu", "count": 2}, {"name": "one", "deviceClassName": "gpu"}],
    }
    stock = offered(device_slice("n", devices(2)))
    assert found(stock, device_claim("c", several)) == ["any/two=d0", "any/two=d1"]
    assert found(stock, device_claim("c", several), taken=("d0",)) == ["any/one=d1"]
    assert found(stock, device_claim("c", several, request("more"))) == ["any/one=d0", "more=d1"]


@pytest.mark.parametrize(
    ("kind", "numbers", "expected"),
    [
        ("matchAttribute", (0, 1, 1), ["gpu=d1", "gpu=d2"]),
        ("matchAttribute", (0, 1, 2), None),
        ("distinctAttribute", (0, 0, 1), ["gpu=d0", "gpu=d2"]),
        ("distinctAttribute", (1, 1, 1), None),
    ],
)
def test_devices_of_a_claim_are_to_each_other_as_it_wants(kind: str, numbers: tuple[int, ...], expected: list[str] | None):
    stock = offered(device_slice("n", numa(*numbers)))
    assert found(stock, device_claim("c", request(count=2), constraints=[{kind: f"{DRIVER}/numa"}])) == expected


def test_a_constraint_may_be_about_some_requests_and_about_nothing_without_the_attribute():
    stock = offered(device_slice("n", [*numa(0, 1), {"name": "plain"}]))
    same = [{"requests": ["gpu"], "matchAttribute": f"{DRIVER}/numa"}]
    assert found(stock, device_claim("c", request(), request("other"), constraints=same)) == ["gpu=d0", "other=d1"]
    assert found(stock, device_claim("c", request(), constraints=same), taken=("d0", "d1")) is None


def test_a_choice_is_taken_back_where_it_leads_nowhere():
    stock = offered(device_slice("n", numa(0, 1, 1)))
    same = [{"matchAttribute": f"{DRIVER}/numa"}]
    assert found(stock, device_claim("c", request("a"), request("b"), constraints=same)) == ["a=d1", "b=d2"]


@pytest.mark.parametrize(
    ("tolerations", "expected"),
    [([], None), ([{"key": "sick", "operator": "Exists"}], ["gpu=d0"]), ([{"key": "other", "operator": "Exists"}], None)],
)
@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_tainted_device_is_given_to_who_tolerates_that(effect: str, tolerations: list[Object], expected: list[str] | None):
    stock = offered(device_slice("n", devices(1, taints=[{"key": "sick", "effect": effect}])))
    assert found(stock, device_claim("c", request(tolerations=tolerations))) == expected


def test_a_taint_without_effect_keeps_nobody_away():
    stock = offered(device_slice("n", devices(1, taints=[{"key": "sick", "effect": "None"}])))
    assert found(stock, device_claim("c")) == ["gpu=d0"]


def test_devices_share_the_counters_of_their_pool():
    def part(name: str, memory: str) -> Object:
        return {"name": name, "consumesCounters": [{"counterSet": "card", "counters": {"memory": {"value": memory}}}]}

    pool = {"resourceSliceCount": 2}
    sets = [{"name": "card", "counters": {"memory": {"value": "40Gi"}}}]
    counters = device_slice("n", [], name="counters", pool=pool, sharedCounters=sets)
    stock = offered(device_slice("n", [part("whole", "40Gi"), part("half", "20Gi"), part("rest", "20Gi")], pool=pool), counters)
    assert next(iter(stock.counters.values())) == {("card", "memory"): Fraction(40 * 2**30)}
    assert found(stock, device_claim("c")) == ["gpu=whole"]
    assert found(stock, device_claim("c", request(count=2))) == ["gpu=half", "gpu=rest"]
    assert found(stock, device_claim("c", request(count=3))) is None


def test_pools_that_arent_whole_arent_used():
    one, other = (
        device_slice("n", devices(1), name="a", pool={"resourceSliceCount": 2}),
        device_slice("n", [{"name": "e"}], name="b", pool={"resourceSliceCount": 2}),
    )
    assert found(offered(one), device_claim("c")) is None
    assert [name for name, _ in offered(one).incomplete] == [(DRIVER, "n")]
    assert found(offered(one, other), device_claim("c", request(count=2))) == ["gpu=d0", "gpu=e"]


def test_the_newest_generation_of_a_pool_counts_alone():
    old, new = device_slice("n", devices(2), name="a"), device_slice("n", [{"name": "new"}], name="b", pool={"generation": 2})
    assert found(offered(old, new), device_claim("c")) == ["gpu=new"]
    assert found(offered(old, new), device_claim("c", request(count=2))) is None


def test_a_pool_in_which_a_name_stands_twice_isnt_used():
    pool = {"resourceSliceCount": 2}
    assert (
        found(
            offered(device_slice("n", devices(1), name="a", pool=pool), device_slice("n", devices(1), name="b", pool=pool)),
            device_claim("c"),
        )
        is None
    )


def test_slices_and_devices_say_which_nodes_can_use_them():
    zone = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    each = [{"name": "here", "nodeName": "n"}, {"name": "anywhere", "allNodes": True}, {"name": "near", "nodeSelector": zone}]
    for said, expected in (({"allNodes": True}, ["d0"]), ({"nodeSelector": zone}, [])):
        assert [one.id.name for one in offered(device_slice("", devices(1), **said)).near(NodeInfo("n"))] == expected
    stock = offered(device_slice("", each, perDeviceNodeSelection=True))
    assert [one.id.name for one in stock.near(NodeInfo("n"))] == ["here", "anywhere"]
    assert [one.id.name for one in stock.near(NodeInfo("m"))] == ["anywhere"]


def test_an_allocation_says_where_its_devices_are_and_how_they_are_set():
    opaque = {"opaque": {"driver": DRIVER, "parameters": {"mode": "fast"}}}
    own = {"opaque": {"driver": DRIVER, "parameters": {"mode": "slow"}}}
    classes = {"gpu": device_class("gpu", "", config=[opaque])}
    several = {"name": "any", "firstAvailable": [{"name": "a", "deviceClassName": "gpu"}, {"name": "b", "deviceClassName": "gpu"}]}
    claim = device_claim("c", several, config=[{"requests": ["any/a"], **own}, {"requests": ["any/b"], **own}, own])
    wishes = wishes_of(claim, classes.get)
    assert not isinstance(wishes, str)
    zone = [{"key": "zone", "operator": "Exists"}]
    for where, selector in (
        ({"nodeName": "n"}, {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}),
        ({"allNodes": True}, None),
        ({"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": zone}]}}, {"nodeSelectorTerms": [{"matchExpressions": zone}]}),
    ):
        stock = offered(device_slice("", devices(1), **where))
        given = DeviceSearch([wishes], Stock(lambda _, stock=stock: stock.devices, {}, lambda _: {})).find()  # type: ignore[misc]
        assert given is not None
        told = allocation(wishes, given)
        assert told.get("nodeSelector") == selector
        assert told["devices"] == {
            "results": [{"request": "any/a", "driver": DRIVER, "pool": "everywhere", "device": "d0"}],
            "config": [
                {"source": "FromClass", "requests": ["any/a"], **opaque},
                {"source": "FromClaim", "requests": ["any/a"], **own},
                {"source": "FromClaim", **own},
            ],
        }


def test_a_class_that_isnt_there_is_named():
    assert wishes_of(device_claim("c", request(device_class_name="none")), CLASSES.get) == "request gpu: device class none does not exist"


def test_a_search_ends_however_many_choices_there_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "DEVICE_SEARCH_STEPS", 500)
    stock = offered(device_slice("n", numa(*(number for number in range(15) for _ in range(2)))))
    same = [{"matchAttribute": f"{DRIVER}/numa"}]
    with pytest.raises(SearchTooLongError):
        found(
            stock, device_claim("c", *(request(f"r{number}") for number in range(3))), device_claim("d", request(count=3), constraints=same)
        )


def test_choices_that_lack_the_others_arent_tried_one_by_one():
    """Eight devices of one part of a machine, of which each has seven that are free, and the last one eight."""
    stock = offered(device_slice("n", numa(*(part for part in range(15) for _ in range(8)))))
    taken = tuple(f"d{part * 8}" for part in range(14))
    same = [{"matchAttribute": f"{DRIVER}/numa"}]
    expected = [f"gpu=d{number}" for number in range(112, 120)]
    assert found(stock, device_claim("c", request(count=8), constraints=same), taken=taken) == expected


def test_claims_with_hundreds_of_devices_between_them_are_no_trouble():
    stock = offered(device_slice("n", devices(128)), device_slice("", [{"name": f"e{at}"} for at in range(128)], allNodes=True))
    claims = [device_claim(f"c{number}", request(count=32)) for number in range(8)]
    assert len(found(stock, *claims) or ()) == 256
