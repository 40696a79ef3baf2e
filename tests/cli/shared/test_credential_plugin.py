"""Credential plugins, token files and acting as others, with real programs and a server that knows who may come in."""

import http.server
import json
import stat
import sys
import threading

import pytest

PLUGIN = """#!{python}
import json, os, pathlib, sys
here = pathlib.Path(__file__).parent
info = os.environ.get("{variable}")
with (here / "runs").open("a") as runs:
    runs.write(json.dumps({{"info": json.loads(info), "args": sys.argv[1:], "extra": os.environ.get("EXTRA")}}) + "\\n")
count = len((here / "runs").read_text().splitlines())
answer = json.loads((here / "answer").read_text().replace("COUNT", str(count)))
print(json.dumps(answer))
sys.exit(int((here / "status").read_text()) if (here / "status").exists() else 0)
"""
DIALECTS = [("svcapi.io", "SVC_EXEC_INFO"), ("k8s.io", "KUBERNETES_EXEC_INFO")]


class Server:
    """Takes one token, and remembers the headers of each request."""

    def __init__(self, token):
        self.token, self.seen = token, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_GET(self):
                outer.seen.append(self.headers)
                good = self.headers.get("Authorization") == f"Bearer {outer.token}"
                failure = {"kind": "Status", "status": "Failure", "message": "Unauthorized", "reason": "Unauthorized", "code": 401}
                body = json.dumps({"major": "1", "minor": "34", "gitVersion": "v1.34.0"} if good else failure).encode()
                self.send_response(200 if good else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def server():
    made = Server("t1")
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(params=DIALECTS, ids=["svcapi", "kubernetes"])
def plugin(request, tmp_path, server, run):
    """A plugin beside the configuration that names it by a relative path; gives a function that runs a command with both."""
    suffix, variable = request.param
    version = f"client.authentication.{suffix}/v1"
    program = tmp_path / "bin" / "login"
    program.parent.mkdir()
    program.write_text(PLUGIN.format(python=sys.executable, variable=variable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def plugged(line="get --raw /version", status=None, answer=None, **block):
        whole = {"kind": "ExecCredential", "apiVersion": version, "status": status or {"token": "t1"}} if answer is None else answer
        (program.parent / "answer").write_text(json.dumps(whole))
        block = {"command": "bin/login", "apiVersion": version, "interactiveMode": "Never", **block}
        extensions = [{"name": f"client.authentication.{suffix}/exec", "extension": {"audience": "me"}}]
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": server.url, "extensions": extensions}}],
            "users": [{"name": "u", "user": {"exec": block}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }
        (tmp_path / "config").write_text(json.dumps(config))
        return run(f"--kubeconfig {tmp_path / 'config'} {line}")

    plugged.version = version
    plugged.runs = lambda: [json.loads(line) for line in (program.parent / "runs").read_text().splitlines()]
    plugged.directory = program.parent
    return plugged


def test_a_plugin_says_who_asks(plugin, server):
    outcome = plugin(args=["get-token"], env=[{"name": "EXTRA", "value": "x"}], provideClusterInfo=True)
    assert (outcome.status, outcome.err) == (0, "")
    cluster = {"server": server.url, "config": {"audience": "me"}}
    info = {"kind": "ExecCredential", "apiVersion": plugin.version, "spec": {"interactive": False, "cluster": cluster}}
    assert plugin.runs() == [{"info": info, "args": ["get-token"], "extra": "x"}]


def test_a_plugin_is_told_of_the_cluster_only_where_that_is_wanted(plugin):
    plugin()
    assert plugin.runs()[0]["info"]["spec"] == {"interactive": False}


def test_what_is_refused_is_asked_for_once_more(plugin, server):
    server.token = "t2"
    assert plugin(status={"token": "tCOUNT"}).status == 0
    assert len(plugin.runs()) == 2
    assert len(server.seen) == 2


def test_a_refusal_that_stays_is_told(plugin, server):
    server.token = "another"
    assert plugin().err == "error: You must be logged in to the server (Unauthorized)\n"
    assert (len(plugin.runs()), len(server.seen)) == (2, 1)


def test_a_token_on_the_command_line_runs_nothing(plugin):
    assert plugin("get --raw /version --token t1").status == 0
    assert not (plugin.directory / "runs").exists()


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({}, "gave something that is no ExecCredential"),
        ({"kind": "ExecCredential", "apiVersion": "x/v1", "status": {"token": "t1"}}, "plugin returned version x/v1"),
    ],
)
def test_an_answer_that_is_none_is_told_in_one_line(plugin, answer, wrong):
    outcome = plugin(answer=answer)
    assert outcome.status == 1
    assert outcome.err.startswith("Unable to connect to the server: getting credentials: ")
    assert wrong in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("status", "wrong"),
    [
        ({"x": "y"}, "exec plugin didn't return a token or cert/key pair"),
        ({"clientCertificateData": "x"}, "exec plugin returned only certificate or key, not both"),
        ({"clientCertificateData": "x", "clientKeyData": "y"}, "failed parsing client key/certificate: "),
        ({"token": "t1", "expirationTimestamp": "soon"}, "status.expirationTimestamp: parsing time"),
        ({"token": "t1\nx: y"}, "exec plugin returned a token with characters that no header can have"),
    ],
)
def test_a_status_that_says_nothing_is_told(plugin, status, wrong):
    outcome = plugin(status=status)
    assert (outcome.status, wrong in outcome.err) == (1, True)


def test_a_program_that_is_not_there_is_told_with_its_hint(plugin):
    outcome = plugin(command="nowhere-login", installHint="get it")
    assert outcome.err == "Unable to connect to the server: getting credentials: exec: executable nowhere-login not found\n\nget it\n"


def test_a_program_that_fails_is_told(plugin):
    (plugin.directory / "status").write_text("3")
    outcome = plugin()
    assert outcome.status == 1
    assert outcome.err.startswith("Unable to connect to the server: getting credentials: exec: executable ")
    assert outcome.err.endswith("/bin/login failed with exit code 3\n")


def test_a_plugin_that_must_ask_needs_a_terminal(plugin):
    wanted = "getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal\n"
    assert plugin(interactiveMode="Always").err.endswith(wanted)


def test_acting_as_somebody_goes_into_headers(run, server):
    flags = "--as alice --as-group dev --as-group ops --as-uid 7 --as-user-extra Ex/1=a --as-user-extra Ex/1=b"
    assert run(f"--server {server.url} --token t1 {flags} get --raw /version").status == 0
    headers = server.seen[0]
    assert headers.get_all("Impersonate-User") == ["alice"]
    assert headers.get_all("Impersonate-Group") == ["dev", "ops"]
    assert headers.get_all("Impersonate-Uid") == ["7"]
    assert headers.get_all("Impersonate-Extra-Ex%2F1") == ["a", "b"]


@pytest.mark.parametrize("flags", ["--as-group dev", "--as-uid 7", "--as-user-extra a=b"])
def test_groups_of_nobody_are_refused(run, server, flags):
    outcome = run(f"--server {server.url} {flags} get --raw /version")
    assert (outcome.status, server.seen) == (1, [])
    assert outcome.err == "error: requesting uid, groups or user-extra for  without impersonating a user\n"
