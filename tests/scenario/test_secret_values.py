"""What a run prints and reports of Secrets: never a value, however it went wrong."""

import base64

import orjson
import pytest

from svcsim.scenario.secret_values import masked, told

CANARY = "canary-91f"
ENCODED = base64.b64encode(CANARY.encode()).decode()


@pytest.mark.parametrize(
    "wrong",
    [
        f"{{kind: Secret, name: a, match: {{data: {{password: {ENCODED}}}}}}}",
        "{kind: Secret, name: a, where: \"object.data.password == 'x'\"}",
        "{kind: Secret, name: a, match: {type: other}}",
        "{kind: Secret, name: a, where: data.password}",
        "{kind: Secret, name: a, where: dyn(object)}",
        "{kind: ConfigMap, name: kube-root-ca.crt, where: saved.secret.data.password}",
    ],
)
def test_no_report_of_a_failed_run_shows_a_secret_s_value(replay, wrong):
    outcome = replay(
        f"""
  cluster: {{nodes: 0}}
  steps:
  - id: all of it
    do:
    - create: {{object: {{apiVersion: v1, kind: Secret, metadata: {{name: a}}, stringData: {{password: {CANARY}}}}}}}
      save: {{secret: object}}
    - request:
        method: PATCH
        path: /api/v1/namespaces/default/secrets/a?fieldManager=x
        contentType: application/merge-patch+json
        body: {{stringData: {{password: {CANARY}}}}}
    - request:
        method: PATCH
        path: /api/v1/namespaces/default/%73ecrets/a
        contentType: application/json-patch+json
        body: [{{op: replace, path: /data/password, value: {ENCODED}}}]
    - patch:
        kind: Secret
        name: a
        patch: {{stringData: {{password: more-{CANARY}}}, metadata: {{annotations: {{x: {CANARY}}}}}}}
    expect:
    - eventually: {wrong}
      within: 1s
    catch: [{{describe: {{kind: Secret, name: a}}}}]
"""
    )
    shown = outcome.out + outcome.err + str(outcome.lines)
    assert "secrets default/a" in shown, shown
    assert "***" in shown
    assert CANARY not in shown
    assert ENCODED not in shown
    assert base64.b64encode(f"more-{CANARY}".encode()).decode() not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        {"object": {"kind": "Secret", "data": {"a": ENCODED}, "metadata": {"name": "a"}}},
        {"objects": [{"kind": "ConfigMap", "data": {"a": "b"}}, {"kind": "Secret", "stringData": {"a": CANARY}}]},
        {"kind": "Secret", "name": "a", "patch": {"data": {"a": ENCODED}}},
        {"kind": "Secret", "name": "a", "patch": [{"op": "add", "path": "/data/a", "value": ENCODED}]},
        {"kind": "Secret", "metadata": {"annotations": {"last": CANARY}}, "data": CANARY},
    ],
)
def test_values_are_hidden_wherever_a_secret_is_spoken_of(arguments):
    shown = orjson.dumps(masked(arguments)).decode()
    assert CANARY not in shown
    assert ENCODED not in shown
    assert "***" in shown


def test_everything_else_is_shown():
    assert masked({"object": {"kind": "ConfigMap", "data": {"a": "b"}}}) == {"object": {"kind": "ConfigMap", "data": {"a": "b"}}}
    assert told("ConfigMap", "data.a", "b") == "b"
    assert told("Secret", "type", "Opaque") == "Opaque"
    assert told("Secret", "data", {"a": "b"}) == {"a": "***"}
    assert told("Secret", "", {"data": {"a": "b"}, "type": "t"}) == {"data": {"a": "***"}, "type": "t"}
    assert told("Secret", "data.a", None) is None
