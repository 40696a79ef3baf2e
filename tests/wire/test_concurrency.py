"""Many clients at once on the same objects."""

from concurrent.futures import ThreadPoolExecutor

from tests.wire.raw import APPLY, MERGE, Wire

CLIENTS = 16


def test_patches_without_a_revision_all_succeed(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "hot"}})
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(lambda i: wire.patch(f"{maps}/hot", {"data": {f"k{i}": str(i)}}, MERGE), range(120)))
    assert wire.get(f"{maps}/hot")["data"] == {f"k{i}": str(i) for i in range(120)}
    revisions = [answer["metadata"]["resourceVersion"] for answer in answers]
    assert len(set(revisions)) == 120


def test_one_creation_wins(wire: Wire, maps: str):
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(lambda i: wire.ask("POST", maps, {"metadata": {"name": "one"}, "data": {"by": str(i)}}), range(CLIENTS)))
    assert sorted(answer.status for answer in answers) == [201] + [409] * (CLIENTS - 1)
    winner = next(answer for answer in answers if answer.status == 201)
    assert wire.get(f"{maps}/one") == winner.json


def test_one_update_of_a_revision_wins(wire: Wire, maps: str):
    obj = wire.create(maps, {"metadata": {"name": "one"}})
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(lambda i: wire.ask("PUT", f"{maps}/one", {**obj, "data": {"by": str(i)}}), range(CLIENTS)))
    assert sorted(answer.status for answer in answers) == [200] + [409] * (CLIENTS - 1)


def test_one_deletion_wins(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "one"}})
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(lambda _: wire.ask("DELETE", f"{maps}/one"), range(CLIENTS)))
    assert sorted(answer.status for answer in answers) == [200] + [404] * (CLIENTS - 1)


def test_a_counter_kept_by_compare_and_swap_loses_nothing(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "counter"}, "data": {"n": "0"}})

    def count(_: int) -> None:
        for _ in range(5):
            while True:
                obj = wire.get(f"{maps}/counter")
                obj["data"]["n"] = str(int(obj["data"]["n"]) + 1)
                if wire.ask("PUT", f"{maps}/counter", obj).status == 200:
                    break

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(count, range(6)))
    assert wire.get(f"{maps}/counter")["data"] == {"n": "30"}


def test_appliers_of_different_fields_dont_disturb_each_other(wire: Wire, maps: str):
    def apply(i: int) -> int:
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shared"}, "data": {f"k{i}": str(i)}}
        return wire.ask("PATCH", f"{maps}/shared", config, content_type=APPLY, fieldManager=f"manager-{i}").status

    with ThreadPoolExecutor(CLIENTS) as threads:
        statuses = list(threads.map(apply, range(CLIENTS)))
    assert set(statuses) <= {200, 201}
    shared = wire.get(f"{maps}/shared")
    assert shared["data"] == {f"k{i}": str(i) for i in range(CLIENTS)}
    assert len(shared["metadata"]["managedFields"]) == CLIENTS
