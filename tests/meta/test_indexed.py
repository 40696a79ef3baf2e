"""Objects in memory: found by their names and by every index, in the order in which they came."""

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.indexed import Indexed, ObjectKey, object_key
from svcsim.meta.types import Object


def obj(name: str, namespace: str = "n", tags: tuple[str, ...] = ()) -> Object:
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, "tags": list(tags)}


def tags(seen: Object) -> list[str]:
    return seen["tags"]


def names(objects: list[Object]) -> list[str]:
    return [seen["metadata"]["name"] for seen in objects]


def test_objects_are_found_by_name_namespace_and_index():
    objects = Indexed()
    objects.add_index(tags)
    for each in (obj("b", "m", ("red", "blue")), obj("a", "n", ("red",)), obj("node", "")):
        objects.put(object_key(each), each)
    assert objects.get(ObjectKey("n", "a")) == obj("a", "n", ("red",))
    assert (objects.get(ObjectKey("m", "a")), names([objects.get(ObjectKey("", "node"))])) == (None, ["node"])
    assert (names(objects.list()), names(objects.list("m"))) == (["b", "a", "node"], ["b"])
    assert (names(objects.by(tags, "red")), names(objects.by(tags, "blue")), objects.by(tags, "green")) == (["b", "a"], ["b"], [])


def test_an_index_that_is_added_later_knows_what_is_there():
    objects = Indexed()
    objects.put(ObjectKey("n", "a"), obj("a", tags=("red",)))
    objects.add_index(tags)
    objects.add_index(tags)
    assert names(objects.by(tags, "red")) == ["a"]


def test_an_object_that_changes_keeps_its_place_in_every_answer():
    objects = Indexed()
    objects.add_index(tags)
    for name in ("a", "b"):
        objects.put(ObjectKey("n", name), obj(name, tags=("red",)))
    objects.put(ObjectKey("n", "a"), obj("a", tags=("red",)))
    assert [names(found) for found in (objects.list(), objects.list("n"), objects.by(tags, "red"))] == [["a", "b"]] * 3
    objects.put(ObjectKey("n", "a"), obj("a", tags=("red", "blue")))
    assert (names(objects.list("n")), names(objects.by(tags, "blue"))) == (["a", "b"], ["a"])


def test_nothing_is_kept_of_what_has_gone():
    objects = Indexed()
    objects.add_index(tags)
    for number in range(3):
        objects.put(ObjectKey(f"n{number}", "a"), obj("a", f"n{number}", tags=(f"red-{number}",)))
    objects.put(ObjectKey("n0", "a"), obj("a", "n0", tags=("blue",)))
    for number in range(3):
        objects.remove(ObjectKey(f"n{number}", "a"))
    assert [len(index) for index in objects._indexes.values()] == [0, 0]


def test_letting_go_of_what_is_not_there_does_nothing():
    objects = Indexed()
    objects.remove(ObjectKey("n", "a"))
    assert len(objects) == 0


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("mn"), st.none() | st.lists(st.sampled_from(["red", "blue"]), max_size=3)))
)
def test_every_index_follows_every_change(changes: list[tuple[str, str, list[str] | None]]):
    objects, model = Indexed(), {}
    objects.add_index(tags)
    for name, namespace, tagged in changes:
        if tagged is None:
            objects.remove(ObjectKey(namespace, name))
            model.pop((namespace, name), None)
        else:
            objects.put(ObjectKey(namespace, name), obj(name, namespace, tuple(tagged)))
            model[namespace, name] = obj(name, namespace, tuple(tagged))
        assert objects.list() == list(model.values())
        for tag in ("red", "blue"):
            assert sorted(map(str, objects.by(tags, tag))) == sorted(str(each) for each in model.values() if tag in each["tags"])
        assert sorted(map(str, objects.list("m"))) == sorted(str(each) for (where, _), each in model.items() if where == "m")
