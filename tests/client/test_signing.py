"""Credentials that are renewed, on asyncio's side and the waiting one, with real programs and a server that shakes hands over TLS."""

import asyncio
import json
import ssl
import stat
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from svcsim.client import credentials, kubeconfig
from svcsim.client.blocking import BlockingTransport
from svcsim.client.plugin_config import CredentialsError
from svcsim.client.signing import SigningTransport, transport_to
from svcsim.clock import turn
from svcsim.meta.http import Request
from svcsim.meta.times import format_time
from svcsim.wall import stopwatch, wall_time
from tests.outbound.tls import Authority

VERSION = "client.authentication.k8s.io/v1"
ASK = Request("GET", "/version")


class Server:
    """Takes one token or any certificate, and remembers by which token and certificate it was asked, over which connection."""

    def __init__(self, directory: Path, clients: Authority) -> None:
        self.token, self.certificates, self.connections = "", [], set()
        outer, authority = self, Authority()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words: object) -> None:
                pass

            def do_GET(self) -> None:
                outer.connections.add(self.client_address[1])
                shown = self.connection.getpeercert()
                outer.certificates.append(dict(pair for names in shown["subject"] for pair in names)["commonName"] if shown else "")
                good = not outer.token or self.headers.get("Authorization") == f"Bearer {outer.token}"
                self.send_response(200 if good else 401)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

        context = authority.server_context(directory, "127.0.0.1")
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cadata=clients.pem.decode())
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.block_on_close = True, False
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url, self.ca = f"https://127.0.0.1:{self.server.server_port}", directory / "ca.pem"
        self.ca.write_bytes(authority.pem)


@pytest.fixture
def clients() -> Authority:
    return Authority("clients")


@pytest.fixture
def server(tmp_path: Path, clients: Authority) -> Iterator[Server]:
    made = Server(tmp_path, clients)
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()


class Plugin:
    """A program that gives the answers it is told, one after the other and the last for ever; its runs are counted."""

    def __init__(self, directory: Path, server: Server) -> None:
        self.directory, self.server = directory, server

    def answers(self, *statuses: dict[str, object]) -> None:
        self.says(
            "import json, pathlib\n"
            f"runs = pathlib.Path({str(self.directory / 'runs')!r})\n"
            "count = len(runs.read_text()) if runs.exists() else 0\n"
            "runs.write_text('x' * (count + 1))\n"
            f"statuses = {list(statuses)!r}\n"
            "status = statuses[min(count, len(statuses) - 1)]\n"
            f"print(json.dumps({{'kind': 'ExecCredential', 'apiVersion': {VERSION!r}, 'status': status}}))\n"
        )

    def says(self, program: str) -> None:
        path = self.directory / "login"
        path.write_text(f"#!{sys.executable}\n{program}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    @property
    def runs(self) -> int:
        return len((self.directory / "runs").read_text())

    def access(self, **user: object) -> kubeconfig.Access:
        block = {"command": str(self.directory / "login"), "apiVersion": VERSION, "interactiveMode": "IfAvailable"}
        user = user or {"exec": {**block, "args": ["--oidc-client-secret=hush"], "env": [{"name": "SECRET", "value": "hush"}]}}
        config = {
            "clusters": [{"name": "c", "cluster": {"server": self.server.url, "certificate-authority": str(self.server.ca)}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }
        return kubeconfig.resolve(config, "c")


@pytest.fixture
def plugin(tmp_path: Path, server: Server) -> Plugin:
    return Plugin(tmp_path, server)


class Asking:
    """A client of either sort, that is asked the same."""

    def __init__(self, sort: str, access: kubeconfig.Access) -> None:
        self.loop = asyncio.new_event_loop() if sort == "asyncio" else None
        self.way = transport_to(access) if self.loop else BlockingTransport(access)

    def status(self) -> int:
        return (self.loop.run_until_complete(self.way.send(ASK)) if self.loop else self.way.send(ASK)).status

    def streamed(self) -> int:
        if self.loop is None:
            with self.way.stream(ASK) as stream:
                return stream.status
        return self.loop.run_until_complete(self._streamed())

    async def _streamed(self) -> int:
        async with self.way.stream(ASK) as stream:
            assert await stream.read() == b"{}"
            return stream.status

    def close(self) -> None:
        if self.loop is None:
            self.way.close()
        else:
            self.loop.run_until_complete(self.way.close())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()


@pytest.fixture(params=["asyncio", "blocking"])
def asking(request: pytest.FixtureRequest) -> Iterator[object]:
    made: list[Asking] = []

    def make(access: kubeconfig.Access) -> Asking:
        made.append(Asking(request.param, access))
        return made[-1]

    yield make
    for one in made:
        one.close()


def in_s(seconds: float) -> str:
    return format_time(wall_time() + seconds)


def test_a_program_is_run_once_for_many_questions(plugin: Plugin, server: Server, asking):
    plugin.answers({"token": "a"})
    server.token = "a"
    client = asking(plugin.access())
    assert [client.status(), client.streamed(), client.status()] == [200] * 3
    assert plugin.runs == 1


def test_what_has_expired_is_asked_for_anew(plugin: Plugin, server: Server, asking):
    plugin.answers({"token": "a", "expirationTimestamp": in_s(-5)}, {"token": "b", "expirationTimestamp": in_s(600)})
    client = asking(plugin.access())
    assert (client.status(), client.status(), client.status()) == (200, 200, 200)
    assert plugin.runs == 2


def test_what_is_refused_is_asked_for_once_more_and_no_more(plugin: Plugin, server: Server, asking):
    plugin.answers({"token": "a"}, {"token": "b"}, {"token": "c"}, {"token": "c"})
    server.token = "b"
    client = asking(plugin.access())
    assert (client.status(), plugin.runs) == (200, 2)
    server.token = "c"
    assert (client.streamed(), plugin.runs) == (200, 3)
    server.token = "nobody's"
    assert (client.status(), plugin.runs) == (401, 4)


def test_another_certificate_shakes_hands_anew(plugin: Plugin, server: Server, clients: Authority, asking, monkeypatch: pytest.MonkeyPatch):
    first, second = ({"clientCertificateData": c.decode(), "clientKeyData": k.decode()} for c, k in map(clients.issue, ("one", "two")))
    plugin.answers({**first, "expirationTimestamp": in_s(3600)}, second)
    client = asking(plugin.access())
    client.status()
    client.status()
    assert (server.certificates, len(server.connections)) == (["one", "one"], 1)
    monkeypatch.setattr(credentials, "wall_time", lambda: wall_time() + 3601)
    assert [client.status(), client.streamed(), client.status()] == [200] * 3
    assert server.certificates[2:] == ["two"] * 3
    assert plugin.runs == 2


def test_a_token_file_is_read_again(tmp_path: Path, plugin: Plugin, server: Server, asking):
    (tmp_path / "token").write_text("a\n")
    server.token = "a"
    client = asking(plugin.access(tokenFile=str(tmp_path / "token")))
    assert client.status() == 200
    (tmp_path / "token").write_text("b\n")
    assert client.status() == 200, "not before its time"
    server.token = "b"
    assert client.status() == 200, "but where the old one isn't taken"


@pytest.mark.parametrize(
    ("content", "said"), [("", "read empty token from file"), ("a\nb", "characters that no header"), ("é", "characters that no header")]
)
def test_a_token_file_that_is_no_good_is_told(tmp_path: Path, plugin: Plugin, content: str, said: str):
    (tmp_path / "token").write_text(content)
    with pytest.raises(kubeconfig.KubeconfigError, match=said):
        plugin.access(tokenFile=str(tmp_path / "token"))


WRONG = {
    "junk": ("print('hush' * 9)", "is not JSON"),
    "nothing": ("", "is not JSON"),
    "megabytes": ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "gave more than 1048576 bytes"),
    "a signal": ("import os; os.kill(os.getpid(), 9)", "failed by signal 9"),
    "a failure": ("import sys; print('hush'); sys.exit(4)", "failed with exit code 4"),
    "a list": ("print([])", "no ExecCredential"),
    "a long version": (
        'print(\'{"kind":"ExecCredential","apiVersion":"\' + \'x\' * 9999 + \'"}\')',
        f"plugin returned version {'x' * 100}$",
    ),
    "a token that is none": (f'print(\'{{"kind":"ExecCredential","apiVersion":"{VERSION}","status":{{"token":["hush"]}}}}\')', "no text"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_goes_wrong_is_told_and_no_secret_with_it(plugin: Plugin, asking, what: str):
    program, said = WRONG[what]
    plugin.says(program)
    client = asking(plugin.access())
    with pytest.raises(CredentialsError, match=said) as raised:
        client.status()
    assert "hush" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_secret_stands_in_what_is_shown_of_objects(plugin: Plugin):
    plugin.answers({"token": "hush"})
    access = plugin.access()
    credentials = access.source.current()
    shown = access.signed_in(credentials)
    assert "hush" not in f"{access!r} {access.source!r} {credentials!r} {shown!r} {access.source._origin!r} {vars(access.source)!r}"
    assert shown.headers() == [("authorization", "Bearer hush")]


def test_nobody_waits_for_a_program_that_hangs_once_the_transport_is_closed(plugin: Plugin, tmp_path: Path):
    """Nor for what it has started, which holds its output."""
    plugin.says(f"import pathlib, subprocess\npathlib.Path({str(tmp_path / 'began')!r}).touch()\nsubprocess.run(['sleep', '60'])\n")

    async def hang_up() -> None:
        transport = SigningTransport(access := plugin.access(), access.source)
        asked = asyncio.create_task(transport.send(ASK))
        while not (tmp_path / "began").exists():
            await turn()
        asked.cancel()
        await transport.close()

    began = stopwatch()
    asyncio.run(hang_up())
    assert stopwatch() - began < 20


def test_a_program_aside_has_no_terminal(plugin: Plugin, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    """The dashboard has the screen, and its keys are its own."""
    answer = {"kind": "ExecCredential", "apiVersion": VERSION, "status": {"token": "a"}}
    plugin.says(f"import sys\nprint('look here', file=sys.stderr)\nassert not sys.stdin.read()\nprint({json.dumps(answer)!r})\n")
    source = plugin.access().source
    assert source.current(aside=True).token == "a"
    assert capfd.readouterr() == ("", "")
    source = plugin.access().source
    assert source.current().token == "a"
    assert capfd.readouterr().err == "look here\n"
    block = {"command": str(tmp_path / "login"), "apiVersion": VERSION, "interactiveMode": "Always"}
    with pytest.raises(CredentialsError, match="standard input is unavailable"):
        plugin.access(exec=block).source.current(aside=True)
