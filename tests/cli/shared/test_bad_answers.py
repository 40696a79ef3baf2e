"""Servers that answer what no API server should: the command says so in one line."""

import json

import pytest


@pytest.fixture
def answering(stub, monkeypatch):
    """Have every request below a type's path answered so."""

    def answering(status, body, content_type="application/json", headers=None):
        handler = stub.server.RequestHandlerClass

        def answer(self, *_):
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            self.send_response(status)
            for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        plain = handler.do_GET
        for method in ("do_POST", "do_PUT", "do_PATCH", "do_DELETE"):
            monkeypatch.setattr(handler, method, answer)
        monkeypatch.setattr(handler, "do_GET", lambda self: answer(self) if "/configmaps" in self.path else plain(self))

    return answering


UNSAID = "but did not return more information (ASKED)\n"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (302, b"", f"Error from server: the server responded with the status code 302 {UNSAID}"),
        (304, b"", f"Error from server: the server responded with the status code 304 {UNSAID}"),
        (405, b"", "Error from server (MethodNotAllowed): the server does not allow this method on the requested resource (ASKED)\n"),
        (403, b"not you", "Error from server (Forbidden): not you (ASKED)\n"),
        (200, b"", "Error from server: the server's answer is empty\n"),
        (200, b"<html>\n", 'Error from server: the server answered "<html>", which is no JSON\n'),
        (
            501,
            b"<p>\nno\n",
            'Error from server (InternalError): an error on the server ("<p>\\nno") has prevented the request from succeeding (ASKED)\n',
        ),
        (
            403,
            json.dumps({"kind": "Status", "reason": "Forbidden\x1b[32m", "message": "a\x1b[31mRED\x9b31m", "code": 403}).encode(),
            "Error from server (Forbidden^[[32m): a^[[31mRED\\x9b31m\n",
        ),
        (409, b'{"kind": "Status", "reason": 5, "message": null, "code": "x", "details": []}', "Error from server (5): \n"),
    ],
)
@pytest.mark.parametrize("verb", ["get", "get -o yaml", "get -w", "describe", "delete"])
def test_an_answer_that_is_none_is_told_in_a_line(cli, answering, status, body, said, verb):
    answering(status, body)
    outcome = cli(f"{verb} cm settings")
    said = said.replace("ASKED", f"{'delete' if verb == 'delete' else 'get'} configmaps settings")
    assert (outcome.status, outcome.err.splitlines(), outcome.out) == (1, said.splitlines(), "")


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("get cm settings", " (get configmaps settings)"),
        ("label cm settings a=b", " (get configmaps settings)"),
        ("replace -f settings.yaml", " (put configmaps settings)"),
        ("create -f settings.yaml", " (post configmaps)"),
        ("get --raw /api/v1/namespaces/default/configmaps/settings", ""),
        ("create --raw /api/v1/namespaces/default/configmaps -f settings.yaml", ""),
    ],
)
def test_what_was_asked_of_a_path_that_is_not_there(cli, answering, work_among, command, asked):
    work_among({"settings.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"})
    answering(404, b"404 page not found")
    outcome = cli(command)
    assert outcome.status == 1
    assert outcome.err.endswith(f"the server could not find the requested resource{asked}\n")


def test_a_list_in_place_of_a_watch_is_told(cli, answering):
    answering(200, b'{"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": []}')
    outcome = cli("get cm -w -o yaml")
    assert outcome.status == 1
    assert outcome.err == (
        "Error from server: unable to decode an event from the watch stream: the server sent "
        '"{\\"kind\\": \\"ConfigMapList\\", \\"apiVersion\\": \\"v1\\", \\"metadata\\": {\\"resourceVersion\\": \\"7"\n'
    )
