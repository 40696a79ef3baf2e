"""Whom the cluster's own components act as, and that they have the rights of their roles alone."""

from ipaddress import ip_network

import pytest

from svcsim.auth.authentication import MASTERS
from svcsim.cluster import identities
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.default_roles.objects import default_roles
from svcsim.cluster.node_ranges import node_ranges
from svcsim.cluster.node_ranges_spec import NodeRangesSpec, settled
from svcsim.cluster.parts import CONTROLLER_NAMES, Aggregated, Signing, controllers, of_bootstrap_tokens, of_nodes
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import DIALECTS, DialectName
from svcsim.meta.http import Request, Response
from svcsim.meta.types import User
from svcsim.outbound.remote import Reached
from svcsim.server.pipeline import Pipeline
from tests.controllers.running import deployment
from tests.living import living
from tests.virtual import START_S


async def _unasked(_: object) -> Reached:
    raise AssertionError("nobody asks it here")


async def _unsigned(*_: object) -> bytes:
    raise AssertionError("nothing is signed here")


SERVICES = (ip_network("10.96.0.0/16"),)
SIGNING = Signing(_unsigned, _unsigned)
MAKERS = (
    *controllers("a CA", SIGNING, Aggregated(list, lambda _: None, _unasked)),
    *of_nodes(node_ranges(settled(NodeRangesSpec(), SERVICES), 0, SERVICES), lambda _: None),
    *of_bootstrap_tokens(DIALECTS["kubernetes"]),
)
NAMES = tuple(name for name, _ in MAKERS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_controller_acts_as_an_account_that_a_role_is_bound_to(dialect: str):
    words = DIALECTS[dialect]
    bound = {
        f"system:serviceaccount:{subject['namespace']}:{subject['name']}"
        for plural, obj in default_roles(words)
        if plural in ("clusterrolebindings", "rolebindings")
        for subject in obj.get("subjects") or ()
        if subject["kind"] == "ServiceAccount"
    }
    for name in (*NAMES, "surplus nodes"):
        user = identities.controller(name, words)
        assert user.name in bound
        assert user.groups == ("system:serviceaccounts", f"system:serviceaccounts:{words.system_namespace}", "system:authenticated")


def test_the_names_of_all_are_known_before_there_is_a_cluster():
    assert (*NAMES, "resourcequota-controller", "scheduler", "nodes") == CONTROLLER_NAMES


def test_nobody_but_the_api_server_may_do_everything():
    words = DIALECTS["kubernetes"]
    users = [identities.MANAGER, identities.SCHEDULER, identities.node("a"), *(identities.controller(name, words) for name in NAMES)]
    assert [user.name for user in users if MASTERS in user.groups] == []
    assert User("system:apiserver", (MASTERS, "system:authenticated")) == identities.API_SERVER


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_each_component_asks_in_its_own_name(dialect: DialectName, monkeypatch: pytest.MonkeyPatch):
    """Whoever does a thing is who does it with Kubernetes."""
    seen: dict[tuple[str, str, str], None] = {}
    answer = Pipeline.handle

    async def noted(pipeline: Pipeline, request: Request) -> Response:
        if request.component and request.user is not None and request.method != "GET":
            seen[request.user.name, request.method, request.path.rpartition("/namespaces/")[2]] = None
        return await answer(pipeline, request)

    monkeypatch.setattr(Pipeline, "handle", noted)
    async with living(dialect=dialect, nodes=1) as it:
        await it.client.resource("apps/v1", "deployments", "default").create(deployment("web", 1))
        await it.until(lambda pods: len(pods) == 1 and pods[0]["status"]["phase"] == "Running")
        space = f"system:serviceaccount:{it.cluster.dialect.system_namespace}"
        lease = f"{it.cluster.dialect.node_lease_namespace}/leases/node-1"
        (pod,) = await it.pods.list_all()
        name = pod["metadata"]["name"]
    assert (f"{space}:deployment-controller", "POST", "default/replicasets") in seen
    assert (f"{space}:replicaset-controller", "POST", "default/pods") in seen
    assert ("system:kube-scheduler", "POST", f"default/pods/{name}/binding") in seen
    assert ("system:node:node-1", "PATCH", f"default/pods/{name}/status") in seen
    assert ("system:node:node-1", "PATCH", lease) in seen
    assert ("system:apiserver", "POST", "default/services") in seen


async def allowed(cluster: Cluster, user: User, verb: str, group: str, resource: str, namespace: str = "") -> bool:
    attributes = {"verb": verb, "group": group, "resource": resource, "namespace": namespace}
    review = {"spec": {"user": user.name, "groups": list(user.groups), "resourceAttributes": attributes}}
    reviews = cluster.client("test").resource("authorization.k8s.io/v1", "subjectaccessreviews")
    answered = await reviews.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", **review})
    return bool(answered["status"]["allowed"])


@pytest.mark.virtual_time
async def test_a_component_may_not_do_the_work_of_another():
    async with open_cluster(ClusterSpec(dialect="kubernetes", seed=1, nodes=0, start_s=START_S)) as cluster:
        sets = identities.controller("replicaset-controller", cluster.dialect)
        assert await allowed(cluster, sets, "create", "", "pods", "default")
        assert not await allowed(cluster, sets, "create", "apps", "deployments", "default")
        assert not await allowed(cluster, identities.SCHEDULER, "create", "", "pods", "default")
        assert not await allowed(cluster, identities.MANAGER, "delete", "", "pods", "default")
        assert await allowed(cluster, identities.MANAGER, "watch", "example.com", "widgets"), "it follows all kinds, custom ones too"
        collector = identities.controller("garbage-collector", cluster.dialect)
        assert await allowed(cluster, collector, "delete", "example.com", "widgets", "default")


@pytest.mark.virtual_time
@pytest.mark.refused_components
async def test_a_controller_whose_role_is_taken_away_stands_still_and_the_log_says_why(caplog: pytest.LogCaptureFixture):
    async with living() as it:
        roles = it.client.resource("rbac.authorization.k8s.io/v1", "clusterroles")
        await roles.delete("system:controller:replicaset-controller")
        await it.client.resource("apps/v1", "deployments", "default").create(deployment("web", 1))
        await it.sleep(5)
        assert await it.pods.list_all() == []
        assert (
            'a component of the cluster is refused what it needs: pods is forbidden: User "system:serviceaccount:kube-system:'
            'replicaset-controller" cannot create resource "pods" in API group "" in the namespace "default"'
        ) in caplog.text
