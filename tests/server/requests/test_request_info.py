"""Every shape of URI, taken apart."""

import pytest

from svcsim import limits
from svcsim.server.requests.request_info import RequestInfo, RequestInfos, read_request_info


def told(info: RequestInfo) -> tuple[str, ...]:
    return (info.verb, info.group, info.version, info.namespace, info.resource, info.name, info.subresource)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/v1/namespaces", ("list", "", "v1", "", "namespaces", "", "")),
        ("GET", "/api/v1/namespaces/a", ("get", "", "v1", "a", "namespaces", "a", "")),
        ("PUT", "/api/v1/namespaces/a/finalize", ("update", "", "v1", "a", "namespaces", "a", "finalize")),
        ("PATCH", "/api/v1/namespaces/a/status", ("patch", "", "v1", "a", "namespaces", "a", "status")),
        ("GET", "/api/v1/pods", ("list", "", "v1", "", "pods", "", "")),
        ("GET", "/api/v1/namespaces/a/pods", ("list", "", "v1", "a", "pods", "", "")),
        ("POST", "/api/v1/namespaces/a/pods", ("create", "", "v1", "a", "pods", "", "")),
        ("GET", "/api/v1/namespaces/a/pods/p", ("get", "", "v1", "a", "pods", "p", "")),
        ("HEAD", "/api/v1/namespaces/a/pods/p", ("get", "", "v1", "a", "pods", "p", "")),
        ("GET", "/api/v1/namespaces/a/pods/p/log", ("get", "", "v1", "a", "pods", "p", "log")),
        ("DELETE", "/api/v1/namespaces/a/pods/p", ("delete", "", "v1", "a", "pods", "p", "")),
        ("DELETE", "/api/v1/namespaces/a/pods", ("deletecollection", "", "v1", "a", "pods", "", "")),
        ("GET", "/apis/apps/v1/deployments", ("list", "apps", "v1", "", "deployments", "", "")),
        ("PUT", "/apis/apps/v1/namespaces/a/deployments/d/scale", ("update", "apps", "v1", "a", "deployments", "d", "scale")),
        ("GET", "/apis/storage.x.io/v1/storageclasses/s/", ("get", "storage.x.io", "v1", "", "storageclasses", "s", "")),
        ("TRACE", "/api/v1/pods", ("", "", "v1", "", "pods", "", "")),
    ],
)
def test_resource_paths(method: str, path: str, expected: tuple[str, ...]) -> None:
    info = read_request_info(method, path, "")
    assert info.is_resource
    assert told(info) == expected


@pytest.mark.parametrize("path", ["/", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz", "/version", "/apis/apps/v1/"])
def test_other_paths_keep_their_method_as_verb(path: str) -> None:
    info = read_request_info("POST", path, "")
    assert not info.is_resource
    assert (info.verb, info.path) == ("post", path)


@pytest.mark.parametrize(
    ("query", "verb"),
    [("watch=1", "watch"), ("watch=true", "watch"), ("watch", "watch"), ("watch=0", "list"), ("watch=false", "list"), ("limit=1", "list")],
)
def test_watch_is_asked_for_by_a_parameter(query: str, verb: str) -> None:
    assert read_request_info("GET", "/api/v1/pods", query).verb == verb


def test_one_object_can_be_watched() -> None:
    info = read_request_info("GET", "/api/v1/namespaces/a/pods/p", "watch=1")
    assert (info.verb, info.name) == ("watch", "p")


def test_paths_are_percent_decoded() -> None:
    info = read_request_info("GET", "/apis/rbac.x.io/v1/clusterroles/system%3Anode", "")
    assert info.name == "system:node"


@pytest.mark.parametrize("rest", ["", "/", "/x/y", "/x/", "/x//y", "//", "/http://x/"])
def test_what_follows_a_subresource_is_kept_as_it_is(rest: str) -> None:
    info = read_request_info("GET", f"/api/v1/namespaces/a/pods/p/proxy{rest}", "")
    assert (info.is_resource, info.name, info.subresource, info.rest) == (True, "p", "proxy", rest)


@pytest.mark.parametrize("path", ["/api/v1//pods/p/proxy/x", "//api/v1/pods", "/api/v1/namespaces/a/pods//proxy//x", "/api/v1/pods//"])
def test_a_path_with_an_empty_part_names_nothing(path: str) -> None:
    assert not read_request_info("GET", path, "").is_resource


def test_what_is_asked_again_is_the_same_and_not_all_is_remembered():
    infos = RequestInfos()
    line = ("GET", "/api/v1/namespaces/a/pods", "watch=1")
    assert infos.read(*line) is infos.read(*line)
    assert infos.read(*line) == read_request_info(*line)
    assert infos.read("POST", *line[1:]) == read_request_info("POST", *line[1:])
    long = ("GET", f"/api/v1/namespaces/{'a' * 1000}/pods", "")
    assert infos.read(*long) is not infos.read(*long)
    for number in range(limits.REQUEST_LINES):
        infos.read("GET", f"/api/v1/namespaces/{number}/pods", "")
    assert infos.read(*line) == read_request_info(*line)
