"""Webhooks that fail on purpose, without a program behind any of them: what their failure policy makes of it, in virtual time."""

import pytest

from tests.scenario.replaying import HEAD, Replayer
from tests.scenario.test_check import mistakes

DIALECTS = {"svcapi": "admissionregistration.svcapi.io", "kubernetes": "admissionregistration.k8s.io"}
CLUSTER = "  cluster: {dialect: %s, nodes: 0}\n"
"""A webhook about config maps whose name begins with ``asked``."""
CONFIGURATION = (
    "{create: {object: {apiVersion: %(group)s/v1, kind: %(kind)sWebhookConfiguration, metadata: {name: config}, webhooks: ["
    "{name: hook.example.com, sideEffects: None, admissionReviewVersions: [v1], failurePolicy: %(policy)s, timeoutSeconds: 7,"
    " clientConfig: {service: {namespace: default, name: hook, path: /check}},"
    " rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [configmaps]}]}]}}}"
)
MAP = "create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: asked}}}"
CALL = 'Post "https://hook.default.svc:443/check?timeout=7s": '
FAILED = 'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: '
INVALID = 'Internal error occurred: failed calling webhook "hook.example.com": received invalid webhook response: '
DENIED = 'admission webhook "hook.example.com" denied the request'


def spec(dialect: str, fault: str, do: str, *, policy: str = "Fail", kind: str = "Validating", more: str = "") -> str:
    configuration = CONFIGURATION % {"group": DIALECTS[dialect], "kind": kind, "policy": policy}
    faults = f"faults: [{{type: webhook-fail, {fault}}}], " if fault else ""
    return f"{CLUSTER % dialect}{more}  steps: [{{id: a, {faults}do: [{configuration}, {do}]}}]\n"


def refused(code: int, message: str) -> str:
    text = message.replace("'", "''")
    return f"{{{MAP}, expect: {{status: {code}, message: '{text}'}}}}"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        ("mode: timeout", 500, f"{FAILED}{CALL}context deadline exceeded"),
        ("mode: slow, delay: 7s", 500, f"{FAILED}{CALL}context deadline exceeded"),
        ("mode: refused", 500, f"{FAILED}{CALL}dial tcp hook.default.svc:443: connect: connection refused"),
        ("mode: error", 500, f'{FAILED}an error on the server ("it fails on purpose") has prevented the request from succeeding'),
        (
            "mode: error, code: 502, message: maintenance",
            500,
            f'{FAILED}an error on the server ("maintenance") has prevented the request from succeeding',
        ),
        ("mode: error, code: 503, message: maintenance", 500, f"{FAILED}the server is currently unable to handle the request"),
        ("mode: error, code: 404", 500, f"{FAILED}the server could not find the requested resource"),
        ("mode: error, code: 403, message: not you", 500, f"{FAILED}not you"),
        ("mode: deny", 400, f"{DENIED} without explanation"),
        ("mode: deny, message: not today, code: 403", 403, f"{DENIED}: not today"),
        ("mode: wrong-uid", 500, f'{INVALID}expected response.uid="*", got "another"'),
        ("mode: no-json", 500, f"{FAILED}couldn't get version/kind; json parse error: *"),
        ("mode: bad-patch", 500, f"{INVALID}validating webhook may not return response.patch"),
    ],
)
def test_a_webhook_that_fails_closed_refuses(replay: Replayer, dialect, fault, code, message):
    outcome = replay(spec(dialect, "mode: X, target: {name: hook.example.com}".replace("mode: X", fault), refused(code, message)))
    assert outcome.code == 0, outcome.out


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("mode", ["timeout", "slow, delay: 1h", "refused", "error", "wrong-uid", "no-json", "bad-patch"])
@pytest.mark.parametrize("kind", ["Validating", "Mutating"])
def test_a_webhook_that_fails_open_lets_through(replay, dialect, mode, kind):
    fault = f"mode: {mode}, target: {{configuration: 'conf*'}}"
    outcome = replay(spec(dialect, fault, f"{{{MAP}}}", policy="Ignore", kind=kind))
    assert outcome.code == 0, outcome.out


@pytest.mark.parametrize("mode", ["timeout", "slow, delay: 9s"])
def test_a_webhook_that_does_not_answer_takes_its_time_on_the_clusters_clock(replay, mode):
    outcome = replay(spec("svcapi", f"mode: {mode}, target: {{name: '*'}}", f"{{{MAP}}}", policy="Ignore"))
    assert outcome.code == 0, outcome.out
    assert [step["clusterSeconds"] for step in outcome.of_type("step")] == [7.0]


def test_what_is_let_through_is_told_where_the_run_fails_and_nowhere_else(replay):
    text = spec("svcapi", "mode: refused, target: {name: '*'}", f"{{{MAP}}}%s", policy="Ignore")
    held, failed = replay(text % ""), replay(text % ", {wait: {kind: Pod, within: 1s}}")
    let_through = 'log: failed calling webhook "hook.example.com": failed to call webhook: '
    assert (held.code, held.err) == (0, "")
    assert let_through not in held.out
    assert failed.code == 1
    assert let_through in failed.out


def test_a_fault_comes_and_goes_and_what_it_slows_is_answered_all_the_same(replay):
    answer = "  webhooks: [{name: hook.example.com, allow: true}]\n"
    do = f"{{{MAP}}}, {{advance: 5s}}, " + "{create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}}}"
    outcome = replay(spec("svcapi", "mode: slow, delay: 3s, for: 4s, target: {name: '*.example.com'}", do, more=answer))
    assert outcome.code == 0, outcome.out
    assert [step["clusterSeconds"] for step in outcome.of_type("step")] == [8.0]


def test_a_share_of_the_calls_fails_and_the_same_share_with_the_same_seed(replay):
    load = "{load: {template: map.yaml, count: 60}}"
    (replay.directory / "map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, annotations: {a: b}}\n")
    patch = "  webhooks: [{name: '*', patch: [{op: add, path: /metadata/labels, value: {seen: 'yes'}}]}]\n"
    text = spec("svcapi", "mode: refused, percent: 50, target: {name: '*'}", load, policy="Ignore", kind="Mutating", more=patch)
    counted = "expect: [{eventually: {count: {kind: ConfigMap, labels: {seen: 'yes'}, gte: 15, lte: 45}}}]"
    text = text.rstrip().removesuffix("}]") + f", {counted}}}]\n"
    runs = [replay(text, seed=seed) for seed in (3, 3, 4)]
    assert [run.code for run in runs] == [0, 0, 0], runs[0].out
    journals = [run.of_type("scenario")[0]["journalHash"] for run in runs]
    assert journals[0] == journals[1] != journals[2]


def test_a_fault_that_no_call_has_met_fails_the_run(replay):
    outcome = replay(spec("svcapi", "mode: deny, target: {name: other.example.com}", refused(500, "*no route*|*")))
    assert outcome.code == 1
    never = "  steps: [{id: a, faults: [{type: webhook-fail, mode: deny, target: {name: 'x*'}%s}], do: [{sleep: 1s}]}]\n"
    assert 'the fault webhook-fail on {"name":"x*"} struck nothing' in replay(never % "").out
    assert replay(never % ", missing: ignore").code == 0


# --- answers without a program ---


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("kind", "answer", "do"),
    [
        ("Validating", "allow: true", f"{{{MAP}}}"),
        ("Validating", "deny: by this rule", refused(400, f"{DENIED}: by this rule")),
        ("Validating", "deny: by this rule, code: 422", refused(422, f"{DENIED}: by this rule")),
        ("Mutating", "deny: by this rule", refused(400, f"{DENIED}: by this rule")),
        (
            "Mutating",
            "patch: [{op: add, path: /data, value: {team: '${vars.team}'}}], warnings: [careful]",
            f"{{{MAP}}}, {{wait: {{kind: ConfigMap, name: asked, where: \"data.team == 'blue'\"}}}}",
        ),
    ],
)
def test_the_simulator_answers_in_the_place_of_a_webhook(replay, dialect, kind, answer, do):
    more = f"  vars: {{team: blue}}\n  webhooks: [{{name: hook.*, configuration: config, {answer}}}]\n"
    outcome = replay(spec(dialect, "", do, kind=kind, more=more))
    assert outcome.code == 0, outcome.out


@pytest.mark.parametrize(
    ("webhooks", "vain"),
    [
        ("{name: hock.example.com, allow: true}", '{"name":"hock.example.com"}'),
        ("{name: hook.*, configuration: confg, allow: true}", '{"name":"hook.*","configuration":"confg"}'),
        ("{name: 'hook.*', allow: true}, {name: hook.example.com, deny: never}", '{"name":"hook.example.com"}'),
    ],
)
def test_a_webhook_that_is_answered_for_and_never_asked_fails_the_run(replay, webhooks, vain):
    """A misspelled name, a configuration that isn't there, one behind another that answers for the same."""
    outcome = replay(spec("svcapi", "", f"{{{MAP}}}", policy="Ignore", more=f"  webhooks: [{webhooks}]\n"))
    assert outcome.code == 1
    case = outcome.of_type("step")[-1]
    assert (case["id"], case["outcome"]) == ("faults", "failed")
    assert f"the webhook {vain} was never asked for an answer; if that may be, say missing: ignore" in outcome.out
    allowed = webhooks.removesuffix("}") + ", missing: ignore}"
    assert replay(spec("svcapi", "", f"{{{MAP}}}", policy="Ignore", more=f"  webhooks: [{allowed}]\n")).code == 0


@pytest.mark.parametrize(
    ("webhook", "why"),
    [
        ("{allow: true}", "a webhook needs 'name'"),
        ("{name: a}", "a webhook needs one of allow, deny, patch"),
        ("{name: a, allow: false}", "it can only be true"),
        ("{name: a, allow: true, deny: no}", "takes one of allow, deny, patch"),
        ("{name: a, deny: x, code: 200}", "expected a whole number from 400 to 599, not 200"),
        ("{name: a, patch: {op: add}}", "expected a list"),
        ("{name: a, patch: [{op: ad, path: /a, value: 1}]}", ":37: the string 'ad' is no operation; did you mean 'add'?"),
        ("{name: a, patch: [{op: 7, path: /a}]}", ":37: 7 is no operation; known: add, remove, replace, move, copy, test"),
        ("{name: a, patch: [{path: /a, value: 1}]}", ":32: an operation needs 'op'; known: add, "),
        (
            "{name: a, patch: [{op: add, path: data, value: 1}]}",
            ":48: the string 'data' is no path: it begins with /, as in /metadata/labels",
        ),
        ("{name: a, patch: [{op: add, path: /data}]}", ":32: the operation add needs 'value'"),
        ("{name: a, patch: [{op: move, path: /data}]}", ":32: the operation move needs 'from'"),
        ("{name: a, patch: [{op: copy, path: /a, from: b}]}", "the string 'b' is no path"),
        ("{name: a, patch: [{op: remove, path: /a~b}]}", "in path a ~ stands for nothing but ~0 and ~1"),
    ],
)
def test_what_is_no_answer_is_told_before_anything_runs(tmp_path, webhook, why):
    found = mistakes(tmp_path, f"{HEAD}  webhooks: [{webhook}]\n  steps: [{{id: a, do: [{{sleep: 1s}}]}}]\n")
    assert found
    assert why in found[0]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("target: {name: a}", "webhook-fail needs a mode, which says how they fail"),
        ("target: {name: a}, mode: 5xx", "bad-patch, refused; say error, with a code such as 503"),
        ("target: {name: a}, mode: malformed", "bad-patch, refused; say no-json"),
        ("target: {name: a}, mode: slow", "a slow webhook needs a delay, such as 5s"),
        ("target: {name: a}, mode: timeout, delay: 5s", "delay is for the mode slow"),
        ("target: {name: a}, mode: refused, code: 500", "code is for the modes error and deny"),
        ("target: {name: a}, mode: slow, delay: 1s, message: x", "message is for the modes error and deny"),
        ("target: {name: a}, mode: error, code: 200", "expected a whole number from 400 to 599, not 200"),
        ("target: {name: a}, mode: error, factor: 2", "factor is for slow-start; webhook-fail takes none"),
        ("target: {name: a, kind: Pod}, mode: deny", "webhook-fail takes no kind; its target has name, configuration"),
        ("target: {image: a}, mode: deny", "webhook-fail takes no image; its target has name, configuration"),
        ("target: {}, mode: deny", "a target needs at least one of name, "),
    ],
)
def test_what_is_no_failure_is_told_before_anything_runs(tmp_path, fault, why):
    found = mistakes(tmp_path, f"{HEAD}  steps: [{{id: a, faults: [{{type: webhook-fail, {fault}}}], do: [{{sleep: 1s}}]}}]\n")
    assert len(found) == 1, found
    assert why in found[0]
