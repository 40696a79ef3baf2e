"""The default roles and bindings: what they are, and how they are kept."""

from itertools import product
from pathlib import Path

import pytest
import yaml

from svcsim.client.api import Client
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.default_roles.objects import default_roles
from svcsim.cluster.spec import ClusterSpec
from svcsim.controllers.cluster_role_aggregation import gathered
from svcsim.dialect import DIALECTS, KUBERNETES
from svcsim.meta.types import Object
from tests.yardsticks import yardstick

FILES = (
    "cluster-roles",
    "controller-roles",
    "namespace-roles",
    "cluster-role-bindings",
    "controller-role-bindings",
    "namespace-role-bindings",
)


def rights(role: Object) -> set[tuple[str, ...]]:
    """Every single right."""
    found: set[tuple[str, ...]] = set()
    for rule in role.get("rules") or ():
        found |= set(product(rule.get("apiGroups", ()), rule.get("resources", ()), rule.get("resourceNames") or ("",), rule["verbs"]))
        found |= set(product(rule.get("nonResourceURLs", ()), rule["verbs"]))
    return found


def said(obj: Object) -> Object:
    """All that one of them says, but for how rules are put together."""
    metadata = {name: value for name, value in obj["metadata"].items() if name in ("name", "namespace", "labels", "annotations")}
    rules = "aggregated" if "aggregationRule" in obj else rights(obj)
    subjects = sorted((s["kind"], s.get("namespace", ""), s["name"], s.get("apiGroup", "")) for s in obj.get("subjects") or ())
    return {"metadata": metadata, "rules": rules, "subjects": subjects, "of": obj.get("roleRef"), "gathers": obj.get("aggregationRule")}


def by_name(objects: list[Object]) -> dict[tuple[str, ...], Object]:
    return {(one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]): said(one) for one in objects}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_is_there_once_and_names_only_its_dialect(dialect: str):
    made = [obj for _, obj in default_roles(DIALECTS[dialect])]
    assert len(by_name(made)) == len(made)
    foreign = {"svcapi": ("k8s.io", "kubernetes.io"), "kubernetes": ("svcapi",)}[dialect]
    assert not [name for name in foreign if name in yaml.safe_dump(made)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_those_that_gather_have_what_their_controller_would_give_them(dialect: str):
    """It has nothing to do at a first start."""
    roles = [obj for plural, obj in default_roles(DIALECTS[dialect]) if plural == "clusterroles"]
    gathering = [role for role in roles if "aggregationRule" in role]
    assert [role["metadata"]["name"] for role in gathering] == ["view", "edit", "admin"]
    for role in gathering:
        assert gathered(role, roles) == role["rules"]


OF_ADD_ONS = ("system:aggregated-metrics-reader",)
"""What comes with a part of the cluster that is an addition in others."""


def test_they_are_those_that_are_known():
    known: list[Object] = []
    for name in FILES:
        known += yaml.safe_load(yardstick(f"facts/rbac-defaults/{name}.yaml").read_text())["items"]
    made = by_name([obj for _, obj in default_roles(KUBERNETES) if obj["metadata"]["name"] not in OF_ADD_ONS])
    assert {key: one for key, one in made.items() if not key[-1].startswith("svcsim:")} == by_name(known)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_start_adds_what_is_missing_and_keeps_what_was_added(tmp_path: Path, dialect: str):
    spec = ClusterSpec(dialect=dialect, data_dir=tmp_path / "data", durability="process", nodes=0)
    group = f"{DIALECTS[dialect].group('rbac.authorization')}/v1"
    opt_out = DIALECTS[dialect].key("autoupdate", "rbac.authorization")

    def apis(client: Client) -> tuple:
        return client.resource(group, "clusterroles"), client.resource(group, "clusterrolebindings")

    async with open_cluster(spec) as cluster:
        roles, bindings = apis(cluster.client("apiserver"))
        whole = await roles.get("system:node-proxier")
        await roles.update({**whole, "rules": [{"verbs": ["get"], "apiGroups": ["example.com"], "resources": ["mine"]}]})
        left = await roles.get("system:heapster")
        left["metadata"]["annotations"][opt_out] = "false"
        await roles.update({**left, "rules": []})
        await roles.delete("system:kube-dns")
        bound = await bindings.get("system:node-proxier")
        await bindings.update({**bound, "subjects": [{"kind": "User", "name": "me", "apiGroup": group.partition("/")[0]}]})
        other = await bindings.get("system:monitoring")
        await bindings.delete("system:monitoring")
        await bindings.create({**other, "metadata": {"name": "system:monitoring"}, "roleRef": {**other["roleRef"], "name": "view"}})
        gathering = await roles.get("view")
        await roles.update({**gathering, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"mine": "true"}}]}})
    async with open_cluster(spec) as cluster:
        roles, bindings = apis(cluster.client("apiserver"))
        restored = await roles.get("system:node-proxier")
        assert rights(restored) == rights(whole) | {("example.com", "mine", "", "get")}
        assert not (await roles.get("system:heapster")).get("rules")
        assert rights(await roles.get("system:kube-dns"))
        assert [one["name"] for one in (await bindings.get("system:node-proxier"))["subjects"]] == ["me", "system:kube-proxy"]
        assert (await bindings.get("system:monitoring"))["roleRef"]["name"] == "system:monitoring"
        assert len((await roles.get("view"))["aggregationRule"]["clusterRoleSelectors"]) == 2
        revision = cluster.store.revision
        versions = [one["metadata"]["resourceVersion"] for one in (await roles.list()).items]
    async with open_cluster(spec) as cluster:
        roles, _ = apis(cluster.client("apiserver"))
        assert [one["metadata"]["resourceVersion"] for one in (await roles.list()).items] == versions, (
            "nothing is written where nothing is missing"
        )
        assert cluster.store.revision >= revision
