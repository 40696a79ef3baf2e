"""A definition whose every text tries to steer the terminal of whoever looks at it and at its objects."""

import json
from collections.abc import Iterator

import pytest

from svcsim.meta.objects import condition_is
from tests.process import ServerProcess, served
from tests.wire.raw import Wire

EVIL = "e\x1b[31mv\x07i\x9b31ml\r"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PROPERTIES = {
    f"a{EVIL}": {"type": "string", "description": EVIL, "default": EVIL},
    "mode": {"type": "string", "enum": [EVIL, f"other{EVIL}"], "description": f"the\n{EVIL}"},
    "list": {"type": "array", "description": EVIL, "items": {"type": "object", "properties": {f"b{EVIL}": {"type": "string"}}}},
}
SCHEMA = {"type": "object", "description": EVIL, "properties": {"spec": {"type": "object", "properties": PROPERTIES}}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "traps.evil.example.com", "annotations": {"note": EVIL}},
    "spec": {
        "group": "evil.example.com",
        "scope": "Namespaced",
        "names": {"plural": "traps", "singular": "trap", "kind": "Trap", "listKind": "TrapList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": SCHEMA},
                "additionalPrinterColumns": [
                    {"name": f"C{EVIL}", "type": "string", "description": EVIL, "jsonPath": ".spec.mode"},
                    {"name": f"W{EVIL}", "type": "string", "priority": 1, "jsonPath": ".spec.list"},
                ],
            }
        ],
    },
}
TRAP = {
    "apiVersion": "evil.example.com/v1",
    "kind": "Trap",
    "metadata": {"name": "one", "annotations": {"note": EVIL}},
    "spec": {"mode": EVIL, "list": [{f"b{EVIL}": EVIL}]},
}


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A cluster with the definition and an object of it."""
    with served(tmp_path_factory.mktemp("trapped"), "kubernetes", "--nodes", "0", "--ephemeral") as server:
        wire = Wire(server)
        made = wire.create(DEFINITIONS, DEFINITION)
        with wire.watch(DEFINITIONS, resourceVersion=made["metadata"]["resourceVersion"]) as events:
            events.until(lambda event: condition_is(event["object"], "Established"))
        wire.create("/apis/evil.example.com/v1/namespaces/default/traps", TRAP)
        yield server
        wire.close()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("get traps", "CE^["),
        ("get traps -A -o wide --show-labels", "WE^["),
        ("get traps -o custom-columns=A:.spec.mode", "e^["),
        ("get traps -o yaml", "one"),
        ("get crd traps.evil.example.com -o wide", "traps"),
        ("describe trap one", "e^["),
        ("describe crd traps.evil.example.com", "e^["),
        ("explain trap", "e^["),
        ("explain trap.spec", "ae^["),
        ("explain trap.spec.mode", "othere^["),
        ("explain trap --recursive", "be^["),
        ("explain trap -o plaintext-openapiv2", "e^["),
        ("explain trap.spec -o plaintext-openapiv2", "ae^["),
        ("explain trap --recursive -o plaintext-openapiv2", "be^["),
        ("annotate trap one --list", "note=e^["),
        ("__complete field explain trap.spec.", "trap.spec.mode"),
    ],
)
def test_nothing_of_a_definition_steers_the_terminal(trapped: ServerProcess, words: str, shown: str, run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KUBECONFIG", str(trapped.kubeconfig))
    _, out, err = run(words)
    assert shown in out, err
    assert not [char for char in out + err if not char.isprintable() and char not in "\n\t"]


def test_nothing_of_a_refusal_or_a_warning_does(trapped: ServerProcess, run, monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setenv("KUBECONFIG", str(trapped.kubeconfig))
    wrong = {**TRAP, "metadata": {"name": "two"}, "spec": {"mode": "nope", f"z{EVIL}": 1}}
    (tmp_path / "two.json").write_text(json.dumps(wrong))
    for more in ([], ["--validate=warn"], ["--server-side"]):
        status, out, err = run(["apply", "-f", str(tmp_path / "two.json"), *more])
        assert status
        assert "trap" in err.lower()
        assert not [char for char in out + err if not char.isprintable() and char not in "\n\t"]
