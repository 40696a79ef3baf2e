"""What is wrong with a webhook configuration is told in Kubernetes' order: webhook by webhook, and each from its name on."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire

HOOK: Object = {
    "name": "a.example.com",
    "clientConfig": {"url": "https://example.com"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
WRONG: Object = {
    "name": "a",
    "clientConfig": {"url": "http://x"},
    "rules": [{"operations": ["X"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}],
    "failurePolicy": "X",
    "matchPolicy": "X",
    "sideEffects": "Some",
    "timeoutSeconds": 31,
    "namespaceSelector": {"matchLabels": {"-": ""}},
    "objectSelector": {"matchLabels": {"-": ""}},
    "matchConditions": [{"name": "", "expression": "true"}],
    "admissionReviewVersions": ["v7"],
}
FIELDS = [
    *("name", "rules[0].operations[0]", "failurePolicy", "matchPolicy", "sideEffects", "timeoutSeconds", "namespaceSelector.matchLabels"),
    *("objectSelector.matchLabels", "clientConfig.url", "matchConditions[0].name", "admissionReviewVersions"),
]


@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_webhook_by_webhook_and_field_by_field(wire: Wire, kind: str) -> None:
    path = f"/apis/{wire.dialect.group('admissionregistration')}/v1/{kind}webhookconfigurations"
    hooks = [WRONG, HOOK, {**HOOK, "timeoutSeconds": 0}, WRONG]
    answer = wire.ask("POST", path, {"metadata": {"name": "UPPER"}, "webhooks": hooks})
    assert answer.status == 422
    told = list(dict.fromkeys(cause["field"] for cause in answer.json["details"]["causes"]))
    of_wrong = [f"webhooks[{{}}].{field}" for field in FIELDS]
    assert told == [
        "metadata.name",
        *(field.format(0) for field in of_wrong),
        "webhooks[2].timeoutSeconds",
        "webhooks[2].name",
        *(field.format(3) for field in of_wrong),
    ], "a doubled name is told last of its webhook; where the name itself is wrong, with that"
