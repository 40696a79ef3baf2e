"""Watches: how they begin, what they tell, how they end."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import MERGE, Wire
from tests.wire.test_reads import OWN, names


def told(events: list[Object]) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"]["name"]) for event in events]


def bookmark(events: list[Object]) -> Object:
    assert events[-1]["type"] == "BOOKMARK"
    return events[-1]["object"]


@pytest.mark.parametrize("version", [None, "0"])
def test_without_a_version_it_begins_with_what_there_is(wire: Wire, maps: str, version: str | None):
    for name in ("a", "b"):
        wire.create(maps, {"metadata": {"name": name}})
    with wire.watch(maps, resourceVersion=version, fieldSelector=OWN) as events:
        assert told(events.take(2)) == [("ADDED", "a"), ("ADDED", "b")]
        wire.delete(f"{maps}/a")
        assert told(events.take(1)) == [("DELETED", "a")]


def test_from_a_version_it_tells_all_that_came_after(wire: Wire, maps: str):
    since = wire.create(maps, {"metadata": {"name": "a"}})["metadata"]["resourceVersion"]
    changed = wire.patch(f"{maps}/a", {"data": {"v": "1"}})
    created = wire.create(maps, {"metadata": {"name": "b"}})
    wire.delete(f"{maps}/a")
    with wire.watch(maps, resourceVersion=since, fieldSelector=OWN) as events:
        seen = events.take(3)
    assert [(event["type"], event["object"]["metadata"]["name"]) for event in seen] == [("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a")]
    assert seen[0]["object"] == changed
    assert seen[1]["object"] == created
    last = seen[2]["object"]
    assert last["data"] == {"v": "1"}, "a deletion shows the last state"
    assert int(last["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"]), "at the revision of the deletion"


def test_initial_events_end_with_a_marked_bookmark(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}})
    for version in (None, "", "0", wire.revision()):
        options = {"sendInitialEvents": "true", "allowWatchBookmarks": "true", "resourceVersionMatch": "NotOlderThan"}
        with wire.watch(maps, resourceVersion=version, **options) as events:
            seen = events.until(lambda event: event["type"] == "BOOKMARK")
        assert ("ADDED", "a") in told_of(seen)
        end = bookmark(seen)
        assert (end["kind"], end["apiVersion"]) == ("ConfigMap", "v1")
        assert end["metadata"]["annotations"] == {f"{wire.dialect.group_suffix}/initial-events-end": "true"}
        assert int(end["metadata"]["resourceVersion"]) >= int(wire.get(f"{maps}/a")["metadata"]["resourceVersion"])


def told_of(events: list[Object]) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


def test_without_initial_events_it_begins_with_what_comes(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}})
    options = {"sendInitialEvents": "false", "allowWatchBookmarks": "true", "resourceVersionMatch": "NotOlderThan"}
    with wire.watch(maps, fieldSelector=f"metadata.name={wire.dialect.root_ca_config_map}") as events:
        events.take(1)  # every new namespace is given it, in its own time
    with wire.watch(maps, resourceVersion=wire.revision(), **options) as events:
        wire.create(maps, {"metadata": {"name": "b"}})
        assert told(events.take(1)) == [("ADDED", "b")]


@pytest.mark.parametrize(
    "options",
    [
        {"sendInitialEvents": "true"},
        {"sendInitialEvents": "true", "allowWatchBookmarks": "true"},
        {"sendInitialEvents": "true", "allowWatchBookmarks": "true", "resourceVersionMatch": "Exact"},
        {"resourceVersionMatch": "NotOlderThan", "resourceVersion": "1"},
    ],
)
def test_options_that_dont_go_together_are_refused(wire: Wire, maps: str, options: dict[str, str]):
    answer = wire.ask("GET", maps, watch="true", **options)
    assert (answer.status, answer.reason) == (422, "Invalid")


def test_the_initial_events_come_without_bookmarks_too(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}})
    with wire.watch(maps, sendInitialEvents="true", resourceVersionMatch="NotOlderThan", timeoutSeconds=1) as events:
        assert ("ADDED", "a") in told(list(events))


def test_it_ends_with_a_bookmark_when_its_time_is_up(wire: Wire, maps: str):
    with wire.watch(maps, timeoutSeconds=1, allowWatchBookmarks="true", resourceVersion=wire.revision()) as events:
        created = wire.create(maps, {"metadata": {"name": "a"}})
        seen = list(events)
    assert ("ADDED", "a") in told_of(seen)
    assert set(bookmark(seen)) == {"kind", "apiVersion", "metadata"}
    assert int(bookmark(seen)["metadata"]["resourceVersion"]) >= int(created["metadata"]["resourceVersion"])


def test_no_bookmarks_unless_asked_for(wire: Wire, maps: str):
    with wire.watch(maps, timeoutSeconds=1, resourceVersion=wire.revision()) as events:
        assert [event for event in events if event["type"] == "BOOKMARK"] == []


def test_bookmarks_come_regularly_and_can_be_resumed_from(wire: Wire, maps: str):
    with wire.watch(maps, resourceVersion=wire.revision(), allowWatchBookmarks="true", fieldSelector="metadata.name=none") as events:
        wire.create(maps, {"metadata": {"name": "unseen"}})
        now = wire.revision()
        with wire.hurried(600):
            mark = bookmark(events.until(lambda event: int(event["object"]["metadata"]["resourceVersion"]) >= now))
    wire.create(maps, {"metadata": {"name": "after"}})
    with wire.watch(maps, resourceVersion=mark["metadata"]["resourceVersion"], fieldSelector=OWN) as events:
        assert told(events.take(1)) == [("ADDED", "after")]


def test_what_begins_and_ends_to_match_is_added_and_deleted(wire: Wire, maps: str):
    with wire.watch(maps, resourceVersion=wire.revision(), labelSelector="shown=yes,tier in (a,b)") as events:
        wire.create(maps, {"metadata": {"name": "m"}})
        for labels in ({"shown": "yes"}, {"tier": "a"}, {"tier": "b"}, {"shown": "no"}, {"shown": "yes"}):
            wire.patch(f"{maps}/m", {"metadata": {"labels": labels}})
        wire.delete(f"{maps}/m")
        seen = events.take(5)
    assert [event["type"] for event in seen] == ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]
    assert seen[2]["object"]["metadata"]["labels"]["shown"] == "yes", "what stops to match is shown as it last did"
    assert int(seen[2]["object"]["metadata"]["resourceVersion"]) > int(seen[1]["object"]["metadata"]["resourceVersion"])


def test_field_selectors_follow_fields(wire: Wire, ns: str):
    pods = f"/api/v1/namespaces/{ns}/pods"
    with wire.watch(pods, resourceVersion=wire.revision(), fieldSelector="status.phase=Failed") as events:
        wire.create(pods, {"metadata": {"name": "p"}, "spec": {"schedulerName": "none", "containers": [{"name": "c", "image": "i"}]}})
        for phase in ("Running", "Failed"):
            wire.patch(f"{pods}/p/status", {"status": {"phase": phase}})
        seen = events.take(1)
    assert told(seen) == [("ADDED", "p")]
    assert seen[0]["object"]["status"]["phase"] == "Failed"


def test_one_object(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}})
    with wire.watch(f"{maps}/a", resourceVersion=wire.revision()) as events, wire.watch(maps, fieldSelector="metadata.name=a") as by_name:
        wire.create(maps, {"metadata": {"name": "b"}})
        wire.delete(f"{maps}/a")
        assert told(events.take(1)) == [("DELETED", "a")]
        assert told(by_name.take(2)) == [("ADDED", "a"), ("DELETED", "a")]


def test_all_namespaces(wire: Wire):
    mark = wire.fresh("mark")
    with wire.watch("/api/v1/configmaps", resourceVersion=wire.revision(), labelSelector=f"mark={mark}") as events:
        spaces = [wire.namespace(), wire.namespace()]
        for space in spaces:
            wire.create(f"/api/v1/namespaces/{space}/configmaps", {"metadata": {"name": "a", "labels": {"mark": mark}}})
        assert [event["object"]["metadata"]["namespace"] for event in events.take(2)] == spaces


def test_as_a_table(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}, "data": {"k": "v"}})
    meta = wire.dialect.group("meta")
    with wire.watch(maps, headers={"Accept": f"application/json;as=Table;v=v1;g={meta}"}, fieldSelector=OWN) as events:
        first = events.take(1)[0]
        wire.patch(f"{maps}/a", {"data": {"l": "w"}})
        second = events.take(1)[0]
    assert (first["type"], first["object"]["kind"], first["object"]["apiVersion"]) == ("ADDED", "Table", f"{meta}/v1")
    assert [column["name"] for column in first["object"]["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert first["object"]["rows"][0]["cells"][:2] == ["a", 1]
    assert second["type"] == "MODIFIED"
    assert second["object"]["rows"][0]["cells"][:2] == ["a", 2]
    assert "columnDefinitions" not in second["object"] or second["object"]["columnDefinitions"] in ([], None)


def test_other_words_for_yes(wire: Wire, maps: str):
    """``watch=1`` and ``watch=True`` are the same wish; ``watch=false`` is a list."""
    wire.create(maps, {"metadata": {"name": "a"}})
    for value in ("1", "True", "t"):
        with wire.watch(f"{maps}?watch={value}", timeoutSeconds=1, fieldSelector=OWN) as events:
            assert told(events.take(1)) == [("ADDED", "a")]
    assert wire.get(maps, watch="false")["kind"] == "ConfigMapList"


def test_list_and_the_events_after_it_make_the_list_that_comes_later(wire: Wire, maps: str):
    done = threading.Event()
    watching = threading.Barrier(2)

    def write(writer: int) -> None:
        i = 0
        while not done.is_set():
            name = f"m{(i + writer) % 9}"
            for method, body in (("POST", {"metadata": {"name": name}}), ("PATCH", {"data": {"v": str(i)}}), ("DELETE", None)):
                path = maps if method == "POST" else f"{maps}/{name}"
                assert wire.ask(method, path, body, content_type=MERGE if method == "PATCH" else "application/json").status < 410
            i += 1
            if i == 30 and writer == 0:
                watching.wait()

    with ThreadPoolExecutor(3) as threads:
        writers = [threads.submit(write, writer) for writer in range(3)]
        try:
            first = wire.get(maps)
            watching.wait()
            with wire.watch(maps, resourceVersion=first["metadata"]["resourceVersion"]) as events:
                begun = events.take(200)
                done.set()
                for writer in writers:
                    writer.result()
                later = wire.get(maps)
                last = wire.create(maps, {"metadata": {"name": "last"}})
                seen = begun + events.until(lambda event: event["object"]["metadata"]["name"] == "last")
        finally:
            done.set()
    state = {item["metadata"]["name"]: item for item in first["items"]}
    revisions = []
    for event in seen[:-1]:
        name = event["object"]["metadata"]["name"]
        revisions.append(int(event["object"]["metadata"]["resourceVersion"]))
        assert (event["type"] == "ADDED") == (name not in state), "no event is lost and none comes twice"
        if event["type"] == "DELETED":
            del state[name]
        else:
            state[name] = {key: value for key, value in event["object"].items() if key not in ("kind", "apiVersion")}
    assert revisions == sorted(set(revisions))
    assert revisions[0] > int(first["metadata"]["resourceVersion"])
    assert seen[-1]["object"] == last
    assert [state[name] for name in sorted(state)] == later["items"]


def test_many_watchers_see_the_same(wire: Wire, maps: str):
    since = wire.revision()
    with ThreadPoolExecutor(20) as threads:
        streams = [wire.watch(maps, resourceVersion=since, fieldSelector=OWN) for _ in range(20)]
        for i in range(30):
            wire.create(maps, {"metadata": {"name": f"m{i:02}"}})
        seen = list(threads.map(lambda stream: told(stream.take(30)), streams))
    for stream in streams:
        stream.__exit__()
    assert seen == [[("ADDED", f"m{i:02}") for i in range(30)]] * 20
    assert len(names(wire.get(maps))) == 30
