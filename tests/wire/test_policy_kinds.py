"""What bounds, ranks and shares out, over the wire: whole objects, what may change and what may not, and how kubectl sees them."""

import json
import re
import shutil
from typing import NamedTuple

import pytest

from svcsim.dialect import Dialect
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Kind
from tests.admission.writes import known_as
from tests.kinds.helpers import KINDS
from tests.kinds.samples.policy import FULL
from tests.process import SVCSIM, answered, environment
from tests.wire.raw import MERGE, Wire

_AGE = re.compile(r"(?:<invalid>|\b(?:\d+[dhms])+)( \(x\d+ over (?:<invalid>|(?:\d+[dhms])+)\))?")
_BETWEEN = re.compile(r"[ -]{2,}")


def _timeless(described: str) -> str:
    """Without the ages of events, and what their width makes of the table.

    They are a second older by the time the other one looks, and kubectl knows the machine's time alone: a cluster whose clock has run ahead
    for another test has events of a time that is still to come.
    """
    told, events, listed = described.partition("\nEvents:")
    return told + events + _BETWEEN.sub("  ", _AGE.sub("AGE", listed))


class Change(NamedTuple):
    """What a patch makes of a whole object; ``field`` and ``reason`` of the cause for which it is refused, if it is."""

    patch: Object
    field: str = ""
    reason: str = "FieldValueInvalid"


CHANGES: dict[str, tuple[Change, ...]] = {
    "v1 LimitRange": (
        Change({"spec": {"limits": [{"type": "Pod", "max": {"cpu": "9"}}]}}),
        Change({"spec": {"limits": [{"type": "Pod"}, {"type": "Pod"}]}}, "spec.limits[1].type", "FieldValueDuplicate"),
    ),
    "v1 ResourceQuota": (
        Change({"spec": {"hard": {"pods": "20"}}}),
        Change({"spec": {"scopes": ["Terminating"]}}, "spec.scopes"),
    ),
    "policy/v1 PodDisruptionBudget": (
        Change({"spec": {"minAvailable": 2}}),
        Change({"spec": {"maxUnavailable": 1}}, "spec"),
    ),
    "policy/v1beta1 PodSecurityPolicy": (
        Change({"spec": {"privileged": False}}),
        Change({"spec": {"runAsUser": {"rule": "RunAsMe"}}}, "spec.runAsUser.rule", "FieldValueNotSupported"),
    ),
    "scheduling/v1 PriorityClass": (
        Change({"description": "Another"}),
        Change({"value": 7}, "value", "FieldValueForbidden"),
    ),
    "node/v1 RuntimeClass": (
        Change({"overhead": {"podFixed": {"cpu": "1"}}}),
        Change({"handler": "runc"}, "handler"),
    ),
    "flowcontrol.apiserver/v1 FlowSchema": (
        Change({"spec": {"matchingPrecedence": 3000}}),
        Change({"spec": {"matchingPrecedence": 1}}, "spec.matchingPrecedence"),
    ),
    "flowcontrol.apiserver/v1 PriorityLevelConfiguration": (
        Change({"spec": {"limited": {"nominalConcurrencyShares": 0}}}),
        Change({"spec": {"exempt": {}}}, "spec.exempt", "FieldValueForbidden"),
    ),
    "resource/v1 DeviceClass": (
        Change({"spec": {"extendedResourceName": "example.com/other"}}),
        Change({"spec": {"extendedResourceName": "cpu"}}, "spec.extendedResourceName"),
    ),
    "resource/v1 ResourceClaim": (
        Change({"metadata": {"labels": {"c": "d"}}}),
        Change({"spec": {"devices": {"config": None}}}, "spec"),
    ),
    "resource/v1 ResourceClaimTemplate": (
        Change({"metadata": {"labels": {"c": "d"}}}),
        Change({"spec": {"spec": {"devices": {"config": None}}}}, "spec"),
    ),
    "resource/v1 ResourceSlice": (
        Change({"spec": {"pool": {"generation": 4}}}),
        Change({"spec": {"driver": "other.example.com"}}, "spec.driver"),
    ),
}
"""For each kind, one that is fine and one that isn't."""
ROWS: dict[str, list[Json]] = {
    "v1 LimitRange": ["full", ...],
    "v1 ResourceQuota": ["full", "cpu: 0/10, pods: 0/10", "limits.memory: 0/20Gi", ...],
    "policy/v1 PodDisruptionBudget": ["full", "50%", "N/A", 0, ...],
    "policy/v1beta1 PodSecurityPolicy": [
        *("full", True, "NET_ADMIN,NET_RAW", "MustRunAs", "MustRunAsNonRoot", "RunAsAny", "MustRunAs", True, "configMap,csi"),
    ],
    "scheduling/v1 PriorityClass": ["full", 1000, False, ..., "Never"],
    "node/v1 RuntimeClass": ["full", "gvisor", ...],
    "flowcontrol.apiserver/v1 FlowSchema": ["full", "workload-low", 2000, "ByNamespace", ..., "?"],
    "flowcontrol.apiserver/v1 PriorityLevelConfiguration": ["full", "Limited", "100", "512", "4", "100"],
    "resource/v1 DeviceClass": ["full"],
    "resource/v1 ResourceClaim": ["full", "pending"],
    "resource/v1 ResourceClaimTemplate": ["full"],
    "resource/v1 ResourceSlice": ["full", "node-1", "gpu.example.com", "node-1/gpus"],
}
"""What a table shows of a whole object, the last columns left out; ``...`` is anything."""


@pytest.fixture(params=sorted(FULL))
def kind(request: pytest.FixtureRequest) -> Kind:
    return next(kind for kind in KINDS if known_as(kind) == request.param)


def whole(kind: Kind, dialect: Dialect, **metadata: Json) -> Object:
    group = kind.group.name(dialect)
    version = f"{group}/{kind.group.version}".lstrip("/")
    return {"apiVersion": version, "kind": kind.name, "metadata": {"name": "full", **metadata}, **FULL[known_as(kind)]}


def collection(kind: Kind, dialect: Dialect, namespace: str) -> str:
    version = whole(kind, dialect)["apiVersion"]
    return f"{'/apis' if '/' in version else '/api'}/{version}/" + (f"namespaces/{namespace}/" if kind.namespaced else "") + kind.plural


def holds(value: Json, part: Json) -> bool:
    """Whether all of the part is in the value."""
    if isinstance(part, dict):
        return isinstance(value, dict) and all(name in value and holds(value[name], one) for name, one in part.items())
    if isinstance(part, list):
        return isinstance(value, list) and len(value) == len(part) and all(map(holds, value, part))
    return bool(value == part)


def test_a_whole_object_is_stored_changed_and_kept_right(wire: Wire, ns: str, kind: Kind):
    known, path = known_as(kind), collection(kind, wire.dialect, ns)
    wire.create(path, whole(kind, wire.dialect))
    one = f"{path}/full"
    try:
        stored = wire.get(one)
        assert holds(stored, FULL[known])
        if kind.name == "ResourceQuota":
            _counted(wire, one)
        table = wire.ask(
            "GET",
            path,
            headers={"Accept": "application/json;as=Table;v=v1;g=meta." + wire.dialect.group_suffix},
            fieldSelector="metadata.name=full",
        )
        (row,) = table.json["rows"]
        assert all(wanted in (..., cell) for cell, wanted in zip(row["cells"], ROWS[known], strict=False)), row["cells"]
        for change in CHANGES[known]:
            answer = wire.ask("PATCH", one, change.patch, content_type=MERGE)
            if not change.field:
                assert answer.status == 200, answer.body
                continue
            assert answer.status == 422, answer.body
            assert (change.reason, change.field) in [(cause["reason"], cause["field"]) for cause in answer.json["details"]["causes"]]
    finally:
        wire.delete(one)
    assert wire.ask("GET", one).status == 404


def _counted(wire: Wire, quota: str) -> None:
    """Wait until its status tells how much is taken."""
    wire.until(quota, lambda obj: obj["status"].get("used"))


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")
def test_kubectl_makes_shows_and_explains_it_and_svcsim_describes_it_alike(kubernetes_server: Wire, kind: Kind):
    wire = kubernetes_server
    ns, name, path = wire.namespace(), f"{kind.plural}.{kind.group.name(wire.dialect)}".rstrip("."), ""

    def run(*words: str, sent: Json = None) -> str:
        line = [*words, "--kubeconfig", str(wire.server.kubeconfig), "-n", ns]
        done = answered(line, environment(wire.server.home), sent=json.dumps(sent))
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def described(program: str) -> list[str]:
        return _timeless(run(program, "describe", name, "full")).splitlines()

    path = collection(kind, wire.dialect, ns)
    notes = {"labels": {"a": "b"}, "annotations": {"example.com/note": "x"}}
    run("kubectl", "create", "-f", "-", sent=whole(kind, wire.dialect, **notes))
    if kind.name == "ResourceQuota":
        _counted(wire, f"{path}/full")
    if kind.name == "PodDisruptionBudget":
        wire.settled(f"{path}/full")
        wire.until(f"/api/v1/namespaces/{ns}/events", lambda events: any(event["reason"] == "NoPods" for event in events["items"]))
    try:
        assert "full" in run("kubectl", "get", name)
        assert kind.name in run("kubectl", "explain", name)
        ours, theirs = described(SVCSIM), described("kubectl")
        while ours != theirs and (now := described(SVCSIM)) != ours:  # something came to pass in between
            ours, theirs = now, described("kubectl")
        # kubectl has a limit's resources in any order, another one each time
        assert (sorted(ours) == sorted(theirs)) if kind.name == "LimitRange" else (ours == theirs)
    finally:
        run("kubectl", "delete", name, "full")
    assert wire.ask("GET", f"{path}/full").status == 404


def test_priorities_of_the_system_are_there_and_stay(wire: Wire):
    path = f"/apis/{wire.dialect.group('scheduling')}/v1/priorityclasses"
    values = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
    assert {item["metadata"]["name"]: item["value"] for item in wire.get(path)["items"] if item["metadata"]["name"] in values} == values
    for name in values:
        answer = wire.ask("DELETE", f"{path}/{name}")
        assert (answer.status, answer.reason) == (403, "Forbidden")
        assert answer.message.endswith("is forbidden: this is a system priority class and cannot be deleted")
        assert wire.get(f"{path}/{name}")["metadata"]["generation"] == 1


def test_counts_of_a_budget_begin_at_none_and_are_never_negative(wire: Wire, ns: str):
    path = f"/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
    made = wire.create(path, {"metadata": {"name": "a"}, "spec": {"minAvailable": 1}})
    counts = {"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0}
    assert (made["status"], made["metadata"]["generation"]) == (counts, 1)
    assert wire.patch(f"{path}/a/status", {"status": {"currentHealthy": 3}})["status"]["currentHealthy"] == 3
    answer = wire.ask("PATCH", f"{path}/a/status", {"status": {"currentHealthy": -1}}, content_type=MERGE)
    assert [cause["field"] for cause in answer.json["details"]["causes"]] == ["status.currentHealthy"]


def test_the_status_of_a_quota_is_checked_and_shown(wire: Wire, ns: str):
    path = f"/api/v1/namespaces/{ns}/resourcequotas"
    made = wire.create(path, {"metadata": {"name": "a"}, "spec": {"hard": {"pods": "5"}}, "status": {"hard": {"pods": "9"}}})
    assert made["status"] == {}
    wire.patch(f"{path}/a/status", {"status": {"hard": {"pods": "5"}, "used": {"pods": "2"}}})
    answer = wire.ask("PATCH", f"{path}/a/status", {"status": {"used": {"pods": "-1"}}}, content_type=MERGE)
    assert [cause["field"] for cause in answer.json["details"]["causes"]] == ["status.used[pods]"]
    wire.until(f"{path}/a", lambda obj: obj["status"].get("used") == {"pods": "0"})  # what was said of it is put right
    table = wire.ask("GET", f"{path}/a", headers={"Accept": f"application/json;as=Table;v=v1;g=meta.{wire.dialect.group_suffix}"})
    assert table.json["rows"][0]["cells"][:3] == ["a", "pods: 0/5", ""]


def test_the_server_shares_itself_out_from_the_start(wire: Wire):
    root = f"/apis/{wire.dialect.group('flowcontrol.apiserver')}/v1"
    levels = {item["metadata"]["name"]: item["spec"] for item in wire.get(f"{root}/prioritylevelconfigurations")["items"]}
    schemas = {item["metadata"]["name"]: item for item in wire.get(f"{root}/flowschemas")["items"]}
    assert {"catch-all", "exempt", "global-default", "leader-election", "node-high", "system", "workload-high", "workload-low"} <= set(
        levels
    )
    assert {"catch-all", "exempt", "global-default", "probes", "service-accounts", "system-nodes"} <= set(schemas)
    found = schemas["service-accounts"]
    assert found["spec"]["priorityLevelConfiguration"]["name"] == "workload-low"
    (condition,) = found["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Dangling", "False", "Found")
    answer = wire.ask("PATCH", f"{root}/prioritylevelconfigurations/exempt", {"spec": {"type": "Limited"}}, content_type=MERGE)
    assert answer.status == 422


def test_a_policy_that_is_on_its_way_out_is_served_with_a_warning(wire: Wire):
    path = "/apis/policy/v1beta1/podsecuritypolicies"
    told = '299 - "policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+, unavailable in v1.25+"'
    for answer in (wire.ask("GET", path), wire.ask("POST", path, {"metadata": {"name": "a_b"}}), wire.ask("GET", f"{path}/nothing")):
        assert answer.headers["warning"] == told
    name = wire.fresh("psp")
    rules = {field: {"rule": "RunAsAny"} for field in ("seLinux", "runAsUser", "supplementalGroups", "fsGroup")}
    assert wire.create(path, {"metadata": {"name": name}, "spec": rules})["spec"]["allowPrivilegeEscalation"] is True
    assert wire.delete(f"{path}/{name}")["kind"] == "PodSecurityPolicy"
