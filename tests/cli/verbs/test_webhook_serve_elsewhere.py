"""`svcsim webhook serve` registers itself with servers of svcsim, and with no others."""

import pytest

from tests.cli import stub as stubs

HOOK = 'RESOURCES = "configmaps"\ndef validate(request): pass\n'
ROW = ("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False, [], [], [])


class Forgetful(stubs.Stub):
    """It answers without saying which version an object has."""

    def put(self, obj, event=None):
        made = super().put(obj, event)
        if made["kind"] == ROW[3]:
            del made["metadata"]["resourceVersion"]
        return made


@pytest.fixture
def serve(run, work_among):
    work_among({"team.py": HOOK})
    return lambda stub: run(f"--server {stub.url} webhook serve team.py")


def test_nothing_is_sent_to_a_server_of_somebody_else(stub, serve):
    stub.version = {"major": "1", "minor": "34", "gitVersion": "v1.34.0-eks-1234"}
    told = serve(stub)
    why = "a webhook is served for clusters of svcsim alone"
    assert (told.status, told.out, told.err) == (1, "", f"error: the server at {stub.url} isn't one of svcsim: {why}\n")
    assert {method for method, _, _ in stub.requests} == {"GET"}


def test_an_answer_that_is_no_object_is_told_in_a_line(serve, monkeypatch):
    monkeypatch.setattr(stubs, "TYPES", (*stubs.TYPES, ROW))
    with Forgetful() as stub:
        told = serve(stub)
    assert told.status == 1
    assert told.err == "error: the server answered with no object: there is no metadata.resourceVersion in it\n"
