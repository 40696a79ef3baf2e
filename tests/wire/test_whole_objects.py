"""Whole objects of every kind: what was sent comes back, whichever form it is asked for in, and kubectl can live with it."""

import json
from collections.abc import Iterator

import pytest

from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Kind
from tests.kinds.helpers import KINDS
from tests.kinds.samples.every import FULL, key_of
from tests.wire.raw import Wire
from tests.wire.samples import filled
from tests.wire.test_kubectl import KUBECTL, Kubectl
from tests.wire.test_verbs import Served

STORED = [kind for kind in KINDS if kind.answer is None and "create" in kind.verbs and key_of(kind) in FULL]
EVERY_KIND = pytest.mark.parametrize("kind", STORED, ids=[key_of(kind) for kind in STORED])


def whole(wire: Wire, kind: Kind, namespace: str, name: str) -> tuple[Served, Object]:
    served = Served(wire, kind, namespace)
    dialect = wire.dialect
    words = {"ns": namespace, "name": name, "domain": dialect.domain, "suffix": dialect.group_suffix, "extension": dialect.extension_prefix}
    fields = filled(FULL[key_of(kind)], **words)
    metadata = {"name": name, "labels": {"app": "web"}, "annotations": {"example.com/note": "whole"}, **fields.pop("metadata", {})}
    return served, {"apiVersion": served.api_version, "kind": kind.name, "metadata": metadata, **fields}


def name_of_the(kind: Kind, namespace: str) -> str:
    """Its object's."""
    said: str = FULL[key_of(kind)].get("metadata", {}).get("name", "{name}")
    return said.replace("{name}", _fresh(kind, namespace))


def _fresh(kind: Kind, namespace: str) -> str:
    """A kind may be there in several groups and versions."""
    return f"{namespace}-{STORED.index(kind)}"


def lost(sent: Json, got: Json, path: str = "") -> list[str]:
    """What was sent and isn't there. What was said once more, or spelled out, is not lost."""
    if isinstance(sent, dict):
        if not isinstance(got, dict):
            return [path]
        return [found for name, value in sent.items() for found in lost(value, got.get(name), f"{path}.{name}")]
    if isinstance(sent, list):
        if not isinstance(got, list) or len(got) < len(sent):
            return [path]
        return [found for index, (one, other) in enumerate(zip(sent, got, strict=False)) for found in lost(one, other, f"{path}[{index}]")]
    return [] if sent == got else [f"{path}: {sent!r} -> {got!r}"]


@EVERY_KIND
def test_all_that_was_sent_comes_back(wire: Wire, kind: Kind):
    namespace = wire.namespace()
    served, obj = whole(wire, kind, namespace, wire.fresh())
    created = wire.ask("POST", served.path, obj, fieldValidation="Strict")
    assert created.status == 201, created.body.decode()
    path = served.path_of(obj)
    assert lost(obj, created.json) == []
    if "aggregationRule" not in obj:  # its controller takes away the rules that no other role has
        assert lost(obj, wire.ask("GET", path).json) == []
    while (again := wire.ask("PUT", path, wire.ask("GET", path).json, fieldValidation="Strict")).status == 409:
        pass  # the cluster lives on what it is given, too
    assert again.status == 200, again.body.decode()
    assert wire.ask("DELETE", path).status == 200


def stock(wire: Wire, namespace: str) -> list[str]:
    """Create one object of every kind. Returns the paths of those that are in no namespace."""
    everywhere = []
    for kind in STORED:
        served, obj = whole(wire, kind, namespace, _fresh(kind, namespace))
        answer = wire.ask("POST", served.path, obj)
        assert answer.status == 201, answer.body.decode()
        if not kind.namespaced:
            everywhere.append(served.path_of(obj))
    return everywhere


@pytest.fixture(scope="module")
def stocked(kubernetes_server: Wire, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """A namespace with one object of every kind.

    Others on the server need those gone that are in none: an API service that leads nowhere
    lets no namespace be emptied, and a binding gives somebody rights.
    """
    kubectl = Kubectl(kubernetes_server, tmp_path_factory.mktemp("kubectl"), kubernetes_server.namespace())
    everywhere = stock(kubernetes_server, kubectl.namespace)
    yield kubectl
    for path in everywhere:
        kubernetes_server.delete(path)


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
@EVERY_KIND
def test_kubectl_shows_and_explains_it(stocked: Kubectl, kind: Kind):
    served = Served(stocked.wire, kind, stocked.namespace)
    group, _, version = served.api_version.rpartition("/")
    resource = f"{kind.plural}.{version}.{group}" if group else kind.plural
    name = name_of_the(kind, stocked.namespace)
    assert json.loads(stocked.run("get", resource, name, "-o", "json"))["kind"] == kind.name
    assert name in stocked.run("get", resource, name, "-o", "wide")
    explained = stocked.run("explain", kind.plural, f"--api-version={served.api_version}", "--recursive")
    assert all(field.name in explained for field in kind.schema.fields if not field.inline)
