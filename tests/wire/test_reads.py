"""Get and list by resource version, cell by cell; paging; history that has gone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from svcsim.meta.types import Json, Object
from tests.waiting import until
from tests.wire.raw import MERGE, Answer, Wire


@pytest.fixture
def past(wire: Wire, maps: str) -> str:
    """A revision at which there were a, b and c; now there are a (changed), c and d."""
    for name in ("a", "b", "c"):
        wire.create(maps, {"metadata": {"name": name}, "data": {"v": "old"}})
    then = wire.get(maps)["metadata"]["resourceVersion"]
    wire.patch(f"{maps}/a", {"data": {"v": "new"}})
    wire.delete(f"{maps}/b")
    wire.create(maps, {"metadata": {"name": "d"}})
    return then


OWN = "metadata.name!=kube-root-ca.crt,metadata.name!=svc-root-ca.crt"
THEN, NOW = ["a", "b", "c"], ["a", "c", "d"]


def names(listed: Object) -> list[str]:
    return [item["metadata"]["name"] for item in listed["items"] if not item["metadata"]["name"].endswith("root-ca.crt")]


def test_get_not_older_than(wire: Wire, maps: str, past: str):
    for version in (None, "0", past, wire.revision()):
        assert wire.get(f"{maps}/a", resourceVersion=version)["data"] == {"v": "new"}


def refused(answer: Answer, status: int) -> bool:
    reasons = {400: "BadRequest", 422: "Invalid", 410: "Expired", 504: "Timeout"}
    return (answer.status, answer.reason) == (status, reasons[status])


@pytest.mark.parametrize(
    ("match", "limit", "version", "expected"),
    [
        ("", 0, None, NOW),
        ("", 0, "0", NOW),
        ("", 0, "past", NOW),
        ("", 10, None, NOW),
        ("", 10, "0", NOW),
        ("", 10, "past", THEN),
        ("Exact", 0, None, 422),
        ("Exact", 0, "0", 422),
        ("Exact", 0, "past", THEN),
        ("Exact", 10, None, 422),
        ("Exact", 10, "0", 422),
        ("Exact", 10, "past", THEN),
        ("NotOlderThan", 0, None, 422),
        ("NotOlderThan", 0, "0", NOW),
        ("NotOlderThan", 0, "past", NOW),
        ("NotOlderThan", 10, None, 422),
        ("NotOlderThan", 10, "0", NOW),
        ("NotOlderThan", 10, "past", NOW),
        ("Exactly", 0, "past", 422),
    ],
)
def test_list_by_version(wire: Wire, maps: str, past: str, match: str, limit: int, version: str | None, expected: Json):
    query = {"resourceVersionMatch": match or None, "limit": limit or None, "resourceVersion": past if version == "past" else version}
    answer = wire.ask("GET", maps, **query, fieldSelector=OWN)
    if isinstance(expected, int):
        assert refused(answer, expected)
        return
    assert answer.status == 200, answer.body
    assert names(answer.json) == expected
    told = int(answer.json["metadata"]["resourceVersion"])
    assert told == int(past) if expected == THEN else told > int(past)


@pytest.mark.parametrize(
    ("match", "version", "expected"),
    [
        ("", None, 200),
        ("", "0", 200),
        ("", "past", 400),
        ("Exact", "past", 422),
        ("NotOlderThan", "past", 422),
        ("NotOlderThan", None, 422),
    ],
)
def test_a_continued_list_goes_on_at_its_own_version(wire: Wire, maps: str, past: str, match: str, version: str | None, expected: int):
    first = wire.get(maps, limit=1, resourceVersion=past, resourceVersionMatch="Exact", fieldSelector=OWN)
    query = {"resourceVersionMatch": match or None, "resourceVersion": past if version == "past" else version}
    answer = wire.ask("GET", maps, **{"continue": first["metadata"]["continue"]}, limit=1, **query, fieldSelector=OWN)
    if expected != 200:
        assert refused(answer, expected)
        return
    assert (names(first), names(answer.json)) == (["a"], ["b"])
    assert answer.json["metadata"]["resourceVersion"] == past


def test_pages_tell_what_remains_unless_a_selector_leaves_it_open(wire: Wire, maps: str, past: str):
    everything = len(wire.get(maps)["items"])
    first = wire.get(maps, limit=2)
    assert first["metadata"]["remainingItemCount"] == everything - 2
    assert "remainingItemCount" not in wire.get(maps, limit=1, fieldSelector=OWN)["metadata"]
    last = wire.get(maps, **{"continue": first["metadata"]["continue"]})
    assert "continue" not in last["metadata"]
    assert names(first) + names(last) == NOW


def test_a_revision_that_is_yet_to_come_is_too_large(wire: Wire, maps: str):
    future = wire.revision() + 100_000
    with ThreadPoolExecutor(5) as threads:  # each waits a little in case it comes
        answers = list(
            threads.map(
                lambda path: wire.ask("GET", path),
                [
                    f"{maps}/a?resourceVersion={future}",
                    f"{maps}?resourceVersion={future}",
                    f"{maps}?resourceVersion={future}&resourceVersionMatch=Exact",
                    f"{maps}?resourceVersion={future}&limit=1",
                    f"{maps}?resourceVersion={future}&watch=true",
                ],
            )
        )
    for answer in answers:
        assert refused(answer, 504)
        assert f"Too large resource version: {future}, current: " in answer.message
        assert answer.json["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
        assert answer.headers["retry-after"] == "1"
        assert answer.json["details"]["retryAfterSeconds"] == 1


def test_a_read_at_a_revision_that_comes_meanwhile_is_answered(wire: Wire, maps: str):
    """No retry, no error: a client may ask for what it has just been told of."""
    next_but_two = wire.revision() + 3
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(wire.get, maps, resourceVersion=next_but_two)
        for i in range(3):
            wire.create(maps, {"metadata": {"name": f"m{i}"}})
        assert int(answer.result()["metadata"]["resourceVersion"]) >= next_but_two


def test_a_tampered_token_is_refused(wire: Wire, maps: str, past: str):
    token = wire.get(maps, limit=1)["metadata"]["continue"]
    for bad in (token[:-2], "A" + token[1:] if token[0] != "A" else "B" + token[1:], token + "AAAA", token[::-1]):
        assert refused(wire.ask("GET", maps, **{"continue": bad}), 400)
    other = f"/api/v1/namespaces/{wire.namespace()}/configmaps"
    assert refused(wire.ask("GET", other, **{"continue": token}), 400)
    assert refused(wire.ask("GET", "/api/v1/nodes", **{"continue": token}), 400)


def test_a_chunked_list_is_one_moment_however_much_is_written(wire: Wire, maps: str):
    for i in range(60):
        wire.create(maps, {"metadata": {"name": f"n{i:03}"}, "data": {"v": "0"}})
    done = False

    def disturb(writer: int) -> None:
        i = 0
        while not done:
            name = f"n{(i * 7 + writer) % 60:03}"
            answer = wire.ask(
                "DELETE" if i % 2 else "PATCH", f"{maps}/{name}", None if i % 2 else {"data": {"v": str(i)}}, content_type=MERGE
            )
            assert answer.status in (200, 404)
            wire.ask("POST", maps, {"metadata": {"name": f"new-{writer}-{i}"}})
            i += 1

    with ThreadPoolExecutor(3) as threads:
        writers = [threads.submit(disturb, writer) for writer in range(3)]
        try:
            for _ in range(5):
                first = wire.get(maps, limit=7)
                version = first["metadata"]["resourceVersion"]
                items, token = list(first["items"]), first["metadata"].get("continue")
                while token:
                    page = wire.get(maps, limit=7, **{"continue": token})
                    assert page["metadata"]["resourceVersion"] == version
                    items += page["items"]
                    token = page["metadata"].get("continue")
                assert items == wire.get(maps, resourceVersion=version, resourceVersionMatch="Exact")["items"]
        finally:
            done = True
    for writer in writers:
        writer.result()


def test_what_is_older_than_the_history_is_gone(wire: Wire, maps: str, past: str):
    """Last here, because it makes five minutes and more pass on the cluster's clock."""
    first = wire.get(maps, limit=1, fieldSelector=OWN)
    exact = {"resourceVersion": past, "resourceVersionMatch": "Exact"}
    with wire.hurried(1000):
        until(lambda: wire.ask("GET", maps, **exact).status != 200)
    gone = wire.ask("GET", maps, **exact)
    assert refused(gone, 410)
    assert gone.message.startswith(f"The resourceVersion for the provided list is too old: {past} (")
    assert refused(wire.ask("GET", maps, limit=5, resourceVersion=past), 410)
    with wire.watch(maps, resourceVersion=past) as events:
        assert events.status in (200, 410)
        told = next(iter(events)) if events.status == 200 else {"type": "ERROR", "object": events.read()}
        assert told["type"] == "ERROR"
        assert (told["object"]["code"], told["object"]["reason"]) == (410, "Expired")
        assert told["object"]["message"].startswith(f"too old resource version: {past} (")

    wire.create(maps, {"metadata": {"name": "cc"}})
    expired = wire.ask("GET", maps, **{"continue": first["metadata"]["continue"]}, fieldSelector=OWN)
    assert refused(expired, 410)
    rest = wire.get(maps, **{"continue": expired.json["metadata"]["continue"]}, fieldSelector=OWN)
    assert names(rest) == ["c", "cc", "d"], "the rest of the list as it is now"
