"""OwnerReferencesPermissionEnforcement: who may name owners, and who may hold their deletion back."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import Answer, Wire

MAPS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "1", "--enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


class Somebody:
    """A user with some rights on config maps and nodes."""

    def __init__(self, wire: Wire, *rules: tuple[str, str]) -> None:
        self.wire, name, rbac = wire, wire.fresh("user"), wire.dialect.group("rbac.authorization")
        usual = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create", "update", "patch"]}]
        more = [{"apiGroups": [""], "resources": [resource], "verbs": [verb]} for verb, resource in rules]
        wire.create(f"/apis/{rbac}/v1/clusterroles", {"metadata": {"name": name}, "rules": [*usual, *more]})
        reference = {"apiGroup": rbac, "kind": "ClusterRole", "name": name}
        subjects = [{"apiGroup": rbac, "kind": "User", "name": name}]
        wire.create(f"/apis/{rbac}/v1/clusterrolebindings", {"metadata": {"name": name}, "roleRef": reference, "subjects": subjects})
        self.headers = {"Impersonate-User": name}

    def makes(self, *owners: Object) -> Answer:
        self.made = self.wire.fresh("map")
        metadata = {"name": self.made, "ownerReferences": list(owners)}
        return self.wire.ask("POST", MAPS, {"metadata": metadata}, headers=self.headers)

    def changes(self, *owners: Object) -> Answer:
        """The owners of what was made last."""
        patch = {"metadata": {"ownerReferences": list(owners)}}
        headers = {**self.headers, "Content-Type": "application/merge-patch+json"}
        return self.wire.ask("PATCH", f"{MAPS}/{self.made}", patch, headers=headers)


def owner(wire: Wire, *, blocks: bool | None = None, kind: str = "ConfigMap", name: str = "") -> Object:
    made = wire.create(MAPS, {"metadata": {"name": wire.fresh("owner")}})["metadata"]
    flag = {} if blocks is None else {"blockOwnerDeletion": blocks}
    return {"apiVersion": "v1", "kind": kind, "name": name or made["name"], "uid": made["uid"], **flag}


def refused(answer: Answer, name: str, why: str) -> None:
    assert (answer.status, answer.message) == (403, f'configmaps "{name}" is forbidden: {why}')


OWNED = "cannot set an ownerRef on a resource you can't delete: , <nil>"
HELD = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"


def test_who_names_owners_may_delete_what_they_own(wire: Wire) -> None:
    may_not, may = Somebody(wire), Somebody(wire, ("delete", "configmaps"))
    one, other = owner(wire), owner(wire, blocks=False)
    refused(may_not.makes(one), may_not.made, OWNED)
    assert may_not.makes().status == 201, "without owners it is as any other"
    refused(may_not.changes(one), may_not.made, OWNED)
    assert may.makes(one).status == 201
    assert may.changes(one, other).status == 200
    may_not.made = may.made
    assert may_not.changes(one, other).status == 200, "nothing of them changes"
    refused(may_not.changes(one), may.made, OWNED)
    refused(may_not.changes(), may.made, OWNED)


def test_who_blocks_an_owners_deletion_may_update_its_finalizers(wire: Wire) -> None:
    may_not = Somebody(wire, ("delete", "configmaps"))
    may = Somebody(wire, ("delete", "configmaps"), ("update", "configmaps/finalizers"))
    blocked = owner(wire, blocks=True)
    refused(may_not.makes(blocked), may_not.made, HELD)
    assert may_not.makes({**blocked, "blockOwnerDeletion": False}).status == 201
    refused(may_not.changes(blocked), may_not.made, HELD)
    assert may.makes(blocked).status == 201
    may_not.made = may.made
    assert may_not.changes(blocked, owner(wire)).status == 200, "that one was blocked before"
    refused(may_not.changes(blocked, owner(wire, blocks=True)), may.made, HELD)
    of_node = owner(wire, blocks=True, kind="Node", name="n")
    refused(may.makes(of_node), may.made, HELD)
    assert Somebody(wire, ("delete", "configmaps"), ("update", "nodes/finalizers")).makes(of_node).status == 201


def test_an_owner_of_a_kind_that_nobody_knows_is_not_blocked(wire: Wire) -> None:
    may = Somebody(wire, ("delete", "configmaps"))
    for api_version, kind in (("v1", "Nothing"), ("example.com/v1", "ConfigMap")):
        reference = {**owner(wire, blocks=True, kind=kind), "apiVersion": api_version}
        unknown = f'no matches for kind "{kind}" in version "{api_version}"'
        cannot = "cannot set blockOwnerDeletion in this case because cannot find RESTMapping"
        refused(may.makes(reference), may.made, f"{cannot} for APIVersion {api_version} Kind {kind}: {unknown}")
        assert may.makes({**reference, "blockOwnerDeletion": False}).status == 201


def test_controllers_have_the_rights_they_need(wire: Wire) -> None:
    labels = {"app": wire.fresh("app")}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    wire.create(DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": spec})
    with wire.hurried():
        wire.until(f"{DEPLOYMENTS}/web", lambda obj: obj.get("status", {}).get("readyReplicas") == 2)
