"""What webhooks have noted beside the audit events of requests."""

import json
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from tests.wire.admitting import ALLOWED, admitting, labelled


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_notes_stand_beside_the_audit_events(dialect: str, tmp_path: Path) -> None:
    policy, log = tmp_path / "policy.json", tmp_path / "audit.log"
    group = DIALECTS[dialect].group
    policy.write_text(json.dumps({"apiVersion": f"{group('audit')}/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}))
    with admitting(tmp_path, dialect, "--audit-policy-file", str(policy), "--audit-log-path", str(log)) as hooks:
        hooks.configure("mutating", "m", hooks.webhook(labelled("a"), "/change"))
        notes = {"seen": "yes", "Bad Key!": "no", "a/b": "no"}
        hooks.configure("validating", "v", hooks.webhook({**ALLOWED, "auditAnnotations": notes}, "/note"))
        body = {"metadata": {"name": "noted", "labels": {"mine": "yes"}}}
        assert hooks.wire.ask("POST", "/api/v1/namespaces/default/configmaps", body).status == 201
        events = [json.loads(line) for line in log.read_text().splitlines()]
    (annotations,) = (
        event["annotations"]
        for event in events
        if event["stage"] == "ResponseComplete" and event.get("objectRef", {}).get("name") == "noted"
    )
    found = {key: value for key, value in annotations.items() if "authorization" not in key}
    changed = {"configuration": "m", "webhook": "change.hooks.example.com", "mutated": True}
    assert found == {
        f"{group('mutation.webhook.admission')}/round_0_index_0": json.dumps(changed, separators=(",", ":")),
        "note.hooks.example.com/seen": "yes",
    }
