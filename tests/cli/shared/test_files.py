"""``-f``: where manifests come from."""

import io
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.shared.files import read_manifests

DECODE = 'unable to decode "FILE": json: cannot unmarshal'
ONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
TWO = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two"}}'


def names(*filenames, recursive=False):
    return [manifest.obj["metadata"]["name"] for manifest in read_manifests([str(name) for name in filenames], recursive=recursive)]


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "below").mkdir()
    for name, text in (("b.yaml", ONE), ("a.json", TWO), ("c.txt", "not read"), ("below/d.yml", ONE.replace("one", "three"))):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_file_may_hold_many_documents(tmp_path):
    (tmp_path / "m.yaml").write_text(f"{ONE}---\n---\n# nothing\n---\n{TWO}\n")
    assert names(tmp_path / "m.yaml") == ["one", "two"]


def test_a_directory_is_read_in_order_and_only_what_is_a_manifest(directory):
    assert names(directory) == ["two", "one"]


def test_a_directory_is_read_all_the_way_down_if_asked(directory):
    assert names(directory, recursive=True) == ["two", "one", "three"]


def test_a_pattern_that_no_shell_expanded_is_expanded(directory):
    assert names(f"{directory}/*.yaml") == ["one"]


def test_a_file_address_is_a_file(directory):
    assert names(f"file://{directory}/b.yaml") == ["one"]


def test_stdin_is_called_by_a_hyphen(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    assert names("-") == ["one"]


def test_lists_are_taken_apart(tmp_path):
    (tmp_path / "l.json").write_text(
        f'{{"apiVersion": "v1", "kind": "List", "items": [{TWO}, {{"apiVersion": "v1", "kind": "PodList", "items": [{TWO}]}}]}}'
    )
    assert names(tmp_path / "l.json") == ["two", "two"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b: c", "error parsing FILE: error converting YAML to JSON: yaml: line 1: mapping values are not allowed in this context"),
        ("metadata: {name: x}", 'unable to decode "FILE": Object \'Kind\' is missing in \'{"metadata":{"name":"x"}}\''),
        ("[1]", 'unable to decode "FILE": json: cannot unmarshal array into Go value of type unstructured.detector'),
        ("just text", 'unable to decode "FILE": json: cannot unmarshal string into Go value of type unstructured.detector'),
        (
            "{kind: X, metadata: {name: yes}}",
            f"{DECODE} bool into Go struct field ObjectMeta.metadata.name of type string",
        ),
        (
            "{kind: X, metadata: []}",
            f"{DECODE} array into Go struct field ObjectMeta.metadata of type map[string]interface {{}}",
        ),
    ],
)
def test_what_is_no_manifest_is_told(tmp_path, text, message):
    path = tmp_path / "m.yaml"
    path.write_text(text)
    with pytest.raises(CommandError) as error:
        names(path)
    assert str(error.value) == message.replace("FILE", str(path))


def test_what_is_not_there_is_told():
    with pytest.raises(CommandError, match='the path "/no/such/file" does not exist'):
        names("/no/such/file")


def test_an_empty_directory_is_told(tmp_path):
    with pytest.raises(CommandError, match="recognized file extensions are"):
        names(tmp_path)


class Page(BaseHTTPRequestHandler):
    """Serves a manifest, its redirects and its failures; what was asked, and with which headers, is kept in the server's ``asked``."""

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        status = {"/gone": 404, "/moved": 302, "/moved-to-a-file": 302}.get(self.path, 200)
        if self.path == "/trouble" and len(self.server.asked) < limits.FETCH_TRIES:
            status = 503
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/one.yaml" if self.path == "/moved" else "ftp://127.0.0.1/one.yaml")
        self.end_headers()
        if status == 200:
            self.wfile.write(b"#" * self.server.padding + b"\n" + ONE.encode())

    def log_message(self, *words):
        """Say nothing."""


@pytest.fixture
def web():
    """A web server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.asked, server.padding = [], 0
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def address(web, path):
    return f"http://127.0.0.1:{web.server_port}{path}"


def test_a_manifest_is_fetched_without_credentials(web):
    assert names(address(web, "/one.yaml")) == names(address(web, "/moved")) == ["one"]
    assert [path for path, _ in web.asked] == ["/one.yaml", "/moved", "/one.yaml"]
    assert all(name.lower() in ("host", "user-agent", "connection", "accept-encoding") for _, headers in web.asked for name in headers)


def test_a_manifest_is_asked_for_again_where_its_server_has_trouble(web, monkeypatch):
    monkeypatch.setattr(limits, "FETCH_PAUSE_S", 0.0)
    assert names(address(web, "/trouble")) == ["one"]


def test_a_manifest_that_can_not_be_fetched_is_told(web, monkeypatch):
    url = address(web, "/gone")
    with pytest.raises(CommandError) as told:
        names(url)
    assert str(told.value) == f'unable to read URL "{url}", server reported 404 Not Found, status code=404'
    with pytest.raises(ConnectionError, match="ftp"):
        names(address(web, "/moved-to-a-file"))
    with pytest.raises(ConnectionError, match="no Host in request URL"):
        names("http://")
    with pytest.raises(CommandError, match="is not valid"):
        names("http://[::1")
    web.padding = 2 * 1024**2
    monkeypatch.setattr(limits, "MANIFEST_BYTES", 1024**2)
    with pytest.raises(CommandError, match="is larger than 1 MiB"):
        names(address(web, "/one.yaml"))


def test_where_nobody_serves_a_manifest_is_told(web):
    web.shutdown()
    web.server_close()
    with pytest.raises(ConnectionError, match="was refused - did you specify the right host or port"):
        names(address(web, "/one.yaml"))
