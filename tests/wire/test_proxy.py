"""Requests below the ``proxy`` path of a pod, a service or a node: byte by byte, with unmodified kubectl and the Python client."""

import json
import re
import urllib.request
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config

from svcsim import limits
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from tests.process import environment, ran
from tests.wire.granting import allowed
from tests.wire.raw import Answer, Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl
from tests.wire.test_streams import pod, run_pod, socket_to

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")


def run_web(wire: Wire, ns: str) -> str:
    """The path of a pod that listens at 80."""
    return run_pod(wire, ns, {**pod("web"), "metadata": {"name": "web", "labels": {"app": "web"}}})


@pytest.fixture(scope="module")
def asked_webs() -> Callable[[Wire], tuple[str, str]]:
    """Such a pod and its namespace, for all tests that do nothing but ask: it takes a moment until it runs."""

    def made(wire: Wire) -> tuple[str, str]:
        ns = wire.namespace()
        return run_web(wire, ns), ns

    return cache(made)


@pytest.fixture
def asked_web(wire: Wire, asked_webs: Callable[[Wire], tuple[str, str]]) -> tuple[str, str]:
    """It and its namespace, once in each dialect."""
    return asked_webs(wire)


@pytest.fixture
def web(asked_web: tuple[str, str]) -> str:
    """The path of a pod that listens at 80 and is not to be changed."""
    return asked_web[0]


@pytest.fixture
def web_ns(asked_web: tuple[str, str]) -> str:
    """Where that is, with nothing beside it."""
    return asked_web[1]


@pytest.fixture
def own_web(wire: Wire, ns: str) -> str:
    """The path of such a pod of the test's own."""
    return run_web(wire, ns)


def expose(wire: Wire, ns: str, name: str = "web", app: str = "web", port_name: str = "") -> str:
    """The path of a service before pods of an application, at 8080."""
    services = f"/api/v1/namespaces/{ns}/services"
    port = {"port": 8080, "targetPort": 80, "name": port_name}
    wire.create(services, {"metadata": {"name": name}, "spec": {"selector": {"app": app}, "ports": [port]}})
    return f"{services}/{name}"


def answering(wire: Wire, path: str, count: int = 1) -> Answer:
    """What is answered once so many pods are ready behind a service."""
    namespace, name = re.search(r"/namespaces/([^/]+)/services/(?:https?:)?([^/:]+)", path).groups()
    slices = f"/apis/{wire.dialect.group('discovery')}/v1/namespaces/{namespace}/endpointslices"
    mine = f"{slices}?labelSelector={wire.dialect.key('service-name')}%3D{name}"

    def ready(found: Object) -> bool:
        endpoints = [each for one in found["items"] for each in one.get("endpoints") or ()]
        return sum(each["conditions"]["ready"] for each in endpoints) == count

    wire.until(mine, ready)
    return wire.ask("GET", path)


def refused(answer: Answer, status: int, message: str) -> None:
    assert (answer.status, answer.json["kind"], answer.message) == (status, "Status", message)


# Pods.


@pytest.mark.parametrize("method", METHODS)
def test_a_pod_answers_every_method_with_what_it_was_asked(wire: Wire, web_ns: str, web: str, method: str) -> None:
    answer = wire.ask(method, f"{web}:80/proxy/some/path?x=1&y=%2F", b"a body" if method in ("POST", "PUT", "PATCH") else None)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    told = answer.json
    assert (told["pod"], told["namespace"], told["port"]) == ("web", web_ns, 80)
    assert (told["method"], told["path"]) == (method, "/some/path?x=1&y=%2F")


def test_a_head_is_answered_without_a_body(wire: Wire, web: str) -> None:
    answer = wire.ask("HEAD", f"{web}/proxy/some/path")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) > 0


@pytest.mark.parametrize("method", ["TRACE", "FROB"])
def test_no_other_method_is_handed_on(wire: Wire, web: str, method: str) -> None:
    assert wire.ask(method, f"{web}/proxy/x").status in (400, 405)


@pytest.mark.parametrize(
    ("asked", "got"),
    [
        ("/", "/"),
        ("/a/", "/a/"),
        ("/a//b", "/a/b"),
        ("/a/../b/.", "/b"),
        ("/..", "/"),
        ("/a%20b%3Fc", "/a%20b%3Fc"),
        ("/h%C3%A9", "/h%C3%A9"),
    ],
)
def test_a_path_is_cleaned_and_escaped_anew(wire: Wire, web: str, asked: str, got: str) -> None:
    assert wire.ask("GET", f"{web}/proxy{asked}").json["path"] == got


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("query", ["", "?method=GET&x=%0d%0aSet-Cookie:a"])
def test_whoever_reads_is_led_below_the_object(wire: Wire, web: str, method: str, query: str) -> None:
    answer = wire.ask(method, f"{web}:80/proxy{query}")
    assert (answer.status, answer.headers["location"], answer.body) == (301, f"{web}:80/proxy/{query}", b"")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_whoever_writes_is_not_led_anywhere(wire: Wire, web: str, method: str) -> None:
    answer = wire.ask(method, f"{web}/proxy?method={method}&path=/else")
    assert (answer.status, answer.json["path"]) == (200, f"/?method={method}&path=/else")


@pytest.mark.parametrize("scheme", ["http", "https", ""])
def test_a_pod_is_asked_by_the_scheme_that_is_named(wire: Wire, web_ns: str, web: str, scheme: str) -> None:
    assert wire.ask("GET", f"/api/v1/namespaces/{web_ns}/pods/{scheme}:web:80/proxy/").json["port"] == 80


@pytest.mark.parametrize(
    ("named", "status", "message"),
    [
        ("web:81", 503, "error trying to reach service: dial tcp {ip}:81: connect: connection refused"),
        ("web:http", 503, "error trying to reach service: dial tcp: lookup tcp/http: unknown port"),
        ("web:99999", 503, "error trying to reach service: dial tcp: address 99999: invalid port"),
        ("nope", 404, 'pods "nope" not found'),
        ("ftp:web:80", 400, 'invalid pod request "ftp:web:80"'),
        ("a:b:c:d", 400, 'invalid pod request "a:b:c:d"'),
        ("https::80", 400, 'invalid pod request "https::80"'),
    ],
)
def test_what_keeps_a_pod_from_answering_is_said(wire: Wire, web_ns: str, web: str, named: str, status: int, message: str) -> None:
    ip = wire.get(web)["status"]["podIP"]
    refused(wire.ask("GET", f"/api/v1/namespaces/{web_ns}/pods/{named}/proxy/"), status, message.format(ip=ip))


def test_a_pod_without_an_address_is_not_asked(wire: Wire, ns: str) -> None:
    pods = f"/api/v1/namespaces/{ns}/pods"
    waiting = pod("waiting")
    waiting["spec"]["nodeSelector"] = {"no": "such"}
    wire.create(pods, waiting)
    refused(wire.ask("GET", f"{pods}/waiting/proxy/"), 400, "address not allowed")


def test_a_pod_that_has_ended_is_not_reached(wire: Wire, ns: str) -> None:
    pods = f"/api/v1/namespaces/{ns}/pods"
    ended = pod("ended", command=["true"])
    ended["spec"]["restartPolicy"] = "Never"
    wire.create(pods, ended)
    with wire.hurried():
        ip = wire.until(f"{pods}/ended", lambda now: now["status"]["phase"] == "Succeeded")["status"]["podIP"]
    why = f"error trying to reach service: dial tcp {ip}:80: connect: no route to host"
    refused(wire.ask("GET", f"{pods}/ended/proxy/"), 503, why)


def test_without_a_declared_port_it_is_80(wire: Wire, ns: str) -> None:
    path = run_pod(wire, ns, pod("plain", image="nginx:1.29", ports=[]))
    assert wire.ask("GET", f"{path}/proxy/").json["port"] == 80


def test_a_body_may_be_longer_than_any_object(wire: Wire, web: str) -> None:
    answer = wire.ask("POST", f"{web}/proxy/upload", b"x" * (limits.BODY_BYTES + 100_000))
    assert (answer.status, answer.json["method"]) == (200, "POST")
    assert wire.ask("GET", f"{web}/proxy/next").json["path"] == "/next"


def test_another_protocol_is_refused_in_words(wire: Wire, web: str) -> None:
    with socket_to(wire, f"{web}/proxy/socket") as upgraded:
        assert upgraded.status == 400
        assert upgraded.body()["message"].startswith(
            "unable to upgrade the connection to websocket: what stands behind a proxy path speaks"
        )


# Services.


def test_a_service_leads_to_a_pod_that_is_ready(wire: Wire, ns: str, own_web: str) -> None:
    service = expose(wire, ns)
    assert answering(wire, f"{service}/proxy/hello?x=1").json == wire.ask("GET", f"{own_web}/proxy/hello?x=1").json
    for named in ("web:8080", "http:web:8080", "https:web:8080", "https:web:", "web:"):
        assert wire.ask("GET", f"/api/v1/namespaces/{ns}/services/{named}/proxy/").json["pod"] == "web"


def test_every_ready_pod_has_its_turn(wire: Wire, ns: str, own_web: str) -> None:
    run_pod(wire, ns, {**pod("other"), "metadata": {"name": "other", "labels": {"app": "web"}}})
    service = expose(wire, ns)
    answering(wire, f"{service}/proxy/", count=2)
    assert {wire.ask("GET", f"{service}/proxy/").json["pod"] for _ in range(40)} == {"web", "other"}


@pytest.mark.parametrize("method", METHODS)
def test_a_service_answers_every_method(wire: Wire, ns: str, own_web: str, method: str) -> None:
    service = expose(wire, ns)
    answering(wire, f"{service}/proxy/")
    answer = wire.ask(method, f"{service}/proxy/some/path/with/{method}")
    assert (answer.status, answer.json["method"], answer.json["path"]) == (200, method, f"/some/path/with/{method}")


def test_ports_of_a_service_go_by_name_and_number(wire: Wire, ns: str, own_web: str) -> None:
    service = expose(wire, ns, name="named", port_name="http")
    assert answering(wire, f"{service}:http/proxy/").json["port"] == 80
    assert wire.ask("GET", f"{service}:8080/proxy/").json["port"] == 80
    refused(wire.ask("GET", f"{service}:80/proxy/"), 503, 'no service port 80 found for service "named"')
    refused(wire.ask("GET", f"{service}:x/proxy/"), 503, 'no endpoints available for service "named:x"')
    refused(wire.ask("GET", f"{service}/proxy/"), 503, 'no endpoints available for service "named"')


def test_a_service_with_nobody_behind_it_says_so(wire: Wire, ns: str) -> None:
    service = expose(wire, ns, app="nobody")
    refused(wire.ask("GET", f"{service}/proxy/"), 503, 'no endpoints available for service "web"')
    refused(wire.ask("GET", f"{service}:8080/proxy/"), 503, 'no endpoints available for service "web"')
    refused(wire.ask("GET", f"/api/v1/namespaces/{ns}/services/nope/proxy/"), 404, 'services "nope" not found')
    refused(wire.ask("GET", f"/api/v1/namespaces/{ns}/services/a:b:c:d/proxy/"), 400, 'invalid service request "a:b:c:d"')


def test_an_endpoint_that_is_no_pod_is_not_asked(wire: Wire, ns: str) -> None:
    services = f"/api/v1/namespaces/{ns}/services"
    wire.create(services, {"metadata": {"name": "outside"}, "spec": {"ports": [{"port": 80}]}})
    group = wire.dialect.group("discovery")
    wire.create(
        f"/apis/{group}/v1/namespaces/{ns}/endpointslices",
        {
            "metadata": {"name": "outside-1", "labels": {wire.dialect.key("service-name"): "outside"}},
            "addressType": "IPv4",
            "ports": [{"name": "", "port": 80}],
            "endpoints": [{"addresses": ["192.0.2.1"]}, {"addresses": ["10.0.0.2"], "targetRef": {"kind": "Pod", "name": "nope"}}],
        },
    )
    refused(wire.ask("GET", f"{services}/outside/proxy/"), 503, 'no endpoints available for service "outside"')


# Nodes.


def node_of(wire: Wire, path: str) -> str:
    """The proxy path of the node that a pod is on."""
    return f"/api/v1/nodes/{wire.get(path)['spec']['nodeName']}/proxy"


def simulated(wire: Wire) -> list[Object]:
    """The nodes that the server runs itself; tests may have made others."""
    return [node for node in wire.get("/api/v1/nodes")["items"] if name_of(node).startswith("node-")]


def test_the_agent_of_a_node_says_that_it_is_well(wire: Wire) -> None:
    node = name_of(simulated(wire)[0])
    for named in (node, f"{node}:10250", f"https:{node}:10250", f"https:{node}:"):
        for path in ("healthz", "healthz/ping"):
            answer = wire.ask("GET", f"/api/v1/nodes/{named}/proxy/{path}")
            assert (answer.status, answer.body, answer.headers["content-type"]) == (200, b"ok", "text/plain; charset=utf-8")


def test_the_agent_knows_the_pods_on_its_node(wire: Wire, web_ns: str, web: str) -> None:
    found = wire.get(f"{node_of(wire, web)}/pods")
    assert (found["kind"], found["apiVersion"]) == ("PodList", "v1")
    mine = [one for one in found["items"] if one["metadata"]["namespace"] == web_ns]
    assert [name_of(one) for one in mine] == ["web"]
    assert {one["spec"]["nodeName"] for one in found["items"]} == {wire.get(web)["spec"]["nodeName"]}
    assert [name_of(one) for one in wire.get(f"{node_of(wire, web)}/runningpods/")["items"] if one["metadata"]["namespace"] == web_ns] == [
        "web"
    ]


def test_the_agent_says_what_its_pods_use(wire: Wire, web_ns: str, web: str) -> None:
    node = node_of(wire, web)
    found = wire.get(f"{node}/stats/summary")
    assert found["node"]["nodeName"] == node.split("/")[-2]
    one = next(one for one in found["pods"] if one["podRef"]["namespace"] == web_ns)
    assert one["podRef"] == {"name": "web", "namespace": web_ns, "uid": wire.get(web)["metadata"]["uid"]}
    container = one["containers"][0]
    assert container["name"] == "main"
    for each in (found["node"], one, container):
        assert each["cpu"]["usageNanoCores"] > 0
        assert each["memory"]["workingSetBytes"] > 0
    assert found["node"]["cpu"]["usageCoreNanoSeconds"] > 0


@pytest.mark.parametrize(
    ("path", "families"),
    [
        ("metrics", {"kubelet_node_name", "kubelet_running_containers", "kubelet_running_pods"}),
        (
            "metrics/resource",
            {
                "container_cpu_usage_seconds_total",
                "container_memory_working_set_bytes",
                "container_start_time_seconds",
                "node_cpu_usage_seconds_total",
                "node_memory_working_set_bytes",
                "pod_cpu_usage_seconds_total",
                "pod_memory_working_set_bytes",
                "resource_scrape_error",
            },
        ),
        (
            "metrics/cadvisor",
            {
                "container_cpu_usage_seconds_total",
                "container_memory_usage_bytes",
                "container_memory_working_set_bytes",
                "container_start_time_seconds",
                "machine_cpu_cores",
                "machine_memory_bytes",
            },
        ),
    ],
)
def test_the_agent_tells_prometheus(wire: Wire, web_ns: str, web: str, path: str, families: set[str]) -> None:
    answer = wire.ask("GET", f"{node_of(wire, web)}/{path}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    lines = answer.body.decode().splitlines()
    assert {line.split()[2] for line in lines if line.startswith("# TYPE ")} == families
    series = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r'[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+( [0-9]+)?', line) for line in series), series
    if path != "metrics":
        mine = [line for line in series if f'namespace="{web_ns}"' in line and 'container="main"' in line]
        assert {line.partition("{")[0] for line in mine} == {one for one in families if one.startswith("container_")}


def test_processor_time_only_grows(wire: Wire, web_ns: str, web: str) -> None:
    def used() -> list[int]:
        found = wire.get(f"{node_of(wire, web)}/stats/summary")
        mine = next(one for one in found["pods"] if one["podRef"]["namespace"] == web_ns)
        return [one["cpu"]["usageCoreNanoSeconds"] for one in (found["node"], mine, *mine["containers"])]

    told = [used() for _ in range(5)]
    assert told == sorted(told)


def test_the_agent_says_how_it_is_configured(wire: Wire) -> None:
    node = simulated(wire)[0]
    told = wire.get(f"/api/v1/nodes/{name_of(node)}/proxy/configz")["kubeletconfig"]
    assert (told["port"], told["maxPods"]) == (10250, int(node["status"]["capacity"]["pods"]))
    assert told["providerID"] == node["spec"]["providerID"]


def test_the_agent_has_the_logs_of_its_containers(wire: Wire, ns: str) -> None:
    said = pod("talker")
    said["metadata"]["annotations"] = {"svcsim.dev/log-lines": "line {n}", "svcsim.dev/log-every": "1s"}
    path = run_pod(wire, ns, said)
    node = node_of(wire, path)
    logs = f"{node}/containerLogs/{ns}/talker/main"
    assert wire.ask("GET", f"{logs}?limitBytes=7&follow=true").body == b"line 1\n"
    assert wire.ask("GET", f"{logs}?limitBytes=7").body == b"line 1\n"
    assert wire.ask("GET", f"{logs}?limitBytes=x").status == 400
    other = next(name for one in simulated(wire) if (name := name_of(one)) not in node)
    for missing in (f"/api/v1/nodes/{other}/proxy/containerLogs/{ns}/talker/main", f"{node}/containerLogs/{ns}/nope/main"):
        answer = wire.ask("GET", missing)
        assert answer.status == 404
        assert answer.body == f'pod "{missing.split("/")[-2]}" does not exist\n'.encode()
    assert b'href="containers/"' in wire.ask("GET", f"{node}/logs/").body
    led = wire.ask("GET", f"{node}/logs")
    assert (led.status, led.headers["location"]) == (301, "logs/")
    listed = wire.ask("GET", f"{node}/logs/containers/").body.decode()
    name = re.search(rf'href="(talker_{ns}_main-[0-9a-f]+\.log)"', listed)[1]
    first = wire.ask("GET", f"{node}/logs/containers/{name}").body.decode().splitlines()[0]
    assert re.fullmatch(r"\S+Z stdout F line 1", first)
    assert wire.ask("GET", f"{node}/logs/containers/nope.log").status == 404


def test_what_no_agent_has_is_not_found(wire: Wire) -> None:
    node = name_of(simulated(wire)[0])
    for path in ("", "nope", "containerLogs/a/b", "logs/nope"):
        answer = wire.ask("GET", f"/api/v1/nodes/{node}/proxy/{path}")
        assert (answer.status, answer.body) == (404, b"404 page not found\n")
    answer = wire.ask("DELETE", f"/api/v1/nodes/{node}/proxy/pods")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    refused(wire.ask("GET", "/api/v1/nodes/nope/proxy/healthz"), 404, 'nodes "nope" not found')


def test_another_port_of_a_node_is_that_of_a_pod_in_its_network(wire: Wire, ns: str) -> None:
    exporter = pod("exporter", ports=[{"containerPort": 9100}])
    exporter["spec"]["hostNetwork"] = True
    node = node_of(wire, run_pod(wire, ns, exporter)).removesuffix("/proxy")
    assert wire.get(f"{node}:9100/proxy/metrics")["pod"] == "exporter"
    address = wire.get(node)["status"]["addresses"][0]["address"]
    refused(
        wire.ask("GET", f"{node}:9101/proxy/"), 503, f"error trying to reach service: dial tcp {address}:9101: connect: connection refused"
    )


def test_a_node_that_nobody_simulates_is_not_reached(wire: Wire) -> None:
    name = wire.fresh("node")
    wire.create("/api/v1/nodes", {"metadata": {"name": name}})
    why = f"error trying to reach service: dial tcp: lookup {name}: no such host"
    refused(wire.ask("GET", f"/api/v1/nodes/{name}/proxy/healthz"), 503, why)
    wire.delete(f"/api/v1/nodes/{name}")


# Who may, and who is asked.


@pytest.mark.parametrize(
    ("method", "verb"), [("GET", "get"), ("HEAD", "get"), ("POST", "create"), ("PUT", "update"), ("PATCH", "patch"), ("DELETE", "delete")]
)
def test_a_method_is_a_verb_on_the_subresource(wire: Wire, web_ns: str, web: str, method: str, verb: str) -> None:
    may = allowed(wire, {"apiGroups": [""], "resources": ["pods/proxy"], "verbs": [verb]}, namespace=web_ns)
    assert wire.ask(method, f"{web}/proxy/x", headers=may).status == 200
    may_not = allowed(wire, {"apiGroups": [""], "resources": ["pods", "pods/exec", "services/proxy"], "verbs": ["*"]}, namespace=web_ns)
    answer = wire.ask(method, f"{web}/proxy/x", headers=may_not)
    assert answer.status == 403
    if method != "HEAD":
        assert answer.message.startswith(
            f'pods "web" is forbidden: User "{may_not["Impersonate-User"]}" cannot {verb} resource "pods/proxy"'
        )


def test_a_name_in_a_role_is_the_whole_of_what_is_named(wire: Wire, web_ns: str, web: str) -> None:
    may = allowed(wire, {"apiGroups": [""], "resources": ["pods/proxy"], "resourceNames": ["web:80"], "verbs": ["get"]}, namespace=web_ns)
    assert wire.ask("GET", f"{web}:80/proxy/", headers=may).status == 200
    assert wire.ask("GET", f"{web}/proxy/", headers=may).status == 403


def test_there_is_no_path_below_others(wire: Wire) -> None:
    assert wire.ask("GET", "/api/v1/namespaces/default/status/more").status == 404


def test_discovery_names_what_is_handed_on(wire: Wire) -> None:
    resources = {entry["name"]: entry for entry in wire.get("/api/v1")["resources"]}
    for plural, kind in (("nodes", "Node"), ("pods", "Pod"), ("services", "Service")):
        entry = resources[f"{plural}/proxy"]
        assert (entry["kind"], entry["verbs"]) == (f"{kind}ProxyOptions", ["create", "delete", "get", "patch", "update"])


# What the conformance suites ask.


def porter(name: str, *options: str, **serves: str) -> Object:
    env = [{"name": variable, "value": text} for variable, text in serves.items()]
    image = "registry.k8s.io/e2e-test-images/agnhost:2.53"
    one = pod(name, image=image, command=["/agnhost", "porter", *options], env=env, ports=[])
    one["metadata"]["labels"] = {"app": name}
    return one


@pytest.mark.parametrize("method", METHODS)
def test_the_test_image_says_by_which_method_it_was_asked(wire: Wire, ns: str, method: str) -> None:
    path = run_pod(wire, ns, porter("agnhost", "--json-response", SERVE_PORT_80="foo"))
    assert wire.ask(method, f"{path}/proxy/some/path/with/{method}").json == {"Method": method, "Body": "foo"}
    assert answering(wire, f"{expose(wire, ns, app='agnhost')}/proxy/").json == {"Method": "GET", "Body": "foo"}


@pytest.mark.parametrize(
    ("args", "port"), [(["serve-hostname"], 9376), (["serve-hostname", "--port=80"], 80), (["serve-hostname", "--port", "8080"], 8080)]
)
def test_the_test_image_says_its_name(wire: Wire, ns: str, args: list[str], port: int) -> None:
    one = pod("named", image="registry.k8s.io/e2e-test-images/agnhost:2.53", args=args, ports=[])
    path = run_pod(wire, ns, one)
    assert wire.ask("GET", f"{path}:{port}/proxy/").body == b"named"


@pytest.mark.parametrize(
    ("args", "port"), [(["netexec"], 8080), (["netexec", "--http-port=80"], 80), (["netexec", "--http-port", "81"], 81)]
)
def test_the_test_image_says_what_its_paths_ask_for(wire: Wire, ns: str, args: list[str], port: int) -> None:
    path = run_pod(wire, ns, pod("netexec", image="registry.k8s.io/e2e-test-images/agnhost:2.53", args=args, ports=[]))
    for target, said in (("hostname", b"netexec"), ("hostName", b"netexec"), ("healthz", b""), ("echo?msg=hello%20you", b"hello you")):
        assert wire.ask("GET", f"{path}:{port}/proxy/{target}").body == said
    assert wire.ask("GET", f"{path}:{port}/proxy/other").json["port"] == port


@pytest.mark.parametrize(
    ("image", "port", "said"),
    [
        ("registry.k8s.io/serve_hostname", 9376, b"named"),
        ("gcr.io/google-samples/hello-app:1.0", 8080, b"Hello, world!\nVersion: 1.0.0\nHostname: named\n"),
        ("gcr.io/google-samples/hello-app:2.0", 8080, b"Hello, world!\nVersion: 2.0.0\nHostname: named\n"),
        ("gcr.io/google-samples/hello-app", 8080, b"Hello, world!\nVersion: 1.0.0\nHostname: named\n"),
        ("gcr.io/google-samples/node-hello:1.0", 8080, b"Hello Kubernetes!"),
        ("docker.io/jocatalin/kubernetes-bootcamp:v2", 8080, b"Hello Kubernetes bootcamp! | Running on: named | v=2\n"),
        ("registry.k8s.io/hpa-example", 80, b"OK!"),
    ],
)
def test_images_of_walk_throughs_answer_as_their_pages_print(wire: Wire, ns: str, image: str, port: int, said: bytes) -> None:
    path = run_pod(wire, ns, pod("named", image=image, ports=[]))
    answer = wire.ask("GET", f"{path}:{port}/proxy/")
    assert (answer.status, answer.body) == (200, said)
    other = run_pod(wire, ns, pod("other", image=image, ports=[{"containerPort": port}], args=["x"]))
    assert wire.ask("GET", f"{other}:{port}/proxy/").json["pod"] == "other", "nobody knows what it answers then"


@pytest.mark.parametrize(
    ("image", "port"),
    [
        ("registry.k8s.io/echoserver:1.10", 8080),
        ("wordpress:6.2.1-apache", 80),
        ("us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v5", 80),
        ("nginxinc/nginx-unprivileged:1.25", 8080),
        ("registry.k8s.io/nginx-slim:0.21", 80),
    ],
)
def test_images_of_walk_throughs_listen_where_their_pages_look_for_them(wire: Wire, ns: str, image: str, port: int) -> None:
    path = run_pod(wire, ns, pod("named", image=image, ports=[]))
    assert wire.ask("GET", f"{path}:{port}/proxy/").json["port"] == port
    assert wire.ask("GET", f"{path}:{port + 1}/proxy/").status == 503


def test_the_test_image_serves_its_environment(wire: Wire, ns: str) -> None:
    far = {f"SERVE_PORT_{'9' * 5000}": "nobody"}
    path = run_pod(wire, ns, porter("porter", SERVE_PORT_160="foo", SERVE_TLS_PORT_462="tls qux", **far))
    for named, text in ((f"{path}:160", b"foo"), (path.replace("/porter", "/https:porter:462"), b"tls qux")):
        answer = wire.ask("GET", f"{named}/proxy/")
        assert (answer.status, answer.body, answer.headers["content-type"]) == (200, text, "text/plain; charset=utf-8")


def test_links_of_a_page_lead_below_the_pod_again(wire: Wire, ns: str) -> None:
    path = run_pod(wire, ns, porter("pages", SERVE_PORT_80='<a href="/rewriteme">test</a>', SERVE_PORT_81='<img src="a.png" alt="/b">'))
    for named in (path, f"{path}:80"):
        assert wire.ask("GET", f"{named}/proxy/").body.decode() == f'<a href="{named}/proxy/rewriteme">test</a>'
    assert wire.ask("GET", f"{path}:81/proxy/").body == b'<img src="a.png" alt="/b">'


# Clients.


@needs_kubectl
def test_kubectl_reads_below_proxy_paths(kubernetes_server: Wire, tmp_path: Path) -> None:
    ns = kubernetes_server.namespace()
    kubectl = Kubectl(kubernetes_server, tmp_path, ns)
    path = run_pod(kubernetes_server, ns, pod("web"))
    assert json.loads(kubectl.run("get", "--raw", f"{path}/proxy"))["path"] == "/"
    assert "connection refused" in kubectl.run("get", "--raw", f"{path}:81/proxy/", fails=True)
    assert kubectl.run("get", "--raw", f"{node_of(kubernetes_server, path)}/healthz") == "ok"


@needs_kubectl
def test_kubectl_proxy_leads_to_a_pod(kubernetes_server: Wire, tmp_path: Path) -> None:
    ns = kubernetes_server.namespace()
    path = run_pod(kubernetes_server, ns, pod("web"))
    process = Kubectl(kubernetes_server, tmp_path, ns).start("proxy", "--port=0")
    try:
        address = re.search(r"127\.0\.0\.1:\d+", process.stdout.readline())[0]
        with urllib.request.urlopen(f"http://{address}{path}/proxy/x?y=1") as answer:
            assert json.load(answer)["path"] == "/x?y=1"
        with urllib.request.urlopen(urllib.request.Request(f"http://{address}{path}/proxy", b"sent")) as answer:
            assert json.load(answer)["method"] == "POST"
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.usefixtures("left_to_the_collector")
def test_the_python_client_connects_to_pods_services_and_nodes(kubernetes_server: Wire) -> None:
    ns = kubernetes_server.namespace()
    path = run_pod(kubernetes_server, ns, {**pod("web"), "metadata": {"name": "web", "labels": {"app": "web"}}})
    answering(kubernetes_server, f"{expose(kubernetes_server, ns)}/proxy/")
    with kubernetes_config.new_client_from_config(str(kubernetes_server.server.kubeconfig)) as api:
        core = kubernetes_client.CoreV1Api(api)
        for method in ("get", "post", "put", "patch", "delete", "options"):
            for what, name in (("pod", "web:80"), ("service", "web:8080")):
                ask = getattr(core, f"connect_{method}_namespaced_{what}_proxy_with_path")
                told = json.loads(ask(name, ns, path="some/path", _preload_content=False).data)
                assert (told["method"], told["path"]) == (method.upper(), "/some/path")
        node = node_of(kubernetes_server, path).split("/")[-2]
        assert core.connect_get_node_proxy_with_path(node, "healthz") == "ok"


def test_a_command_reads_below_proxy_paths(kubernetes_server: Wire) -> None:
    ns = kubernetes_server.namespace()
    path = run_pod(kubernetes_server, ns, pod("web"))
    done = ran("get", "--raw", f"{path}/proxy/x", env=environment(kubernetes_server.server.home))
    assert json.loads(done.stdout)["path"] == "/x"
