"""Who owns whom, and what becomes of those whose owners go."""

import pytest

from svcsim.client.informers import FollowedResource
from svcsim.controllers.garbage.decide import Delete, Keep, decide
from svcsim.controllers.garbage.graph import Graph, Owner
from svcsim.meta.types import Object
from tests.controllers.running import config_map

MAPS = FollowedResource("v1", "configmaps")


def owner(uid: str) -> Owner:
    return Owner("v1", "ConfigMap", uid, uid, blocks=True)


def obj(uid: str, *owners: str, **metadata: object) -> Object:
    made = config_map(uid, uid=uid, resourceVersion="1", **metadata)
    if owners:
        made["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": o, "uid": o} for o in owners]
    return made


@pytest.mark.parametrize(
    ("states", "dependents", "expected"),
    [
        ([], False, Keep(())),
        (["solid"], True, Keep(())),
        (["solid", "absent", "waiting"], True, Keep(("1", "2"))),
        (["absent"], True, Delete("Background")),
        (["absent", "absent"], False, Delete("Background")),
        (["waiting"], True, Delete("Foreground")),
        (["waiting"], False, Delete("Background")),
        (["waiting", "absent"], True, Delete("Foreground")),
    ],
)
def test_the_fate_of_a_dependent(states, dependents, expected):
    owners = [(owner(str(number)), state) for number, state in enumerate(states)]
    assert decide(obj("x"), owners, has_dependents=dependents) == expected


@pytest.mark.parametrize(("finalizer", "expected"), [("orphan", "Orphan"), ("foregroundDeletion", "Foreground")])
def test_a_dependent_s_own_wish_for_its_dependents_is_kept(finalizer, expected):
    assert decide(obj("x", finalizers=[finalizer]), [(owner("o"), "absent")], has_dependents=True) == Delete(expected)


def test_the_graph_finds_dependents_and_forgets_them():
    graph = Graph()
    graph.put(MAPS, obj("owner"))
    graph.put(MAPS, obj("a", "owner"))
    graph.put(MAPS, obj("b", "owner", "other"))
    assert [node.uid for node in graph.dependents("owner")] == ["a", "b"]
    assert graph.living("owner") is not None
    assert graph.living("other") is None
    assert graph.node("owner") is None, "what has no owners and stays is known by its name alone"
    graph.put(MAPS, obj("b", "other"))
    assert [node.uid for node in graph.dependents("owner")] == ["a"]
    graph.remove(MAPS, "a")
    assert graph.owners() == ["other"]
    graph.forget(MAPS)
    assert graph.owners() == []
    assert graph.living("owner") is None


def test_the_graph_knows_what_an_object_on_its_way_out_waits_for():
    graph = Graph()
    _, node = graph.put(MAPS, obj("x", deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["foregroundDeletion"]))
    assert node is not None
    assert (node.deleting, node.waits, node.orphans) == (True, True, False)
    _, node = graph.put(MAPS, obj("x", finalizers=["foregroundDeletion"]))
    assert node is None, "a finalizer means nothing before the object is deleted"
