"""The pod security standards: each check at its level, the three modes, versions, workloads, and labels of namespaces."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import MERGE, Answer, Wire

RESTRICTED: Object = {
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
}
"""What a container says that is let in everywhere."""


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp("home"), request.param, "--durability", "process", "--nodes", "0") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def space(wire: Wire, **labels: str) -> str:
    """The path of a namespace with such labels; in names ``_`` stands for a dash."""
    name = wire.fresh("space")
    labelled = {wire.dialect.key(key.replace("_", "-"), "pod-security"): value for key, value in labels.items()}
    wire.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labelled}})
    return f"/api/v1/namespaces/{name}"


def pod(container: Object | None = None, annotations: Object | None = None, **spec: object) -> Object:
    return {
        "metadata": {"name": "p", "annotations": annotations or {}},
        "spec": {"containers": [{"name": "c", "image": "i", **(container or {})}], **spec},
    }


def within(**context: object) -> Object:
    """A container with that security context, which is otherwise restricted."""
    return {"securityContext": {**RESTRICTED["securityContext"], **context}}


BASELINE = (
    (pod(hostNetwork=True, hostPID=True), "host namespaces (hostNetwork=true, hostPID=true)"),
    (
        pod(within(privileged=True, allowPrivilegeEscalation=True)),
        'privileged (container "c" must not set securityContext.privileged=true)',
    ),
    (
        pod(within(capabilities={"add": ["NET_ADMIN", "CHOWN"]})),
        'non-default capabilities (container "c" must not include "NET_ADMIN" in securityContext.capabilities.add)',
    ),
    (pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}]), 'hostPath volumes (volume "v")'),
    (pod({"ports": [{"containerPort": 80, "hostPort": 80}]}), 'hostPort (container "c" uses hostPort 80)'),
    (
        pod({"livenessProbe": {"httpGet": {"port": 80, "host": "10.0.0.1"}}}),
        'probe or lifecycle host (container "c" uses probe or lifecycle host "10.0.0.1")',
    ),
    (
        pod(securityContext={"appArmorProfile": {"type": "Unconfined"}}),
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    ),
    (
        pod(within(seLinuxOptions={"type": "spc_t", "user": "u"})),
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ),
    (
        pod(hostUsers=False, container=within(procMount="Unmasked")),
        'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ),
    (
        pod(securityContext={"seccompProfile": {"type": "Unconfined"}}),
        'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ),
    (pod(securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}), "forbidden sysctls (kernel.msgmax)"),
)
OF_RESTRICTED = (
    (
        pod(),
        (
            'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), '
            'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), '
            'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), '
            'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
        ),
    ),
    (
        pod(RESTRICTED, volumes=[{"name": "v", "nfs": {"server": "s", "path": "/"}}]),
        'restricted volume types (volume "v" uses restricted volume type "nfs")',
    ),
    (pod(within(runAsUser=0)), 'runAsUser=0 (container "c" must not set runAsUser=0)'),
    (
        pod(within(capabilities={"drop": ["ALL"], "add": ["CHOWN"]})),
        'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    ),
    (pod(within(runAsNonRoot=False)), 'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)'),
)


def refused(answer: Answer, level: str, why: str) -> None:
    assert (answer.status, answer.json.get("message")) == (403, f'pods "p" is forbidden: violates PodSecurity "{level}": {why}')


@pytest.fixture(scope="module")
def baseline(wire: Wire) -> str:
    return space(wire, enforce="baseline")


@pytest.fixture(scope="module")
def restricted(wire: Wire) -> str:
    return space(wire, enforce="restricted", enforce_version="v1.34")


@pytest.mark.parametrize(("body", "why"), BASELINE, ids=[why.partition(" ")[0] for _, why in BASELINE])
def test_baseline_forbids_what_is_dangerous(wire: Wire, baseline: str, body: Object, why: str) -> None:
    refused(wire.ask("POST", f"{baseline}/pods", body), "baseline:latest", why)


def test_baseline_lets_usual_pods_in(wire: Wire, baseline: str) -> None:
    usual = {"securityContext": {"runAsUser": 0, "capabilities": {"add": ["CHOWN"]}}}
    sysctl = {"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]}
    body = pod(usual, securityContext=sysctl, volumes=[{"name": "v", "nfs": {"server": "s", "path": "/"}}])
    assert wire.ask("POST", f"{baseline}/pods", body).status == 201


@pytest.mark.parametrize(("body", "why"), OF_RESTRICTED)
def test_restricted_demands_more(wire: Wire, restricted: str, body: Object, why: str) -> None:
    refused(wire.ask("POST", f"{restricted}/pods", body), "restricted:v1.34", why)


def test_restricted_lets_modest_pods_in(wire: Wire, restricted: str) -> None:
    answer = wire.ask("POST", f"{restricted}/pods", pod(RESTRICTED, volumes=[{"name": "v", "emptyDir": {}}]))
    assert answer.status == 201, answer.json
    late = {"spec": {"ephemeralContainers": [{"name": "late", "image": "i"}]}}
    patch = {"Content-Type": "application/strategic-merge-patch+json"}
    assert 'container "late" must set' in wire.ask("PATCH", f"{restricted}/pods/p/ephemeralcontainers", late, headers=patch).message
    assert wire.ask("PATCH", f"{restricted}/pods/p", {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE).status == 200
    assert wire.ask("DELETE", f"{restricted}/pods/p").status == 200


def test_older_versions_demand_less(wire: Wire) -> None:
    path = space(wire, enforce="restricted", enforce_version="v1.18")
    modest = {"securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True}}
    assert wire.ask("POST", f"{path}/pods", pod(modest)).status == 201
    windows = space(wire, enforce="restricted")
    assert wire.ask("POST", f"{windows}/pods", pod({"securityContext": {"runAsNonRoot": True}}, os={"name": "windows"})).status == 201


def test_pods_are_warned_of_where_they_are_let_in(wire: Wire) -> None:
    path = space(wire, warn="baseline")
    answer = wire.ask("POST", f"{path}/pods", pod(hostNetwork=True))
    told = 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'
    assert (answer.status, answer.headers["warning"]) == (201, '299 - "' + told.replace('"', '\\"') + '"')


def test_workloads_are_warned_of_and_never_refused(wire: Wire) -> None:
    path = space(wire, enforce="baseline").replace("/api/v1", "/apis/apps/v1")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"hostPID": True, "containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    answer = wire.ask("POST", f"{path}/deployments", {"metadata": {"name": "web"}, "spec": spec})
    assert answer.status == 201
    assert "host namespaces (hostPID=true)" in answer.headers["warning"]
    calm = space(wire, enforce="baseline", warn="privileged").replace("/api/v1", "/apis/apps/v1")
    answer = wire.ask("POST", f"{calm}/deployments", {"metadata": {"name": "web"}, "spec": spec})
    assert (answer.status, "warning" in answer.headers) == (201, False)


def test_labels_of_namespaces_are_checked_and_what_they_mean_is_told(wire: Wire) -> None:
    level, version = (wire.dialect.key(name, "pod-security") for name in ("enforce", "enforce-version"))
    wrong = {"metadata": {"name": wire.fresh("space"), "labels": {level: "strict", version: "1.2"}}}
    answer = wire.ask("POST", "/api/v1/namespaces", wrong)
    assert answer.status == 422
    assert {(cause["field"], cause["message"]) for cause in answer.json["details"]["causes"]} == {
        (f"metadata.labels[{level}]", 'Invalid value: "strict": must be one of privileged, baseline, restricted'),
        (f"metadata.labels[{version}]", 'Invalid value: "1.2": must be "latest" or "v1.x"'),
    }
    path = space(wire)
    name = path.rpartition("/")[2]
    for pod_name in ("a", "b"):
        body = pod(hostNetwork=True)
        wire.create(f"{path}/pods", {**body, "metadata": {"name": pod_name}})
    answer = wire.ask("PATCH", path, {"metadata": {"labels": {level: "baseline"}}}, content_type=MERGE)
    assert answer.status == 200
    assert (
        f'existing pods in namespace \\"{name}\\" violate the new PodSecurity enforce level \\"baseline:latest\\"'
        in answer.headers["warning"]
    )
    assert "a (and 1 other pod): host namespaces" in answer.headers["warning"]
    assert wire.ask("PATCH", path, {"metadata": {"labels": {level: "nonsense"}}}, content_type=MERGE).status == 422


def test_changes_that_matter_to_no_standard_are_let_in_whatever_the_level_is_now(wire: Wire) -> None:
    path = space(wire)
    name = path.rpartition("/")[2]
    gated = pod({"resources": {"requests": {"cpu": "100m"}}}, schedulingGates=[{"name": "example.com/later"}])
    wire.create(f"{path}/pods", gated)
    label = {"metadata": {"labels": {wire.dialect.key("enforce", "pod-security"): "restricted"}}}
    assert wire.ask("PATCH", f"/api/v1/namespaces/{name}", label, content_type=MERGE).status == 200
    chosen = {"spec": {"nodeSelector": {"disk": "fast"}, "schedulingGates": None}}
    assert wire.ask("PATCH", f"{path}/pods/p", chosen, content_type=MERGE).status == 200
    resized = {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "200m"}}}]}}
    strategic = "application/strategic-merge-patch+json"
    assert wire.ask("PATCH", f"{path}/pods/p/resize", resized, content_type=strategic).status == 200
    other = {"spec": {"containers": [{"name": "c", "image": "other"}]}}
    assert wire.ask("PATCH", f"{path}/pods/p", other, content_type=strategic).status == 403


def test_a_looser_level_warns_of_nobody(wire: Wire) -> None:
    path = space(wire)
    wire.create(f"{path}/pods", pod(within(privileged=True, allowPrivilegeEscalation=True)))
    key = wire.dialect.key("enforce", "pod-security")
    warned = [
        "warning" in wire.ask("PATCH", path, {"metadata": {"labels": {key: level}}}, content_type=MERGE).headers
        for level in ("restricted", "baseline", "restricted")
    ]
    assert warned == [True, False, True]


@pytest.mark.parametrize(("version", "status"), [("v1.30", 403), ("v1.31", 201), ("latest", 201)])
def test_the_type_of_container_engines_is_let_in_since_1_31(wire: Wire, version: str, status: int) -> None:
    path = space(wire, enforce="baseline", enforce_version=version)
    assert wire.ask("POST", f"{path}/pods", pod(within(seLinuxOptions={"type": "container_engine_t"}))).status == status


def test_app_armor_is_said_by_annotations_still(wire: Wire) -> None:
    first, second = (f"container.apparmor.security.beta.{wire.dialect.domain}/{name}" for name in "cd")
    pods = f"{space(wire, enforce='baseline')}/pods"
    other: Object = {"name": "d", "image": "i"}
    unconfined: Object = {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}
    one = f'annotation must not set AppArmor profile type to "{first}=\\"unconfined\\""'
    two = f'annotations must not set AppArmor profile type to "{first}=\\"unconfined\\"", "{second}=\\"unconfined\\""'
    both = f'pod and annotation must not set AppArmor profile type to "Unconfined", "{first}=\\"unconfined\\""'
    table = (
        (pod(annotations={first: "unconfined"}), f"forbidden AppArmor profile ({one})"),
        (
            pod(annotations={first: "unconfined", second: "unconfined"}, containers=[{"name": "c", "image": "i"}, other]),
            f"forbidden AppArmor profiles ({two})",
        ),
        (pod(annotations={first: "unconfined"}, **unconfined), f"forbidden AppArmor profiles ({both})"),
    )
    for body, why in table:
        refused(wire.ask("POST", pods, body), "baseline:latest", why)


def test_seccomp_was_said_by_annotations_once(wire: Wire) -> None:
    of_pod, of_container = (wire.dialect.key(name, f"{of}seccomp.security.alpha") for of, name in (("", "pod"), ("container.", "c")))
    other = wire.dialect.key("other", "container.seccomp.security.alpha")
    old, new = (space(wire, enforce="baseline", enforce_version=version) for version in ("v1.18", "v1.19"))
    for annotations in ({of_pod: "runtime/default"}, {of_container: "localhost/p"}, {of_pod: "docker/default"}, {other: "unconfined"}):
        assert wire.ask("POST", f"{old}/pods", pod(annotations=annotations), dryRun="All").status == 201
    wrong = {of_pod: "unconfined", of_container: "unconfined"}
    assert wire.ask("POST", f"{new}/pods", pod(annotations=wrong)).status == 201
    refused = wire.ask("POST", f"{old}/pods", pod(annotations=wrong))
    told = f'seccompProfile (forbidden annotations {of_container}="unconfined", {of_pod}="unconfined")'
    assert (refused.status, refused.message.endswith(told)) == (403, True), refused.message
    refused = wire.ask("POST", f"{old}/pods", pod(annotations={of_pod: "unconfined"}))
    assert refused.message.endswith(f'seccompProfile (forbidden annotation {of_pod}="unconfined")')
