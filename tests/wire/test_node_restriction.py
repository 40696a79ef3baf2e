"""What the agent of a node may write: its own node, without what draws other work to it, and what runs there."""

import base64
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import MERGE, Wire
from tests.wire.test_auth import issue
from tests.wire.test_certificates import CLIENT, SERVING, pem
from tests.wire.test_nodes_rights import Agent

NODES = "/api/v1/nodes"


@pytest.fixture
def node(wire: Wire) -> str:
    name = wire.fresh("restricted")
    wire.create(NODES, {"metadata": {"name": name}})
    return name


@pytest.fixture
def agent(wire: Wire, tmp_path: Path, node: str) -> Iterator[Agent]:
    found = Agent(wire, _identity(wire, tmp_path, node))
    yield found
    found.close()


def _identity(wire: Wire, directory: Path, node: str) -> ssl.SSLContext:
    return issue(wire.server.pki, directory, f"system:node:{node}", "system:nodes")


def labels(agent: Agent, node: str, found: Object) -> tuple[int, Object]:
    return agent.ask("PATCH", f"{NODES}/{node}", {"metadata": {"labels": found}}, MERGE)


def test_an_agent_labels_its_own_node_with_what_it_knows(wire: Wire, agent: Agent, node: str) -> None:
    key, kind = wire.dialect.key, wire.dialect.node_agent
    allowed = [
        key("hostname"),
        key("os"),
        key("arch"),
        key("zone", "topology"),
        key("instance-type", "node"),
        key("x", kind),
        "example.com/x",
    ]
    allowed.append(key("x", f"deep.{kind}"))
    for one in allowed:
        status, answer = labels(agent, node, {one: "v"})
        assert status == 200, answer
    restricted = f"node-restriction.{wire.dialect.domain}/team"
    for one in (restricted, f"a.{restricted}", key("anything"), key("control-plane", "node-role")):
        status, answer = labels(agent, node, {one: "v"})
        assert (status, answer["message"]) == (
            403,
            f'nodes "{node}" is forbidden: is not allowed to modify labels: {one}',
        )
    assert wire.ask("PATCH", f"{NODES}/{node}", {"metadata": {"labels": {restricted: "v"}}}, content_type=MERGE).status == 200
    assert labels(agent, node, {"example.com/y": "v"})[0] == 200, "what others have set may stay"
    assert labels(agent, node, {restricted: None})[0] == 403


def test_it_does_not_touch_taints_nor_other_nodes(wire: Wire, agent: Agent, node: str) -> None:
    status, answer = agent.ask("PATCH", f"{NODES}/{node}", {"spec": {"taints": [{"key": "mine", "effect": "NoSchedule"}]}}, MERGE)
    assert (status, answer["message"].partition(": ")[2]) == (403, f'node "{node}" is not allowed to modify taints')
    assert agent.ask("PATCH", f"{NODES}/{node}", {"spec": {"unschedulable": True}}, MERGE)[0] == 200
    other = wire.fresh("other")
    wire.create(NODES, {"metadata": {"name": other}})
    for path in (f"{NODES}/{other}", f"{NODES}/{other}/status"):
        status, answer = agent.ask("PATCH", path, {"metadata": {"annotations": {"a": "b"}}}, MERGE)
        assert (status, answer["reason"]) == (403, "Forbidden")
    assert agent.ask("DELETE", f"{NODES}/{node}")[0] == 403


def test_it_registers_its_node_and_no_other(wire: Wire, tmp_path: Path) -> None:
    name, wrong = wire.fresh("late"), f"node-restriction.{wire.dialect.domain}/team"
    agent = Agent(wire, _identity(wire, tmp_path, name))
    assert f'is not allowed to modify node "{name}-2"' in agent.refusal("POST", NODES, {"metadata": {"name": f"{name}-2"}})
    made = {"metadata": {"name": name, "labels": {wrong: "v", wire.dialect.key("x"): "v"}}}
    told = f'node "{name}" is not allowed to set the following labels: {", ".join(sorted(made["metadata"]["labels"]))}'
    assert agent.refusal("POST", NODES, made).endswith(told)
    assert agent.ask("POST", NODES, {"metadata": {"name": name, "labels": {wire.dialect.key("hostname"): name}}})[0] == 201
    agent.close()


SOURCE = {"configMap": {"namespace": "kube-system", "name": "settings", "kubeletConfigKey": "settings"}}
"""Where an agent's configuration once stood."""


def test_it_refers_to_no_configuration_that_others_have_not_given_it(wire: Wire, tmp_path: Path, agent: Agent, node: str) -> None:
    path, set_own = f"{NODES}/{node}", {"spec": {"configSource": SOURCE}}
    why = f'nodes "{node}" is forbidden: node "{node}" is not allowed to update configSource to a new non-nil configSource'
    status, answer = agent.ask("PATCH", path, set_own, MERGE)
    assert (status, answer["message"]) == (403, why)
    assert wire.ask("PATCH", path, set_own, content_type=MERGE).status == 200
    assert agent.ask("PATCH", path, {"metadata": {"labels": {"example.com/x": "v"}}}, MERGE)[0] == 200, "what others have set may stay"
    other = {"spec": {"configSource": {"configMap": {"name": "others"}}}}
    status, answer = agent.ask("PATCH", path, other, MERGE)
    assert (status, answer["message"]) == (403, why)
    assert agent.ask("PATCH", path, {"spec": {"configSource": None}}, MERGE)[0] == 200
    name = wire.fresh("late")
    late = Agent(wire, _identity(wire, tmp_path, name))
    refused = late.refusal("POST", NODES, {"metadata": {"name": name}, **set_own})
    assert refused == f'nodes "{name}" is forbidden: node "{name}" is not allowed to create pods with a non-nil configSource'
    late.close()


def mirror(wire: Wire, node: str, uid: str, **spec: object) -> Object:
    owner = {"apiVersion": "v1", "kind": "Node", "name": node, "uid": uid, "controller": True}
    annotations = {wire.dialect.key("config.mirror"): "x"}
    metadata = {"name": "static", "annotations": annotations, "ownerReferences": [owner]}
    return {"metadata": metadata, "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}], **spec}}


def test_it_makes_mirrors_of_its_own_pods_alone(wire: Wire, ns: str, agent: Agent, node: str) -> None:
    pods = f"/api/v1/namespaces/{ns}/pods"
    uid = wire.ask("GET", f"{NODES}/{node}").json["metadata"]["uid"]
    itself = f'node "{node}" can only create pods with'
    good = mirror(wire, node, uid)
    metadata, owner = good["metadata"], good["metadata"]["ownerReferences"][0]
    refers = f'node "{node}" can not create pods that reference'
    container = good["spec"]["containers"][0]
    variable = {"name": "v", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    token = {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}
    table = (
        ({**good, "metadata": {**metadata, "annotations": {}}}, f'annotation, node "{node}" can only create mirror pods'),
        (mirror(wire, "elsewhere", uid), f"{itself} spec.nodeName set to itself"),
        ({**good, "metadata": {**metadata, "ownerReferences": []}}, f"{itself} an owner reference set to itself"),
        (
            {**good, "metadata": {**metadata, "ownerReferences": [owner, {**owner, "uid": "2", "controller": False}]}},
            f"{itself} a single owner reference set to itself",
        ),
        (
            {**good, "metadata": {**metadata, "ownerReferences": [{**owner, "controller": False}]}},
            f"{itself} a controller owner reference set to itself",
        ),
        (mirror(wire, node, "other"), f"node {node} UID mismatch: expected other got {uid}"),
        (mirror(wire, node, uid, serviceAccountName="default"), f"{refers} a service account"),
        (mirror(wire, node, uid, volumes=[{"name": "v", "secret": {"secretName": "s"}}]), f"{refers} secrets"),
        (mirror(wire, node, uid, containers=[{**container, "env": [variable]}]), f"{refers} secrets"),
        (mirror(wire, node, uid, imagePullSecrets=[{"name": "s"}]), f"{refers} secrets"),
        *(
            (mirror(wire, node, uid, volumes=[{"name": "v", **volume}]), f"{refers} secrets")
            for volume in (
                {"csi": {"driver": "d.example.com", "nodePublishSecretRef": {"name": "s"}}},
                {"cephfs": {"monitors": ["m"], "secretRef": {"name": "s"}}},
                {"flexVolume": {"driver": "d/e", "secretRef": {"name": "s"}}},
                {"iscsi": {"targetPortal": "1.2.3.4", "iqn": "iqn.2001-04.com.example:s", "lun": 0, "secretRef": {"name": "s"}}},
                {"azureFile": {"secretName": "s", "shareName": "share"}},
                {"rbd": {"monitors": ["m"], "image": "i", "secretRef": {"name": "s"}}},
            )
        ),
        (mirror(wire, node, uid, volumes=[{"name": "v", "configMap": {"name": "s"}}]), f"{refers} configmaps"),
        (mirror(wire, node, uid, volumes=[{"name": "v", **token}]), f"{refers} serviceaccount tokens"),
        (mirror(wire, node, uid, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]), f"{refers} persistentvolumeclaims"),
    )
    for body, why in table:
        assert agent.refusal("POST", pods, body).endswith(why)
    assert agent.ask("POST", pods, good)[0] == 201
    assert agent.ask("PATCH", f"{pods}/static/status", {"status": {"message": "up"}}, MERGE)[0] == 200
    status, answer = agent.ask("PATCH", f"{pods}/static/status", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    assert (status, answer["message"].partition("forbidden: ")[2]) == (403, f'node "{node}" cannot update labels through pod status')


def test_it_deletes_and_evicts_what_runs_on_it(wire: Wire, ns: str, agent: Agent, node: str) -> None:
    pods = f"/api/v1/namespaces/{ns}/pods"
    for name, where in (("mine", node), ("others", "elsewhere"), ("evicted", node)):
        wire.create(pods, {"metadata": {"name": name}, "spec": {"nodeName": where, "containers": [{"name": "c", "image": "i"}]}})
    told = "pods with spec.nodeName set to itself"
    assert agent.refusal("DELETE", f"{pods}/others").endswith(f'node "{node}" can only delete {told}')
    assert agent.refusal("POST", f"{pods}/others/eviction", {"metadata": {"name": "others"}}).endswith(f"node {node} can only evict {told}")
    assert agent.ask("POST", f"{pods}/none/eviction", {"metadata": {"name": "none"}})[0] == 404
    status, answer = agent.ask("PATCH", f"{pods}/others/status", {"status": {"message": "up"}}, MERGE)
    assert (status, answer["message"].partition("forbidden: ")[2]) == (403, f'node "{node}" can only update pod status for {told}')
    assert agent.ask("POST", f"{pods}/evicted/eviction", {"metadata": {"name": "evicted"}})[0] == 201
    assert agent.ask("DELETE", f"{pods}/mine")[0] == 200


def test_it_asks_for_tokens_of_its_own_pods(wire: Wire, ns: str, agent: Agent, node: str) -> None:
    path = f"/api/v1/namespaces/{ns}"
    uids = {}
    volume = {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "audience": "a"}}]}}
    for name, where in (("mine", node), ("others", "elsewhere")):
        spec = {"nodeName": where, "serviceAccountName": "default", "containers": [{"name": "c", "image": "i"}], "volumes": [volume]}
        uids[name] = wire.create(f"{path}/pods", {"metadata": {"name": name}, "spec": spec})["metadata"]["uid"]
    token = f"{path}/serviceaccounts/default/token"

    def bound(**ref: str) -> Object:
        return {"spec": {"audiences": ["a"], "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", **ref}}}

    assert agent.ask("POST", token, bound(name="mine", uid=uids["mine"]))[0] == 201
    for body, why in (
        ({"spec": {"audiences": ["a"]}}, "node requested token not bound to a pod"),
        (bound(name="mine"), "node requested token with a pod binding without a uid"),
        (bound(name="mine", uid="other"), "The object might have been deleted and then recreated"),
        (bound(name="others", uid=uids["others"]), "node requested token bound to a pod scheduled on a different node"),
    ):
        assert agent.refusal("POST", token, body).endswith(why)


def test_its_tokens_are_for_those_that_pods_name(wire: Wire, ns: str, agent: Agent, node: str) -> None:
    path, disks = f"/api/v1/namespaces/{ns}", f"/apis/{wire.dialect.group('storage')}/v1"
    driver, other, volume = (wire.fresh("driver") for _ in range(3))
    for name in (driver, other):
        wire.create(f"{disks}/csidrivers", {"metadata": {"name": name}, "spec": {"tokenRequests": [{"audience": f"of-{name}"}]}})
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": volume, "storageClassName": ""}
    wire.create(f"{path}/persistentvolumeclaims", {"metadata": {"name": "c"}, "spec": claim})
    source = {"csi": {"driver": other, "volumeHandle": "h"}}
    disk = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], **source}
    wire.create("/api/v1/persistentvolumes", {"metadata": {"name": volume}, "spec": disk})
    volumes = [
        {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "audience": "vault"}}]}},
        {"name": "i", "csi": {"driver": driver}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "c"}},
    ]
    uids = {}
    for name, more in (("plain", {"automountServiceAccountToken": False}), ("rich", {"volumes": volumes})):
        spec = {"nodeName": node, "serviceAccountName": "default", "containers": [{"name": "c", "image": "i"}], **more}
        uids[name] = wire.create(f"{path}/pods", {"metadata": {"name": name}, "spec": spec})["metadata"]["uid"]

    def asked(pod: str, *audiences: str) -> tuple[int, str]:
        ref = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": uids[pod]}
        body = {"spec": {"audiences": list(audiences), "boundObjectRef": ref}}
        status, answer = agent.ask("POST", f"{path}/serviceaccounts/default/token", body)
        return status, str(answer.get("message") or "").partition("is forbidden: ")[2]

    for audience in ("vault", f"of-{driver}", f"of-{other}"):
        assert asked("rich", audience) == (201, "")
        told = (
            f'audience "{audience}" not found in pod spec volume, system:node:{node} is not authorized to request tokens for this audience'
        )
        assert asked("plain", audience) == (403, told)
    assert asked("rich")[0] == 201  # the token that every pod is given is for the API server
    assert asked("plain")[0] == 403
    assert asked("rich", "vault", f"of-{driver}") == (403, "node may only request 0 or 1 audiences")
    group = wire.dialect.group("rbac.authorization")
    rule = {"verbs": ["request-serviceaccounts-token-audience"], "apiGroups": [""], "resources": ["registry"]}
    wire.create(f"/apis/{group}/v1/clusterroles", {"metadata": {"name": volume}, "rules": [rule]})
    role = {"apiGroup": group, "kind": "ClusterRole", "name": volume}
    nodes = {"apiGroup": group, "kind": "Group", "name": "system:nodes"}
    wire.create(f"/apis/{group}/v1/clusterrolebindings", {"metadata": {"name": volume}, "roleRef": role, "subjects": [nodes]})
    assert asked("plain", "registry") == (201, "")


MIGRATED: dict[str, tuple[str, Object, Object]] = {
    "awsElasticBlockStore": ("ebs.csi.aws.com", {"volumeID": "v"}, {}),
    "azureDisk": ("disk.csi.azure.com", {"diskName": "d", "diskURI": "https://blob/d.vhd"}, {}),
    "azureFile": ("file.csi.azure.com", {"secretName": "s", "shareName": "s"}, {"secretNamespace": "default"}),
    "cinder": ("cinder.csi.openstack.org", {"volumeID": "v"}, {}),
    "gcePersistentDisk": ("pd.csi.storage.gke.io", {"pdName": "d"}, {}),
    "portworxVolume": ("pxd.portworx.com", {"volumeID": "v"}, {}),
    "vsphereVolume": ("csi.vsphere.vmware.com", {"volumePath": "[d] v"}, {}),
}
"""By what a volume says it is: the driver that has taken it over, what it takes to say so in a pod, and what more outside of one."""


@pytest.mark.parametrize("source", MIGRATED)
@pytest.mark.parametrize("way", ["pod", "claim"])
def test_drivers_that_have_taken_volumes_over_count(wire: Wire, ns: str, agent: Agent, node: str, way: str, source: str) -> None:
    driver, said, more = MIGRATED[source]
    path, drivers = f"/api/v1/namespaces/{ns}", f"/apis/{wire.dialect.group('storage')}/v1/csidrivers"
    wire.create(drivers, {"metadata": {"name": driver}, "spec": {"tokenRequests": [{"audience": "of-driver"}]}})
    volume: Object = {"name": "v", source: said}
    if way == "claim":
        name, size = wire.fresh("disk"), {"storage": "1Gi"}
        of_both = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
        wire.create(
            "/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": {**of_both, "capacity": size, source: {**said, **more}}}
        )
        claim = {**of_both, "resources": {"requests": size}, "volumeName": name}
        wire.create(f"{path}/persistentvolumeclaims", {"metadata": {"name": name}, "spec": claim})
        volume = {"name": "v", "persistentVolumeClaim": {"claimName": name}}
    spec = {"nodeName": node, "serviceAccountName": "default", "containers": [{"name": "c", "image": "i"}], "volumes": [volume]}
    pod = wire.create(f"{path}/pods", {"metadata": {"name": "p"}, "spec": spec})["metadata"]
    ref = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pod["uid"]}
    for audience, status in (("of-driver", 201), ("of-another", 403)):
        body = {"spec": {"audiences": [audience], "boundObjectRef": ref}}
        assert agent.ask("POST", f"{path}/serviceaccounts/default/token", body)[0] == status
    wire.delete(f"{drivers}/{driver}")


def requested(wire: Wire, signer: str, request: str) -> tuple[str, Object]:
    """Where requests for certificates are made, and one to make there."""
    usages = SERVING if signer == wire.dialect.signer_node_serving else CLIENT
    spec = {"signerName": signer, "request": request, "usages": usages}
    return f"/apis/{wire.dialect.group('certificates')}/v1/certificatesigningrequests", {
        "metadata": {"name": wire.fresh("csr")},
        "spec": spec,
    }


def test_it_asks_for_certificates_of_its_own_node_alone(wire: Wire, agent: Agent, node: str) -> None:
    """By the certificate of another node it would be that node."""
    own = f"system:node:{node}"
    for signer in (wire.dialect.signer_node_client, wire.dialect.signer_node_serving):
        for other in ("system:node:another", f"{own}-2", node, "admin"):
            path, body = requested(wire, signer, pem(other, "system:nodes"))
            refused = agent.refusal("POST", path, body)
            assert refused.endswith(f'"{body["metadata"]["name"]}" is forbidden: can only create a node CSR with CN={own}'), other
            assert wire.ask("GET", f"{path}/{body['metadata']['name']}").status == 404
        assert agent.ask("POST", *requested(wire, signer, pem(own, "system:nodes")))[0] == 201


def test_what_an_agent_asks_for_its_own_node_can_be_read(wire: Wire, agent: Agent) -> None:
    unreadable = (
        ("", "PEM block type must be CERTIFICATE REQUEST"),
        ("none", "PEM block type must be CERTIFICATE REQUEST"),
        ("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n", "x509: not a certificate request: "),
    )
    for signer in (wire.dialect.signer_node_client, wire.dialect.signer_node_serving):
        for text, why in unreadable:
            refused = agent.refusal("POST", *requested(wire, signer, base64.b64encode(text.encode()).decode()))
            assert f"is forbidden: unable to parse csr: {why}" in refused


def test_of_other_signers_an_agent_asks_what_it_likes(wire: Wire, agent: Agent) -> None:
    for signer in (wire.dialect.signer_client, "example.com/other"):
        assert agent.ask("POST", *requested(wire, signer, pem("system:node:another", "any")))[0] == 201


def test_whoever_is_no_agent_passes(wire: Wire, node: str) -> None:
    body = {"metadata": {"labels": {f"node-restriction.{wire.dialect.domain}/team": "v"}}, "spec": {"taints": []}}
    assert wire.ask("PATCH", f"{NODES}/{node}", body, content_type=MERGE).status == 200
    for signer in (wire.dialect.signer_node_client, wire.dialect.signer_node_serving):
        wire.create(*requested(wire, signer, pem("system:node:another", "system:nodes")))
