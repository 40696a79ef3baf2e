"""How users call types, and what is kept of the server's answer."""

from pathlib import Path

import pytest

from svcsim.cli.shared.discovery import Discovery, Resource, lookup, split_type
from svcsim.meta.types import Object


def resource(group, version, plural, kind, *short, preferred=True):
    return Resource(group, version, plural, kind.lower(), kind, True, preferred, list(short), ["get", "list"], [], [])


KNOWN = [
    resource("", "v1", "pods", "Pod", "po"),
    resource("", "v1", "events", "Event", "ev"),
    resource("apps", "v1", "deployments", "Deployment", "deploy"),
    resource("apps", "v1beta1", "deployments", "Deployment", "deploy", preferred=False),
    resource("events.svcapi.io", "v1", "events", "Event", "ev"),
    resource("metrics.svcapi.io", "v1beta1", "pods", "PodMetrics"),
]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("pods", 0),
        ("pod", 0),
        ("po", 0),
        ("Pod", 0),
        ("PODS", 0),
        ("events", 1),
        ("ev", 1),
        ("events.events.svcapi.io", 4),
        ("ev.events.svcapi.io", 4),
        ("events.events", 4),
        ("deployments.apps", 2),
        ("deployments.v1beta1.apps", 3),
        ("deploy.v1.apps", 2),
        ("pods.metrics.svcapi.io", 5),
        ("podmetrics", 5),
        ("nope", None),
        ("pods.apps", None),
        ("deployments.v2.apps", None),
    ],
)
def test_a_type_is_found_by_every_name_it_has(name, found):
    assert lookup(KNOWN, name) == (None if found is None else KNOWN[found])


@pytest.mark.parametrize(
    ("name", "parts"),
    [("pods", ("pods", "", "")), ("a.v1.b.c", ("a", "v1", "b.c")), ("a.b.c", ("a", "", "b.c")), ("a.vb.c", ("a", "", "vb.c"))],
)
def test_a_type_may_name_its_version_and_group(name, parts):
    assert split_type(name) == parts


def test_an_unknown_type_gets_a_guess(cli):
    assert cli("get podz").err.endswith('Did you mean "pods"?\n')
    assert cli("get secretz").err.endswith('Did you mean "secrets"?\n')
    assert cli("get deploymnt").err.endswith('Did you mean "deployment"?\n')
    assert cli("get pdos") == (1, "", 'error: the server doesn\'t have a resource type "pdos"\nDid you mean "pods"?\n')


def discovery_requests(stub):
    return [path for _, path, _ in stub.requests if path in ("/api", "/apis")]


def test_the_second_command_does_not_ask_again(cli, stub):
    cli("get pods")
    cli("get services")
    assert discovery_requests(stub) == ["/api", "/apis"]


def test_a_type_that_is_not_known_makes_it_ask_again(cli, stub):
    cli("get pods")
    cli("get nope")
    assert len(discovery_requests(stub)) == 4


def test_a_cache_that_cannot_be_read_is_left_alone(cli, stub, home):
    cli("get pods")
    (cache,) = (home / "cache").iterdir()
    cache.write_text("{")
    assert cli("get pods").status == 0
    assert len(discovery_requests(stub)) == 4


class Answering:
    """A server that says this of the types it serves."""

    def __init__(self, folder: Path, groups: object) -> None:
        self.cache_file = folder / "types.json"
        self.answer: Object = {"kind": "APIGroupDiscoveryList", "items": groups}

    def get(self, path: str, *, accept: str = "") -> Object:
        return self.answer if path == "/apis" else {**self.answer, "items": []}

    def warn(self, text: str) -> None:
        raise AssertionError(text)


GOOD: Object = {"resource": "bars", "responseKind": {"kind": "Bar"}, "scope": "Namespaced", "verbs": ["list"]}
VERSION: Object = {"version": "v1", "resources": [GOOD]}


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        5,
        "bars",
        {},
        {"resource": 5},
        {"resource": None, "responseKind": "Bar"},
        {**GOOD, "responseKind": {"kind": 5}},
        {**GOOD, "singularResource": ["bar"]},
        {**GOOD, "shortNames": "b"},
        {**GOOD, "verbs": [5]},
        {**GOOD, "categories": {"all": True}},
        {**GOOD, "subresources": [{}]},
    ],
)
def test_an_entry_that_is_none_hides_no_other(tmp_path: Path, wrong: object):
    groups = [{"metadata": {"name": "acme.io"}, "versions": [{"version": "v1", "resources": [wrong, GOOD]}]}]
    assert [one.plural for one in Discovery(Answering(tmp_path, groups)).fresh()] == ["bars"]


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "acme.io",
        {"metadata": None, "versions": 5},
        {"metadata": {"name": 5}, "versions": [VERSION]},
        {"versions": [5, {"version": 5, "resources": [GOOD]}, {"resources": [GOOD]}, {"version": "v1", "resources": "bars"}]},
    ],
)
def test_a_group_that_is_none_hides_no_other(tmp_path: Path, wrong: object):
    groups = [wrong, {"metadata": {"name": "acme.io"}, "versions": [VERSION]}]
    assert [one.full_name for one in Discovery(Answering(tmp_path, groups)).fresh()] == ["bars.acme.io"]


def test_an_answer_without_a_list_has_no_types(tmp_path: Path):
    assert Discovery(Answering(tmp_path, {"a": "b"})).fresh() == []
