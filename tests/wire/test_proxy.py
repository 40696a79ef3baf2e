"""Requests to hand on to a pod, a service or a node: the paths are there, admission is asked, and what answers says why nothing does."""

import pytest

from tests.wire.raw import Wire

BELOW = {
    "/api/v1/namespaces/default/services/{api_server}/proxy": "services/proxy",
    "/api/v1/namespaces/default/services/{api_server}/proxy/some/path": "services/proxy",
    "/api/v1/namespaces/default/services/{api_server}/proxy/": "services/proxy",
}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", BELOW)
def test_nothing_stands_behind_an_object(wire: Wire, path: str, method: str) -> None:
    answer = wire.ask(method, path.format(api_server=wire.dialect.default_service))
    assert (answer.status, answer.json["reason"]) == (405, "MethodNotAllowed")
    assert answer.json["message"] == f"{BELOW[path]} is not supported by this server: no container of it really runs"


def test_there_is_no_path_below_others(wire: Wire) -> None:
    assert wire.ask("GET", "/api/v1/namespaces/default/status/more").status == 404


def test_discovery_names_what_is_handed_on(wire: Wire) -> None:
    resources = {entry["name"]: entry for entry in wire.get("/api/v1")["resources"]}
    for plural, kind in (("nodes", "Node"), ("pods", "Pod"), ("services", "Service")):
        entry = resources[f"{plural}/proxy"]
        assert (entry["kind"], entry["verbs"]) == (f"{kind}ProxyOptions", ["create", "delete", "get", "patch", "update"])
