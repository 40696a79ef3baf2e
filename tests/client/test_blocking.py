"""The command line's transport: it waits, keeps its connection, and tells what went wrong in the words kubectl uses."""

import datetime
import ipaddress
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim import limits
from svcsim.client.blocking import BlockingTransport
from svcsim.client.kubeconfig import Access
from svcsim.meta.http import Request


class Answers(BaseHTTPRequestHandler):
    """Answers as the tests below need it."""

    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == "/lines":
            self.send_response(200)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in (b"one\ntw", b"o\n", b"\n" + b"x" * 200_000 + b"\n"):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
            return
        if self.path == "/waits":
            self.server.missed.wait()
        if self.path == "/vanish":
            self.server.asked.append(self.command)
            self.close_connection = True
            return
        if self.path == "/cut":
            self.send_response(200)
            self.send_header("content-length", "100")
            self.end_headers()
            self.wfile.write(b"only this\n")
            self.close_connection = True
            return
        told = f"{self.command} {self.path} {self.headers.get('authorization')} {self.client_address[1]} ".encode() + body
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("content-length", str(len(told)))
        self.send_header("connection", "close" if self.path == "/bye" else "keep-alive")
        self.end_headers()
        self.wfile.write(told)
        self.close_connection = self.path in {"/bye", "/drop"}

    do_GET = handle_any  # noqa: N815 - the name http.server asks for
    do_POST = handle_any  # noqa: N815 - the name http.server asks for

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    made.asked, made.missed = [], threading.Event()
    yield from running(made)


def running(server: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def url_of(server: ThreadingHTTPServer, scheme: str = "http") -> str:
    return f"{scheme}://127.0.0.1:{server.server_address[1]}"


def test_requests_are_answered_over_one_connection(server):
    with BlockingTransport(Access(url_of(server), token="t")) as transport:
        first = transport.send(Request("POST", "/a", "x=1", body=b"hello")).body.split()
        second = transport.send(Request("GET", "/b")).body.split()
    assert first[:3] == [b"POST", b"/a?x=1", b"Bearer"]
    assert first[-1] == b"hello"
    assert first[4] == second[4], "the same client port"


def test_an_error_status_is_returned(server):
    with BlockingTransport(Access(url_of(server))) as transport:
        assert transport.send(Request("GET", "/missing")).status == 404


def test_a_server_that_is_silent_for_long_is_missed_and_waited_for(server, monkeypatch):
    monkeypatch.setattr(limits, "SILENT_S", 0.05)
    with BlockingTransport(Access(url_of(server)), on_silence=server.missed.set) as transport:
        assert transport.send(Request("GET", "/waits")).status == 200
    assert server.missed.is_set()


@pytest.mark.parametrize("path", ["/bye", "/drop"])
def test_a_connection_the_server_let_go_is_replaced(server, path):
    with BlockingTransport(Access(url_of(server))) as transport:
        first = transport.send(Request("GET", path)).body.split()
        second = transport.send(Request("GET", "/again")).body.split()
    assert first[3] != second[3]


def test_a_connection_that_was_let_go_meanwhile_takes_no_write_with_it(server):
    with BlockingTransport(Access(url_of(server))) as transport:
        transport.send(Request("GET", "/drop"))
        while transport._idle.is_quiet():
            pass
        assert transport.send(Request("POST", "/again", body=b"{}")).status == 200


def test_a_write_that_may_have_been_carried_out_is_not_sent_again(server):
    with BlockingTransport(Access(url_of(server))) as transport:
        transport.send(Request("GET", "/first"))
        with pytest.raises(ConnectionError, match="whether the request was carried out is not known"):
            transport.send(Request("POST", "/vanish", body=b"{}"))
        assert server.asked == ["POST"]


def test_lines_of_a_stream_come_one_by_one_however_long(server):
    with BlockingTransport(Access(url_of(server))) as transport, transport.stream(Request("GET", "/lines")) as stream:
        assert stream.status == 200
        assert list(stream) == [b"one", b"two", b"", b"x" * 200_000]


def test_an_answer_that_breaks_off_is_a_connection_error(server):
    with BlockingTransport(Access(url_of(server))) as transport, pytest.raises(ConnectionError, match="EOF"):
        transport.send(Request("GET", "/cut"))


def test_a_refused_connection_is_told_in_kubectl_s_words():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with BlockingTransport(Access(f"http://127.0.0.1:{port}")) as transport, pytest.raises(ConnectionError) as raised:
        transport.send(Request("GET", "/"))
    assert str(raised.value) == f"The connection to the server 127.0.0.1:{port} was refused - did you specify the right host or port?"


def certificate(directory: Path, name: str) -> Path:
    """A certificate for ``name`` that vouches for itself, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    names = [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number(), start, start.replace(year=2090))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = directory / f"{name}.pem"
    kind = serialization.PrivateFormat.PKCS8
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
    )
    return path


@pytest.fixture
def secure(tmp_path) -> Iterator[tuple[ThreadingHTTPServer, bytes, bytes]]:
    """A TLS server that asks for client certificates; with its own certificate, and one it knows of a client."""
    own, client = certificate(tmp_path, "server"), certificate(tmp_path, "client")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    context.load_verify_locations(client)
    context.verify_mode = ssl.CERT_REQUIRED
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # refused handshakes are what a test is about
    for _ in running(server):
        yield server, own.read_bytes(), client.read_bytes()


def test_tls_with_an_authority_and_a_client_certificate(secure):
    server, own, client = secure
    access = Access(url_of(server, "https"), ca_pem=own, certificate_pem=client, key_pem=b"")
    with BlockingTransport(access) as transport:
        assert transport.send(Request("GET", "/")).status == 200


def test_a_server_goes_by_another_name_if_the_configuration_says_so(secure):
    server, own, client = secure
    access = Access(url_of(server, "https"), ca_pem=own, certificate_pem=client, tls_server_name="server")
    with BlockingTransport(access) as transport:
        assert transport.send(Request("GET", "/")).status == 200


def test_an_unknown_authority_is_refused_unless_told_not_to_look(secure):
    server, _, client = secure
    stranger = Access(url_of(server, "https"), ca_pem=client)
    with BlockingTransport(stranger) as transport, pytest.raises(ConnectionError, match="failed to verify certificate"):
        transport.send(Request("GET", "/"))
    with BlockingTransport(Access(url_of(server, "https"), insecure=True, certificate_pem=client)) as transport:
        assert transport.send(Request("GET", "/")).status == 200


def test_a_command_that_uses_it_imports_nothing_slow():
    """What the command line must not wait for: it takes longer to import than a command runs."""
    code = (
        "import sys, svcsim.client.blocking, svcsim.client.kubeconfig, svcsim.client.paths;"
        "print(*sorted({'asyncio', 'aiohttp', 'yaml', 'cryptography', 'textual', 'tempfile', 'http.client', 'email'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert answer.stdout.strip() == ""
