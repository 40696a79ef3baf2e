"""What a file says of the plugins EventRateLimit, PodNodeSelector, PodTolerationRestriction, ResourceQuota and PodSecurity."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import MERGE, Answer, Wire
from tests.wire.test_admission_config import OPTION, config
from tests.wire.test_pod_security_config import of_pod_security
from tests.wire.test_start_refused import private, refused

EVENTS = "/api/v1/namespaces/{}/events"
KINDS = {
    "EventRateLimit": ("eventratelimit.admission", "v1alpha1", "Configuration"),
    "PodTolerationRestriction": ("podtolerationrestriction.admission", "v1alpha1", "Configuration"),
    "ResourceQuota": ("apiserver.config", "v1", "ResourceQuotaConfiguration"),
}


def of(dialect: str, plugin: str, **content: object) -> Object:
    if plugin in KINDS:
        group, version, kind = KINDS[plugin]
        content = {"apiVersion": f"{DIALECTS[dialect].group(group)}/{version}", "kind": kind, **content}
    return {"name": plugin, "configuration": content}


@contextmanager
def configured(directory: Path, dialect: str, *plugins: Object) -> Iterator[Wire]:
    file = private(directory / "admission.json", config(dialect, *plugins))
    names = [one["name"] for one in plugins if one["name"] not in ("PodSecurity", "ResourceQuota")]
    on = ("--enable-admission-plugins", ",".join(names)) if names else ()
    with served(directory / "home", dialect, OPTION, str(file), *on, "--nodes", "0", "--clock", "paused") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


@pytest.fixture(scope="module", params=DIALECTS)
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    dialect = request.param
    disks = f"{DIALECTS[dialect].group('storage')}/"
    plugins = (
        of(
            dialect,
            "PodNodeSelector",
            podNodeSelectorPluginConfig={"clusterDefaultNodeSelector": "zone=a", "tight": "zone=a, disk=fast"},
        ),
        of(
            dialect,
            "PodTolerationRestriction",
            default=[{"key": "given", "operator": "Exists"}],
            whitelist=[{"key": "given", "operator": "Exists"}, {"key": "allowed", "operator": "Exists"}, *usual(dialect)],
        ),
        of(
            dialect,
            "ResourceQuota",
            limitedResources=[
                {"resource": "pods", "matchScopes": [{"scopeName": "PriorityClass", "operator": "In", "values": ["top"]}]},
                {"resource": "persistentvolumeclaims", "matchContains": [f"gold.storageclass.{disks}"]},
                {"apiGroup": "apps", "resource": "deployments", "matchContains": ["count/deployments.apps"]},
            ],
        ),
        of_pod_security(dialect, exemptions={"namespaces": ["exempt"]}),
    )
    with configured(tmp_path_factory.mktemp("plugins"), dialect, *plugins) as wire:
        wire.create(f"/apis/{wire.dialect.group('scheduling')}/v1/priorityclasses", {"metadata": {"name": "top"}, "value": 1000})
        yield wire


def usual(dialect: str) -> list[Object]:
    """What every pod tolerates."""
    keys = ("not-ready", "unreachable", "memory-pressure")
    return [{"key": DIALECTS[dialect].key(key, "node"), "operator": "Exists"} for key in keys]


def space(wire: Wire, **annotations: str) -> str:
    name = wire.fresh("space")
    wire.create("/api/v1/namespaces", {"metadata": {"name": name, "annotations": annotations}})
    return name


def make_pod(wire: Wire, namespace: str, **spec: object) -> Answer:
    body = {"metadata": {"name": wire.fresh("pod")}, "spec": {"containers": [{"name": "a", "image": "a"}], **spec}}
    return wire.ask("POST", f"/api/v1/namespaces/{namespace}/pods", body)


# --- PodNodeSelector ---


def test_a_namespace_without_a_selector_has_the_clusters(wire: Wire) -> None:
    key = wire.dialect.key("node-selector", "scheduler.alpha")
    assert make_pod(wire, space(wire)).json["spec"]["nodeSelector"] == {"zone": "a"}
    assert make_pod(wire, space(wire, **{key: "disk=slow"})).json["spec"]["nodeSelector"] == {"disk": "slow"}
    assert "nodeSelector" not in make_pod(wire, space(wire, **{key: ""})).json["spec"]
    refused = make_pod(wire, space(wire), nodeSelector={"zone": "b"})
    assert (refused.status, "conflicts with its namespace node label selector" in refused.message) == (403, True)


def test_a_namespaces_pods_may_select_what_is_listed_for_it(wire: Wire) -> None:
    if wire.ask("GET", "/api/v1/namespaces/tight").status == 404:
        wire.create("/api/v1/namespaces", {"metadata": {"name": "tight"}})
    assert make_pod(wire, "tight", nodeSelector={"disk": "fast"}).json["spec"]["nodeSelector"] == {"disk": "fast", "zone": "a"}
    refused = make_pod(wire, "tight", nodeSelector={"disk": "slow"})
    assert (refused.status, "pod node label selector labels conflict with its namespace whitelist" in refused.message) == (403, True)


# --- PodTolerationRestriction ---


def test_a_namespace_that_says_nothing_has_the_clusters_tolerations(wire: Wire) -> None:
    tolerated = [one["key"] for one in make_pod(wire, space(wire)).json["spec"]["tolerations"]]
    assert "given" in tolerated
    assert make_pod(wire, space(wire), tolerations=[{"key": "allowed", "operator": "Exists"}]).status == 201
    refused = make_pod(wire, space(wire), tolerations=[{"key": "other", "operator": "Exists"}])
    assert (refused.status, "conflict with its cluster whitelist" in refused.message) == (403, True)


def test_a_namespace_that_says_so_has_none(wire: Wire) -> None:
    defaults, allowed = (wire.dialect.key(name, "scheduler.alpha") for name in ("defaultTolerations", "tolerationsWhitelist"))
    made = make_pod(wire, space(wire, **{defaults: "", allowed: ""}), tolerations=[{"key": "other", "operator": "Exists"}])
    assert (made.status, "given" in [one["key"] for one in made.json["spec"]["tolerations"]]) == (201, False)


# --- ResourceQuota ---


def test_what_is_limited_needs_a_quota(wire: Wire) -> None:
    here = space(wire)
    claims, disks = f"/api/v1/namespaces/{here}/persistentvolumeclaims", f"gold.storageclass.{wire.dialect.group('storage')}"

    def claim(class_name: str) -> Answer:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": class_name}
        return wire.ask("POST", claims, {"metadata": {"name": wire.fresh("claim")}, "spec": spec})

    refused = claim("gold")
    assert refused.status == 403
    assert refused.message.endswith(f"is forbidden: insufficient quota to consume: {disks}/persistentvolumeclaims,{disks}/requests.storage")
    assert claim("tin").status == 201
    hard = {f"{disks}/persistentvolumeclaims": "1", f"{disks}/requests.storage": "10Gi"}
    wire.create(f"/api/v1/namespaces/{here}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard}})
    assert claim("gold").status == 201
    assert "exceeded quota: q" in claim("gold").message


def test_a_limited_kind_of_another_group_is_meant_by_it(wire: Wire) -> None:
    here = space(wire)
    path = f"/apis/apps/v1/namespaces/{here}/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
    body = {"metadata": {"name": "web"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}}
    assert wire.ask("POST", path, body).message.endswith("insufficient quota to consume: count/deployments.apps")
    hard = {"count/deployments.apps": "1"}
    wire.create(f"/api/v1/namespaces/{here}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard}})
    assert wire.ask("POST", path, body).status == 201


def test_a_limited_scope_needs_a_quota_of_it(wire: Wire) -> None:
    here = space(wire)
    refused = make_pod(wire, here, priorityClassName="top")
    assert (refused.status, refused.json.get("reason", "")) == (500, "")
    assert refused.message == "insufficient quota to match these scopes: [{PriorityClass In [top]}]"
    assert make_pod(wire, here).status == 201
    selector = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["top"]}]}
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}, "scopeSelector": selector}}
    wire.create(f"/api/v1/namespaces/{here}/resourcequotas", quota)
    assert make_pod(wire, here, priorityClassName="top").status == 201
    assert "exceeded quota: q" in make_pod(wire, here, priorityClassName="top").message


# --- PodSecurity ---


def test_a_namespace_that_is_exempt_is_told_that_its_labels_are_of_no_use(wire: Wire) -> None:
    label = wire.dialect.key("enforce", "pod-security")
    made = wire.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "exempt", "labels": {label: "baseline"}}})
    told = 'namespace \\"exempt\\" is exempt from Pod Security, and the policy (enforce={}) will be ignored'
    assert told.format("baseline:latest, warn=baseline:latest") in made.headers["warning"]
    change = {"metadata": {"labels": {label: "restricted"}}}
    again = wire.ask("PATCH", "/api/v1/namespaces/exempt", change, content_type=MERGE)
    assert told.format("restricted:latest, warn=restricted:latest") in again.headers["warning"]
    assert (
        "warning" not in wire.ask("PATCH", "/api/v1/namespaces/exempt", {"metadata": {"labels": {label: None}}}, content_type=MERGE).headers
    )


# --- EventRateLimit ---


def event(wire: Wire, namespace: str = "default", about: str = "x", **query: str) -> Answer:
    body = {"metadata": {"name": wire.fresh("event"), "namespace": namespace}, "involvedObject": {"namespace": namespace, "name": about}}
    return wire.ask("POST", EVENTS.format(namespace), {**body, "reason": "R", "source": {"component": "me"}}, **query)


def limits(dialect: str, *listed: Object) -> Object:
    return of(dialect, "EventRateLimit", limits=list(listed))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_more_events_than_are_allowed(tmp_path: Path, dialect: str) -> None:
    with configured(tmp_path, dialect, limits(dialect, {"type": "Namespace", "qps": 1, "burst": 3})) as wire:
        answers = [event(wire) for _ in range(4)]
        assert [answer.status for answer in answers] == [201, 201, 201, 429]
        last = answers[-1]
        assert (last.reason, last.message) == ("TooManyRequests", "Too many requests: limit reached on type Namespace for key default")
        assert event(wire, dryRun="All").status == 201
        assert event(wire, space(wire)).status == 201
        assert wire.ask("PUT", "/svcsim/v1/clock", {"step": 2}).status == 200
        assert [event(wire).status for _ in range(3)] == [201, 201, 429]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_changes_and_the_other_group_count_too(tmp_path: Path, dialect: str) -> None:
    with configured(tmp_path, dialect, limits(dialect, {"type": "Server", "qps": 1, "burst": 2})) as wire:
        made = event(wire)
        path = f"{EVENTS.format('default')}/{made.json['metadata']['name']}"
        assert wire.ask("PATCH", path, {"count": 2}, content_type=MERGE).status == 200
        other = path.replace("/api/v1", f"/apis/{wire.dialect.group('events')}/v1")
        refused = wire.ask("PATCH", other, {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
        assert (refused.status, refused.message) == (429, "Too many requests: limit reached on type Server for key ")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_limit_has_keys_of_its_own(tmp_path: Path, dialect: str) -> None:
    listed = ({"type": "SourceAndObject", "qps": 1, "burst": 1, "cacheSize": 1}, {"type": "User", "qps": 100, "burst": 4})
    with configured(tmp_path, dialect, limits(dialect, *listed)) as wire:
        assert [event(wire).status, event(wire).status, event(wire, about="y").status] == [201, 429, 201]
        assert event(wire).status == 201  # the one bucket that is kept was the other's
        refused = event(wire, about="z")
        assert (refused.status, refused.message.split(" for ")[0]) == (429, "Too many requests: limit reached on type User")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_limits_that_are_reached_are_told(tmp_path: Path, dialect: str) -> None:
    listed = [{"type": type_, "qps": 1, "burst": 1} for type_ in ("Namespace", "Server", "Namespace")]
    with configured(tmp_path, dialect, limits(dialect, *listed)) as wire:
        assert event(wire).status == 201
        told = "[limit reached on type Namespace for key default, limit reached on type Server for key ]"
        assert event(wire).message == f"Too many requests: {told}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_who_reports_an_event_is_not_its_source(tmp_path: Path, dialect: str) -> None:
    """Events of one object in the newer group, which have no source, are limited together."""
    limit = {"type": "SourceAndObject", "qps": 1, "burst": 1}
    with configured(tmp_path, dialect, limits(dialect, limit)) as wire:
        group = wire.dialect.group("events")
        path = f"/apis/{group}/v1/namespaces/default/events"

        def reported(controller: str) -> Answer:
            body: Object = {
                "metadata": {"name": wire.fresh("event"), "namespace": "default"},
                "eventTime": "2025-01-01T00:00:00.000000Z",
                "reportingController": f"example.com/{controller}",
                "reportingInstance": controller,
                "action": "A",
                "reason": "R",
                "type": "Normal",
                "regarding": {"kind": "Pod", "namespace": "default", "name": "p", "uid": "u", "apiVersion": "v1"},
            }
            return wire.ask("POST", path, body)

        first, second = reported("one"), reported("two")
        assert (first.status, second.status) == (201, 429), first.json
        assert second.message == "Too many requests: limit reached on type SourceAndObject for key Poddefaultpuv1"


# --- mistakes ---


@pytest.mark.parametrize(
    ("plugin", "content", "why"),
    [
        ("EventRateLimit", {}, "limits: there is none"),
        ("EventRateLimit", {"limits": [{"type": "All", "qps": 1, "burst": 1}]}, 'limits[0].type: Unsupported value: "All"'),
        ("EventRateLimit", {"limits": [{"type": "User", "burst": 1}]}, "limits[0].qps: Invalid value: 0"),
        ("EventRateLimit", {"limits": [{"type": "User", "qps": 1, "burst": True}]}, "limits[0].burst: Invalid value: true"),
        ("EventRateLimit", {"limits": "all"}, "limits: it is no list of objects"),
        ("PodNodeSelector", {"wrong": {}}, "podNodeSelectorPluginConfig: it is missing"),
        ("PodNodeSelector", {"podNodeSelectorPluginConfig": {"x": "zone"}}, "podNodeSelectorPluginConfig.x: has zone"),
        (
            "PodNodeSelector",
            {"podNodeSelectorPluginConfig": {"clusterDefaultNodeSelector": "a=="}},
            "podNodeSelectorPluginConfig.clusterDefaultNodeSelector: has a==, which should read like zone=a",
        ),
        (
            "PodNodeSelector",
            {"podNodeSelectorPluginConfig": {"x": "zone=a b"}},
            "podNodeSelectorPluginConfig.x: has zone=a b, which no label can be: ",
        ),
        ("PodTolerationRestriction", {"default": ["x"]}, "default: it is no list of objects"),
        ("ResourceQuota", {"limitedResources": [{}]}, "limitedResources[0].resource: Required value"),
        (
            "ResourceQuota",
            {"limitedResources": [{"resource": "pods", "matchContains": [7]}]},
            "limitedResources[0].matchContains: it is no",
        ),
        (
            "ResourceQuota",
            {"limitedResources": [{"resource": "pods", "matchScopes": [{"scopeName": "Big"}]}]},
            'limitedResources[0].matchScopes[0].scopeName: Unsupported value: "Big"',
        ),
    ],
)
def test_mistakes_are_told_at_the_start(tmp_path: Path, plugin: str, content: Object, why: str) -> None:
    file = private(tmp_path / "admission", config("kubernetes", of("kubernetes", plugin, **content)))
    on = () if plugin == "ResourceQuota" else ("--enable-admission-plugins", plugin)
    said = refused(tmp_path / "home", "kubernetes", OPTION, str(file), *on)
    assert said.startswith(f"error: {OPTION}: {file}: ")
    assert why in said


def test_a_field_that_nobody_knows_is_told_too(tmp_path: Path) -> None:
    content = {**json.loads(config("kubernetes")), "plugin": []}
    file = private(tmp_path / "admission", json.dumps(content))
    said = refused(tmp_path / "home", "kubernetes", OPTION, str(file))
    assert said == f'error: {OPTION}: {file}: it has no field "plugin"; it has apiVersion, kind, plugins'


def test_limits_of_events_have_to_be_given(tmp_path: Path) -> None:
    said = refused(tmp_path / "home", "kubernetes", "--enable-admission-plugins", "EventRateLimit")
    assert said == f"error: EventRateLimit is on, and no file given by {OPTION} says what its limits are"


def test_a_plugin_has_a_name(tmp_path: Path) -> None:
    for names in (",", "LimitRanger,"):
        said = refused(tmp_path / "home", "kubernetes", "--enable-admission-plugins", names)
        assert said.startswith("error: --enable-admission-plugins takes names of plugins with commas between them, not ")
