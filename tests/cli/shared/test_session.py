"""A command's connection, the client configuration it may come from, and how failures are told."""

import contextlib
import json
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from svcsim import limits
from svcsim.auth import certificates
from svcsim.cli.failure import CommandError, SeveralErrors, error_text, raise_all
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.client.kubeconfig import Access
from svcsim.meta.errors import StatusError
from svcsim.wall import wall_time
from tests.cli.shared.clusters import config
from tests.cli.stub import Stub


@pytest.fixture
def servers():
    """Two servers."""
    with Stub() as first, Stub() as second:
        yield first, second


def test_a_broken_configuration_is_told_in_one_line(run, tmp_path):
    path = tmp_path / "broken"
    path.write_text("clusters:\n- a: b\n c: d\n")
    told = run(f"--kubeconfig {path} get pods")
    assert told == (
        1,
        "",
        f"error: error loading config file \"{path}\": yaml: line 3: expected <block end>, but found '<block mapping start>'\n",
    )


def test_a_server_that_is_not_there_is_told_in_kubectls_words(run):
    with Stub() as gone:
        address = gone.url.removeprefix("http://")
    assert run(f"--server http://{address} get pods").err == (
        f"The connection to the server {address} was refused - did you specify the right host or port?\n"
    )


def test_the_namespace_stays_chosen(run, servers, tmp_path):
    path = config(tmp_path / ".kube" / "config", a=servers[0].url)
    assert run("config set-context --current --namespace=shop").out == 'Context "a" modified.\n'
    assert json.loads(path.read_text())["contexts"][0]["context"]["namespace"] == "shop"
    assert run("--context a get pods").err == "No resources found in shop namespace.\n"
    assert run("--context a -n else get pods").err == "No resources found in else namespace.\n"


def test_contexts_are_listed_and_switched(run, servers, tmp_path):
    config(tmp_path / ".kube" / "config", a=servers[0].url, b=servers[1].url)
    assert run("config use-context b").out == 'Switched to context "b".\n'
    assert run("config current-context").out == "b\n"
    assert run("config get-contexts -o name").out == "a\nb\n"
    assert run("config get-contexts c").err == "error: context c not found\n"
    assert run("config get-contexts c d").err == "context c not found\ncontext d not found\n"
    assert run("config use-context c").err == 'error: no context exists with the name: "c"\n'


def test_secrets_are_not_shown_unless_asked_for(run, tmp_path):
    path = tmp_path / ".kube" / "config"
    config(path, a="http://x")
    content = json.loads(path.read_text())
    content["users"][0]["user"] = {"token": "s3cret", "client-key-data": "a2V5"}
    path.write_text(json.dumps(content))
    shown = run("config view").out
    assert "token: REDACTED" in shown
    assert "client-key-data: DATA+OMITTED" in shown
    assert "token: s3cret" in run("config view --raw").out


def test_a_configuration_is_printed_in_the_order_kubectl_has(run, tmp_path):
    config(tmp_path / ".kube" / "config", a="http://x")
    shown = json.loads(run("config view -o json").out)
    assert list(shown) == ["kind", "apiVersion", "preferences", "clusters", "users", "contexts", "current-context"]
    assert list(shown["contexts"][0]) == ["name", "context"]


# --- one answer's time ---


def test_a_server_that_keeps_silent_is_not_waited_for_longer_than_told(run):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        told = run(f"--server http://127.0.0.1:{silent.getsockname()[1]} get --raw /x --request-timeout=50ms")
    message = "Unable to connect to the server: context deadline exceeded (Client.Timeout exceeded while awaiting headers)\n"
    assert told == (1, "", message)


def test_a_server_that_is_well_and_takes_long_is_told_from_one_that_does_not_answer(run, monkeypatch):
    monkeypatch.setattr(limits, "SILENT_S", 0.05)
    asked_by_the_side = threading.Event()

    class Server(BaseHTTPRequestHandler):
        def log_message(self, *_told: object) -> None:
            """Nothing is told on stderr, which is looked at."""

        def do_GET(self) -> None:
            if self.path == "/livez":
                asked_by_the_side.set()
            else:
                asked_by_the_side.wait()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        told = run(f"--server http://127.0.0.1:{server.server_port} get --raw /x")
        server.shutdown()
    warning = "warning: this takes the server long, though it answers others. Still waiting; --request-timeout says for how long.\n"
    assert told == (0, "{}", warning)


# --- state ---


def test_a_lock_is_held_by_one_alone_and_freed_by_closing(tmp_path):
    import os

    held = state.hold(tmp_path / "lock")
    assert state.hold(tmp_path / "lock") is None
    os.close(held)
    again = state.hold(tmp_path / "lock")
    assert again is not None
    os.close(again)


def test_files_are_the_owners_alone(tmp_path):
    state.write_json(tmp_path / "x.json", {"a": 1})
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o600
    assert state.read_json(tmp_path / "x.json") == {"a": 1}
    assert state.read_json(tmp_path / "missing.json") == {}


# --- failures ---


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (CommandError("no"), "error: no"),
        (StatusError(404, "NotFound", 'pods "x" not found'), 'Error from server (NotFound): pods "x" not found'),
        (StatusError(500, "", "odd"), "Error from server: odd"),
        (StatusError(401, "Unauthorized", "Unauthorized"), "error: You must be logged in to the server (Unauthorized)"),
        (StatusError(422, "Invalid", "m"), "The request is invalid: m"),
        (
            StatusError(422, "Invalid", "m", {"kind": "Pod", "name": "x", "causes": [{"field": "spec", "message": "Required value"}]}),
            'The Pod "x" is invalid: spec: Required value',
        ),
        (
            StatusError(
                422,
                "Invalid",
                "m",
                {"kind": "Pod", "name": "x", "causes": [{"field": "a", "message": "1"}, {"field": "b", "message": "2"}]},
            ),
            'The Pod "x" is invalid: \n* a: 1\n* b: 2',
        ),
        (SeveralErrors([CommandError("one"), StatusError(404, "NotFound", "two")]), "one\nError from server (NotFound): two"),
    ],
)
def test_failures_are_told_as_kubectl_tells_them(error, text):
    assert error_text(error) == text


def test_one_failure_is_raised_as_itself():
    with pytest.raises(CommandError):
        raise_all([CommandError("x")])
    with pytest.raises(SeveralErrors):
        raise_all([CommandError("x"), CommandError("y")])
    raise_all([])


def test_warnings_of_the_server_are_passed_on(cli, stub):
    stub.warnings = ['299 - "old \\"thing\\""', '299 - "second"']
    done = cli("get pods -o name")
    assert done.err == 'Warning: old "thing"\nWarning: second\n'
    stub.warnings = ['299 - "unknown field größe"'.encode().decode("latin-1")]
    assert cli("get pods -o name").err == "Warning: unknown field größe\n"
    stub.warnings = ['299 - "w"']
    assert cli("--warnings-as-errors get pods -o name").err.endswith("error: 1 warning received\n")


# --- help and unknown commands ---


def test_every_command_has_help(run):
    from svcsim.cli.commands import KUBECTL_LIKE, OWN

    for name in (*OWN, *KUBECTL_LIKE):
        done = run(f"{name} --help")
        assert done.status == 0
        assert "sage:" in done.out
        assert done.err == ""


def test_the_help_of_replay_says_where_the_format_is_described(run):
    assert "python -m svcsim.scenario.reference" in run("replay --help").out


def test_without_a_command_all_are_listed(run):
    done = run("")
    assert done.status == 0
    assert "  up                Start a cluster\n" in done.out
    assert "  get               Display one or many objects\n" in done.out


@pytest.mark.parametrize("family", ["certificate", "auth", "rollout", "config"])
def test_a_family_of_commands_alone_says_what_there_is_and_fails(run, family):
    done = run(family)
    assert (done.status, done.out) == (1, "")
    assert "Available Commands:" in done.err
    assert run(f"{family} --help") == (0, done.err, "")


def test_an_unknown_command_gets_a_guess(run):
    assert run("gett").err == 'error: unknown command "gett" for "svcsim"\n\nDid you mean this?\n\tget\n'


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("get --foo pods", "Error: unknown flag: --foo\nSee 'svcsim get --help' for usage.\n"),
        ("up --foo", "error: unknown flag: --foo\nSee 'svcsim up --help' for usage.\n"),
        ("rollout foo", "error: unknown command \"foo\"\nSee 'svcsim rollout -h' for help and examples\n"),
        ("--server https://[::1 get pods", 'error: host must be a URL or a host:port pair: "https://[::1"\n'),
        ("--server http://a:bar get pods", 'error: host must be a URL or a host:port pair: "http://a:bar"\n'),
        (["get", "pods", "a\udcff"], 'error: word 3 of the command line, "a\ufffd", is not valid UTF-8\n'),
        (
            "create ingress r --rule=a",
            (
                'error: "svcsim create ingress" is not there: write the object to a file and use "svcsim create -f FILE", '
                'or let kubectl write it: "kubectl create ingress … --dry-run=client -o yaml"\n'
            ),
        ),
        (
            "debug node-1",
            (
                'error: "svcsim debug" is not there, but kubectl has it: "svcsim kubeconfig --merge" makes clusters known to it, '
                'then use "kubectl --context svcsim-NAME debug" with a cluster of the kubernetes dialect\n'
            ),
        ),
        ("up --dialect latin", 'error: unknown dialect "latin"; there are: svcapi, kubernetes\n'),
        ("up --clock fast", 'error: --clock is real, paused, or a speed from x0.1 to x1000, not "fast"\n'),
        ("up --history 0", 'error: --history takes a duration of 1s or more, such as 5m or 1h, or forever; not "0"\n'),
        ("up --history soon", 'error: --history takes a duration of 1s or more, such as 5m or 1h, or forever; not "soon"\n'),
        *[
            (line, "error: the cluster's name is empty; leave it out to mean the default\n")
            for line in ("up ''", "up --cluster=''", "down '' --purge", "down --cluster= --purge", "status ''", "use ''", "kubeconfig ''")
        ],
        ("up ../x", 'error: "../x" is no name for a cluster: use letters from a to z, digits, "-", "_" and ".", at most 63 of them\n'),
        ("up żółć", 'error: "żółć" is no name for a cluster: use letters from a to z, digits, "-", "_" and ".", at most 63 of them\n'),
        (
            "up --ephemeral --data-dir /tmp/x",
            "error: --ephemeral keeps no data, and --data-dir says where to keep them; leave one of them out\n",
        ),
        ("up --history=-5m", 'error: --history takes a duration of 1s or more, such as 5m or 1h, or forever; not "-5m"\n'),
        ("up --nodes three", "error: invalid value for '--nodes': 'three' is no whole number\nSee 'svcsim up --help' for usage.\n"),
        ("down nope", 'error: there is no cluster "nope"\n'),
        ("status nope", 'error: there is no cluster "nope"; start it with: svcsim up nope\n'),
        ("kubeconfig nope", 'error: there is no cluster "nope"; start it with: svcsim up nope\n'),
    ],
)
def test_mistakes_are_told_in_one_line(run, command, message):
    assert run(command) == (1, "", message)


def test_a_certificate_of_another_time_is_told_with_its_cause_and_cure(run, tmp_path, monkeypatch):
    monkeypatch.setattr(certificates, "wall_time", lambda: wall_time() + 3 * 365 * 86400)
    made = certificates.ensure(tmp_path / "pki")
    monkeypatch.undo()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.server_certificate, made.server_key)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse_one():
            with contextlib.suppress(OSError):
                context.wrap_socket(listening.accept()[0], server_side=True)

        server = threading.Thread(target=refuse_one)
        server.start()
        access = Access(f"https://127.0.0.1:{listening.getsockname()[1]}", ca_pem=made.ca_certificate.read_bytes(), token="x")
        kubeconfig.write_file(tmp_path / "config", kubeconfig.describe("ahead", access))
        code, _, err = run(f"--kubeconfig {tmp_path}/config get pods")
        server.join()
    assert code == 1
    assert err.startswith("Unable to connect to the server: tls: failed to verify certificate: certificate is not yet valid; ")
    assert "set the clock, then `svcsim down NAME` and `svcsim up NAME`" in err
