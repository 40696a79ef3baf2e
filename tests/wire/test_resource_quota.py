"""Quotas: what counts, what is refused in which words, and that many who write at once get no more than there is."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import MERGE, Answer, Wire


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp("home"), request.param, "--durability", "process", "--nodes", "0") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def space(wire: Wire) -> str:
    """The path of a namespace's own, in which all is there that comes by itself."""
    name = wire.fresh("space")
    wire.create("/api/v1/namespaces", {"metadata": {"name": name}})
    path = f"/api/v1/namespaces/{name}"
    for collection, one in (("configmaps", wire.dialect.root_ca_config_map), ("serviceaccounts", "default")):
        with wire.watch(f"{path}/{collection}") as events:
            events.until(lambda event, one=one: event["object"]["metadata"]["name"] == one)
    return path


def limited(wire: Wire, hard: Object, **spec: object) -> str:
    path = space(wire)
    wire.create(f"{path}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard, **spec}})
    return path


def shows(wire: Wire, path: str, wanted: Object | None) -> None:
    """Wait until the quota tells that, or nothing at all."""
    with wire.watch(f"{path}/resourcequotas") as events:
        events.until(lambda event: event["object"]["status"].get("used") == wanted)


def pod(name: str, requests: Object | None = None, limits: Object | None = None, **spec: object) -> Object:
    resources = {"requests": requests or {}, "limits": limits or {}}
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}], **spec}}


def config_map(name: str) -> Object:
    return {"metadata": {"name": name}}


def exceeded(answer: Answer, what: str, requested: str, taken: str, limited: str) -> None:
    why = f"exceeded quota: q, requested: {requested}, used: {taken}, limited: {limited}"
    assert (answer.status, answer.reason, answer.message) == (403, "Forbidden", f"{what} is forbidden: {why}")


def test_objects_are_counted(wire: Wire) -> None:
    path = limited(wire, {"configmaps": "3", "count/secrets": "1", "count/deployments.apps": "0"})
    shows(wire, path, {"configmaps": "1", "count/secrets": "0", "count/deployments.apps": "0"})
    for name in "ab":
        wire.create(f"{path}/configmaps", config_map(name))
    answer = wire.ask("POST", f"{path}/configmaps", config_map("c"))
    exceeded(answer, 'configmaps "c"', "configmaps=1", "configmaps=3", "configmaps=3")
    wire.create(f"{path}/secrets", {"metadata": {"name": "s"}})
    answer = wire.ask("POST", f"{path}/secrets", {"metadata": {"name": "t"}})
    exceeded(answer, 'secrets "t"', "count/secrets=1", "count/secrets=1", "count/secrets=1")
    shows(wire, path, {"configmaps": "3", "count/secrets": "1", "count/deployments.apps": "0"})
    assert wire.ask("DELETE", f"{path}/configmaps/a").status == 200
    wire.create(f"{path}/configmaps", config_map("c"))
    assert wire.ask("GET", f"{path}/resourcequotas/q").json["status"]["hard"]["configmaps"] == "3"


def test_what_pods_ask_for_adds_up(wire: Wire) -> None:
    path = limited(wire, {"cpu": "1", "limits.memory": "1Gi", "pods": "10", "requests.example.com/device": "2"})
    device = {"example.com/device": "1"}
    wire.create(f"{path}/pods", pod("a", {"cpu": "600m", **device}, {"memory": "512Mi", **device}))
    shows(wire, path, {"cpu": "600m", "limits.memory": "512Mi", "pods": "1", "requests.example.com/device": "1"})
    answer = wire.ask("POST", f"{path}/pods", pod("b", {"cpu": "500m"}, {"memory": "768Mi"}))
    exceeded(
        answer, 'pods "b"', "cpu=500m,limits.memory=768Mi", "cpu=600m,limits.memory=512Mi", "cpu=1,limits.memory=1Gi"
    )  # fmt: skip
    answer = wire.ask("POST", f"{path}/pods", pod("b"))
    assert answer.message == 'pods "b" is forbidden: failed quota: q: must specify cpu for: c; limits.memory for: c'
    wire.create(f"{path}/pods", pod("b", {"cpu": "400m"}, {"memory": "512Mi"}))
    done = wire.ask("PATCH", f"{path}/pods/a/status", {"status": {"phase": "Succeeded"}}, content_type=MERGE)
    assert done.status == 200
    shows(wire, path, {"cpu": "400m", "limits.memory": "512Mi", "pods": "1", "requests.example.com/device": "0"})


def test_pods_say_what_they_take_where_a_quota_goes_by_nothing_else(wire: Wire) -> None:
    path = limited(wire, {"limits.memory": "1Gi", "limits.cpu": "1"})
    refused = 'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: {}; limits.memory for: {}'
    part = {"x": {"cpu": "1"}, "y": {"memory": "1Mi"}}
    containers = [{"name": name, "image": "i", "resources": {"limits": limits}} for name, limits in part.items()]
    answer = wire.ask("POST", f"{path}/pods", pod("a", containers=containers))
    assert (answer.status, answer.message) == (403, refused.format("y", "x"))
    assert wire.ask("POST", f"{path}/pods", pod("a")).message == refused.format("c", "c")
    whole = {"limits": {"cpu": "400m", "memory": "1Mi"}}
    wire.create(f"{path}/pods", pod("a", resources=whole))
    shows(wire, path, {"limits.cpu": "400m", "limits.memory": "1Mi"})


def test_services_and_their_ports_are_counted(wire: Wire) -> None:
    path = limited(wire, {"services": "3", "services.nodeports": "2", "services.loadbalancers": "1"})
    services = f"{path}/services"

    def ask(name: str, kind: str, *ports: int) -> Answer:
        spec = {"type": kind, "ports": [{"name": f"p{port}", "port": port} for port in ports]}
        return wire.ask("POST", services, {"metadata": {"name": name}, "spec": spec})

    assert ask("a", "NodePort", 80).status == 201
    exceeded(
        ask("b", "LoadBalancer", 80, 81), 'services "b"', "services.nodeports=2", "services.nodeports=1", "services.nodeports=2"
    )  # fmt: skip
    assert ask("b", "LoadBalancer", 80).status == 201
    shows(wire, path, {"services": "2", "services.nodeports": "2", "services.loadbalancers": "1"})
    more = wire.ask("PATCH", f"{services}/a", {"spec": {"ports": [{"name": "x", "port": 1}, {"name": "y", "port": 2}]}}, content_type=MERGE)
    exceeded(more, 'services "a"', "services.nodeports=1", "services.nodeports=2", "services.nodeports=2")
    assert wire.ask("PATCH", f"{services}/a", {"spec": {"type": "ClusterIP"}}, content_type=MERGE).status == 200
    shows(wire, path, {"services": "2", "services.nodeports": "1", "services.loadbalancers": "1"})


def test_storage_is_counted_by_class_too(wire: Wire) -> None:
    prefix = f"fast.storageclass.storage.{wire.dialect.group_suffix}"
    path = limited(wire, {"requests.storage": "10Gi", f"{prefix}/requests.storage": "2Gi", f"{prefix}/persistentvolumeclaims": "1"})

    def ask(name: str, size: str, storage_class: str) -> Answer:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, "storageClassName": storage_class}
        return wire.ask("POST", f"{path}/persistentvolumeclaims", {"metadata": {"name": name}, "spec": spec})

    name = f"{prefix}/requests.storage"
    exceeded(ask("a", "3Gi", "fast"), 'persistentvolumeclaims "a"', f"{name}=3Gi", f"{name}=0", f"{name}=2Gi")
    assert ask("a", "2Gi", "fast").status == 201
    assert ask("b", "8Gi", "slow").status == 201
    exceeded(
        ask("c", "1Gi", "slow"), 'persistentvolumeclaims "c"', "requests.storage=1Gi", "requests.storage=10Gi", "requests.storage=10Gi"
    )  # fmt: skip


def test_a_claim_takes_no_less_than_it_was_given(wire: Wire) -> None:
    """One that was grown and is taken back still has the room that was made for it. Parts of bytes count as a whole one."""
    path = limited(wire, {"requests.storage": "5Gi"})
    claims = f"{path}/persistentvolumeclaims"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
    wire.create(claims, {"metadata": {"name": "a"}, "spec": spec})
    allotted = {"status": {"allocatedResources": {"storage": "4Gi"}}}
    assert wire.ask("PATCH", f"{claims}/a/status", allotted, content_type=MERGE).status == 200
    shows(wire, path, {"requests.storage": "4Gi"})
    more = {**spec, "resources": {"requests": {"storage": "1Gi"}}}
    wire.create(claims, {"metadata": {"name": "b"}, "spec": more})
    exceeded(
        wire.ask("POST", claims, {"metadata": {"name": "c"}, "spec": {**spec, "resources": {"requests": {"storage": "1500m"}}}}),
        'persistentvolumeclaims "c"', "requests.storage=2", "requests.storage=5Gi", "requests.storage=5Gi",
    )  # fmt: skip


def test_a_pod_that_is_made_smaller_takes_what_it_has(wire: Wire) -> None:
    """Until its containers have less; what was asked for and can't be granted counts for nothing."""
    path = limited(wire, {"requests.cpu": "2"})
    wire.create(f"{path}/pods", pod("a", {"cpu": "1500m"}))

    def report(had: str, *conditions: Object) -> None:
        container = {"name": "c", "image": "i", "imageID": "", "ready": True, "restartCount": 0}
        container |= {"allocatedResources": {"cpu": had}, "resources": {"requests": {"cpu": had}}}
        status = {"containerStatuses": [container], "conditions": list(conditions)}
        assert wire.ask("PATCH", f"{path}/pods/a/status", {"status": status}, content_type=MERGE).status == 200

    def resize(wanted: str) -> Answer:
        spec = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": wanted}}}]}
        return wire.ask("PATCH", f"{path}/pods/a/resize", {"spec": spec}, content_type=MERGE)

    report("1500m")
    assert resize("100m").status == 200
    exceeded(wire.ask("POST", f"{path}/pods", pod("b", {"cpu": "1"})), 'pods "b"', "requests.cpu=1", "requests.cpu=1500m", "requests.cpu=2")
    report("100m")
    shows(wire, path, {"requests.cpu": "100m"})
    assert resize("1").status == 200
    shows(wire, path, {"requests.cpu": "1"})
    report("100m", {"type": "PodResizePending", "status": "True", "reason": "Infeasible"})
    shows(wire, path, {"requests.cpu": "100m"})


SCOPES: tuple[tuple[Object, Object, Object], ...] = (
    ({"scopes": ["BestEffort"]}, {}, {"requests": {"cpu": "1"}}),
    ({"scopes": ["BestEffort"]}, {"requests": {"cpu": "0"}}, {"resources": {"requests": {"cpu": "1"}}}),
    ({"scopes": ["NotBestEffort"]}, {"requests": {"cpu": "1"}}, {}),
    ({"scopes": ["Terminating"]}, {"activeDeadlineSeconds": 5}, {}),
    ({"scopes": ["NotTerminating"]}, {}, {"activeDeadlineSeconds": 5}),
    (
        {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["system-node-critical"]}]}},
        {"priorityClassName": "system-node-critical"},
        {"priorityClassName": "system-cluster-critical"},
    ),
    (
        {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "NotIn", "values": ["system-node-critical"]}]}},
        {},
        {"priorityClassName": "system-node-critical"},
    ),
    (
        {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "DoesNotExist"}]}},
        {},
        {"priorityClassName": "system-node-critical"},
    ),
)


def devices(name: str, *requests: Object) -> Object:
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": list(requests)}}}


def test_devices_are_counted_by_class(wire: Wire) -> None:
    group = wire.dialect.group("resource")
    fast, slow = (f"{name}.deviceclass.{group}/devices" for name in ("fast", "slow"))
    path = limited(wire, {fast: "3", slow: "40"})
    claims = path.replace("/api/v1/", f"/apis/{group}/v1/") + "/resourceclaims"
    two = {"name": "r", "exactly": {"deviceClassName": "fast", "count": 2}}
    either = {
        "name": "e",
        "firstAvailable": [{"name": "a", "deviceClassName": "fast"}, {"name": "b", "deviceClassName": "slow", "allocationMode": "All"}],
    }
    wire.create(claims, devices("a", two))
    answer = wire.ask("POST", claims, devices("b", two))
    exceeded(answer, f'resourceclaims.{group} "b"', f"{fast}=2", f"{fast}=2", f"{fast}=3")
    wire.create(claims, devices("c", either))
    shows(wire, path, {fast: "3", slow: "32"})
    assert wire.ask("DELETE", f"{claims}/a").status == 200
    shows(wire, path, {fast: "1", slow: "32"})


@pytest.mark.parametrize(("scope", "inside", "outside"), SCOPES)
def test_scopes_choose_what_counts(wire: Wire, scope: Object, inside: Object, outside: Object) -> None:
    path = limited(wire, {"pods": "0"}, **scope)
    assert wire.ask("POST", f"{path}/pods", pod("in", **inside)).message.endswith("requested: pods=1, used: pods=0, limited: pods=0")
    assert wire.ask("POST", f"{path}/pods", pod("out", **outside)).status == 201


def test_pods_that_look_into_other_namespaces(wire: Wire) -> None:
    path = limited(wire, {"pods": "0"}, scopes=["CrossNamespacePodAffinity"])
    term = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": {}}
    affinity = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]}}
    assert wire.ask("POST", f"{path}/pods", pod("in", affinity=affinity)).status == 403
    assert wire.ask("POST", f"{path}/pods", pod("out")).status == 201


def test_a_trial_and_what_fails_take_nothing(wire: Wire) -> None:
    path = limited(wire, {"configmaps": "2"})
    assert wire.ask("POST", f"{path}/configmaps?dryRun=All", config_map("a")).status == 201
    assert wire.ask("POST", f"{path}/configmaps", {"metadata": {"name": "A"}}).status == 422
    wire.create(f"{path}/configmaps", config_map("a"))
    assert wire.ask("POST", f"{path}/configmaps", config_map("a")).status == 409
    assert wire.ask("POST", f"{path}/configmaps?dryRun=All", config_map("b")).status == 403
    shows(wire, path, {"configmaps": "2"})


def test_fifty_who_write_at_once_get_no_more_than_there_is(wire: Wire) -> None:
    path = limited(wire, {"configmaps": "21"})
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda number: wire.ask("POST", f"{path}/configmaps", config_map(f"m{number}")).status, range(200)))
    assert (answers.count(201), answers.count(403)) == (20, 180)
    assert len(wire.ask("GET", f"{path}/configmaps").json["items"]) == 21
    shows(wire, path, {"configmaps": "21"})


def test_who_has_an_answer_finds_it_in_the_status(wire: Wire) -> None:
    """However many write at once, and for every quota of the namespace."""
    path = limited(wire, {"count/secrets": "1k", "pods": "0"})
    wire.create(f"{path}/resourcequotas", {"metadata": {"name": "r"}, "spec": {"hard": {"secrets": "1k"}}})
    for number in range(1, 4):
        wire.create(f"{path}/secrets", {"metadata": {"name": f"s{number}"}})
        told = [wire.ask("GET", f"{path}/resourcequotas/{name}").json["status"]["used"] for name in "qr"]
        assert told == [{"count/secrets": str(number), "pods": "0"}, {"secrets": str(number)}]

    def taken_after(number: int) -> int:
        wire.create(f"{path}/secrets", {"metadata": {"name": f"many{number}"}})
        return int(wire.ask("GET", f"{path}/resourcequotas/r").json["status"]["used"]["secrets"])

    with ThreadPoolExecutor(20) as pool:
        counts = list(pool.map(taken_after, range(100)))
    assert min(counts) >= 4
    assert max(counts) == 103


def test_what_was_let_in_and_failed_is_given_back_in_the_status(wire: Wire) -> None:
    path = limited(wire, {"count/secrets": "5"})
    wire.create(f"{path}/secrets", {"metadata": {"name": "s"}})
    assert wire.ask("POST", f"{path}/secrets", {"metadata": {"name": "s"}}).status == 409
    shows(wire, path, {"count/secrets": "1"})


def test_events_are_not_counted(wire: Wire) -> None:
    """Neither where they are written nor in the status, under whichever of their groups."""
    of_group = f"count/events.{wire.dialect.group('events')}"
    path = limited(wire, {"count/events": "0", of_group: "0", "pods": "3"})
    name = path.rpartition("/")[2]
    involved = {"kind": "Namespace", "name": name, "namespace": name}
    wire.create(f"{path}/events", {"metadata": {"name": "e"}, "involvedObject": involved, "reason": "Test"})
    shows(wire, path, {"pods": "0"})
    wire.create(f"{path}/pods", pod("a"))
    shows(wire, path, {"pods": "1"})


KNOWN = ("cpu", "limits.memory", "requests.example.com/gpu", "requests.hugepages-2Mi", "services.nodeports", "count/deployments.apps")
UNKNOWN = ("count/foos", "count/nonsense.none", "count/nodes", "count/bindings", "example.com/gpu", "limits.example.com/gpu")


def test_the_status_tells_of_what_can_be_taken_alone(wire: Wire) -> None:
    """Of names that nothing is counted under it repeats how much is allowed, and says no more."""
    suffix = wire.dialect.group_suffix
    classes = (f"gold.storageclass.storage.{suffix}/requests.storage", f"fast.deviceclass.{wire.dialect.group('resource')}/devices")
    hard = dict.fromkeys((*KNOWN, *UNKNOWN, *classes, f"gold.storageclass.storage.{suffix}/nonsense"), "1")
    path = limited(wire, hard)
    shows(wire, path, dict.fromkeys((*KNOWN, *classes), "0"))
    assert wire.ask("GET", f"{path}/resourcequotas/q").json["status"]["hard"] == hard


def test_where_nothing_is_counted_the_status_has_no_amounts(wire: Wire) -> None:
    path = limited(wire, {"count/foos": "1"})
    told = wire.until(f"{path}/resourcequotas/q", lambda quota: "hard" in quota["status"])["status"]
    assert told == {"hard": {"count/foos": "1"}}


def test_custom_resources_are_counted_once_they_are_served(wire: Wire) -> None:
    """A resource of a group of one's own that is called ``events``, too."""
    path = limited(wire, {"count/events.example.com": "1"})
    shows(wire, path, None)
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"plural": "events", "kind": "Happening"}
    spec = {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]}
    definitions = f"/apis/{wire.dialect.group('apiextensions')}/v1/customresourcedefinitions"
    wire.create(definitions, {"metadata": {"name": "events.example.com"}, "spec": spec})
    shows(wire, path, {"count/events.example.com": "0"})
    happenings = path.replace("/api/v1/", "/apis/example.com/v1/") + "/events"
    one: Object = {"apiVersion": "example.com/v1", "kind": "Happening"}
    wire.create(happenings, {**one, "metadata": {"name": "a"}})
    answer = wire.ask("POST", happenings, {**one, "metadata": {"name": "b"}})
    counted = "count/events.example.com=1"
    exceeded(answer, 'events.example.com "b"', counted, counted, counted)
    shows(wire, path, {"count/events.example.com": "1"})
    assert wire.ask("DELETE", f"{definitions}/events.example.com").status == 200
    shows(wire, path, None)


def test_quotas_that_come_later_count_what_is_there(wire: Wire) -> None:
    path = space(wire)
    for name in "abc":
        wire.create(f"{path}/pods", pod(name, {"cpu": "1"}))
    wire.create(f"{path}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "2", "requests.cpu": "9"}}})
    shows(wire, path, {"pods": "3", "requests.cpu": "3"})
    exceeded(wire.ask("POST", f"{path}/pods", pod("d", {"cpu": "1"})), 'pods "d"', "pods=1", "pods=3", "pods=2")
    wire.ask("PATCH", f"{path}/resourcequotas/q", {"spec": {"hard": {"pods": "4"}}}, content_type=MERGE)
    wire.create(f"{path}/pods", pod("d", {"cpu": "1"}))


def test_the_status_is_true_while_time_stands_still(tmp_path: Path) -> None:
    with served(tmp_path, "kubernetes", "--nodes", "0", "--clock", "paused") as server:
        wire = Wire(server)
        path = limited(wire, {"count/configmaps": "5"})
        shows(wire, path, {"count/configmaps": "1"})
        for name in "ab":
            wire.create(f"{path}/configmaps", config_map(name))
        shows(wire, path, {"count/configmaps": "3"})
        wire.close()
