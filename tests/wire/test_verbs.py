"""Every verb, for every kind the server serves, in both dialects."""

from typing import NamedTuple

import pytest

from svcsim.meta.types import Object
from svcsim.registry.kind import Kind
from tests.kinds.helpers import KINDS
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Wire
from tests.wire.samples import STATUSES, filled, named, sample


def about(name: str) -> dict[str, str]:
    """What the name of an object tells that is named by what it is about: ``plural.group``, ``version.group``."""
    plural, _, group = name.partition(".")
    return {"plural": plural, "group": group}


WRITTEN_BY_CONTROLLERS = ("PodDisruptionBudget", "ValidatingAdmissionPolicy")
"""Of those that no update may overwrite: one that comes while the controller writes the status is a conflict."""


class Served(NamedTuple):
    """A kind on the wire."""

    wire: Wire
    kind: Kind
    namespace: str

    @property
    def api_version(self) -> str:
        group = self.kind.group.name(self.wire.dialect)
        return f"{group}/{self.kind.group.version}" if group else self.kind.group.version

    @property
    def root(self) -> str:
        """The collection in all namespaces."""
        prefix = "/apis" if "/" in self.api_version else "/api"
        return f"{prefix}/{self.api_version}/{self.kind.plural}"

    @property
    def path(self) -> str:
        if not self.kind.namespaced:
            return self.root
        return f"{self.root.removesuffix(self.kind.plural)}namespaces/{self.namespace}/{self.kind.plural}"

    def obj(self, **metadata: object) -> Object:
        """One that can be created."""
        words = {"rbac": self.wire.dialect.group("rbac.authorization"), **about(str(metadata.get("name", "")))}
        fields = filled(sample(self.kind.name, self.kind.group.base), ns=self.namespace, **words)
        return {"apiVersion": self.api_version, "kind": self.kind.name, "metadata": dict(metadata), **fields}

    def fresh(self) -> str:
        """A name that nothing has yet, and that one of the kind can have."""
        return named(self.kind.name, self.wire.fresh())

    def settled(self, created: Object) -> Object:
        """A new object as it is once controllers have written all that an update may not overwrite."""
        if self.kind.name in WRITTEN_BY_CONTROLLERS:
            return self.wire.settled(self.path_of(created))
        if self.kind.name == "Node":  # it is given its network, once
            return self.wire.until(self.path_of(created), lambda node: "podCIDR" in node["spec"])
        return created

    def create(self, **metadata: object) -> Object:
        return self.wire.create(self.path, self.obj(**{"name": self.fresh(), **metadata}))

    def path_of(self, obj: Object) -> str:
        return f"{self.path}/{obj['metadata']['name']}"


STORED = [kind for kind in KINDS if not kind.answered and not kind.worked_out]


@pytest.fixture(params=STORED, ids=lambda kind: f"{kind.name}.{kind.group.base}.{kind.group.version}")
def served(request: pytest.FixtureRequest, wire: Wire) -> Served:
    kind = request.param
    assert sample(kind.name, kind.group.base) is not None, f"add a small {kind.name} to tests/wire/samples.py"
    return Served(wire, kind, _namespace(wire))


def _namespace(wire: Wire) -> str:
    """One for all kinds."""
    name = "verbs"
    assert wire.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}}).status in (201, 409)
    return name


def test_create_gives_an_object_its_identity(served: Served):
    answer = served.wire.ask("POST", served.path, served.obj(name=(name := served.fresh()), labels={"a": "b"}))
    assert answer.status == 201, answer.body
    created = answer.json
    assert (created["kind"], created["apiVersion"]) == (served.kind.name, served.api_version)
    metadata = created["metadata"]
    assert metadata["name"] == name
    assert metadata["labels"]["a"] == "b"
    assert metadata.get("namespace", "") == (served.namespace if served.kind.namespaced else "")
    assert metadata["uid"]
    assert metadata["creationTimestamp"].endswith("Z")
    assert int(metadata["resourceVersion"]) > 0


def test_a_name_is_taken_once(served: Served):
    created = served.create()
    answer = served.wire.ask("POST", served.path, served.obj(name=created["metadata"]["name"]))
    assert (answer.status, answer.reason) == (409, "AlreadyExists")
    suffix = f".{group}" if (group := served.kind.group.name(served.wire.dialect)) else ""
    assert answer.message == f'{served.kind.plural}{suffix} "{created["metadata"]["name"]}" already exists'


def test_get_shows_what_was_created(served: Served):
    created = served.create()
    shown = served.wire.get(served.path_of(created))
    for part in ("uid", "name", "creationTimestamp"):
        assert shown["metadata"][part] == created["metadata"][part]


def test_lists_show_it_in_its_namespace_and_in_all(served: Served):
    created = served.create(labels={"listed": (mark := served.fresh())})
    for path in (served.path, served.root):
        listed = served.wire.get(path, labelSelector=f"listed={mark}")
        assert (listed["kind"], listed["apiVersion"]) == (f"{served.kind.name}List", served.api_version)
        assert [item["metadata"]["uid"] for item in listed["items"]] == [created["metadata"]["uid"]]
        assert int(listed["metadata"]["resourceVersion"]) >= int(created["metadata"]["resourceVersion"])


def test_a_watch_tells_of_its_life(served: Served):
    since = served.wire.revision()
    name = served.fresh()
    with served.wire.watch(served.path, resourceVersion=since, fieldSelector=f"metadata.name={name}") as events:
        created = served.create(name=name)
        served.wire.patch(served.path_of(created), {"metadata": {"labels": {"a": "c"}}})
        served.wire.delete(served.path_of(created))
        if served.kind.name == "Namespace":
            seen = events.until(lambda event: "deletionTimestamp" in event["object"]["metadata"])
        else:
            with served.wire.hurried():  # what addresses may be of stays for a while
                seen = events.until(lambda event: event["type"] == "DELETED")
            assert served.wire.ask("GET", served.path_of(created)).status == 404
    assert seen[0]["type"] == "ADDED"
    assert any(event["type"] == "MODIFIED" and event["object"]["metadata"].get("labels", {}).get("a") == "c" for event in seen)
    revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in seen]
    assert revisions == sorted(set(revisions))


def test_update_replaces_it(served: Served):
    created = served.create(labels={"a": "b"})
    created = served.settled(created)
    del created["metadata"]["resourceVersion"]  # controllers may have touched it meanwhile
    created["metadata"]["labels"] = {"new": "yes"}
    if not served.kind.unconditional_update:
        answer = served.wire.ask("PUT", served.path_of(created), created)
        assert (answer.status, answer.reason) == (422, "Invalid")
        created["metadata"]["resourceVersion"] = served.wire.get(served.path_of(created))["metadata"]["resourceVersion"]
    answer = served.wire.ask("PUT", served.path_of(created), created)
    assert answer.status == 200, answer.body
    assert answer.json["metadata"]["labels"]["new"] == "yes"
    assert "a" not in answer.json["metadata"]["labels"]
    assert answer.json["metadata"]["uid"] == created["metadata"]["uid"]


@pytest.mark.parametrize(
    ("media", "patch"),
    [
        (MERGE, {"metadata": {"labels": {"a": "patched"}}}),
        (JSON_PATCH, [{"op": "replace", "path": "/metadata/labels/a", "value": "patched"}]),
        (STRATEGIC, {"metadata": {"labels": {"a": "patched"}}}),
    ],
    ids=["merge", "json", "strategic"],
)
def test_patches_change_a_part(served: Served, media: str, patch: object):
    created = served.create(labels={"a": "b", "keep": "me"})
    patched = served.wire.patch(served.path_of(created), patch, media)
    assert patched["metadata"]["labels"]["a"] == "patched"
    assert patched["metadata"]["labels"]["keep"] == "me"
    assert int(patched["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])


def test_apply_creates_it_and_finds_nothing_to_change_the_second_time(served: Served):
    config = served.obj(name=(name := served.fresh()), labels={"a": "b"})
    first = served.wire.ask("PATCH", f"{served.path}/{name}", config, content_type=APPLY, fieldManager="tester")
    assert first.status == 201, first.body
    again = served.wire.ask("PATCH", f"{served.path}/{name}", config, content_type=APPLY, fieldManager="tester")
    assert again.status == 200, again.body
    entries = [entry for entry in again.json["metadata"]["managedFields"] if entry["manager"] == "tester"]
    assert [(entry["operation"], entry["apiVersion"]) for entry in entries] == [("Apply", served.api_version)]
    assert entries == [entry for entry in first.json["metadata"]["managedFields"] if entry["manager"] == "tester"]


def test_status_is_written_through_its_own_path_alone(served: Served):
    created = served.create(labels={"a": "b"})
    if not any(sub.name == "status" for sub in served.kind.subresources):
        assert served.wire.ask("GET", f"{served.path_of(created)}/status").status == 404
        return
    created = served.settled(created)
    status = STATUSES.get(served.kind.name, {})
    version = {} if served.kind.unconditional_update else {"resourceVersion": created["metadata"]["resourceVersion"]}
    answer = served.wire.ask(
        "PUT",
        f"{served.path_of(created)}/status",
        served.obj(name=created["metadata"]["name"], labels={"a": "changed"}, **version) | {"status": status},
    )
    assert answer.status == 200, answer.body
    kept = served.kind.name == "Deployment"  # as in Kubernetes: other kinds' labels may be written there
    assert answer.json["metadata"]["labels"]["a"] == ("b" if kept else "changed")
    before, after = (obj.get("spec") or {} for obj in (created, served.wire.get(served.path_of(created))))
    others: Object = {"taints": None, "claimRef": None}
    """What controllers say of new nodes, and whom they give a new volume to."""
    assert {**after, **others} == {**before, **others}
    for name, value in status.items():
        assert answer.json["status"][name] == value
    assert served.wire.get(f"{served.path_of(created)}/status")["kind"] == served.kind.name


def test_a_dry_run_leaves_nothing(served: Served):
    name = served.fresh()
    answer = served.wire.ask("POST", served.path, served.obj(name=name), dryRun="All")
    assert answer.status == 201, answer.body
    assert answer.json["metadata"]["name"] == name
    assert "resourceVersion" not in answer.json["metadata"] or answer.json["metadata"]["resourceVersion"] == ""
    assert served.wire.ask("GET", f"{served.path}/{name}").status == 404
    kept = served.create()
    assert served.wire.delete(served.path_of(kept), dryRun="All")
    assert served.wire.ask("GET", served.path_of(kept)).status == 200
    patched = served.wire.patch(served.path_of(kept), {"metadata": {"labels": {"a": "dry"}}}, dryRun="All")
    assert patched["metadata"]["labels"]["a"] == "dry"
    assert "a" not in served.wire.get(served.path_of(kept))["metadata"].get("labels", {})


def test_generate_name_makes_one_up(served: Served):
    if served.kind.name in ("APIService", "CustomResourceDefinition", "IPAddress"):  # its name says what it is about
        assert served.wire.ask("POST", served.path, served.obj(generateName="made-")).status == 422
        return
    names = [served.wire.create(served.path, served.obj(generateName="made-"))["metadata"]["name"] for _ in range(2)]
    assert all(len(name) == len("made-") + 5 and name.startswith("made-") for name in names)
    assert len(set(names)) == 2


def test_deletecollection_takes_what_the_selector_matches(served: Served):
    kept = served.create(labels={"batch": "kept"})
    if "deletecollection" not in served.kind.verbs:
        assert served.wire.ask("DELETE", served.path, labelSelector="batch=kept").status == 405
        return
    mark = served.fresh()
    doomed = [served.create(labels={"batch": mark}) for _ in range(2)]
    answer = served.wire.ask("DELETE", served.path, labelSelector=f"batch={mark}", propagationPolicy="Background")
    assert answer.status == 200, answer.body
    for obj in doomed:
        while served.kind.orphans is not None and served.wire.ask("GET", served.path_of(obj)).status == 200:
            pass  # its dependents are let go first
        answer = served.wire.ask("GET", served.path_of(obj))
        assert answer.status == 404 or "deletionTimestamp" in answer.json["metadata"], "it may be held for a while"
    assert served.wire.ask("GET", served.path_of(kept)).status == 200


def test_a_table_has_the_kinds_columns(served: Served):
    served.create(labels={"table": (mark := served.fresh())})
    accept = {"Accept": f"application/json;as=Table;v=v1;g={served.wire.dialect.group('meta')}"}
    table = served.wire.ask("GET", served.path, headers=accept, labelSelector=f"table={mark}").json
    assert (table["kind"], table["apiVersion"]) == ("Table", f"{served.wire.dialect.group('meta')}/v1")
    assert len(table["rows"]) == 1
    assert len(table["rows"][0]["cells"]) == len(table["columnDefinitions"])
    assert "Name" in [column["name"] for column in table["columnDefinitions"]]


def test_bodies_are_read_and_written_as_yaml(served: Served):
    name = served.fresh()
    lines = [f"apiVersion: {served.api_version}", f"kind: {served.kind.name}", "metadata:", f"  name: {name}"]
    rest = [f"{key}: {value!r}" for key, value in served.obj(name=name).items() if key not in ("apiVersion", "kind", "metadata")]
    body = "\n".join((*lines, *rest)).encode()
    answer = served.wire.ask("POST", served.path, body, content_type="application/yaml", headers={"Accept": "application/yaml"})
    assert answer.status == 201, answer.body
    assert answer.headers["content-type"].startswith("application/yaml")
    assert f"\n  name: {name}\n" in answer.body.decode()
