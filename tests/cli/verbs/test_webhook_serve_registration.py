"""`svcsim webhook serve`: what is registered stays so, whoever deletes or changes it meanwhile."""

import subprocess

import pytest

from svcsim.meta.types import Object
from tests.cli.verbs.serving import Serving

CLOSED = 'RESOURCES = "configmaps"\ndef validate(request): return "closed"\n'
WHAT = 'The ValidatingWebhookConfiguration "svcsim-team"'


def path_of(serving: Serving) -> str:
    group = serving.wire.dialect.group("admissionregistration")
    return f"/apis/{group}/v1/validatingwebhookconfigurations/svcsim-team"


def replace(serving: Serving) -> None:
    """Put a configuration of somebody else's in its place."""
    before = serving.wire.ask("GET", path_of(serving)).json
    theirs = {**before, "metadata": {"name": "svcsim-team", "resourceVersion": before["metadata"]["resourceVersion"]}, "webhooks": []}
    assert serving.wire.ask("PUT", path_of(serving), theirs).status == 200


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline().rstrip("\n")


def test_one_that_somebody_deletes_is_registered_again(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    for _ in range(2):
        serving.wire.ask("DELETE", path_of(serving))
        assert next_line(process) == f"{WHAT} was deleted by somebody else; it is registered again."
        assert serving.make().message.endswith("denied the request: closed")
    assert serving.end(process)[1] == ""


@pytest.mark.parametrize("field", [{"failurePolicy": "Ignore"}, {"rules": []}])
def test_one_that_somebody_changes_is_registered_again(serving: Serving, field: Object) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    before = serving.wire.ask("GET", path_of(serving)).json
    serving.wire.ask("PUT", path_of(serving), {**before, "webhooks": [{**before["webhooks"][0], **field}]})
    assert next_line(process) == f"{WHAT} was changed by somebody else; it is registered again."
    assert serving.wire.ask("GET", path_of(serving)).json["webhooks"] == before["webhooks"]


def test_one_that_somebody_puts_in_its_place_is_left_alone_and_told_once(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    replace(serving)
    assert next_line(process).startswith(f"{WHAT} was changed by somebody else: ")
    serving.write(CLOSED.replace("closed", "shut"))
    assert next_line(process) == "team.py was loaded again"
    assert "is there, and not made by this command" in next_line(process)
    assert serving.make().status == 201
    serving.wire.ask("DELETE", path_of(serving))
    assert next_line(process) == f"{WHAT} was deleted by somebody else; it is registered again."
    assert serving.make().message.endswith("denied the request: shut")


def test_what_is_somebody_elses_by_then_is_not_deleted_at_the_end(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    replace(serving)
    serving.end(process)
    assert serving.wire.ask("DELETE", path_of(serving)).status == 200


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("OPERATION = 'DELETE'", (), 'OPERATION in team.py means nothing; did you mean "OPERATIONS"?'),
        ("FAILUREPOLICY = 'Ignore'", (), 'FAILUREPOLICY in team.py means nothing; did you mean "FAILURE_POLICY"?'),
        ("TIMEOUT = 3", (), "TIMEOUT in team.py means nothing: say --timeout"),
        ("def mutat(request): pass", (), 'mutat in team.py means nothing; did you mean "mutate"?'),
        ("", ("-n", "nosuch"), 'There is no namespace "nosuch": as long as there is none, it isn\'t asked about anything in it.'),
        ("", ("-n", "default", "--resources=nodes"), "nodes are in no namespace: it is asked about all of them."),
    ],
)
def test_what_may_not_be_meant_is_told(serving: Serving, text: str, words: tuple[str, ...], said: str) -> None:
    serving.write(CLOSED + text + "\n")
    assert next_line(serving.begin("team.py", *words)) == said


def test_what_is_connected_to_is_asked_about_as_it_is(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py", "--resources=configmaps,pods/exec")
    rules = serving.wire.ask("GET", path_of(serving)).json["webhooks"][0]["rules"]
    assert [(rule["operations"], rule["resources"]) for rule in rules] == [
        (["CREATE", "UPDATE"], ["configmaps"]),
        (["CONNECT"], ["pods/exec"]),
    ]
    serving.end(process)
    said = serving.refused("team.py", "--resources=pods/exec", "--operations=CREATE")
    assert said == 'error: "pods/exec" is connected to, and nothing else: let --operations have CONNECT\n'
    said = serving.refused("team.py", "--resources=validatingwebhookconfigurations")
    assert said.startswith('error: no webhook is ever asked about "validatingwebhookconfigurations": ')
    serving.write(CLOSED + "OPERATIONS = 'CREAT'\n")
    assert 'OPERATIONS in the file are CREATE, UPDATE, DELETE, CONNECT or *, not "CREAT"' in serving.refused("team.py")
