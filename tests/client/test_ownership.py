"""What belongs to an owner, what it adopts and what it lets go; and what it expects to see of its own doing."""

import pytest

from svcsim import limits
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import claim, with_controller
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import from_object
from svcsim.meta.types import Object
from tests.virtual import START_S

KEY = ObjectKey("default", "web")


def obj(name: str, app: str, owner: str = "", **metadata: object) -> Object:
    references = [{"uid": owner, "controller": True}] if owner else []
    return {"metadata": {"name": name, "labels": {"app": app}, "ownerReferences": references, **metadata}}


def names(objects: list[Object]) -> list[str]:
    return [item["metadata"]["name"] for item in objects]


def candidates() -> list[Object]:
    return [
        obj("mine", "web", "u"),
        obj("outgrown", "other", "u"),
        obj("orphan", "web"),
        obj("dying orphan", "web", deletionTimestamp="now"),
        obj("stranger", "other"),
        obj("somebody else's", "web", "v"),
    ]


def test_an_owner_keeps_adopts_and_releases():
    found = claim({"metadata": {"uid": "u"}}, from_object({"matchLabels": {"app": "web"}}), candidates())
    assert (names(found.mine), names(found.adopt), names(found.release)) == (["mine"], ["orphan"], ["outgrown"])


def test_an_owner_on_its_way_out_changes_nothing():
    found = claim({"metadata": {"uid": "u", "deletionTimestamp": "now"}}, from_object({"matchLabels": {"app": "web"}}), candidates())
    assert (names(found.mine), found.adopt, found.release) == (["mine"], [], [])


def test_whoever_is_named_as_an_owner_becomes_the_controller_there():
    controller, other, third = {"uid": "u", "controller": True}, {"uid": "v"}, {"uid": "w"}
    assert with_controller([], controller) == [controller]
    assert with_controller([other], controller) == [other, controller]
    assert with_controller([other, {"uid": "u", "controller": False}, third], controller) == [other, controller, third]
    assert with_controller([{"uid": "u"}, other, {"uid": "u", "name": "old"}], controller) == [controller, other]


@pytest.mark.virtual_time
async def test_expectations_are_met_once_everything_has_been_seen():
    expected = Expectations(Clock(START_S))
    assert expected.met(KEY)
    expected.expect_creations(KEY, 2)
    expected.expect_deletion(KEY, "u")
    expected.creation_seen(KEY)
    expected.deletion_seen(KEY, "u")
    assert not expected.met(KEY)
    expected.creation_seen(KEY)
    assert expected.met(KEY)


@pytest.mark.virtual_time
async def test_what_is_never_seen_is_given_up_after_a_while():
    clock = Clock(START_S)
    await clock.sleep(0)
    expected = Expectations(clock)
    expected.expect_creations(KEY, 1)
    await clock.sleep(limits.EXPECTATIONS_S - 1)
    assert not expected.met(KEY)
    await clock.sleep(2)
    assert expected.met(KEY)
