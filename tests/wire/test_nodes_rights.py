"""What the agent of a node may see and do: what concerns its own node, and no more."""

import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import MERGE, Wire
from tests.wire.test_auth import issue

MINE, OTHER = "outside-1", "outside-2"
NO_RELATION = f"no relationship found between node '{MINE}' and this object"


class Agent:
    """A client with a node's certificate."""

    def __init__(self, wire: Wire, context: ssl.SSLContext) -> None:
        self._connection = wire.connect(context)

    def ask(self, method: str, path: str, body: Json = None, content_type: str = "application/json") -> tuple[int, Json]:
        headers = {"Content-Type": content_type} if body is not None else {}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def refusal(self, method: str, path: str, body: Json = None) -> str:
        """The words of a 403."""
        status, answer = self.ask(method, path, body)
        assert (status, answer["reason"]) == (403, "Forbidden"), answer
        return str(answer["message"])

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def agent(wire: Wire, tmp_path: Path) -> Iterator[Agent]:
    found = Agent(wire, issue(wire.server.pki, tmp_path, f"system:node:{MINE}", "system:nodes"))
    yield found
    found.close()


@pytest.fixture
def place(wire: Wire, ns: str) -> Iterator[str]:
    """A namespace with things that pods of two nodes refer to; gives its path."""
    path = f"/api/v1/namespaces/{ns}"
    for name in (MINE, OTHER):
        wire.ask("POST", "/api/v1/nodes", {"metadata": {"name": name}})
    for kind in ("secrets", "configmaps", "serviceaccounts"):
        for name in ("mine", "others", "nobodys"):
            assert wire.ask("POST", f"{path}/{kind}", {"metadata": {"name": name}}).status == 201
    assert wire.ask("POST", f"{path}/pods", pod("mine", MINE, secret="mine", config="mine")).status == 201
    assert wire.ask("POST", f"{path}/pods", pod("others", OTHER, secret="others", config="others")).status == 201
    yield path
    for name in ("mine", "others"):
        wire.ask("DELETE", f"{path}/pods/{name}", {"gracePeriodSeconds": 0})
        assert wire.ask("DELETE", f"/api/v1/nodes/{MINE if name == 'mine' else OTHER}").status in (200, 404)


def pod(name: str, node: str, *, secret: str, config: str, account: str = "") -> Object:
    volumes = [{"name": "secret", "secret": {"secretName": secret}}]
    container = {"name": "main", "image": "nginx", "envFrom": [{"configMapRef": {"name": config}}]}
    spec = {"nodeName": node, "serviceAccountName": account or name, "containers": [container], "volumes": volumes}
    return {"metadata": {"name": name}, "spec": spec}


def review(wire: Wire, verb: str, resource: str, group: str = "", user: str = f"system:node:{MINE}", **more: Json) -> tuple[bool, str]:
    """What the authorizers say of a node: whether it may, and why not."""
    resource, _, subresource = resource.partition("/")
    asked = {"verb": verb, "resource": resource, "subresource": subresource, "group": group, **more}
    body = {"spec": {"user": user, "groups": ["system:nodes", "system:authenticated"], "resourceAttributes": asked}}
    authorization = wire.dialect.group("authorization")
    status = wire.ask("POST", f"/apis/{authorization}/v1/subjectaccessreviews", body).json["status"]
    return status["allowed"], status.get("reason", "")


@pytest.mark.parametrize("kind", ["secrets", "configmaps"])
def test_a_node_reads_what_its_pods_refer_to_and_nothing_else(agent: Agent, place: str, kind: str):
    assert agent.ask("GET", f"{place}/{kind}/mine")[0] == 200
    assert agent.ask("GET", f"{place}/{kind}?fieldSelector=metadata.name=mine")[0] == 200
    for name in ("others", "nobodys", "unheard-of"):
        assert agent.refusal("GET", f"{place}/{kind}/{name}").endswith(f": {NO_RELATION}")
    assert agent.refusal("GET", f"{place}/{kind}").endswith(": No Object name found")
    assert agent.refusal("GET", f"/api/v1/{kind}").endswith(": can only read namespaced object of this type")
    assert agent.refusal("DELETE", f"{place}/{kind}/mine").endswith(": can only read resources of this type")


def test_a_refusal_names_the_node_and_what_it_wanted(agent: Agent, place: str):
    ns = place.rpartition("/")[2]
    assert agent.refusal("GET", f"{place}/secrets/others") == (
        f'secrets "others" is forbidden: User "system:node:{MINE}" cannot get resource "secrets" in API group "" '
        f'in the namespace "{ns}": {NO_RELATION}'
    )


def test_what_a_node_may_read_goes_with_its_pods(wire: Wire, agent: Agent, place: str):
    assert agent.ask("GET", f"{place}/secrets/mine")[0] == 200
    made = pod("late", MINE, secret="others", config="others", account="others")
    assert wire.ask("POST", f"{place}/pods", made).status == 201
    assert agent.ask("GET", f"{place}/secrets/others")[0] == 200, "at once: the pod is on the node now"
    assert wire.ask("DELETE", f"{place}/pods/late", {"gracePeriodSeconds": 0}).status == 200
    assert agent.refusal("GET", f"{place}/secrets/others").endswith(NO_RELATION)
    assert agent.ask("GET", f"{place}/secrets/mine")[0] == 200


def test_a_node_reads_its_own_pods(agent: Agent, place: str):
    assert agent.ask("GET", f"{place}/pods/mine")[0] == 200
    assert agent.refusal("GET", f"{place}/pods/others").endswith(NO_RELATION)
    status, found = agent.ask("GET", f"/api/v1/pods?fieldSelector=spec.nodeName={MINE}")
    assert (status, {each["spec"]["nodeName"] for each in found["items"]}) == (200, {MINE})
    for query in ("", f"?fieldSelector=spec.nodeName={OTHER}", f"?fieldSelector=spec.nodeName!={MINE}", "?watch=true"):
        assert agent.refusal("GET", f"/api/v1/pods{query}").endswith(": can only list/watch pods with spec.nodeName field selector")


def test_a_node_reads_its_own_node(agent: Agent, place: str):
    assert place
    assert agent.ask("GET", f"/api/v1/nodes/{MINE}")[0] == 200
    assert agent.ask("GET", f"/api/v1/nodes?fieldSelector=metadata.name={MINE}")[0] == 200
    assert agent.refusal("GET", "/api/v1/nodes").endswith(f": node '{MINE}' cannot read all nodes, only its own Node object")
    assert agent.refusal("GET", f"/api/v1/nodes/{OTHER}").endswith(f": node '{MINE}' cannot read '{OTHER}', only its own Node object")
    status = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    assert agent.ask("PATCH", f"/api/v1/nodes/{MINE}/status", status, MERGE)[0] == 200
    assert agent.refusal("DELETE", f"/api/v1/nodes/{MINE}").endswith('"nodes" in API group "" at the cluster scope')


def test_a_node_renews_its_own_lease(wire: Wire, agent: Agent, place: str):
    assert place
    api, space = f"/apis/{wire.dialect.group('coordination')}/v1/namespaces", wire.dialect.node_lease_namespace
    leases = f"{api}/{space}/leases"
    assert agent.ask("POST", leases, {"metadata": {"name": MINE}})[0] in (201, 409)
    assert agent.ask("PATCH", f"{leases}/{MINE}", {"spec": {"holderIdentity": MINE}}, MERGE)[0] == 200
    assert agent.refusal("GET", f"{leases}/{OTHER}").endswith(": can only access node lease with the same name as the requesting node")
    assert agent.refusal("GET", leases).endswith(": can only get, create, update, patch, or delete a node lease")
    assert agent.refusal("GET", f"{api}/default/leases/{MINE}").endswith(f': can only access leases in the "{space}" system namespace')


def test_a_node_makes_tokens_for_the_accounts_of_its_pods(wire: Wire, place: str):
    about = {"namespace": place.rpartition("/")[2]}
    assert review(wire, "create", "serviceaccounts/token", name="mine", **about) == (True, "")
    assert review(wire, "get", "serviceaccounts", name="mine", **about) == (True, "")
    assert review(wire, "create", "serviceaccounts/token", name="others", **about) == (False, NO_RELATION)
    refusal = "can only create tokens for individual service accounts"
    assert review(wire, "create", "serviceaccounts/token", **about) == (False, refusal)
    assert review(wire, "list", "serviceaccounts", **about) == (False, refusal)
    assert review(wire, "create", "serviceaccounts/x", name="mine", **about) == (
        False,
        "can only create token subresource of serviceaccount",
    )


def test_volumes_of_claims_of_a_nodes_pods(wire: Wire, place: str):
    """The claim, the volume that is bound to it, and the Secret it takes to mount that."""
    ns = place.rpartition("/")[2]
    names = {whose: f"{ns}-{whose}" for whose in ("mine", "others")}
    for whose, name in names.items():
        reference = {"name": f"for-{whose}", "namespace": ns}
        source = {
            "driver": "d",
            "volumeHandle": "h",
            "nodePublishSecretRef": reference,
            "controllerPublishSecretRef": {**reference, "name": "c"},
        }
        spec = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "claimRef": {"namespace": ns, "name": f"claim-{whose}"},
            "csi": source,
        }
        assert wire.ask("POST", "/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": spec}).status == 201
    made = pod("with-claim", MINE, secret="mine", config="mine", account="mine")
    made["spec"]["volumes"].append({"name": "data", "persistentVolumeClaim": {"claimName": "claim-mine"}})
    assert wire.ask("POST", f"{place}/pods", made).status == 201
    assert review(wire, "get", "persistentvolumeclaims", name="claim-mine", namespace=ns) == (True, "")
    assert review(wire, "patch", "persistentvolumeclaims/status", name="claim-mine", namespace=ns) == (True, "")
    assert review(wire, "get", "persistentvolumes", name=names["mine"]) == (True, "")
    assert review(wire, "get", "secrets", name="for-mine", namespace=ns) == (True, "")
    assert review(wire, "get", "secrets", name="c", namespace=ns) == (False, NO_RELATION), "that one is for controllers"
    assert review(wire, "get", "persistentvolumeclaims", name="claim-others", namespace=ns) == (False, NO_RELATION)
    assert review(wire, "get", "persistentvolumes", name=names["others"]) == (False, NO_RELATION)
    assert review(wire, "get", "secrets", name="for-others", namespace=ns) == (False, NO_RELATION)
    assert review(wire, "list", "persistentvolumes") == (False, "can only get individual resources of this type")
    assert review(wire, "get", "persistentvolumes/status", name=names["mine"]) == (False, "cannot get subresource")
    assert review(wire, "get", "persistentvolumeclaims/status", name="claim-mine", namespace=ns) == (
        False,
        "can only get/update/patch this type",
    )
    for name in names.values():
        wire.ask("DELETE", f"/api/v1/persistentvolumes/{name}")
    wire.ask("DELETE", f"{place}/pods/with-claim", {"gracePeriodSeconds": 0})


def test_resource_claims_of_a_nodes_pods(wire: Wire, place: str):
    about, group = {"namespace": place.rpartition("/")[2]}, wire.dialect.group("resource")
    made = pod("claiming", MINE, secret="mine", config="mine", account="mine")
    made["spec"]["resourceClaims"] = [{"name": "a", "resourceClaimName": "named"}, {"name": "b", "resourceClaimTemplateName": "t"}]
    assert wire.ask("POST", f"{place}/pods", made).status == 201
    assert review(wire, "get", "resourceclaims", group, name="named", **about) == (True, "")
    assert review(wire, "get", "resourceclaims", group, name="made", **about) == (False, NO_RELATION)
    status = {"status": {"resourceClaimStatuses": [{"name": "b", "resourceClaimName": "made"}]}}
    assert wire.ask("PATCH", f"{place}/pods/claiming/status", status, content_type=MERGE).status == 200
    assert review(wire, "get", "resourceclaims", group, name="made", **about) == (True, ""), "once it has been made of the template"
    assert wire.ask("DELETE", f"{place}/pods/claiming", {"gracePeriodSeconds": 0}).status == 200
    assert review(wire, "get", "resourceclaims", group, name="named", **about) == (False, NO_RELATION)


def test_attachments_and_slices_of_a_node(wire: Wire):
    storage, resource = wire.dialect.group("storage"), wire.dialect.group("resource")
    for name in (MINE, OTHER):
        spec = {"attacher": "a", "nodeName": name, "source": {"persistentVolumeName": "v"}}
        made = wire.ask("POST", f"/apis/{storage}/v1/volumeattachments", {"metadata": {"name": f"of-{name}"}, "spec": spec})
        assert made.status in (201, 409)
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        slice_spec = {"driver": "d.example.com", "nodeName": name, "pool": pool, "devices": [{"name": "x"}]}
        made = wire.ask("POST", f"/apis/{resource}/v1/resourceslices", {"metadata": {"name": f"of-{name}"}, "spec": slice_spec})
        assert made.status in (201, 409)
    assert review(wire, "get", "volumeattachments", storage, name=f"of-{MINE}") == (True, "")
    assert review(wire, "get", "volumeattachments", storage, name=f"of-{OTHER}") == (False, NO_RELATION)
    assert review(wire, "get", "resourceslices", resource, name=f"of-{MINE}") == (True, "")
    assert review(wire, "delete", "resourceslices", resource, name=f"of-{OTHER}") == (False, NO_RELATION)
    assert review(wire, "create", "resourceslices", resource) == (True, "")
    requirement = {"key": "spec.nodeName", "operator": "In", "values": [MINE]}
    assert review(wire, "list", "resourceslices", resource, fieldSelector={"requirements": [requirement]}) == (True, "")
    refusal = "can only list/watch/deletecollection resourceslices with nodeName field selector"
    assert review(wire, "list", "resourceslices", resource) == (False, refusal)
    assert review(wire, "get", "csinodes", storage, name=MINE) == (True, "")
    assert review(wire, "get", "csinodes", storage, name=OTHER) == (
        False,
        "can only access CSINode with the same name as the requesting node",
    )
    assert review(wire, "list", "csinodes", storage) == (False, "can only get, create, update, patch, or delete a CSINode")


def test_what_all_nodes_may(wire: Wire):
    for verb, resource, group in (
        ("watch", "services", ""),
        ("create", "events", ""),
        ("create", "certificatesigningrequests", "certificates"),
        ("list", "csidrivers", "storage"),
        ("list", "runtimeclasses", "node"),
        ("create", "pods/eviction", ""),
        ("patch", "pods/status", ""),
        ("create", "tokenreviews", "authentication"),
        ("create", "subjectaccessreviews", "authorization"),
    ):
        assert review(wire, verb, resource, wire.dialect.group(group) if group else "") == (True, ""), resource
    for verb, resource, group in (
        ("list", "deployments", "apps"),
        ("delete", "services", ""),
        ("get", "pods/exec", ""),
        ("patch", "pods", ""),
    ):
        assert not review(wire, verb, resource, group)[0], resource


def test_only_members_of_the_group_are_nodes_and_each_has_a_name(wire: Wire, tmp_path: Path):
    assert review(wire, "list", "services", user="system:node:") == (False, 'unknown node for user "system:node:"')
    assert not review(wire, "list", "services", user="jane")[0]
    stranger = Agent(wire, issue(wire.server.pki, tmp_path, f"system:node:{MINE}", "developers"))
    assert "cannot list resource" in stranger.refusal("GET", "/api/v1/services")
    stranger.close()


def test_what_a_node_may_cannot_be_listed(wire: Wire, agent: Agent):
    body = {"spec": {"namespace": "default"}}
    status, answer = agent.ask("POST", f"/apis/{wire.dialect.group('authorization')}/v1/selfsubjectrulesreviews", body)
    assert (status, answer["status"]["incomplete"]) == (201, True)
    assert "node authorizer does not support user rule resolution" in answer["status"]["evaluationError"]
