"""Objects in memory: found by their names and by every index, in the order in which they came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.indexed import Indexed
from svcsim.meta.types import Object


def obj(name: str, namespace: str = "n", tags: tuple[str, ...] = ()) -> Object:
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, "tags": list(tags)}


def tags(seen: Object) -> list[str]:
    return seen["tags"]


def names(objects: list[Object]) -> list[str]:
    return [seen["metadata"]["name"] for seen in objects]


def test_objects_are_found_by_name_namespace_and_index():
    objects = Indexed()
    objects.add_index("tag", tags)
    for each in (obj("b", "m", ("red", "blue")), obj("a", "n", ("red",)), obj("node", "")):
        objects.put(each)
    assert objects.get("n", "a") == obj("a", "n", ("red",))
    assert (objects.get("m", "a"), names([objects.get("", "node")])) == (None, ["node"])
    assert (names(objects.list()), names(objects.list("m"))) == (["b", "a", "node"], ["b"])
    assert (names(objects.by("tag", "red")), names(objects.by("tag", "blue")), objects.by("tag", "green")) == (["b", "a"], ["b"], [])


def test_an_index_that_is_added_later_knows_what_is_there():
    objects = Indexed()
    objects.put(obj("a", tags=("red",)))
    objects.add_index("tag", tags)
    objects.add_index("tag", tags)
    assert names(objects.by("tag", "red")) == ["a"]
    with pytest.raises(ValueError, match="tag"):
        objects.add_index("tag", lambda seen: [])


def test_letting_go_of_what_is_not_there_does_nothing():
    objects = Indexed()
    objects.remove("n", "a")
    assert len(objects) == 0


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("mn"), st.none() | st.lists(st.sampled_from(["red", "blue"]), max_size=3)))
)
def test_every_index_follows_every_change(changes: list[tuple[str, str, list[str] | None]]):
    objects, model = Indexed(), {}
    objects.add_index("tag", tags)
    for name, namespace, tagged in changes:
        if tagged is None:
            objects.remove(namespace, name)
            model.pop((namespace, name), None)
        else:
            objects.put(obj(name, namespace, tuple(tagged)))
            model[namespace, name] = obj(name, namespace, tuple(tagged))
        assert objects.list() == list(model.values())
        for tag in ("red", "blue"):
            assert sorted(map(str, objects.by("tag", tag))) == sorted(str(each) for each in model.values() if tag in each["tags"])
        assert sorted(map(str, objects.list("m"))) == sorted(str(each) for (where, _), each in model.items() if where == "m")
