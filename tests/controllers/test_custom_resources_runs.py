"""Definitions of custom resources in a running cluster: what they define is served, checked, changed, and goes with them."""

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from svcsim.client.api import Collection
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.objects import condition
from tests.controllers.running import Running
from tests.virtual import START_S, run_virtual

Object = dict[str, Any]
SIZED: Object = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "description": "What it is to be",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 10},
                "colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
                "replicas": {"type": "integer", "default": 1},
                "pause": {"type": "boolean", "nullable": True},
                "port": {"x-PREFIX-int-or-string": True},
                "notes": {"type": "object", "x-PREFIX-preserve-unknown-fields": True},
                "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}},
                "ports": {
                    "type": "array",
                    "maxItems": 3,
                    "x-PREFIX-list-type": "map",
                    "x-PREFIX-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}},
                    },
                },
                "template": {"type": "object", "x-PREFIX-embedded-resource": True, "x-PREFIX-preserve-unknown-fields": True},
            },
            "x-PREFIX-validations": [
                {"rule": "self.replicas <= self.size", "message": "no more replicas than its size"},
                {
                    "rule": "self.colour == oldSelf.colour",
                    "reason": "FieldValueForbidden",
                    "fieldPath": ".colour",
                    "message": "is for ever",
                },
            ],
        },
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}}},
    },
}
COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "description": "How large"},
    {"name": "Colour", "type": "string", "jsonPath": ".spec.colour", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]
PARTS = {
    "status": {},
    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"},
}


def spelled(schema: Object, r: Running) -> Object:
    """A schema with the words of the dialect."""
    return json.loads(json.dumps(schema).replace("x-PREFIX-", r.dialect.extension_prefix))


def definition(r: Running, *versions: Object, plural: str = "widgets", group: str = "acme.io", **names: Any) -> Object:
    names = {"plural": plural, "kind": "Widget", "shortNames": ["wi"], "categories": ["all"], **names}
    one = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": spelled(SIZED, r)},
        "subresources": PARTS,
        "additionalPrinterColumns": COLUMNS,
        "selectableFields": [{"jsonPath": ".spec.colour"}],
    }
    return {
        "apiVersion": f"{r.dialect.group('apiextensions')}/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": names,
            "scope": "Namespaced",
            "versions": [copy.deepcopy({**one, **given}) for given in versions or ({},)],
        },
    }


def widget(name: str = "one", version: str = "v1", **spec: Any) -> Object:
    return {
        "apiVersion": f"acme.io/{version}",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"size": 3, **spec},
    }


def definitions(r: Running) -> Collection:
    return r.client.resource(f"{r.dialect.group('apiextensions')}/v1", "customresourcedefinitions")


def widgets(r: Running, version: str = "v1") -> Collection:
    return r.client.resource(f"acme.io/{version}", "widgets", "default")


async def defined(r: Running, obj: Object, holds: str = "Established") -> Object:
    """Create a definition and wait until the condition has been set."""
    await definitions(r).create(obj)
    return await settled(r, obj["metadata"]["name"], holds)


async def settled(r: Running, name: str, holds: str = "Established", status: str = "True") -> Object:
    def is_so(items: list[Object]) -> bool:
        return any(item["metadata"]["name"] == name and (condition(item, holds) or {}).get("status") == status for item in items)

    items = await r.until(is_so, definitions(r))
    return next(item for item in items if item["metadata"]["name"] == name)


@asynccontextmanager
async def cluster(dialect: str, data_dir: Path | None = None) -> AsyncIterator[Running]:
    async with open_cluster(ClusterSpec(dialect=dialect, seed=1, nodes=0, start_s=START_S, data_dir=data_dir)) as opened:
        yield Running(opened)
        assert opened.failures == []


in_both_dialects = pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])


async def refusal(writing: Any) -> list[str]:
    """What a write is refused with: its causes, or its message."""
    with pytest.raises(StatusError) as refused:
        await writing
    causes = (refused.value.details or {}).get("causes") or ()
    return [f"{cause['field']}: {cause['message']}" for cause in causes] or [f"{refused.value.code} {refused.value.message}"]


async def table(opened: Cluster, path: str) -> Object:
    accept = f"application/json;as=Table;v=v1;g={opened.dialect.group('meta')}"
    client = opened.client("user")

    answer = await client.transport.send(Request("GET", path, "", {"accept": accept}, b""))
    return json.loads(answer.body)


@pytest.mark.virtual_time
@in_both_dialects
async def test_what_a_definition_defines_is_served(dialect: str):
    async with cluster(dialect) as r:
        made = await defined(r, definition(r))
        assert made["status"]["acceptedNames"]["singular"] == "widget"
        assert {item["type"]: item["status"] for item in made["status"]["conditions"]} == {"NamesAccepted": "True", "Established": "True"}

        sent = widget(port="http", ports=[{"name": "a"}], notes={"any": [None]}, pause=None, labels={"a": "b"}, unknown=1)
        obj = await widgets(r).create(sent)
        kept = {"port": "http", "ports": [{"name": "a", "port": 80}], "notes": {"any": [None]}, "pause": None, "labels": {"a": "b"}}
        assert obj["spec"] == {"size": 3, **kept, "colour": "red", "replicas": 1}
        assert obj["metadata"]["generation"] == 1
        shown = await table(r.cluster, "/apis/acme.io/v1/namespaces/default/widgets")
        assert [column["name"] for column in shown["columnDefinitions"]] == ["Name", "Size", "Colour", "Age"]
        assert shown["rows"][0]["cells"] == ["one", 3, "red", "0s"]
        assert len((await widgets(r).list(field_selector="spec.colour=red")).items) == 1
        assert (await widgets(r).list(field_selector="spec.colour=green")).items == []


NOT_ASKED = (
    '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; '
    "correct the existing errors to complete validation"
)
WRONG = [
    ({"size": 11}, ["spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10"]),
    ({"size": 0, "replicas": 0}, ["spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"]),
    (
        {"size": "a"},
        [
            'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
            NOT_ASKED,
        ],
    ),
    ({"colour": "blue"}, ['spec.colour: Unsupported value: "blue": supported values: "red", "green"', NOT_ASKED]),
    ({"replicas": 4}, ['spec: Invalid value: "object": no more replicas than its size']),
]


@pytest.mark.virtual_time
@in_both_dialects
async def test_what_is_wrong_by_the_schema_is_refused(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r))
        for spec, expected in WRONG:
            assert await refusal(widgets(r).create(widget(**spec))) == expected
        twice = await refusal(widgets(r).create(widget(ports=[{"name": "a"}, {"name": "a"}])))
        assert twice[0] == 'spec.ports[1]: Duplicate value: {"name":"a"}'
        many = await refusal(widgets(r).create(widget(ports=[{"name": name} for name in "abcd"])))
        assert many == ["spec.ports: Too many: 4: must have at most 3 items", NOT_ASKED]
        long = await refusal(widgets(r).create(widget(labels={"a": "long"})))
        assert long[0] == "spec.labels.a: Too long: may not be more than 3 bytes"
        embedded = await refusal(widgets(r).create(widget(template={"kind": "Pod"})))
        assert embedded[0] == "spec.template.apiVersion: Required value: must not be empty"
        assert (await refusal(widgets(r).create({**widget(), "spec": None})))[0] == "spec: Required value"


@pytest.mark.virtual_time
@in_both_dialects
async def test_changes_are_checked_against_what_was(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r))
        await widgets(r).create(widget())
        assert await refusal(widgets(r).patch("one", {"spec": {"colour": "green"}})) == ["spec.colour: Forbidden: is for ever"]
        assert (await widgets(r).patch("one", {"spec": {"size": 5}}))["metadata"]["generation"] == 2
        assert "415" in (await refusal(widgets(r).patch("one", {"spec": {"size": 5}}, "strategic")))[0]
        patched = await widgets(r).patch("one", {"status": {"replicas": 2}, "spec": {"size": 9}}, subresource="status")
        assert (patched["spec"]["size"], patched["status"], patched["metadata"]["generation"]) == (5, {"replicas": 2}, 2)
        scale = await widgets(r).patch("one", {"spec": {"replicas": 4}}, subresource="scale")
        assert (scale["spec"], scale["status"]) == ({"replicas": 4}, {"replicas": 2, "selector": ""})
        assert await refusal(widgets(r).patch("one", {"spec": {"replicas": 7}}, subresource="scale")) != []
        assert (await widgets(r).get("one"))["spec"]["replicas"] == 4


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_scale_changes_nothing_but_what_it_says(dialect: str):
    async with cluster(dialect) as r:
        declared = definition(r)
        spec = declared["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        spec["properties"]["replicas"] = {"type": "integer"}
        spec.pop(next(key for key in spec if key.endswith("validations")))
        await defined(r, declared)
        await widgets(r).create(widget())
        for nothing in ({}, {"metadata": {"labels": {"a": "b"}}}):
            (found,) = await refusal(widgets(r).patch("one", nothing, subresource="scale"))
            assert found == '400 the spec replicas field ".spec.replicas" cannot be empty'
        assert "replicas" not in (await widgets(r).get("one"))["spec"]
        sent = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "one"}, "spec": {"replicas": 3}}
        path = "/apis/acme.io/v1/namespaces/default/widgets/one/scale"
        assert (await r.client.request("PUT", path, "", sent))["spec"] == {"replicas": 3}, "of whatever version the object is"
        sent["metadata"] = {"name": "one", "resourceVersion": "1"}
        (found,) = await refusal(r.client.request("PUT", path, "", sent))
        assert found.startswith("409 ")
        await widgets(r).patch("one", {"metadata": {"labels": {"a": "b"}}}, subresource="scale")
        assert (await widgets(r).get("one"))["spec"]["replicas"] == 3


@pytest.mark.virtual_time
@in_both_dialects
async def test_lists_are_applied_by_their_keys(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r))
        for manager, name in (("first", "a"), ("second", "b")):
            await widgets(r).patch("one", widget(ports=[{"name": name}]), "apply", field_manager=manager, force=True)
        assert (await widgets(r).get("one"))["spec"]["ports"] == [{"name": "a", "port": 80}, {"name": "b", "port": 80}]


@pytest.mark.virtual_time
async def test_a_schema_changes_while_objects_are_there():
    async with cluster("kubernetes") as r:
        made = await defined(r, definition(r))
        await widgets(r).create(widget())
        schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema["properties"]["spec"]["properties"]["size"]["maximum"] = 2
        schema["properties"]["spec"]["properties"]["weight"] = {"type": "integer", "default": 7}
        await definitions(r).update(made)
        changed = await widgets(r).patch("one", {"metadata": {"labels": {"a": "b"}}})
        assert changed["spec"] == {"size": 3, "colour": "red", "replicas": 1, "weight": 7}, "what hasn't changed isn't looked at again"
        assert len(await refusal(widgets(r).patch("one", {"spec": {"size": 4}}))) == 1
        assert len(await refusal(widgets(r).create(widget("two")))) == 1


@pytest.mark.virtual_time
async def test_versions_are_the_same_objects():
    async with cluster("kubernetes") as r:
        older = copy.deepcopy(spelled(SIZED, r))
        older["properties"]["spec"]["properties"]["old"] = {"type": "string"}
        await defined(
            r,
            definition(
                r,
                {"name": "v1beta1", "storage": False, "deprecated": True, "schema": {"openAPIV3Schema": older}},
                {"name": "v1"},
                {"name": "v2", "served": False, "storage": False},
            ),
        )
        await widgets(r).create(widget(colour="green"))
        beta = await widgets(r, "v1beta1").get("one")
        assert (beta["apiVersion"], beta["spec"]["colour"]) == ("acme.io/v1beta1", "green")
        assert (await widgets(r, "v1beta1").patch("one", {"spec": {"size": 4}}))["apiVersion"] == "acme.io/v1beta1"
        assert (await widgets(r).get("one"))["spec"]["size"] == 4
        assert "404" in (await refusal(widgets(r, "v2").get("one")))[0]

        made = await definitions(r).get("widgets.acme.io")
        made["spec"]["versions"][0]["storage"], made["spec"]["versions"][1]["storage"] = True, False
        assert (await definitions(r).update(made))["status"]["storedVersions"] == ["v1", "v1beta1"]
        assert (await widgets(r).get("one"))["spec"]["size"] == 4
        made = await definitions(r).get("widgets.acme.io")
        del made["spec"]["versions"][1]
        (finding,) = await refusal(definitions(r).update(made))
        assert finding.startswith('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions')


@pytest.mark.virtual_time
async def test_a_name_that_is_taken_is_accepted_once_it_is_free():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r))
        await definitions(r).create(definition(r, plural="gadgets", kind="Gadget", shortNames=["wi"]))
        made = await settled(r, "gadgets.acme.io", "NamesAccepted", "False")
        told = {item["type"]: (item["status"], item["reason"], item["message"]) for item in made["status"]["conditions"]}
        assert told["NamesAccepted"] == ("False", "ShortNamesConflict", '"wi" is already in use')
        assert told["Established"] == ("False", "NotAccepted", "not all names are accepted")
        assert "404" in (await refusal(r.client.resource("acme.io/v1", "gadgets", "default").list()))[0]
        await definitions(r).delete("widgets.acme.io")
        await settled(r, "gadgets.acme.io")
        assert (await r.client.resource("acme.io/v1", "gadgets", "default").list()).items == []


@pytest.mark.virtual_time
@in_both_dialects
@pytest.mark.parametrize(
    ("plural", "kind", "version"), [("clusterroles", "ClusterRole", "v1"), ("clusterroles", "Other", "v9"), ("others", "ClusterRole", "v1")]
)
async def test_names_of_built_in_kinds_are_taken_and_their_objects_are_nobody_elses(dialect: str, plural: str, kind: str, version: str):
    async with cluster(dialect) as r:
        group = r.dialect.group("rbac.authorization")
        roles = r.client.resource(f"{group}/v1", "clusterroles")
        before = len((await roles.list()).items)
        made = definition(r, plural=plural, group=group, kind=kind, listKind=f"{kind}List", singular=kind.lower())
        made["spec"]["versions"][0]["name"] = version
        made["metadata"]["annotations"] = {f"api-approved.{r.dialect.domain}": "https://example.com/1"}
        await definitions(r).create(made)
        name = f"{plural}.{group}"
        await settled(r, name, "Established", "False")
        assert condition(await definitions(r).get(name), "NamesAccepted")["status"] == "False"
        await definitions(r).delete(name)
        await r.until_gone(definitions(r), name)
        assert len((await roles.list()).items) == before > 0


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_definition_that_is_deleted_takes_its_objects_with_it(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r))
        held = widget("held")
        held["metadata"]["finalizers"] = ["held"]
        await widgets(r).create(held)
        await widgets(r).create(widget("free"))
        await definitions(r).delete("widgets.acme.io")
        going = await settled(r, "widgets.acme.io", "Terminating")
        assert going["metadata"]["finalizers"] == [f"customresourcecleanup.{r.dialect.group('apiextensions')}"]
        await r.until_gone(widgets(r), "free")
        assert "405" in (await refusal(widgets(r).create(widget("new"))))[0]
        await widgets(r).patch("held", {"metadata": {"finalizers": None}})
        await r.until_gone(definitions(r), "widgets.acme.io")
        assert "404" in (await refusal(widgets(r).list()))[0]
        await defined(r, definition(r))
        assert (await widgets(r).list()).items == []


@in_both_dialects
def test_definitions_are_served_again_after_a_restart(tmp_path: Path, dialect: str):

    async def first() -> None:
        async with cluster(dialect, tmp_path) as r:
            await defined(r, definition(r))
            await widgets(r).create(widget())

    async def second() -> int:
        async with cluster(dialect, tmp_path) as r:
            return (await widgets(r).get("one"))["spec"]["size"]

    run_virtual(first())
    assert run_virtual(second()) == 3


@pytest.mark.virtual_time
async def test_documents_tell_of_what_is_defined():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r))
        newer = await r.client.get_json("/openapi/v3/apis/acme.io/v1")
        spec = newer["components"]["schemas"]["io.acme.v1.Widget"]["properties"]["spec"]
        assert (spec["properties"]["pause"], spec["required"]) == ({"type": "boolean", "nullable": True}, ["size"])
        older = (await r.client.get_json("/openapi/v2"))["definitions"]["io.acme.v1.Widget"]["properties"]["spec"]["properties"]
        assert (older["pause"], older["port"]) == ({}, {"x-kubernetes-int-or-string": True})
        assert older["notes"] == {"x-kubernetes-preserve-unknown-fields": True}
        patch = newer["paths"]["/apis/acme.io/v1/namespaces/{namespace}/widgets/{name}"]["patch"]["requestBody"]["content"]
        assert "application/strategic-merge-patch+json" not in patch


@pytest.mark.virtual_time
async def test_lists_are_called_what_the_accepted_names_say():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r))
        path = "/apis/acme.io/v1/namespaces/default/widgets"
        forms = ("", "labelSelector=a", "limit=1")
        assert [(await r.client.get_json(path, form))["kind"] for form in forms] == ["WidgetList"] * 3
        made = await definitions(r).get("widgets.acme.io")
        made["spec"]["names"]["listKind"] = "Catalogue"
        await definitions(r).update(made)
        await r.until(lambda items: items[0]["status"]["acceptedNames"]["listKind"] == "Catalogue", definitions(r))
        assert [(await r.client.get_json(path, form))["kind"] for form in forms] == ["Catalogue"] * 3
        document = await r.client.get_json("/openapi/v3/apis/acme.io/v1")
        assert "io.acme.v1.WidgetList" not in document["components"]["schemas"]
        listed = document["components"]["schemas"]["io.acme.v1.Catalogue"]
        assert listed["x-kubernetes-group-version-kind"] == [{"group": "acme.io", "version": "v1", "kind": "Catalogue"}]
        (content,) = {
            shape["schema"]["$ref"]
            for shape in document["paths"][path.replace("default", "{namespace}")]["get"]["responses"]["200"]["content"].values()
        }
        assert content == "#/components/schemas/io.acme.v1.Catalogue"


TIMES: Object = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "x-PREFIX-validations": [
                {"rule": "!has(self.until) || self.until > timestamp('2026-01-01T00:00:00Z')", "message": "too early"},
                {"rule": "!has(self.every) || self.every <= duration('1h')", "message": "too rare"},
                {"rule": "!has(self.windows) || self.windows.all(w, w.start < w.end)", "message": "ends before it starts"},
                {"rule": "!has(self.until) || !has(oldSelf.until) || self.until >= oldSelf.until", "message": "goes back"},
                {
                    "rule": "!oldSelf.hasValue() || !has(oldSelf.value().every) || self.every == oldSelf.value().every",
                    "optionalOldSelf": True,
                    "messageExpression": "'was ' + string(oldSelf.value().every.getSeconds())",
                },
                {"rule": "!has(self.note) || size(self.note) < 3", "message": "too long a note"},
            ],
            "properties": {
                "until": {"type": "string", "format": "date-time"},
                "every": {"type": "string", "format": "duration"},
                "note": {"type": "string", "maxLength": 9},
                "windows": {
                    "type": "array",
                    "maxItems": 5,
                    "items": {
                        "type": "object",
                        "required": ["start", "end"],
                        "properties": {"start": {"type": "string", "format": "date"}, "end": {"type": "string", "format": "date"}},
                    },
                },
            },
        }
    },
}


@pytest.mark.virtual_time
async def test_rules_see_moments_and_spans_wherever_they_stand():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, {"schema": {"openAPIV3Schema": spelled(TIMES, r)}, "subresources": {}, "selectableFields": []}))

        async def wrong(name: str, **spec: Any) -> list[str]:
            return await refusal(widgets(r).create({**widget(name), "spec": spec}))

        assert await wrong("a", until="2025-06-01T00:00:00Z") == ['spec: Invalid value: "object": too early']
        assert await wrong("b", every="90m") == ['spec: Invalid value: "object": too rare']
        windows = [{"start": "2026-01-01", "end": "2026-01-02"}, {"start": "2026-01-02", "end": "2026-01-01"}]
        assert await wrong("c", windows=windows) == ['spec: Invalid value: "object": ends before it starts']
        assert await wrong("d", note="long", every="1m") == ['spec: Invalid value: "object": too long a note']
        right = {"until": "2026-06-01T02:00:00+02:00", "every": "30m", "windows": windows[:1], "note": "ok"}
        await widgets(r).create({**widget(), "spec": right})
        assert await refusal(widgets(r).patch("one", {"spec": {"until": "2026-05-31T23:59:59Z"}})) == [
            'spec: Invalid value: "object": goes back'
        ]
        assert await refusal(widgets(r).patch("one", {"spec": {"every": "31m"}})) == ['spec: Invalid value: "object": was 1800']
        assert (await widgets(r).patch("one", {"spec": {"until": "2026-06-01T00:00:00Z"}}))["spec"]["until"] == "2026-06-01T00:00:00Z"


def of_size(**more: Any) -> Object:
    """A version whose objects have a size, and other fields."""
    spec = {"type": "object", "properties": {"size": {"type": "integer"}, **more}}
    return {"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}, "subresources": {}, "selectableFields": []}


async def redefined(r: Running, *versions: Object) -> Object:
    """Give the definition of widgets these versions."""
    made = await definitions(r).get("widgets.acme.io")
    made["spec"]["versions"] = definition(r, *versions)["spec"]["versions"]
    return await definitions(r).update(made)


@pytest.mark.virtual_time
@in_both_dialects
async def test_what_is_stored_is_read_by_the_schema_of_today(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, of_size(old={"type": "string"})))
        before = await widgets(r).create(widget(old="gone"))
        await redefined(r, of_size(new={"type": "string", "default": "here"}))
        now = {"size": 3, "new": "here"}
        got = await widgets(r).get("one")
        assert (got["spec"], got["metadata"]["resourceVersion"]) == (now, before["metadata"]["resourceVersion"])
        page = await widgets(r).list()
        assert [obj["spec"] for obj in page.items] == [now]
        async with widgets(r).watch("", bookmarks=False) as events:
            assert (await anext(aiter(events))).object["spec"] == now
        await redefined(r, of_size())
        assert (await widgets(r).get("one"))["spec"] == {"size": 3}, "nothing was written"
        assert (await widgets(r).update(await widgets(r).get("one")))["metadata"]["resourceVersion"] != got["metadata"]["resourceVersion"]
        await redefined(r, of_size(old={"type": "string"}))
        assert (await widgets(r).get("one"))["spec"] == {"size": 3}, "what a write left out is gone"
        again = await widgets(r).get("one")
        assert (await widgets(r).update(again))["metadata"]["resourceVersion"] == again["metadata"]["resourceVersion"]


@pytest.mark.virtual_time
async def test_watchers_see_changes_by_the_schema_of_today():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size(old={"type": "string"})))
        await widgets(r).create(widget(old="gone"))
        await redefined(r, of_size(new={"type": "string", "default": "here"}))
        revision = (await widgets(r).list()).revision
        async with widgets(r).watch(revision, bookmarks=False) as events:
            await widgets(r).delete("one")
            event = await anext(aiter(events))
        assert (event.type, event.object["spec"]) == ("DELETED", {"size": 3, "new": "here"})


@pytest.mark.virtual_time
async def test_objects_are_moved_to_another_version_by_being_written_as_they_are():
    async with cluster("kubernetes") as r:
        older, newer = {"name": "v1", **of_size()}, {"name": "v2", **of_size(), "storage": False}
        await defined(r, definition(r, older, newer))
        await widgets(r).create(widget())
        await redefined(r, {**older, "storage": False}, {**newer, "storage": True})
        assert [(await widgets(r, version).get("one"))["apiVersion"] for version in ("v1", "v2")] == ["acme.io/v1", "acme.io/v2"]
        obj = await widgets(r, "v2").get("one")
        moved = await widgets(r, "v2").update(obj)
        assert moved["metadata"]["resourceVersion"] != obj["metadata"]["resourceVersion"]
        assert moved["metadata"]["generation"] == 1
        await definitions(r).patch("widgets.acme.io", {"status": {"storedVersions": ["v2"]}}, subresource="status")
        await redefined(r, {**newer, "storage": True})
        assert (await widgets(r, "v2").get("one"))["spec"] == {"size": 3}
        last = await widgets(r, "v2").update(moved)  # that v1 owned its fields is forgotten with v1
        assert (await widgets(r, "v2").update(last))["metadata"]["resourceVersion"] == last["metadata"]["resourceVersion"]


@pytest.mark.virtual_time
async def test_a_field_of_one_version_is_not_kept_in_another():
    async with cluster("kubernetes") as r:
        newer = {"name": "v2", **of_size(weight={"type": "integer"}), "storage": False}
        await defined(r, definition(r, {"name": "v1", **of_size()}, newer))
        made = await widgets(r, "v2").create(widget(version="v2", weight=5))
        assert made["spec"] == {"size": 3}
        assert (await widgets(r).get("one"))["spec"] == {"size": 3}


@pytest.mark.virtual_time
async def test_objects_of_a_definition_without_a_served_version_wait_and_go_with_it():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size()))
        await widgets(r).create(widget())
        await redefined(r, {**of_size(), "served": False})
        assert "404" in (await refusal(widgets(r).get("one")))[0]
        assert all(group["name"] != "acme.io" for group in (await r.client.get_json("/apis"))["groups"])
        await redefined(r, of_size())
        assert (await widgets(r).get("one"))["spec"] == {"size": 3}
        await redefined(r, {**of_size(), "served": False})
        await definitions(r).delete("widgets.acme.io")
        await r.until_gone(definitions(r), "widgets.acme.io")
        await defined(r, definition(r, of_size()))
        assert (await widgets(r).list()).items == []


@pytest.mark.virtual_time
async def test_names_that_are_given_up_are_taken_by_who_waits_for_them():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r))
        await definitions(r).create(definition(r, plural="gadgets", kind="Gadget", shortNames=["wi"]))
        await settled(r, "gadgets.acme.io", "NamesAccepted", "False")
        await definitions(r).patch("widgets.acme.io", {"spec": {"names": {"shortNames": ["wd"]}}})
        await settled(r, "gadgets.acme.io")
        made = await definitions(r).get("gadgets.acme.io")
        assert made["status"]["acceptedNames"]["shortNames"] == ["wi"]
        resources = (await r.client.get_json("/apis/acme.io/v1"))["resources"]
        assert {one["name"]: one["shortNames"] for one in resources if "/" not in one["name"]} == {"gadgets": ["wi"], "widgets": ["wd"]}


@pytest.mark.virtual_time
async def test_of_two_that_wish_for_the_same_names_at_once_one_is_established():
    async with cluster("kubernetes") as r:
        pairs = [
            [definition(r, plural=f"{one}{index}", kind=f"Same{index}", shortNames=[f"s{index}"]) for one in "ab"] for index in range(8)
        ]
        await asyncio.gather(*(definitions(r).create(one) for pair in pairs for one in pair))

        def are_settled(items: list[Object]) -> bool:
            return all(condition(item, "NamesAccepted") for item in items)

        made = {item["metadata"]["name"]: item for item in await r.until(are_settled, definitions(r))}
        for pair in pairs:
            both = [made[one["metadata"]["name"]] for one in pair]
            for kind in ("NamesAccepted", "Established"):
                assert sorted((condition(one, kind) or {})["status"] for one in both) == ["False", "True"], (kind, both)


@pytest.mark.virtual_time
async def test_of_definitions_that_come_together_one_has_the_names():
    async with cluster("kubernetes") as r:
        pairs = [(f"a{number}s", f"b{number}s") for number in range(20)]
        for number, pair in enumerate(pairs):
            same = {"kind": f"Same{number}", "shortNames": [f"ss{number}"]}
            await asyncio.gather(*(definitions(r).create(definition(r, plural=plural, **same)) for plural in pair))
        for number, (first, second) in enumerate(pairs):
            await settled(r, f"{first}.acme.io", "Established")
            refused = await settled(r, f"{second}.acme.io", "NamesAccepted", "False")
            assert (condition(refused, "Established") or {})["status"] == "False", number


@pytest.mark.virtual_time
async def test_a_definition_is_established_while_another_is_being_emptied():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r))
        await asyncio.gather(*(widgets(r).create(widget(f"o{number}")) for number in range(300)))
        await definitions(r).delete("widgets.acme.io")
        await defined(r, definition(r, plural="gadgets", kind="Gadget", shortNames=[]))
        assert len((await widgets(r).list()).items) > 0
        await r.until_gone(definitions(r), "widgets.acme.io")


def of_parts(**properties: Object) -> Object:
    """A schema with a list of parts that have defaults."""
    part = {"type": "object", "properties": {"p0": {"type": "string"}, **properties}}
    spec = {"type": "object", "properties": {"size": {"type": "integer"}, "parts": {"type": "array", "items": part}}}
    return {"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}, "selectableFields": [], "subresources": {}}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("count", "text"), [(1_000, ""), (1, "y" * 100_000)], ids=["many values", "many bytes"])
async def test_defaults_fill_in_no_more_than_an_object_may_have(count: int, text: str):
    filled = {f"p{number}": {"type": "string", "default": text} for number in range(count)}
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_parts(**filled)))
        small = await widgets(r).create(widget("small", parts=[{}] * 20))
        assert len(small["spec"]["parts"][19]) == count
        (told,) = await refusal(widgets(r).create(widget(parts=[{}] * 3_000)))
        assert told.startswith("413 Request entity too large: its schema's defaults would add more than 100000 values or 3145728 bytes")


@pytest.mark.virtual_time
async def test_an_object_that_defaults_would_make_too_large_is_still_read_and_deleted():
    async with cluster("kubernetes") as r:
        made = await defined(r, definition(r, of_parts()))
        sent = await widgets(r).create(widget(parts=[{"p0": "a"}] * 3_000))
        versions = of_parts(p1={"type": "string", "default": "y" * 10_000})
        await definitions(r).update({**made, "spec": {**made["spec"], "versions": [{**made["spec"]["versions"][0], **versions}]}})
        assert (await widgets(r).get("one"))["spec"] == sent["spec"]
        await definitions(r).delete("widgets.acme.io")
        await r.until_gone(definitions(r), "widgets.acme.io")
