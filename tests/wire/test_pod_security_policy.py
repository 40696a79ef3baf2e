"""Pods under policies: who may use which, what they fill in, what they refuse, and in which words."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.granting import allowed, grant
from tests.wire.raw import MERGE, STRATEGIC, Answer, Wire

POLICIES = "/apis/policy/v1beta1/podsecuritypolicies"
ANY: Object = {"rule": "RunAsAny"}
OPEN: Object = {**dict.fromkeys(("seLinux", "runAsUser", "supplementalGroups", "fsGroup"), ANY), "volumes": ["*"]}
"""Lets in what nothing else is said of."""
RANGES = {"ranges": [{"min": 5, "max": 7}, {"min": 9, "max": 9}]}
MUST: Object = {"rule": "MustRunAs", **RANGES}
MAY: Object = {"rule": "MayRunAs", **RANGES}
LABELS = {"level": "s0:c1,c2", "role": "r", "type": "t", "user": "u"}


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "0", "--enable-admission-plugins", "PodSecurityPolicy")
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


@pytest.fixture(autouse=True)
def without_policies(wire: Wire) -> Iterator[None]:
    yield
    assert wire.ask("DELETE", POLICIES).status == 200


class User:
    """Somebody who may write pods in a namespace of their own, and use policies."""

    def __init__(self, wire: Wire, *policies: str, group: str = "policy") -> None:
        self.wire = wire
        self.namespace = wire.namespace()
        self.pods = f"/api/v1/namespaces/{self.namespace}/pods"
        resources = ["pods", "pods/ephemeralcontainers"]
        writing = {"apiGroups": [""], "resources": resources, "verbs": ["get", "create", "update", "patch"]}
        self.headers = allowed(wire, writing, *_use(policies, group), namespace=self.namespace)

    def create(self, name: str = "p", *, container: Object | None = None, annotations: Object | None = None, **spec: object) -> Answer:
        """A pod without a token, unless it wants one: that would be a volume."""
        main = {"name": "c", "image": "i", **(container or {})}
        told = {"automountServiceAccountToken": False, "containers": [main], **spec}
        metadata = {"name": name, "annotations": annotations or {}}
        return self.wire.ask("POST", self.pods, {"metadata": metadata, "spec": told}, headers=self.headers)

    def change(self, patch: Object, name: str = "p") -> Answer:
        return self.wire.ask("PATCH", f"{self.pods}/{name}", patch, content_type=MERGE, headers=self.headers)


def _use(policies: tuple[str, ...], group: str = "policy") -> list[Object]:
    rule = {"apiGroups": [group], "resources": ["podsecuritypolicies"], "resourceNames": list(policies), "verbs": ["use"]}
    return [rule] if policies else []


def policy(wire: Wire, name: str = "policy", annotations: Object | None = None, **spec: object) -> str:
    """A policy that is open but for what is said."""
    wire.create(POLICIES, {"metadata": {"name": name, "annotations": annotations or {}}, "spec": {**OPEN, **spec}})
    return name


def made(answer: Answer) -> Object:
    assert answer.status == 201, answer.message
    pod: Object = answer.json
    return pod


def let_in_by(wire: Wire, answer: Answer) -> str:
    name: str = made(answer)["metadata"]["annotations"][wire.dialect.key("psp")]
    return name


def refused(answer: Answer, *findings: str, verb: str = "admit") -> None:
    why = f"PodSecurityPolicy: unable to {verb} pod: [{' '.join(findings)}]"
    assert (answer.status, answer.json.get("reason"), answer.message) == (403, "Forbidden", f'pods "p" is forbidden: {why}')


# --- Who may use which ---


def test_without_policies_no_pod_is_let_in(wire: Wire) -> None:
    answer = User(wire).create()
    wanted = 'pods "p" is forbidden: PodSecurityPolicy: no providers available to validate pod request'
    assert (answer.status, answer.message) == (403, wanted)


def test_a_policy_that_nobody_may_use_lets_nobody_in(wire: Wire) -> None:
    policy(wire, "closed", volumes=[])
    policy(wire, "open")
    refused(User(wire).create())
    empty = [{"name": "v", "emptyDir": {}}]
    refused(
        User(wire, "closed").create(volumes=empty),
        'spec.volumes[0]: Invalid value: "emptyDir": emptyDir volumes are not allowed to be used',
    )


@pytest.mark.parametrize("group", ["policy", "extensions"])
def test_the_user_may_use_it(wire: Wire, group: str) -> None:
    user = User(wire, policy(wire), group=group)
    assert let_in_by(wire, user.create(annotations={wire.dialect.key("psp"): "forged"})) == "policy"


def test_or_the_service_account_in_its_namespace(wire: Wire) -> None:
    user, elsewhere = User(wire), User(wire)
    account = {"kind": "ServiceAccount", "name": "default", "namespace": user.namespace}
    grant(wire, account, *_use((policy(wire),)), namespace=user.namespace)
    assert let_in_by(wire, user.create()) == "policy"
    refused(elsewhere.create())


def test_all_accounts_of_a_namespace_may(wire: Wire) -> None:
    user = User(wire)
    rbac = wire.dialect.group("rbac.authorization")
    accounts = {"kind": "Group", "name": f"system:serviceaccounts:{user.namespace}", "apiGroup": rbac}
    grant(wire, accounts, *_use((policy(wire),)))
    assert let_in_by(wire, user.create()) == "policy"


# --- Which of several ---


def test_the_one_that_changes_nothing_is_preferred_and_then_the_first_by_name(wire: Wire) -> None:
    policy(wire, "a", runAsUser=MUST)
    policy(wire, "b", readOnlyRootFilesystem=True)
    user = User(wire, "a", "b", "c", "d")
    first = made(user.create())
    assert first["metadata"]["annotations"][wire.dialect.key("psp")] == "a"
    assert first["spec"]["containers"][0]["securityContext"] == {"runAsUser": 5}
    policy(wire, "c")
    policy(wire, "d")
    second = made(user.create("q"))
    assert second["metadata"]["annotations"][wire.dialect.key("psp")] == "c"
    assert "securityContext" not in second["spec"]["containers"][0]


def test_what_no_policy_lets_in_is_told_of_all_that_may_be_used(wire: Wire) -> None:
    for name in ("c", "a", "b"):
        policy(wire, name, hostNetwork=name == "c", hostPID=name == "a")
    findings = [f"spec.securityContext.{name}: Invalid value: true: {told} is not allowed to be used" for name, told in HOST[:2]]
    network, pid = findings
    refused(User(wire, "a", "c").create(hostNetwork=True, hostPID=True), network, pid)


def test_updates_change_nothing_and_need_a_policy_that_lets_the_pod_in_as_it_is(wire: Wire) -> None:
    policy(wire, "a", runAsUser=MUST)
    user = User(wire, "a", "b", "c")
    made(user.create())
    labelled = {"metadata": {"labels": {"a": "b"}}}
    assert user.change(labelled).status == 200
    assert wire.ask("DELETE", f"{POLICIES}/a").status == 200
    policy(wire, "b", privileged=False, runAsUser={"rule": "MustRunAs", "ranges": [{"min": 1, "max": 2}]})
    found = "spec.containers[0].securityContext.runAsUser: Invalid value: 5: must be in the ranges: [{1 2}]"
    refused(user.change({"metadata": {"labels": {"a": "c"}}}), found, verb="validate")
    assert user.change({"metadata": {"finalizers": ["example.com/hold"]}}).status == 200, "the garbage collector's part is free"
    assert user.change({"metadata": {"finalizers": []}}).status == 200
    policy(wire, "c", readOnlyRootFilesystem=True)
    refused(user.change({"metadata": {"labels": {"a": "c"}}}), found, verb="validate")


def test_late_containers_are_looked_at_too(wire: Wire) -> None:
    user = User(wire, policy(wire, allowPrivilegeEscalation=False))
    made(user.create())
    late: Object = {"name": "late", "image": "i", "securityContext": {"privileged": True, "allowPrivilegeEscalation": True}}

    def added() -> Answer:
        path = f"{user.pods}/p/ephemeralcontainers"
        return wire.ask("PATCH", path, {"spec": {"ephemeralContainers": [late]}}, content_type=STRATEGIC, headers=user.headers)

    where = "spec.ephemeralContainers[0].securityContext"
    refused(
        added(),
        f"{where}.privileged: Invalid value: true: Privileged containers are not allowed",
        f"{where}.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed",
    )
    late["securityContext"] = {}
    answer = added()
    assert answer.status == 200, answer.message
    assert answer.json["spec"]["ephemeralContainers"][0]["securityContext"] == {"allowPrivilegeEscalation": False}


# --- What is filled in ---


def test_what_a_policy_fills_in(wire: Wire) -> None:
    key = wire.dialect.key
    annotations = {
        key("defaultProfileName", "seccomp.security.alpha"): "runtime/default",
        key("allowedProfileNames", "seccomp.security.alpha"): "docker/default",
        key("defaultProfileName", "apparmor.security.beta"): "runtime/default",
        key("allowedProfileNames", "apparmor.security.beta"): "runtime/default,localhost/a",
    }
    spec = {
        **dict.fromkeys(("runAsUser", "runAsGroup", "supplementalGroups", "fsGroup"), MUST),
        "seLinux": {"rule": "MustRunAs", "seLinuxOptions": LABELS},
        "defaultAddCapabilities": ["CHOWN", "KILL"],
        "requiredDropCapabilities": ["NET_RAW"],
        "allowedCapabilities": ["SETUID"],
        "readOnlyRootFilesystem": True,
        "defaultAllowPrivilegeEscalation": False,
    }
    user = User(wire, policy(wire, annotations=annotations, **spec))
    own = {"securityContext": {"runAsUser": 9, "capabilities": {"add": ["SETUID"], "drop": ["KILL"]}}}
    first = [{"name": "first", "image": "i"}]
    pod = made(user.create(container=own, initContainers=first))
    seccomp = {"type": "RuntimeDefault"}
    of_pod = {"supplementalGroups": [5], "fsGroup": 5, "seLinuxOptions": LABELS, "seccompProfile": seccomp}
    assert pod["spec"]["securityContext"] == of_pod
    common = {"runAsGroup": 5, "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False}
    contexts = [one["securityContext"] for one in (*pod["spec"]["initContainers"], *pod["spec"]["containers"])]
    assert contexts == [
        {**common, "runAsUser": 5, "capabilities": {"add": ["CHOWN", "KILL"], "drop": ["NET_RAW"]}},
        {**common, "runAsUser": 9, "capabilities": {"add": ["CHOWN", "SETUID"], "drop": ["KILL", "NET_RAW"]}},
    ]
    assert pod["metadata"]["annotations"] == {
        key("psp"): "policy",
        key("pod", "seccomp.security.alpha"): "runtime/default",
        **{key(name, "container.apparmor.security.beta"): "runtime/default" for name in ("first", "c")},
    }
    assert user.change({"metadata": {"labels": {"a": "b"}}}).status == 200


def test_what_a_pod_says_for_all_its_containers_stays(wire: Wire) -> None:
    user = User(wire, policy(wire, runAsUser=MUST, runAsGroup=MAY, supplementalGroups=MAY, fsGroup=MAY))
    context = {"runAsUser": 6, "runAsGroup": 7, "fsGroup": 9, "supplementalGroups": [5, 9]}
    pod = made(user.create(securityContext=context))
    assert pod["spec"]["securityContext"] == context
    assert "securityContext" not in pod["spec"]["containers"][0]
    assert "securityContext" not in made(User(wire, policy(wire, "q", fsGroup=MAY)).create())["spec"]["containers"][0]


def test_where_nobody_knows_the_user_the_node_sees_to_it_that_it_isnt_root(wire: Wire) -> None:
    user = User(wire, policy(wire, runAsUser={"rule": "MustRunAsNonRoot"}))
    assert made(user.create())["spec"]["containers"][0]["securityContext"] == {"runAsNonRoot": True}
    assert "securityContext" not in made(user.create("q", securityContext={"runAsUser": 4}))["spec"]["containers"][0]


def test_runtime_classes(wire: Wire) -> None:
    classes = f"/apis/{wire.dialect.group('node')}/v1/runtimeclasses"
    for name in ("usual", "other"):
        if wire.ask("GET", f"{classes}/{name}").status == 404:
            wire.create(classes, {"metadata": {"name": name}, "handler": "h"})
    rule = {"allowedRuntimeClassNames": ["usual"], "defaultRuntimeClassName": "usual"}
    user = User(wire, policy(wire, runtimeClass=rule))
    assert made(user.create())["spec"]["runtimeClassName"] == "usual"
    refused(User(wire, "policy").create(runtimeClassName="other"), 'spec.runtimeClassName: Invalid value: "other"')
    anyone = User(wire, policy(wire, "any", runtimeClass={"allowedRuntimeClassNames": ["*"]}))
    assert made(anyone.create(runtimeClassName="other"))["spec"]["runtimeClassName"] == "other"


# --- What is refused ---

HOST = (("hostNetwork", "Host network"), ("hostPID", "Host PID"), ("hostIPC", "Host IPC"))
C = "spec.containers[0]"
IN = f"{C}.securityContext"
ROOT = {"rule": "MustRunAsNonRoot"}
ANNOTATION = "pod.metadata.annotations"
CONTAINERS: tuple[tuple[Object, Object, str], ...] = (
    ({}, {"privileged": True}, f"{IN}.privileged: Invalid value: true: Privileged containers are not allowed"),
    (
        {"runAsUser": MUST},
        {"runAsUser": 8},
        f"{IN}.runAsUser: Invalid value: 8: must be in the ranges: [{{5 7}} {{9 9}}]",
    ),
    (
        {"runAsGroup": MAY},
        {"runAsGroup": 1},
        f"{IN}.runAsGroup: Invalid value: [1]: group 1 must be in the ranges: [{{5 7}} {{9 9}}]",
    ),
    ({"runAsUser": ROOT}, {"runAsUser": 0}, f"{IN}.runAsUser: Invalid value: 0: running with the root UID is forbidden"),
    ({"runAsUser": ROOT}, {"runAsNonRoot": False}, f"{IN}.runAsNonRoot: Invalid value: false: must be true"),
    (
        {"seLinux": {"rule": "MustRunAs", "seLinuxOptions": LABELS}},
        {"seLinuxOptions": {**LABELS, "level": "s0:c2,c1", "type": "other"}},
        f'{IN}.seLinuxOptions.type: Invalid value: "other": must be t',
    ),
    ({}, {"capabilities": {"add": ["KILL"]}}, f'{IN}.capabilities.add: Invalid value: "KILL": capability may not be added'),
    (
        {"readOnlyRootFilesystem": True},
        {"readOnlyRootFilesystem": False},
        f"{IN}.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true",
    ),
    (
        {"allowPrivilegeEscalation": False},
        {"allowPrivilegeEscalation": True},
        f"{IN}.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed",
    ),
    (
        {},
        {"seccompProfile": {"type": "RuntimeDefault"}},
        f"{ANNOTATION}[container.seccomp.security.alpha.DOMAIN/c]: Forbidden: seccomp may not be set",
    ),
)


@pytest.mark.parametrize(("rules", "context", "finding"), CONTAINERS)
def test_containers_have_what_the_policy_allows(wire: Wire, rules: Object, context: Object, finding: str) -> None:
    user = User(wire, policy(wire, **rules))
    refused(user.create(container={"securityContext": context}), finding.replace("DOMAIN", wire.dialect.domain))


@pytest.mark.parametrize(("name", "told"), HOST)
def test_namespaces_of_the_node(wire: Wire, name: str, told: str) -> None:
    user = User(wire, policy(wire))
    refused(user.create(**{name: True}), f"spec.securityContext.{name}: Invalid value: true: {told} is not allowed to be used")
    made(User(wire, policy(wire, "allowing", **{name: True})).create(**{name: True}))


def test_proc_mounts(wire: Wire) -> None:
    unmasked = {"container": {"securityContext": {"procMount": "Unmasked"}}, "hostUsers": False}
    refused(User(wire, policy(wire)).create(**unmasked), f'{IN}.procMount: Invalid value: "Unmasked": ProcMountType is not allowed')
    made(User(wire, policy(wire, "allowing", allowedProcMountTypes=["Unmasked"])).create(**unmasked))


def test_groups_of_pods(wire: Wire) -> None:
    user = User(wire, policy(wire, fsGroup=MUST, supplementalGroups=MAY))
    told = "must be in the ranges: [{5 7} {9 9}]"
    refused(
        user.create(securityContext={"fsGroup": 1, "supplementalGroups": [5, 2]}),
        f"spec.securityContext.fsGroup: Invalid value: [1]: group 1 {told}",
        f"spec.securityContext.supplementalGroups: Invalid value: [5,2]: group 2 {told}",
    )


def test_ports_of_the_node(wire: Wire) -> None:
    user = User(wire, policy(wire, hostPorts=[{"min": 80, "max": 90}, {"min": 443, "max": 443}]))

    def ports(*wanted: int) -> Object:
        return {"ports": [{"containerPort": 1 + port, "hostPort": port} for port in wanted]}

    told = "Host port 79 is not allowed to be used. Allowed ports: [80-90,443]"
    refused(user.create(container=ports(80, 79)), f"{C}.hostPort: Invalid value: 79: {told}")
    made(user.create(container=ports(80, 443)))


def test_volumes(wire: Wire) -> None:
    user = User(wire, policy(wire, volumes=["configMap", "secret"]))
    volumes = [{"name": "a", "configMap": {"name": "m"}}, {"name": "b", "emptyDir": {}}, {"name": "c", "cephfs": {"monitors": ["m"]}}]
    refused(
        user.create(volumes=volumes),
        'spec.volumes[1]: Invalid value: "emptyDir": emptyDir volumes are not allowed to be used',
        'spec.volumes[2]: Invalid value: "cephFS": cephFS volumes are not allowed to be used',
    )
    pod = made(user.create(automountServiceAccountToken=True))
    assert "projected" in pod["spec"]["volumes"][0], "where secrets are allowed, so is what every pod is given"
    own = [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "token", "audience": "vault"}}]}}]
    told = 'spec.volumes[0]: Invalid value: "projected": projected volumes are not allowed to be used'
    refused(User(wire, "policy").create(volumes=own), told)
    refused(User(wire, policy(wire, "none", volumes=["configMap"])).create(automountServiceAccountToken=True), told)


def test_directories_of_the_node(wire: Wire) -> None:
    user = User(wire, policy(wire, allowedHostPaths=[{"pathPrefix": "/a/"}, {"pathPrefix": "/b", "readOnly": True}]))

    def at(path: str, **mount: object) -> Object:
        mounts = [{"name": "v", "mountPath": "/m", **mount}]
        return {"volumes": [{"name": "v", "hostPath": {"path": path}}], "container": {"volumeMounts": mounts}}

    for index, good in enumerate((at("/a"), at("/a/b/"), at("/b/c", readOnly=True))):
        made(user.create(f"p{index}", **good))
    told = "spec.volumes[0].hostPath.pathPrefix: Invalid value"
    for path in ("/ab", "/", "/c"):
        refused(user.create(**at(path)), f'{told}: "{path}": is not allowed to be used')
    refused(user.create(**at("/b")), f"{C}.volumeMounts[0].readOnly: Invalid value: false: must be read-only")


def test_drivers(wire: Wire) -> None:
    user = User(wire, policy(wire, allowedFlexVolumes=[{"driver": "a/x"}], allowedCSIDrivers=[{"name": "x.example.com"}]))

    def with_drivers(flex: str, csi: str) -> list[Object]:
        return [{"name": "a", "flexVolume": {"driver": flex}}, {"name": "b", "csi": {"driver": csi}}]

    made(user.create("q", volumes=with_drivers("a/x", "x.example.com")))
    refused(
        user.create(volumes=with_drivers("a/y", "y.example.com")),
        'spec.volumes[0].driver: Invalid value: "a/y": Flexvolume driver is not allowed to be used',
        'spec.volumes[1].csi.driver: Invalid value: "y.example.com": Inline CSI driver is not allowed to be used',
    )


def test_sysctls(wire: Wire) -> None:
    rules = {"allowedUnsafeSysctls": ["net.core.*", "vm.a"], "forbiddenSysctls": ["kernel.shm_rmid_forced"]}
    user = User(wire, policy(wire, **rules))

    def asking(*names: str) -> Object:
        return {"sysctls": [{"name": name, "value": "1"} for name in names]}

    made(user.create("q", securityContext=asking("net.core.somaxconn", "net/core/a", "vm.a", "net.ipv4.tcp_syncookies")))
    where = "pod.spec.securityContext.sysctls"
    refused(
        user.create(securityContext=asking("kernel.shm_rmid_forced", "vm.b", "kernel/shm_rmid_forced")),
        f'{where}[0]: Forbidden: sysctl "kernel.shm_rmid_forced" is not allowed',
        f'{where}[1]: Forbidden: unsafe sysctl "vm.b" is not allowed',
        f'{where}[2]: Forbidden: sysctl "kernel/shm_rmid_forced" is not allowed',
    )


def test_capabilities(wire: Wire) -> None:
    user = User(wire, policy(wire, allowedCapabilities=["*"]))
    made(user.create(container={"securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}}))
    listed = User(wire, policy(wire, "listed", allowedCapabilities=["KILL"], defaultAddCapabilities=["CHOWN"]))
    made(listed.create(container={"securityContext": {"capabilities": {"add": ["CHOWN", "KILL"]}}}))


def test_profiles(wire: Wire) -> None:
    key = wire.dialect.key
    annotations = {
        key("allowedProfileNames", "seccomp.security.alpha"): "localhost/a,runtime/default",
        key("allowedProfileNames", "apparmor.security.beta"): "localhost/b",
    }
    user = User(wire, policy(wire, annotations=annotations))
    seccomp, of_container = key("pod", "seccomp.security.alpha"), key("c", "container.seccomp.security.alpha")
    armor = key("c", "container.apparmor.security.beta")
    listed = "is not an allowed seccomp profile. Valid values are localhost/a,runtime/default"
    refused(
        user.create(),
        f"{ANNOTATION}[{seccomp}]: Forbidden:  {listed}",
        f"{ANNOTATION}[{armor}]: Forbidden: AppArmor profile must be set",
        f"{ANNOTATION}[{of_container}]: Forbidden:  {listed}",
    )
    unconfined = {"seccompProfile": {"type": "Unconfined"}, "appArmorProfile": {"type": "RuntimeDefault"}}
    refused(
        user.create(securityContext=unconfined),
        f"{ANNOTATION}[{seccomp}]: Forbidden: unconfined {listed}",
        f'{ANNOTATION}[{armor}]: Forbidden: runtime/default is not an allowed profile. Allowed values: "localhost/b"',
        f"{ANNOTATION}[{of_container}]: Forbidden: unconfined {listed}",
    )
    local = {"type": "Localhost", "localhostProfile": "a"}
    right = {"seccompProfile": local, "appArmorProfile": {"type": "Localhost", "localhostProfile": "b"}}
    assert made(user.create(securityContext=right))["spec"]["securityContext"] == right
    noted = made(user.create("q", annotations={seccomp: "docker/default", of_container: "localhost/a", armor: "localhost/b"}))
    assert noted["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, "what was checked is what counts"
    assert noted["spec"]["containers"][0]["securityContext"]["seccompProfile"] == local


# --- The plugin ---


def test_a_policy_that_insists_on_labels_it_doesnt_say_is_none(wire: Wire) -> None:
    answer = User(wire, policy(wire, seLinux={"rule": "MustRunAs"})).create()
    assert "no providers available to validate pod request" in answer.message


def test_odd_pods_are_refused_as_anywhere(wire: Wire) -> None:
    user = User(wire, policy(wire, runAsUser=MUST))
    for spec in (
        {"containers": []},
        {"containers": [{}]},
        {},
        {"containers": [{"name": "c"}], "volumes": [{}, {"name": "x", "hostPath": {}}]},
    ):
        answer = wire.ask("POST", user.pods, {"metadata": {"name": "p"}, "spec": spec}, headers=user.headers)
        assert answer.status == 422, answer.json


def test_it_is_off_by_default_and_on_its_way_out(wire: Wire, svcapi_server: Wire, kubernetes_server: Wire) -> None:
    assert "PodSecurityPolicy admission controller is deprecated. Please remove this controller" in wire.server.log
    for server in (svcapi_server, kubernetes_server):
        made(User(server).create())
        warned = server.ask("GET", POLICIES).headers["warning"]
        assert warned == '299 - "policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+, unavailable in v1.25+"'
