"""What the audit log says of requests, and that it says it whatever becomes of them."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.times import parse_time
from svcsim.wall import stopwatch, wall_sleep
from tests.audit_log import logged
from tests.outbound.program import program
from tests.process import environment, ran, served
from tests.waiting import WAIT_S
from tests.wire.raw import Wire

POLICY = """
apiVersion: {group}/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  nonResourceURLs: ["/version*", "/healthz"]
- level: None
  userGroups: ["system:serviceaccounts", "system:nodes"]
- level: None
  users: ["system:kube-controller-manager", "system:kube-scheduler", "system:apiserver"]
- level: Metadata
  resources:
  - group: ""
    resources: [secrets, configmaps]
- level: RequestResponse
  namespaces: [whole]
  omitManagedFields: true
- level: Request
  verbs: [patch, delete]
- level: Metadata
  resources: [{{group: "", resources: ["pods", "pods/*"]}}]
  omitStages: []
- level: RequestResponse
"""


@pytest.fixture(scope="module", params=list(DIALECTS))
def audited(request, tmp_path_factory):
    """A server that audits to a file, with one policy for all sorts of requests."""
    directory = tmp_path_factory.mktemp("audited")
    policy, log = directory / "policy.yaml", directory / "logs" / "audit.log"
    policy.write_text(POLICY.format(group=DIALECTS[request.param].group("audit")))
    options = ("--audit-policy-file", str(policy), "--audit-log-path", str(log), "--nodes", "1")
    with served(directory / "home", request.param, *options) as server:
        wire = Wire(server)
        wire.create("/api/v1/namespaces", {"metadata": {"name": "whole"}})
        yield SimpleNamespace(wire=wire, log=log, dialect=server.dialect)
        wire.close()
        assert wire.complaints() == []


def events(log: Path, uri: str, **fields: object) -> list[dict]:
    """Those of one path, in their order."""
    found = logged(log)
    return [one for one in found if one["requestURI"] == uri and all(one[name] == value for name, value in fields.items())]


def until(log: Path, uri: str, stage: str) -> dict:
    """The event of a stage that nobody waits for."""
    end = stopwatch() + WAIT_S
    while not (found := events(log, uri, stage=stage)):
        assert stopwatch() < end
        wall_sleep(0.01)
    return found[-1]


def test_an_event_has_the_fields_of_the_public_format(audited):
    path = "/api/v1/namespaces/default/secrets?limit=3"
    headers = {"User-Agent": "reader/1.0", "Audit-ID": "my-own-id", "X-Forwarded-For": "10.1.2.3, nonsense, 10.9.9.9"}
    answer = audited.wire.ask("GET", path, headers=headers)
    (event,) = events(audited.log, path)
    assert answer.headers["audit-id"] == "my-own-id"
    received, told = event.pop("requestReceivedTimestamp"), event.pop("stageTimestamp")
    assert len(received) == 27
    assert parse_time(received) <= parse_time(told)
    domain = audited.dialect.group("authorization")
    assert event == {
        "kind": "Event",
        "apiVersion": f"{audited.dialect.group('audit')}/v1",
        "level": "Metadata",
        "auditID": "my-own-id",
        "stage": "ResponseComplete",
        "requestURI": path,
        "verb": "list",
        "user": {"username": audited.dialect.administrator, "groups": ["system:masters", "system:authenticated"]},
        "sourceIPs": ["10.1.2.3", "10.9.9.9", "127.0.0.1"],
        "userAgent": "reader/1.0",
        "objectRef": {"resource": "secrets", "namespace": "default", "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": 200},
        "annotations": {f"{domain}/decision": "allow", f"{domain}/reason": ""},
    }


def test_a_request_without_an_id_gets_one(audited):
    path = "/api/v1/namespaces/default/configmaps?limit=7"
    answer = audited.wire.ask("GET", path)
    assert [one["auditID"] for one in events(audited.log, path)] == [answer.headers["audit-id"]]
    assert len(answer.headers["audit-id"]) == 36


def test_no_secret_is_told_at_metadata_but_its_name_is(audited):
    path = "/api/v1/namespaces/default/secrets"
    audited.wire.create(path, {"metadata": {"name": "told"}, "stringData": {"password": "hunter-two"}})
    (event,) = events(audited.log, path, verb="create")
    assert event["objectRef"] == {"resource": "secrets", "namespace": "default", "name": "told", "apiVersion": "v1"}
    assert "hunter-two" not in audited.log.read_text()
    assert not {"requestObject", "responseObject"} & event.keys()


@pytest.mark.parametrize(
    "body", ['{"data":{"k":"hunter-three', "data: {k: hunter-three", '["hunter-three"]', '{"data":{"k":["hunter-three"]}}']
)
def test_a_secret_that_can_not_be_read_is_told_nowhere(audited, body):
    connection = audited.wire.connect()
    media = "application/json" if body[0] in "{[" else "application/yaml"
    headers = {"Authorization": f"Bearer {audited.wire.token}", "Content-Type": media}
    connection.request("POST", "/api/v1/namespaces/default/secrets", body, headers)
    answer = connection.getresponse()
    assert answer.status in (400, 422)
    assert b"hunter" not in answer.read()
    connection.close()
    assert "hunter-three" not in audited.log.read_text()


def test_what_can_not_be_recorded_is_refused_without_a_policy_too(tmp_path):
    options = ("--audit-log-path", "/dev/full", "--audit-log-mode", "blocking-strict", "--nodes", "0")
    done = ran("up", *options, env=environment(tmp_path / "home"))
    assert done.returncode == 1
    assert done.stderr.strip().endswith("failed to store audit event"), "for it writes before anybody else does"


def test_an_update_says_which_object_it_was_made_from(audited):
    path = "/api/v1/namespaces/default/configmaps"
    made = audited.wire.create(path, {"metadata": {"name": "changed"}})
    audited.wire.ask("PUT", f"{path}/changed", {**made, "data": {"a": "b"}})
    (event,) = events(audited.log, f"{path}/changed", verb="update")
    expected = {"uid": made["metadata"]["uid"], "resourceVersion": made["metadata"]["resourceVersion"]}
    assert {name: event["objectRef"][name] for name in expected} == expected


def test_at_request_response_both_objects_are_told_less_who_manages_which_fields(audited):
    path = "/api/v1/namespaces/whole/services"
    sent = {"metadata": {"name": "s", "managedFields": []}, "spec": {"ports": [{"port": 80}]}}
    made = audited.wire.create(path, sent)
    assert made["metadata"]["managedFields"]
    (event,) = events(audited.log, path, verb="create")
    assert event["requestObject"] == {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}
    del made["metadata"]["managedFields"]
    assert event["responseObject"] == made
    audited.wire.get(path)
    (event,) = events(audited.log, path, verb="list")
    assert [set(one["metadata"]) & {"name", "managedFields"} for one in event["responseObject"]["items"]] == [{"name"}]


def test_at_request_a_patch_is_told_and_no_answer(audited):
    path = "/api/v1/namespaces/default/serviceaccounts/patched"
    audited.wire.create(path.removesuffix("/patched"), {"metadata": {"name": "patched"}})
    audited.wire.patch(path, {"metadata": {"labels": {"a": "b"}}})
    (event,) = events(audited.log, path, verb="patch")
    assert (event["level"], event["requestObject"]) == ("Request", {"metadata": {"labels": {"a": "b"}}})
    assert "responseObject" not in event


def test_yaml_and_deletions_are_told_as_json(audited):
    path = "/api/v1/namespaces/default/services/applied"
    body = b"apiVersion: v1\nkind: Service\nmetadata: {name: applied}\nspec: {ports: [{port: 81}]}\n"
    audited.wire.patch(path, body, "application/apply-patch+yaml", fieldManager="me")
    uri = f"{path}?fieldManager=me"
    (event,) = events(audited.log, uri)
    assert event["requestObject"]["spec"] == {"ports": [{"port": 81}]}
    audited.wire.delete(path, {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"})
    (event,) = events(audited.log, path, verb="delete")
    assert event["requestObject"]["propagationPolicy"] == "Background"


def test_what_was_refused_is_told_with_its_status(audited):
    missing = "/api/v1/namespaces/default/configmaps/missing"
    audited.wire.ask("GET", missing)
    (event,) = events(audited.log, missing)
    assert event["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": 'configmaps "missing" not found',
        "reason": "NotFound",
        "details": {"name": "missing", "kind": "configmaps"},
        "code": 404,
    }


def test_a_forbidden_request_names_the_anonymous_user_and_the_decision(audited):
    path = "/api/v1/namespaces/default/configmaps/forbidden"
    assert audited.wire.ask("GET", path, token="").status == 403
    (event,) = events(audited.log, path)
    assert event["user"] == {"username": "system:anonymous", "groups": ["system:unauthenticated"]}
    assert event["annotations"][f"{audited.dialect.group('authorization')}/decision"] == "forbid"
    assert (event["responseStatus"]["code"], event["responseStatus"]["reason"]) == (403, "Forbidden")


def test_bad_credentials_are_one_event_of_an_answer_that_started(audited):
    path = "/api/v1/namespaces/default/configmaps/unknown-user"
    assert audited.wire.ask("GET", path, token="not-a-good-one").status == 401
    (event,) = events(audited.log, path)
    assert (event["stage"], event["user"], event["responseStatus"]["code"]) == ("ResponseStarted", {}, 401)
    assert "not-a-good-one" not in audited.log.read_text()


def test_a_watch_has_a_start_and_an_end(audited):
    path = "/api/v1/namespaces/default/pods?watch=true&resourceVersion=1&timeoutSeconds=77"
    with audited.wire.watch("/api/v1/namespaces/default/pods", resourceVersion="1", timeoutSeconds="77"):
        started = until(audited.log, path, "ResponseStarted")
        assert events(audited.log, path, stage="ResponseComplete") == []
    complete = until(audited.log, path, "ResponseComplete")
    assert (started["verb"], started["auditID"], started["responseStatus"]["code"]) == ("watch", complete["auditID"], 200)


def test_a_watch_in_another_form_has_them_too(audited):
    path = "/api/v1/namespaces/default/pods?watch=true&timeoutSeconds=78"
    table = "application/json;as=Table;v=v1;g=" + audited.dialect.group("meta")
    with audited.wire.watch("/api/v1/namespaces/default/pods", headers={"Accept": table}, timeoutSeconds="78"):
        until(audited.log, path, "ResponseStarted")
    until(audited.log, path, "ResponseComplete")


def test_connections_and_logs_are_told(audited):
    path = "/api/v1/namespaces/default/pods/nobody/exec?command=ls"
    assert audited.wire.ask("POST", path).status in (404, 405)
    stages = [(one["stage"], one["objectRef"]["subresource"], one["verb"]) for one in events(audited.log, path)]
    assert stages == [("ResponseStarted", "exec", "create"), ("ResponseComplete", "exec", "create")]
    path = "/api/v1/namespaces/default/pods/nobody:80/proxy/x"
    assert audited.wire.ask("PATCH", path).status == 404
    stages = [(one["stage"], one["objectRef"]["name"], one["objectRef"]["subresource"], one["verb"]) for one in events(audited.log, path)]
    assert stages == [("ResponseStarted", "nobody:80", "proxy", "patch"), ("ResponseComplete", "nobody:80", "proxy", "patch")]
    path = "/api/v1/namespaces/default/pods/nobody/log"
    assert audited.wire.ask("GET", path).status == 404
    assert until(audited.log, path, "ResponseComplete")["responseStatus"]["code"] == 404


def test_paths_are_told_unless_the_policy_leaves_them_out(audited):
    audited.wire.ask("GET", "/version?x=1")
    audited.wire.ask("GET", "/readyz?x=1")
    assert events(audited.log, "/version?x=1") == []
    (event,) = events(audited.log, "/readyz?x=1")
    assert (event["verb"], event["responseStatus"]["code"], "objectRef" in event) == ("get", 200, False)


def test_a_body_that_is_no_text_breaks_no_line(audited):
    path = "/api/v1/namespaces/default/configmaps/%ff%00"
    audited.wire.ask("GET", path, headers={"User-Agent": "x\xff\x80y"})
    assert [one["responseStatus"]["code"] for one in events(audited.log, path)] == [404]


def counted(wire: Wire) -> dict[str, int]:
    page = wire.ask("GET", "/metrics").body.decode()
    return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in page.splitlines() if line.startswith("apiserver_audit_")}


def test_the_metrics_count_events_by_level(audited):
    before = counted(audited.wire)
    for _ in range(3):
        audited.wire.get("/api/v1/namespaces/default/secrets")
        audited.wire.get("/api/v1/namespaces/whole/services")
    after = counted(audited.wire)
    assert after["apiserver_audit_event_total"] >= before.get("apiserver_audit_event_total", 0) + 6
    for level in ("Metadata", "RequestResponse"):
        name = f'apiserver_audit_level_total{{level="{level}"}}'
        assert after[name] >= before.get(name, 0) + 3
    assert after["apiserver_audit_requests_rejected_total"] == 0


def test_the_log_is_its_owners_alone(audited):
    assert audited.log.stat().st_mode & 0o777 == 0o600


BAD = (
    ("", "expected a map with apiVersion, kind and rules"),
    ("rules: [", "yaml"),
    ("kind: Policy\napiVersion: v1\nrules: [{level: None}]", 'apiVersion: Unsupported value: "v1": supported values: "{group}/v1"'),
    ("kind: Policy\napiVersion: {group}/v1\nrules: []", "rules: Required value"),
    ("kind: Policy\napiVersion: {group}/v1\nrules: [{level: All}]", 'rules[0].level: Unsupported value: "All"'),
    ("kind: Policy\napiVersion: {group}/v1\nrules: [{level: None, verb: [get]}]", "rules[0].verb: Invalid value: there is no such field"),
    ("kind: Policy\napiVersion: {group}/v1\nrules: [{level: None, verbs: get}]", 'rules[0].verbs: Invalid value: "get": must be a list'),
    (
        "kind: Policy\napiVersion: {group}/v1\nrules: [{level: None, nonResourceURLs: ['a*']}]",
        "rules[0].nonResourceURLs[0]: Invalid value: \"a*\": non-resource URL rules must begin with a '/' character",
    ),
    (
        "kind: Policy\napiVersion: {group}/v1\nrules: [{level: None, resources: [{resourceNames: [a]}]}]",
        'rules[0].resources[0].resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ),
    ("kind: Policy\napiVersion: {group}/v1\nomitStages: [Never]\nrules: [{level: None}]", 'omitStages[0]: Invalid value: "Never"'),
)


@pytest.mark.parametrize(("policy", "why"), BAD)
def test_a_policy_that_cant_be_followed_is_one_line_at_the_start(tmp_path, policy, why):
    file = tmp_path / "policy.yaml"
    group = DIALECTS["svcapi"].group("audit")
    file.write_text(policy.replace("{group}", group))
    words = ("up", "--foreground", "--audit-policy-file", str(file), "--audit-log-path", str(tmp_path / "log"))
    done = ran(*words, env=environment(tmp_path / "home"))
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert f"--audit-policy-file {file}: " in line
    assert why.replace("{group}", group) in line


def test_files_that_cant_be_used_are_one_line_at_the_start(tmp_path):
    for options, why in (
        (("--audit-policy-file", "/nowhere/p", "--audit-log-path", "-"), "--audit-policy-file: can't read /nowhere/p: no such file"),
        (("--audit-log-path", "/proc/audit.log"), "--audit-log-path: can't write to /proc/audit.log: "),
        (("--audit-webhook-config-file", "/nowhere/w"), "--audit-webhook-config-file"),
    ):
        done = ran("up", *options, env=environment(tmp_path / "home"))
        assert (done.returncode, len(done.stderr.strip().splitlines())) == (1, 1)
        assert why in done.stderr


def test_requests_that_are_passed_on_are_told_without_bodies(audited, tmp_path):
    wire = audited.wire
    with program(tmp_path, "flavours.default.svc") as port:
        metadata = {"name": "flavours", "annotations": {"svcsim.dev/bound-to": f"443=127.0.0.1:{port}"}}
        wire.create("/api/v1/namespaces/default/services", {"metadata": metadata, "spec": {"ports": [{"port": 443}]}})
        services = f"/apis/{audited.dialect.group('apiregistration')}/v1/apiservices"
        spec = {"group": "flavours.example.com", "version": "v1", "service": {"namespace": "default", "name": "flavours"}}
        spec |= {"insecureSkipTLSVerify": True, "groupPriorityMinimum": 2000, "versionPriority": 15}
        wire.create(services, {"metadata": {"name": "v1.flavours.example.com"}, "spec": spec})
        path, end = "/apis/flavours.example.com/v1/flavours/sweet", stopwatch() + WAIT_S
        while (answer := wire.ask("GET", path)).status != 200:
            assert stopwatch() < end
            wall_sleep(0.05)
        while not (told := events(audited.log, path, stage="ResponseComplete", auditID=answer.headers["audit-id"])):
            assert stopwatch() < end
            wall_sleep(0.01)
        event = told[-1]
        wire.delete(f"{services}/v1.flavours.example.com")
    assert (event["objectRef"]["resource"], event["responseStatus"]["code"]) == ("flavours", 200)
    assert "requestObject" not in event
