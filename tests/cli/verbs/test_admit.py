"""`svcsim admit` shows a request's way through admission, and writes nothing."""

import json

import pytest

PODS = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: a, image: a}]}
"""
SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: hunter2}
"""
MAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
"""
POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: adds}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: adding}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [secrets]}]
  mutations:
    - patchType: JSONPatch
      jsonPatch: {expression: '[JSONPatch{op: "add", path: "/data/second", value: "aHVudGVyMw=="}]'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: adds-here}
spec: {policyName: adds}
"""
FILES = {
    "pod.yaml": PODS,
    "secret.yaml": SECRET,
    "map.yaml": MAP,
    "policy.yaml": POLICY,
    "both.yaml": f"{PODS}---{MAP}",
    "named-later.yaml": MAP.replace("name: settings", "generateName: some-"),
    "with-namespace.yaml": f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: newns}}\n---{MAP}".replace(
        "{name: settings}", "{name: settings, namespace: newns}"
    ),
    "wrong.yaml": MAP.replace("a: b", "a: {b: c}"),
    "empty.yaml": "",
}


@pytest.fixture(scope="module")
def fresh():
    counted = iter(range(1_000))
    return lambda: f"admit-{next(counted)}"


@pytest.fixture
def on(cluster, run, work_among, fresh):
    """Run a command line on the cluster, in a namespace of its own, in a directory with files."""
    work_among(FILES)
    namespace = fresh()

    def on(command):
        return run(f"--kubeconfig {cluster.kubeconfig} -n {namespace} {command}")

    assert on(f"create namespace {namespace}").status == 0
    assert on("create serviceaccount default").status in (0, 1)  # the cluster makes it, too
    on.namespace = namespace
    return on


def test_each_plugin_has_its_line(on):
    told = on("admit -f pod.yaml")
    assert (told.status, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[0] == f"create pods/web in namespace {on.namespace}"
    assert lines[1] == "  mutating:"
    at = next(index for index, line in enumerate(lines) if line.split()[:2] == ["ServiceAccount", "changed"])
    assert '      + /spec/serviceAccountName: "default"' in lines[at:]
    assert any(line.split()[:3] == ["NamespaceLifecycle", "let", "through"] for line in lines)
    assert lines[-1] == "  let through; nothing was written"
    assert "not found" in on("get pod web").err


def test_what_was_put_in_ends_where_the_terminal_does(on, monkeypatch):
    def changes():
        return [line for line in on("admit -f pod.yaml").out.splitlines() if line.lstrip().startswith("+ ")]

    assert max(map(len, changes())) > 60
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, changes())) == 60


def test_what_is_refused_fails_and_says_by_whom(on):
    assert on(f"label namespace {on.namespace} pod-security.kubernetes.io/enforce=restricted").status == 0
    told = on("admit -f both.yaml")
    assert told.status == 1
    assert told.err.startswith('Error from server (Forbidden): error when admitting "both.yaml": pods "web" is forbidden: violates PodSec')
    assert "  refused by PodSecurity: Forbidden (403)\n" in told.out
    assert "\n  not asked any more: " in told.out
    assert f"\n\ncreate configmaps/settings in namespace {on.namespace}\n" in told.out
    assert told.out.endswith("  let through; nothing was written\n")


def test_warnings_stand_where_they_come_from(on):
    assert on(f"label namespace {on.namespace} pod-security.kubernetes.io/warn=restricted").status == 0
    told = on("admit -f pod.yaml")
    assert (told.status, told.err) == (0, "")
    assert "\n      warning: would violate PodSecurity" in told.out


def test_what_is_there_would_be_updated_or_deleted(on):
    assert on("apply -f map.yaml").status == 0
    told = on("admit -f map.yaml")
    unchanged = "configmaps/settings is as the file has it: nothing would be sent\n"
    assert (told.status, told.out, told.err) == (0, "", unchanged)
    told = on("admit -f map.yaml -o json")
    trace = json.loads(told.out)
    assert (trace["kind"], trace["request"]["path"].rpartition("/")[2], trace["steps"]) == ("AdmissionTrace", "settings", [])
    assert (told.status, told.err) == (0, unchanged)
    assert len(json.loads(on("admit -f both.yaml -o json").out)["items"]) == 2
    assert on('patch configmap settings -p \'{"data":{"a":"c"}}\'').status == 0
    assert on("admit -f map.yaml").out.startswith(f"update configmaps/settings in namespace {on.namespace}\n")
    assert on("admit -f map.yaml --operation=delete").out.startswith(f"delete configmaps/settings in namespace {on.namespace}\n")
    told = on("admit -f map.yaml --operation=CREATE")
    assert "already exists" in told.err
    assert "refused not by admission: it is there already: AlreadyExists (409)\n" in told.out
    assert on("get configmap settings -o jsonpath={.data.a}").out == "c"


def test_what_is_not_there_cannot_be_updated(on):
    told = on("admit -f map.yaml --operation=update")
    why = "configmaps/settings isn't there: nothing can be updated"
    assert (told.status, told.err) == (1, f'error: error when admitting "map.yaml": {why}\n')
    told = on("admit -f map.yaml --operation=delete")
    assert "\n  nobody in admission was asked\n" in told.out
    assert "refused not by admission: it isn't there: NotFound (404)\n" in told.out


def test_what_stands_in_a_namespace_of_the_same_file_is_hinted_at(on):
    told = on("admit -f with-namespace.yaml -n newns")
    assert told.status == 1
    assert 'namespaces "newns" not found' in told.err
    assert told.out.endswith("\n  (namespace newns would be created first, but nothing is written here: create it, and try this again)\n")
    assert told.out.count("nothing is written here") == 1


def test_who_may_only_create_can_try_that(on):
    assert on("create role makes --verb=create --resource=configmaps").status == 0
    assert on("create rolebinding makes --role=makes --user=jane").status == 0
    told = on("admit -f map.yaml --as=jane")
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(f"create configmaps/settings in namespace {on.namespace}\n")
    assert on("apply -f map.yaml").status == 0
    assert "already exists" in on("admit -f map.yaml --as=jane").err


def test_a_name_may_be_left_to_the_server(on):
    told = on("admit -f named-later.yaml")
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(f"create configmaps/some-* in namespace {on.namespace}\n")


def test_secrets_are_not_shown(on):
    assert on("apply -f policy.yaml").status == 0
    assert on("label namespace " + on.namespace + " x=y").status == 0
    selector = '{"spec":{"matchConstraints":{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"' + on.namespace + '"}}}}}'
    assert on(f"patch mutatingadmissionpolicy adds --type=merge -p '{selector}'").status == 0
    told = on("admit -f secret.yaml")
    assert "policy adds by binding adds-here" in told.out
    assert '+ /data/second: "***"' in told.out
    assert "hunter" not in told.out
    assert "aHVud" not in told.out
    assert on("delete -f policy.yaml").status == 0


def test_all_of_it_as_json_and_yaml(on):
    trace = json.loads(on("admit -f pod.yaml -o json").out)
    assert trace["kind"] == "AdmissionTrace"
    assert trace["object"]["metadata"]["name"] == "web"
    listed = json.loads(on("admit -f both.yaml -o json").out)
    assert [one["request"]["path"].rpartition("/")[2] for one in listed["items"]] == ["pods", "configmaps"]
    assert on("admit -f pod.yaml -o yaml").out.startswith("apiVersion: svcsim/v1\nkind: AdmissionTrace\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("admit", "error: say which objects: give a file with -f\n"),
        ("admit -f empty.yaml", "error: no objects passed to admit\n"),
        ("admit -f nowhere.yaml", 'the path "nowhere.yaml" does not exist'),
        ("admit -f map.yaml -o wide", 'error: -o is one of json, yaml, not "wide"\n'),
        ("admit -f map.yaml --operation=remove", 'error: --operation is one of create, update, delete, not "remove"\n'),
        ("admit -f map.yaml --operation=CREAT", 'error: --operation is one of create, update, delete, not "CREAT"\n'),
        ("admit -f wrong.yaml", "ConfigMap in version"),
        ("admit -f map.yaml --operation=delete", 'configmaps "settings" not found'),
        ("admit -f map.yaml --as=nobody", 'User "nobody" cannot create resource "configmaps"'),
        ("admit -f map.yaml --as=nobody --operation=update", 'User "nobody" cannot get resource "configmaps"'),
        ("admit -f named-later.yaml --operation=update", 'admitting "named-later.yaml": configmaps without a name can only be created'),
        ("admit -f named-later.yaml --operation=delete", 'admitting "named-later.yaml": configmaps without a name can only be created'),
    ],
)
def test_what_goes_wrong_is_said(on, line, said):
    told = on(line)
    assert told.status == 1
    assert said in told.err


def test_a_server_that_knows_nothing_of_it_is_told_apart(stub, run, work_among):
    work_among(FILES)
    told = run(f"--server {stub.url} admit -f map.yaml --operation=create")
    assert (told.status, told.out) == (1, "")
    why = "this server doesn't tell its way through admission: it is of an older svcsim"
    assert told.err == f'error: error when admitting "map.yaml": {why}\n'


def test_nothing_is_sent_to_a_server_of_somebody_else(stub, run, work_among):
    work_among(FILES)
    stub.version = {"major": "1", "minor": "34", "gitVersion": "v1.34.0"}
    told = run(f"--server {stub.url} admit -f both.yaml --operation=create")
    why = "only those tell their way through admission"
    assert (told.status, told.out, told.err) == (1, "", f"error: the server at {stub.url} isn't one of svcsim: {why}\n")
    assert {method for method, _, _ in stub.requests} == {"GET"}
