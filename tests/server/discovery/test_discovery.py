"""Discovery, version, health and the list of paths."""

import json
import tomllib
from pathlib import Path

import pytest

from svcsim.meta.http import Request
from svcsim.server.plain.health import health_paths
from svcsim.server.plain.version import SVCSIM
from tests.server.conftest import Server


def aggregated_type(server: Server, version: str) -> str:
    return f"application/json;g={server.dialect.group('apidiscovery')};v={version};as=APIGroupDiscoveryList"


async def test_the_core_group_has_its_versions(server: Server) -> None:
    assert (await server.get("/api"))["versions"] == ["v1"]


async def test_named_groups_with_their_preferred_version(server: Server) -> None:
    seen = await server.get("/apis")
    suffixed = server.dialect.group("coordination")
    assert seen["kind"] == "APIGroupList"
    assert [group["name"] for group in seen["groups"]] == ["apps", suffixed]
    assert seen["groups"][0]["preferredVersion"] == {"groupVersion": "apps/v1", "version": "v1"}
    assert (await server.get("/apis/apps"))["kind"] == "APIGroup"


async def test_a_groups_resources_and_subresources(server: Server) -> None:
    seen = await server.get("/apis/apps/v1")
    assert (seen["kind"], seen["groupVersion"]) == ("APIResourceList", "apps/v1")
    assert seen["resources"] == [
        {
            "name": "deployments",
            "singularName": "deployment",
            "namespaced": True,
            "kind": "Deployment",
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "shortNames": ["deploy"],
            "categories": ["all"],
            "storageVersionHash": "8aSe+NMegvE=",
        },
        {
            "name": "deployments/scale",
            "singularName": "",
            "namespaced": True,
            "group": "autoscaling",
            "version": "v1",
            "kind": "Scale",
            "verbs": ["get", "patch", "update"],
        },
        {"name": "deployments/status", "singularName": "", "namespaced": True, "kind": "Deployment", "verbs": ["get", "patch", "update"]},
    ]


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
async def test_everything_at_once(server: Server, version: str) -> None:
    accept = aggregated_type(server, version) + ",application/json"
    response = await server.ask("GET", "/api", accept=accept)
    assert response.content_type == aggregated_type(server, version)
    seen = json.loads(response.body)
    assert (seen["kind"], seen["apiVersion"]) == ("APIGroupDiscoveryList", f"{server.dialect.group('apidiscovery')}/{version}")
    (core,) = seen["items"]
    pods = next(resource for resource in core["versions"][0]["resources"] if resource["resource"] == "pods")
    assert (pods["scope"], pods["singularResource"], pods["shortNames"]) == ("Namespaced", "pod", ["po"])
    assert [sub["subresource"] for sub in pods["subresources"]] == ["binding", "log", "status"]
    named = json.loads((await server.ask("GET", "/apis", accept=accept)).body)
    assert [group["metadata"]["name"] for group in named["items"]] == ["apps", server.dialect.group("coordination")]


def as_protobuf(server: Server, version: str) -> str:
    return aggregated_type(server, version).replace("application/json", server.dialect.protobuf_media_type)


def fields_of(message: bytes) -> list[tuple[int, bytes]]:
    """The fields of a message, all of which are texts or messages: numbers and bytes."""
    found = []
    while message:
        number, message = message[0] >> 3, message[1:]
        size, shift = 0, 0
        while True:
            byte, message = message[0], message[1:]
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        found.append((number, message[:size]))
        message = message[size:]
    return found


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
async def test_everything_at_once_as_protobuf(server: Server, version: str) -> None:
    accept = as_protobuf(server, version)
    response = await server.ask("GET", "/api", accept=f"{accept},{aggregated_type(server, version)}")
    assert (response.status, response.content_type, response.headers["Vary"]) == (200, accept, "Accept")
    assert response.body.startswith(b"k8s\0")
    envelope = dict(fields_of(response.body[4:]))
    assert fields_of(envelope[1]) == [
        (1, f"{server.dialect.group('apidiscovery')}/{version}".encode()),
        (2, b"APIGroupDiscoveryList"),
    ]
    ((_, core),) = [field for field in fields_of(envelope[2]) if field[0] == 2]
    ((_, first),) = [field for field in fields_of(core) if field[0] == 2]
    of_version = fields_of(first)
    assert (of_version[0], of_version[-1]) == ((1, b"v1"), (3, b"Current"))
    (pods,) = [found for number, message in of_version if number == 2 and (found := fields_of(message))[0] == (1, b"pods")]
    assert fields_of(dict(pods)[2]) == [(1, b""), (2, b"v1"), (3, b"Pod")]
    assert (dict(pods)[3], dict(pods)[4], dict(pods)[6]) == (b"Namespaced", b"pod", b"po")
    verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
    assert {verb.decode() for number, verb in pods if number == 5} == verbs
    assert [dict(fields_of(sub))[1] for number, sub in pods if number == 8] == [b"binding", b"log", b"status"]


async def test_protobuf_has_the_etag_of_json(server: Server) -> None:
    as_json = await server.ask("GET", "/apis", accept=aggregated_type(server, "v2"))
    seen = await server.ask("GET", "/apis", accept=as_protobuf(server, "v2"))
    assert seen.headers["ETag"] == as_json.headers["ETag"]
    again = await server.ask("GET", "/apis", accept=as_protobuf(server, "v2"), if_none_match=seen.headers["ETag"])
    assert (again.status, again.body, again.content_type) == (304, b"", as_protobuf(server, "v2"))


async def test_an_older_form_that_is_asked_for_first_is_given(server: Server) -> None:
    older = server.dialect.protobuf_media_type
    response = await server.ask("GET", "/apis", accept=f"{older},{as_protobuf(server, 'v2')}")
    assert (response.status, response.content_type) == (200, older)


async def test_the_first_form_we_have_is_given(server: Server) -> None:
    newer = "application/json;g=apidiscovery.none.io;v=v3;as=APIGroupDiscoveryList"
    response = await server.ask("GET", "/apis", accept=f"{newer},{aggregated_type(server, 'v2beta1')},application/json")
    assert response.content_type == aggregated_type(server, "v2beta1")
    plain = await server.ask("GET", "/apis", accept=f"application/json,{aggregated_type(server, 'v2')}")
    assert plain.content_type == "application/json"


async def test_who_has_a_document_is_not_sent_it_again(server: Server) -> None:
    for accept in ("application/json", aggregated_type(server, "v2")):
        first = await server.ask("GET", "/apis", accept=accept)
        again = await server.ask("GET", "/apis", accept=accept, if_none_match=first.headers["ETag"])
        assert (again.status, again.body) == (304, b"")


async def test_discovery_in_yaml_and_406(server: Server) -> None:
    assert (await server.ask("GET", "/apis", accept="application/yaml")).body.startswith(b"apiVersion: v1\ngroups:\n")
    assert (await server.ask("GET", "/apis", accept="text/html")).status == 406


async def test_version_tells_whose_behaviour_is_served(server: Server) -> None:
    seen = await server.get("/version")
    assert (seen["major"], seen["minor"], seen["gitVersion"]) == ("1", "34", f"v1.34.0+svcsim{SVCSIM}")


async def test_verbose_health_lists_its_checks(server: Server) -> None:
    assert (await server.ask("GET", "/readyz?verbose", user=None)).body == b"[+]ping ok\nreadyz check passed\n"
    assert (await server.ask("GET", "/livez", user=None)).body == b"ok"
    assert (await server.ask("GET", "/livez/ping", user=None)).body == b"ok"
    assert (await server.ask("GET", "/livez/none", user=None)).status == 404


async def test_a_failing_check_is_named_and_not_explained() -> None:
    paths = health_paths(live=(), ready=(("store", lambda: False),))
    response = await paths["/readyz"](Request("GET", "/readyz"))
    assert response.status == 500
    assert response.body == b"[+]ping ok\n[-]store failed: reason withheld\nreadyz check failed\n"
    assert (await paths["/livez"](Request("GET", "/livez"))).status == 200
    assert (await paths["/readyz"](Request("GET", "/readyz", "exclude=store"))).status == 200


async def test_all_paths_are_listed(server: Server) -> None:
    paths = (await server.get("/"))["paths"]
    assert {"/api", "/api/v1", "/apis", "/apis/apps/v1", "/healthz", "/version", "/metrics"} <= set(paths)


def test_the_version_is_the_packages() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert project["project"]["version"] == SVCSIM
