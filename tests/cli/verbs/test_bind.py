"""``bind``: programs of this machine behind services of a real cluster, recorded where everybody sees them."""

import json

import pytest

from tests.process import served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("bind"), "kubernetes", "--nodes", "0", "--ephemeral") as server:
        yield server


@pytest.fixture
def on(server, run):
    """Run a command line on the server, which begins with one service of two ports and one of one."""
    on = lambda command: run(f"--kubeconfig {server.kubeconfig} {command}")  # noqa: E731
    for name, ports in (("hook", "--tcp=443:8443 --tcp=8080:8080"), ("plain", "--tcp=80:80"), ("many", "--tcp=80:80 --tcp=81:81")):
        on(f"delete service {name} --ignore-not-found")
        assert on(f"create service clusterip {name} {ports}").status == 0
    return on


def annotation(on, name):
    service = json.loads(on(f"get service {name} -o json").out)
    return service["metadata"].get("annotations", {}).get("svcsim.dev/bound-to")


@pytest.mark.parametrize(
    ("arguments", "name", "said", "kept"),
    [
        ("service/hook 9443", "hook", "service/hook bound: port 443 leads to 127.0.0.1:9443", "443=127.0.0.1:9443"),
        ("svc hook 8080:9000", "hook", "service/hook bound: port 8080 leads to 127.0.0.1:9000", "8080=127.0.0.1:9000"),
        ("service/plain 9000 -n default", "plain", "service/plain bound: port 80 leads to 127.0.0.1:9000", "80=127.0.0.1:9000"),
    ],
)
def test_a_binding_is_an_annotation_of_the_service(on, arguments, name, said, kept):
    assert on(f"bind {arguments}") == (0, f"{said}\n", "")
    assert annotation(on, name) == kept


def test_bindings_are_listed_changed_and_undone(on):
    assert on("bind") == (
        0,
        "",
        "No services are bound. To have a program on this machine answer: svcsim bind service/NAME [PORT:]LOCALPORT\n",
    )
    on("bind service/hook 9443")
    on("bind service/hook 8080:9000")
    on("bind service/hook 9444")
    assert on("bind").out.splitlines() == [
        "NAMESPACE   SERVICE   PORT   PROGRAM",
        "default     hook      443    127.0.0.1:9444",
        "default     hook      8080   127.0.0.1:9000",
    ]
    nothing_here = "No services are bound in kube-system namespace; svcsim bind without a namespace lists those of all.\n"
    assert on("bind -n kube-system") == (0, "", nothing_here)
    assert on("bind service/hook 443 --off") == (0, "service/hook unbound\n", "")
    assert annotation(on, "hook") == "8080=127.0.0.1:9000"
    assert on("bind service/hook --off").status == 0
    assert annotation(on, "hook") is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("service/hook", "say which port of this machine the program listens on: svcsim bind service/hook [PORT:]LOCALPORT"),
        ("service/hook 9000:9443", "service/hook has no port 9000; it has 443, 8080"),
        ("service/many 9443", "service/many has the ports 80, 81: say which one as PORT:9443"),
        ("service/hook 0", '"0" is no port: it must be between 1 and 65535'),
        ("service/hook x:1", '"x" is no port: it must be between 1 and 65535'),
        ("service/hook 70000", '"70000" is no port: it must be between 1 and 65535'),
        ("service/hook 1 2", "expected 'bind service/NAME [PORT:]LOCALPORT'"),
        ("hook", "expected 'bind service/NAME [PORT:]LOCALPORT'"),
        ("namespace/default 1", "only a service can be bound: svcsim bind service/NAME [PORT:]LOCALPORT, not namespace/default"),
        ("service/hook --off", "service/hook is not bound"),
        ("service/hook 443 --off", "service/hook is not bound at port 443"),
        ("--off", "name the service that is to be bound no longer: svcsim bind service/NAME --off"),
    ],
)
def test_what_can_not_be_bound_is_said(on, arguments, said):
    assert on(f"bind {arguments}") == (1, "", f"error: {said}\n")


def test_a_service_that_is_not_there_is_not_found(on):
    assert on("bind service/nobody 1") == (1, "", 'Error from server (NotFound): services "nobody" not found\n')


LIKE_THIS = "which should read like 443=127.0.0.1:9443"
NO_PORT = "is no port: it must be between 1 and 65535"
SAID = "the annotation svcsim.dev/bound-to"


@pytest.mark.parametrize(
    ("written", "trouble"),
    [
        ("443=18443", f'{SAID} has "443=18443", {LIKE_THIS}'),
        ("443", f'{SAID} has "443", {LIKE_THIS}'),
        ("443=127.0.0.1:99999", f'{SAID} has "443=127.0.0.1:99999": "99999" {NO_PORT}'),
        ("443=127.0.0.1:8443;", f'{SAID} has "443=127.0.0.1:8443;": "8443;" {NO_PORT}'),
        ("444=127.0.0.1:8443", f"{SAID} binds port 444, but the service has no port 444; it has 443, 8080"),
        ("443=127.0.0.1:8443,443=127.0.0.1:8444", f"{SAID} binds port 443 twice"),
    ],
)
def test_a_binding_nobody_can_follow_is_told_when_it_is_written_and_listed(on, written, trouble):
    outcome = on(f"annotate service hook svcsim.dev/bound-to={written}")
    assert (outcome.status, outcome.err) == (0, f"Warning: {trouble}\n")
    assert on("bind").err == f"service/hook in namespace default: {trouble}\n"


@pytest.mark.parametrize(
    ("created", "bound", "said"),
    [
        ("externalname named --external-name a.b.c", "named 8443", "service/named has no ports: there is nothing to call it by; "),
        ("clusterip named --clusterip None", "named 443:8443", "service/named has no ports: there is nothing to call it by; "),
        ("", "udp 53:8443", "service/udp can't be bound: port 53 is for UDP: only TCP ports lead to a program\n"),
        ("", "kubernetes 8443", "service/kubernetes is the API server's own: bind a service that you made for your program\n"),
    ],
)
def test_a_service_that_no_program_can_stand_behind_is_refused(on, tmp_path, created, bound, said):
    on("delete service named udp --ignore-not-found")
    (tmp_path / "udp.yaml").write_text("{apiVersion: v1, kind: Service, metadata: {name: udp}, spec: {ports: [{port: 53, protocol: UDP}]}}")
    assert on(f"create service {created}" if created else f"apply -f {tmp_path}/udp.yaml").status == 0
    status, out, err = on(f"bind service/{bound}")
    assert (status, out) == (1, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1


def test_nothing_is_bound_in_a_cluster_of_somebody_else(stub, run):
    stub.version = {"major": "1", "minor": "34", "gitVersion": "v1.34.0"}
    stub.put({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook"}, "spec": {"ports": [{"port": 443}]}})
    told = run(f"--server {stub.url} bind service/hook 9443")
    why = "nobody there would look where a service is bound to"
    assert (told.status, told.out, told.err) == (1, "", f"error: the server at {stub.url} isn't one of svcsim: {why}\n")
    assert {method for method, _, _ in stub.requests} == {"GET"}
