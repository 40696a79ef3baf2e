"""Revisions of DaemonSets and StatefulSets: their names, numbers, and which are kept."""

import pytest

from svcsim.client import revisions
from svcsim.meta.types import Object
from tests.controllers.running import deployment, running

WEB: Object = {**deployment("web"), "kind": "DaemonSet"}
WEB["metadata"] = {**WEB["metadata"], "uid": "web-1"}


def revision(name: str, number: int, data: Object | None = None) -> Object:
    return {"metadata": {"name": name, "labels": {revisions.HASH_LABEL: name}}, "data": data or {}, "revision": number}


def test_a_revision_is_found_by_its_owners_selector_and_puts_its_template_back():
    data = revisions.template_data(WEB)
    made = revisions.new_revision(WEB, data, 3, 0)
    short = revisions.hash_of(made)
    assert made["metadata"]["name"] == f"web-{short}"
    assert made["metadata"]["labels"] == {"app": "web", revisions.HASH_LABEL: short}
    assert made["revision"] == 3
    assert made["data"] == {"spec": {"template": {**WEB["spec"]["template"], "$patch": "replace"}}}
    assert revisions.hash_of(revisions.new_revision(WEB, data, 3, 1)) != short


def test_the_name_of_a_revision_is_no_longer_than_names_may_be():
    owner: Object = {**WEB, "metadata": {**WEB["metadata"], "name": "d" * 222 + "e" * 31}}
    made = revisions.new_revision(owner, {}, 1, 0)
    assert made["metadata"]["name"] == f"{'d' * 222}e-{revisions.hash_of(made)}"


def test_the_next_number_follows_the_largest_and_the_first_is_1():
    assert revisions.next_number([]) == 1
    assert revisions.next_number([revision("b", 7), revision("a", 2)]) == 8


def test_of_a_history_the_oldest_go_that_no_pod_is_of():
    history = [revision("c", 3), revision("a", 1), revision("b", 2)]
    names = lambda keep, *used: [item["metadata"]["name"] for item in revisions.surplus(history, keep, used)]  # noqa: E731
    assert names(3) == []
    assert names(1) == ["a", "b"]
    assert names(1, "a") == ["b", "c"]
    assert names(0, "a", "b", "c") == []


@pytest.mark.virtual_time
async def test_a_name_that_is_taken_by_other_data_or_another_owner_is_avoided_and_counted():
    async with running() as r:
        api = r.client.resource("apps/v1", "controllerrevisions")
        owner = await r.client.resource("apps/v1", "replicasets", "default").create({**deployment("web", 0), "kind": "ReplicaSet"})
        data = revisions.template_data(owner)
        wish = revisions.new_revision(owner, data, 1, 0)
        await api.within("default").create({**wish, "data": {"other": True}})
        strange = revisions.new_revision(owner, data, 1, 1)
        strange["metadata"]["ownerReferences"] = [{**strange["metadata"]["ownerReferences"][0], "uid": "other", "controller": True}]
        strange["metadata"]["ownerReferences"][0]["kind"] = "Nothing"
        await api.within("default").create(strange)
        made, collisions = await revisions.create(api, owner, data, 1, 0)
        assert collisions == 2
        assert made["data"] == data
        again, collisions = await revisions.create(api, owner, data, 1, collisions)
        assert (again["metadata"]["uid"], collisions) == (made["metadata"]["uid"], 2), "it is there already"
