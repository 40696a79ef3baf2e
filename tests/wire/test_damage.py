"""A server whose disk has damaged an object, or fails: what clients are told, and that everything else goes on."""

import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from svcsim.registry.core import IGNORE_READ_ERROR
from svcsim.storage.files import DATA_FILE
from tests.nursery import Limits
from tests.process import environment, ran, served
from tests.storage.words import flip
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, Wire

OPTIONS = ("--durability", "process", "--nodes", "1", "--seed", "1")
MAPS = "/api/v1/namespaces/default/configmaps"
VICTIM = f"{MAPS}/victim"


@contextmanager
def serving(home: Path, limits: Limits | None = None) -> Iterator[Wire]:
    with served(home, "kubernetes", *OPTIONS, limits=limits) as server:
        wire = Wire(server)
        yield wire
        wire.close()


def config_map(name: str, text: str) -> dict:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"of": "test"}}, "data": {"text": text}}


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a cluster that is down, and has a config map whose body is damaged."""
    home = tmp_path_factory.mktemp("damaged")
    with serving(home) as wire:
        for name, text in (("before", "well"), ("victim", "precious"), ("other", "well")):
            assert wire.ask("POST", MAPS, config_map(name, text)).status == 201
        elsewhere = wire.namespace()
        wire.ask("POST", f"/api/v1/namespaces/{elsewhere}/configmaps", config_map("far", "well"))
    assert flip(home / "clusters" / "default" / "store" / DATA_FILE, b"precious", bytes.swapcase)
    return home


def test_a_damaged_object_harms_itself_alone_until_it_is_deleted(damaged: Path):
    with serving(damaged) as wire:
        read = wire.ask("GET", VICTIM)
        assert (read.status, read.reason) == (500, "StorageReadError")
        assert "configmaps default/victim: the record of revision" in read.message
        assert IGNORE_READ_ERROR in read.message, "what can be done"

        listed = wire.ask("GET", MAPS)
        assert (listed.status, listed.reason) == (500, "StorageReadError")
        assert "failed to read one or more configmaps from the storage: default/victim; " in listed.message
        assert listed.json["details"]["kind"] == "configmaps"
        (cause,) = listed.json["details"]["causes"]
        assert (cause["reason"], cause["field"]) == ("UnexpectedServerResponse", "default/victim")
        assert wire.ask("GET", f"{MAPS}?limit=1").status == 200, "the first page has nothing of it"
        assert wire.ask("GET", "/api/v1/configmaps").reason == "StorageReadError"
        assert wire.ask("GET", "/api/v1/namespaces/kube-system/configmaps").status == 200
        assert wire.ask("GET", f"{MAPS}/other").status == 200

        assert_it_is_not_written(wire)
        with wire.watch("/api/v1/pods?resourceVersion=1&timeoutSeconds=1") as past:
            assert [event["type"] for event in past if event["type"] == "ERROR"] == [], "who watches something else passes by"
        with wire.watch(f"{MAPS}?resourceVersion=1&timeoutSeconds=2") as past:
            events = list(past)
        assert (events[-1]["type"], events[-1]["object"]["reason"]) == ("ERROR", "StorageReadError")

        assert_it_can_be_deleted(wire)
        assert wire.complaints() == []


def assert_it_is_not_written(wire: Wire) -> None:
    """Nothing is written over what can't be read, and each refusal says why."""
    refusals = [
        wire.ask("PUT", VICTIM, config_map("victim", "new")),
        wire.ask("PATCH", VICTIM, {"data": {"text": "new"}}, content_type=MERGE),
        wire.ask("PATCH", VICTIM, [{"op": "remove", "path": "/data"}], content_type=JSON_PATCH),
        wire.ask("PATCH", f"{VICTIM}?fieldManager=m", config_map("victim", "new"), content_type=APPLY),
        wire.ask("POST", MAPS, config_map("victim", "new")),
        wire.ask("POST", f"{MAPS}?dryRun=All", config_map("victim", "new")),
        wire.ask("DELETE", VICTIM),
        wire.ask("DELETE", MAPS),
        wire.ask("DELETE", VICTIM, {IGNORE_READ_ERROR: False}),
    ]
    assert [(answer.status, answer.reason) for answer in refusals] == [(500, "StorageReadError")] * len(refusals)
    beside = wire.ask("DELETE", VICTIM, {IGNORE_READ_ERROR: True, "gracePeriodSeconds": 0})
    assert (beside.status, beside.reason) == (422, "Invalid")
    assert "cannot be set together with .gracePeriodSeconds" in beside.message


def assert_it_can_be_deleted(wire: Wire) -> None:
    began = wire.ask("GET", "/api/v1/namespaces/default/pods").json["metadata"]["resourceVersion"]
    with wire.watch(f"{MAPS}?resourceVersion={began}&labelSelector=of%3Dtest") as following:
        gone = wire.ask("DELETE", f"{VICTIM}?{IGNORE_READ_ERROR}=true")
        assert (gone.status, gone.json["status"]) == (200, "Success")
        (event,) = following.take(1)
    assert (event["type"], event["object"]["metadata"]["name"]) == ("DELETED", "victim")
    assert wire.ask("GET", VICTIM).reason == "NotFound"
    assert {item["metadata"]["name"] for item in wire.ask("GET", MAPS).json["items"]} >= {"before", "other"}
    assert wire.ask("DELETE", f"{VICTIM}?{IGNORE_READ_ERROR}=true").status == 404
    assert wire.ask("DELETE", f"{MAPS}/other?{IGNORE_READ_ERROR}=true").status == 200, "it is an ordinary deletion of all else"
    assert wire.ask("POST", MAPS, config_map("victim", "again")).status == 201
    with wire.watch(f"{MAPS}?resourceVersion=1") as past:
        assert past.status == 410 or past.take(1)[0]["object"]["code"] == 410, "what was before can't be shown"


def test_a_file_that_may_grow_no_further_is_a_full_store_and_status_says_so(tmp_path: Path):
    """Refusals say it is full, readiness names the check, one line stands in the log; and deleting makes room at once."""
    with serving(tmp_path, {resource.RLIMIT_FSIZE: 12 * 1024**2}) as wire:
        assert_it_is_told_that_it_is_full(wire, tmp_path)


def assert_it_is_told_that_it_is_full(wire: Wire, home: Path) -> None:
    written = 0
    while (answer := wire.ask("POST", MAPS, config_map(f"m{written}", "x" * 500_000))).status == 201:
        written += 1
    assert written > 5
    assert (answer.status, answer.reason) == (507, "InsufficientStorage")
    assert "the disk or the store's map is full; delete something, or give it more room" in answer.message
    ready = wire.ask("GET", "/readyz")
    assert (ready.status, ready.body.splitlines()[1:]) == (500, [b"[-]store failed: reason withheld", b"readyz check failed"])
    assert wire.ask("GET", "/livez").status == 200, "to start it again would not help"
    told = ran("status", env=environment(home)).stdout
    assert "Trouble:      the disk or the store's map is full; delete something" in told
    assert wire.server.log.count("the store can't write") == 1
    for i in range(3):
        assert wire.ask("DELETE", f"{MAPS}/m{i}").status == 200
    for i in range(2):
        assert wire.ask("POST", MAPS, config_map(f"again{i}", "x" * 500_000)).status == 201, "at once"
    assert wire.ask("GET", "/readyz").status == 200


@pytest.mark.parametrize("damage", ["empty", "cut short", "zeroed page"])
def test_a_store_that_is_damaged_is_refused_in_one_sentence(damaged: Path, damage: str, tmp_path: Path):
    """It names the file, and what there is to do."""
    home = tmp_path / "home"
    with serving(home):
        pass
    file = home / "clusters" / "default" / "store" / DATA_FILE
    if damage == "empty":
        os.truncate(file, 0)
    elif damage == "cut short":
        os.truncate(file, 10_000)
    else:
        content = bytearray(file.read_bytes())
        content[8192:] = bytes(len(content) - 8192)
        file.write_bytes(content)
    told = ran("up", "--dialect", "kubernetes", env=environment(home))
    assert (told.returncode, told.stdout) == (1, "")
    (line,) = told.stderr.splitlines()
    assert line.startswith(f"error: the data directory {file.parents[1]} can't be used: {file} is damaged: ")
    assert line.endswith("put a copy of it back, or delete the cluster and its data and begin anew")
    assert json.loads((home / "clusters" / "default" / "cluster.json").read_text()), "the cluster is still known"
