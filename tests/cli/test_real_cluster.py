"""The command line on a real cluster, in both dialects; and beside kubectl, on the same cluster."""

import json
import shutil
import subprocess

import pytest

from svcsim.dialect import DIALECTS
from tests.process import on_demand

MANIFEST = """
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.25", ports: [{containerPort: 80}], resources: {requests: {cpu: 100m}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with on_demand(tmp_path_factory.mktemp("servers"), "--nodes", "2", "--seed", "1", "--ephemeral", "--clock", "x10") as servers:
        yield servers


@pytest.fixture(params=list(DIALECTS))
def server(request, servers):
    return servers(request.param)


@pytest.fixture
def on(server, run):
    """Run a command line on the server."""
    return lambda command: run(f"--kubeconfig {server.kubeconfig} {command}")


def test_an_application_is_applied_rolled_out_changed_rolled_back_and_deleted(on, server, tmp_path):
    manifest = tmp_path / "app.yaml"
    manifest.write_text(MANIFEST)
    assert on(f"apply -f {manifest}").out == "namespace/shop created\ndeployment.apps/web created\nservice/web created\n"
    assert on("-n shop rollout status deploy/web --timeout=60s").out.endswith('deployment "web" successfully rolled out\n')
    assert on(f"apply -f {manifest}").out == "namespace/shop unchanged\ndeployment.apps/web unchanged\nservice/web unchanged\n"
    pods = on("-n shop get pods -l app=web -o name").out.split()
    assert len(pods) == 2
    assert on(f"-n shop wait {pods[0]} --for=condition=Ready --timeout=60s").out == f"{pods[0]} condition met\n"
    assert on(f"-n shop logs {pods[0]} --tail=1").out.count("\n") == 1
    assert "Successfully assigned shop/" in on(f"-n shop describe {pods[0]}").out
    assert f"NewReplicaSet:   {_replica_set(on)} (2/2 replicas created)" in on("-n shop describe deploy web").out

    manifest.write_text(MANIFEST.replace("1.25", "1.26"))
    assert "deployment.apps/web configured\n" in on(f"apply -f {manifest}").out
    on("-n shop rollout status deploy/web --timeout=60s")
    assert [line.split()[0] for line in on("-n shop rollout history deploy/web").out.splitlines()[2:4]] == ["1", "2"]
    assert on("-n shop rollout undo deploy/web").out == "deployment.apps/web rolled back\n"
    assert on("-n shop get deploy web -o jsonpath={.spec.template.spec.containers[0].image}").out == "nginx:1.25"

    assert on("-n shop scale deploy web --replicas=3").out == "deployment.apps/web scaled\n"
    assert on("-n shop wait deploy/web --for=jsonpath={.status.readyReplicas}=3 --timeout=60s").status == 0
    assert on("-n shop label deploy web tier=front").out == "deployment.apps/web labeled\n"
    assert on("-n shop rollout restart deploy/web").out == "deployment.apps/web restarted\n"
    assert "ScalingReplicaSet" in on("-n shop events --for deployment/web").out
    assert on("delete ns shop").out == 'namespace "shop" deleted\n'
    assert on("get ns shop").err == 'Error from server (NotFound): namespaces "shop" not found\n'


def _replica_set(on):
    return on("-n shop get rs -o jsonpath={.items[0].metadata.name}").out


def test_the_annotation_of_apply_speaks_the_dialect(on, server, tmp_path):
    manifest = tmp_path / "cm.yaml"
    manifest.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: noted}\n")
    on(f"apply -f {manifest}")
    assert f"kubectl.{server.dialect.domain}/last-applied-configuration" in on("get cm noted -o yaml").out


def test_a_long_list_is_read_in_chunks(on, tmp_path):
    manifest = tmp_path / "many.yaml"
    manifest.write_text(
        "---\n".join(
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: many-{i:02}, labels: {{many: yes!}}}}\n".replace("yes!", "'1'")
            for i in range(25)
        )
    )
    on(f"apply -f {manifest}")
    whole = on("get cm -l many=1 -o name").out
    assert len(whole.split()) == 25
    assert on("get cm -l many=1 -o name --chunk-size=4").out == whole
    assert on("delete cm -l many=1").out.count(" deleted\n") == 25


def test_objects_are_patched_by_every_type_but_with_one_result(on):
    on("create -f tests/cli/golden/manifests/cmnew.yaml")
    assert on('patch cm new --type=merge -p \'{"data":{"a":"2"}}\'').out == "configmap/new patched\n"
    assert (
        on('patch cm new --type=json -p \'[{"op":"replace","path":"/data/a","value":"2"}]\'').out == "configmap/new patched (no change)\n"
    )
    assert on("replace -f tests/cli/golden/manifests/cmnew.yaml").out == "configmap/new replaced\n"
    assert on("get cm new -o jsonpath={.data.a}").out == "1"
    assert on("delete cm new").out == 'configmap "new" deleted\n'


SAME = (
    "get namespaces -o name",
    "get nodes -o custom-columns=NAME:.metadata.name,CPU:.status.capacity.cpu,TAINTS:.spec.taints",
    "get nodes -o jsonpath='{range .items[*]}{.metadata.name}={.status.addresses[*].address}{\"\\n\"}{end}'",
    "get service kubernetes -o yaml",
    "get service kubernetes -o json",
    "get services,endpoints -o name",
    "get service kubernetes --no-headers -o custom-columns=X:.spec.ports[*].port",
    "get pods nope",
    "get nothing",
    "get pods -l 'a in (b'",
    "get pods --field-selector nope=1",
    "api-versions",
    "api-resources --no-headers",
    "api-resources -o wide",
    "get --raw /healthz",
    "describe namespace default",
    "delete configmap nope",
    "create -f tests/cli/golden/manifests/no-kind.yaml --validate=false",
)


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")
@pytest.mark.parametrize("command", SAME)
def test_kubectl_prints_the_same_on_the_same_cluster(command, servers, run):
    server = servers("kubernetes")
    ours = run(f"--kubeconfig {server.kubeconfig} {command}")
    line = f"kubectl --kubeconfig {server.kubeconfig} {command}"
    theirs = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert ours == (theirs.returncode, theirs.stdout.replace("kubectl", "svcsim"), theirs.stderr.replace("kubectl", "svcsim"))


def test_all_objects_share_the_time_that_a_wait_is_given(on):
    for name in ("one", "two", "three"):
        assert on(f"create configmap {name} -n default").status == 0
    waited = on("wait configmap/one configmap/two configmap/three --for=delete --timeout=1s")
    assert waited.status == 1
    assert waited.err.count("timed out waiting for the condition on configmaps/") == 3
    assert on("wait configmap/one configmap/gone --for=create --timeout=0").out == ""  # all, or none
    on("delete configmap one two three")


def test_a_command_line_that_diff_can_not_read_is_no_difference(on):
    assert (on("diff --bogus").status, on("wait --bogus").status) == (2, 1)


def test_events_can_not_steer_the_terminal(on, tmp_path):
    event = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "steering"}, "type": "Normal", "message": "m\x1b[2J",
        "reason": "R\x1b]0;x\x07", "involvedObject": {"kind": "Pod\x1b[31m", "name": "p\x1b[31m", "namespace": "default"},
    }  # fmt: skip
    (tmp_path / "event.json").write_text(json.dumps(event))
    assert on(f"create -f {tmp_path / 'event.json'}").status == 0
    for command in ("events", "events -A", "get events", "describe event steering"):
        assert "\x1b" not in on(command).out
    on("delete event steering")


def test_revisions_of_a_rollout_are_printed_as_objects(on):
    assert on("create deployment revised --image=nginx").status == 0
    on("rollout status deployment revised --timeout=60s")
    shown = json.loads(on("rollout history deployment revised -o json").out)
    assert (shown["kind"], shown["spec"]["template"]["spec"]["containers"][0]["image"]) == ("ReplicaSet", "nginx")
    assert on("rollout history deployment revised -o yaml --revision=1").out.startswith("apiVersion: apps/v1\nkind: ReplicaSet\n")
    assert on("rollout history deployment revised -o yaml --revision=7").err == "error: unable to find the specified revision\n"
    on("delete deployment revised")


def test_an_object_without_a_name_of_its_own_and_a_way_of_deleting_nobody_knows_are_refused_by_apply(on, tmp_path):
    file = tmp_path / "generated.yaml"
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: abc-}\n")
    assert on(f"apply -f {file}").err == "error: from abc-: cannot use generate name with apply\n"
    refused = 'error: invalid cascade value (foo). Must be "background", "foreground", or "orphan"\n'
    assert on(f"apply -f {file} --cascade=foo").err == refused


def test_what_happened_to_a_pod_is_told_in_order(on):
    def reasons(command: str, column: int) -> list[str]:
        lines = on(command).out.rpartition("Events:")[2].strip().splitlines()
        return [line.split()[column] for line in lines if line.split()[0] != "----"][1:]

    told = ["Scheduled", "Pulling", "Pulled", "Created", "Started"]
    on("run story --image=story:1")  # one that no other test has brought to a node
    on("wait --for=condition=Ready pod/story --timeout=60s")
    for _ in range(100):  # events are written beside the status
        if len(reasons("events --for pod/story", 2)) == len(told):
            break
    assert reasons("describe pod story", 1) == told
    assert reasons("events --for pod/story", 2) == told
    assert reasons("get events --field-selector involvedObject.name=story", 2) == told


def test_a_watch_leaves_out_managed_fields_where_objects_are_printed_whole_and_nowhere_else(on):
    assert on("create configmap watched --from-literal=a=b").status == 0
    watching = "get configmap watched -w --request-timeout=1s"
    event = json.loads(on(f"{watching} --output-watch-events -o json").out)
    assert (event["type"], event["object"]["metadata"]["name"], "managedFields" in event["object"]["metadata"]) == (
        "ADDED",
        "watched",
        False,
    )
    whole = json.loads(on(f"{watching} --output-watch-events -o json --show-managed-fields").out)
    assert whole["object"]["metadata"]["managedFields"]
    assert "managedFields" not in on(f"{watching} --output-watch-events -o yaml").out
    manager = whole["object"]["metadata"]["managedFields"][0]["manager"]
    assert on(f"{watching} -o jsonpath={{.metadata.managedFields[0].manager}}").out == manager
    assert manager in on(f"{watching} -o custom-columns=M:.metadata.managedFields[0].manager").out
    on("delete configmap watched")


ROLES = """
apiVersion: GROUP/v1
kind: ClusterRole
metadata: {name: rec, labels: {a: b}}
rules: [{verbs: [get, VERB], apiGroups: [""], resources: [pods]}, {verbs: [get], nonResourceURLs: [/x]}]
---
apiVersion: GROUP/v1
kind: RoleBinding
metadata: {name: rec, namespace: fresh}
roleRef: {apiGroup: GROUP, kind: ClusterRole, name: ROLE}
subjects: [{kind: User, name: USER, apiGroup: GROUP}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: rec}
"""


def test_roles_are_reconciled_and_what_it_took_is_told(on, server, tmp_path):
    """The words are kubectl's."""
    manifest, group = tmp_path / "roles.yaml", server.dialect.group("rbac.authorization")

    def reconciled(options="", *, verb="list", user="jane", role="rec"):
        content = ROLES.replace("GROUP", group).replace("VERB", verb).replace("USER", user).replace("ROLE", role)
        manifest.write_text(content)
        done = on(f"auth reconcile -f {manifest} {options}")
        assert (done.status, done.out) == (0, f"clusterrole.{group}/rec reconciled\nrolebinding.{group}/rec reconciled\n")
        return done.err.replace("\t", " ").splitlines()

    def rule(verbs, paths=""):
        where = ":[] Resources:[]" if paths else ":[] Resources:[pods]"
        return f"  {{Verbs:[{verbs}] APIGroups{where} ResourceNames:[] NonResourceURLs:[{paths}]}}"

    def who(name):
        return f"  {{Kind:User APIGroup:{group} Name:{name} Namespace:}}"

    create, update, rules, subjects = (
        " reconciliation required create",
        " reconciliation required update",
        " missing rules added:",
        " missing subjects added:",
    )
    assert reconciled() == [create, rules, rule("get list"), rule("get", "/x"), create, subjects, who("jane")]
    assert reconciled() == []
    assert reconciled(verb="watch", user="joe") == [update, rules, rule("watch"), update, subjects, who("joe")]
    options = "--remove-extra-permissions --remove-extra-subjects"
    gone = [" extra rules removed:", rule("watch"), update, " extra subjects removed:", who("joe")]
    assert reconciled(options) == [update, *gone]
    assert reconciled(role="view") == [" reconciliation required recreate"]
    assert on("get rolebinding rec -n fresh -o jsonpath={.roleRef.name}").out == "view"
    assert on("auth reconcile -f nowhere.yaml").status == 1
    assert "not supported yet" in on(f"auth reconcile --dry-run=server -f {manifest}").err
