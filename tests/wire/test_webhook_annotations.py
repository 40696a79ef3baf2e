"""What webhooks have noted beside the audit events of requests."""

import json
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.audit_log import logged
from tests.wire.admitting import ALLOWED, Hooks, admitting, labelled, patched

MAPS = "/api/v1/namespaces/default/configmaps"


def noted(tmp_path: Path, name: str) -> Object:
    """The annotations of the event of a config map's creation, all but those of authorization."""
    events = logged(tmp_path / "audit.log")
    (annotations,) = (
        event["annotations"] for event in events if event["stage"] == "ResponseComplete" and event.get("objectRef", {}).get("name") == name
    )
    return {key: value for key, value in annotations.items() if "authorization" not in key}


def audited(tmp_path: Path, dialect: str, level: str):
    """A cluster that audits at a level."""
    policy = tmp_path / "policy.json"
    version = f"{DIALECTS[dialect].group('audit')}/v1"
    policy.write_text(json.dumps({"apiVersion": version, "kind": "Policy", "rules": [{"level": level}]}))
    return admitting(tmp_path, dialect, "--audit-policy-file", str(policy), "--audit-log-path", str(tmp_path / "audit.log"))


def create(hooks: Hooks, name: str) -> int:
    return hooks.wire.ask("POST", MAPS, {"metadata": {"name": name, "labels": {"mine": "yes"}}}).status


def encoded(**said: object) -> str:
    return json.dumps(said, separators=(",", ":"))


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_notes_stand_beside_the_audit_events(dialect: str, tmp_path: Path) -> None:
    group = DIALECTS[dialect].group
    with audited(tmp_path, dialect, "Metadata") as hooks:
        hooks.configure("mutating", "m", hooks.webhook(labelled("a"), "/change"))
        notes = {"seen": "yes", "Bad Key!": "no", "a/b": "no"}
        hooks.configure("validating", "v", hooks.webhook({**ALLOWED, "auditAnnotations": notes}, "/note"))
        assert create(hooks, "noted") == 201
    assert noted(tmp_path, "noted") == {
        f"{group('mutation.webhook.admission')}/round_0_index_0": encoded(
            configuration="m", webhook="change.hooks.example.com", mutated=True
        ),
        "note.hooks.example.com/seen": "yes",
    }


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_patches_do_where_bodies_do(dialect: str, tmp_path: Path) -> None:
    group, label = DIALECTS[dialect].group, {"op": "add", "path": "/metadata/labels/late", "value": "yes"}
    with audited(tmp_path, dialect, "Request") as hooks:
        same = patched({"op": "add", "path": "/metadata/labels/mine", "value": "yes"})
        hooks.configure(
            "mutating",
            "m",
            hooks.webhook(ALLOWED, "/elsewhere", resources=("pods",)),
            hooks.webhook(same, "/same", reinvocationPolicy="IfNeeded"),
            hooks.webhook(ALLOWED, "/none"),
            hooks.webhook(patched(label), "/late"),
        )
        assert create(hooks, "noted") == 201

    def about(what: str, number: int, name: str, turn: int = 0, **said: object) -> tuple[str, str]:
        webhook = f"{name}.hooks.example.com"
        return f"{group(f'{what}.webhook.admission')}/round_{turn}_index_{number}", encoded(configuration="m", webhook=webhook, **said)

    mine = {"op": "add", "path": "/metadata/labels/mine", "value": "yes"}
    assert noted(tmp_path, "noted") == dict(
        (
            about("patch", 1, "same", patch=[mine], patchType="JSONPatch"),
            about("mutation", 1, "same", mutated=False),
            about("mutation", 2, "none", mutated=False),
            about("patch", 3, "late", patch=[label], patchType="JSONPatch"),
            about("mutation", 3, "late", mutated=True),
            about("patch", 1, "same", 1, patch=[mine], patchType="JSONPatch"),
            about("mutation", 1, "same", 1, mutated=False),
        )
    )


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_so_does_who_was_not_waited_for(dialect: str, tmp_path: Path) -> None:
    group, fails = DIALECTS[dialect].group, {"allowed": "odd"}
    with audited(tmp_path, dialect, "Metadata") as hooks:
        for kind in ("mutating", "validating"):
            elsewhere = hooks.webhook(ALLOWED, "/elsewhere", resources=("pods",))
            hooks.configure(kind, "c", elsewhere, hooks.webhook(fails, f"/{kind}", failurePolicy="Ignore"))
        assert create(hooks, "noted") == 201
    assert noted(tmp_path, "noted") == {
        f"{group('failed-open.mutation.webhook.admission')}/round_0_index_1": "mutating.hooks.example.com",
        f"{group('mutation.webhook.admission')}/round_0_index_1": encoded(
            configuration="c", webhook="mutating.hooks.example.com", mutated=False
        ),
        f"{group('failed-open.validating.webhook.admission')}/round_0_index_0": "validating.hooks.example.com",
    }
