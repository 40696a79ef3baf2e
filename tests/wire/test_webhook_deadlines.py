"""How long webhooks are waited for: as long as they say, and never longer than whoever made the request waits."""

import threading
from http.server import BaseHTTPRequestHandler

import pytest

from svcsim import limits
from svcsim.meta.types import Object
from tests.wire.admitting import ALLOWED, Hooks
from tests.wire.raw import Answer

LATE = "Timeout: request did not complete within requested timeout - context deadline exceeded"


def make(hooks: Hooks, **query: str) -> Answer:
    made = {"metadata": {"name": hooks.wire.fresh()}}
    return hooks.wire.ask("POST", "/api/v1/namespaces/default/configmaps", made, **query)


@pytest.mark.parametrize(
    ("timeout", "told"), [("", "10s"), ("5s", "5s"), ("4500ms", "5s"), ("1h", "10s"), ("0", "10s"), ("0s", "10s"), ("30s", "10s")]
)
@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_webhooks_are_told_the_smaller_limit(hooks: Hooks, kind: str, timeout: str, told: str) -> None:
    hooks.configure(kind, "w", hooks.webhook(ALLOWED))
    assert make(hooks, **({"timeout": timeout} if timeout else {})).status == 201
    assert hooks.remote.paths[-1] == f"/hook?timeout={told}"


@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
@pytest.mark.parametrize("kind", ["validating", "mutating"])
def test_a_request_ends_with_its_own_time(hooks: Hooks, kind: str, policy: str) -> None:
    release = threading.Event()

    def hang(_handler: BaseHTTPRequestHandler, _review: Object) -> None:
        release.wait(20)

    hooks.configure(kind, "w", hooks.webhook(ALLOWED, failurePolicy=policy))
    hooks.remote.answer = hang
    answer = make(hooks, timeout="300ms")
    release.set()
    assert (answer.status, answer.reason, answer.message) == (504, "Timeout", LATE)
    assert hooks.remote.paths[-1] == "/hook?timeout=1s"


def test_the_time_of_all_begins_at_once_however_many_there_are(hooks: Hooks) -> None:
    """Of those that take turns, the last have no time left when the first have had theirs, so that they aren't even asked."""
    release = threading.Event()

    def hang(_handler: BaseHTTPRequestHandler, _review: Object) -> None:
        release.wait(20)

    many = 2 * limits.WEBHOOKS_AT_ONCE
    hooks.configure("validating", "v", *(hooks.webhook(ALLOWED, f"/hook{number}", timeoutSeconds=1) for number in range(many)))
    hooks.remote.answer = hang
    answer = make(hooks)
    release.set()
    url = f"https://127.0.0.1:{hooks.remote.port}/hook0?timeout=1s"
    failed = 'failed calling webhook "hook0.hooks.example.com": failed to call webhook'
    assert (answer.status, answer.message) == (500, f'Internal error occurred: {failed}: Post "{url}": context deadline exceeded')
    assert len(hooks.remote.paths) < many


def test_nobody_is_asked_when_it_is_over(hooks: Hooks) -> None:
    hooks.configure("validating", "v", hooks.webhook(ALLOWED))
    answer = make(hooks, timeout="-1s")
    assert (answer.status, answer.message) == (504, LATE)
    assert hooks.asked == {}


def test_a_request_without_webhooks_ends_with_its_own_time_too(hooks: Hooks) -> None:
    answer = make(hooks, timeout="-1s")
    assert (answer.status, answer.reason, answer.message) == (504, "Timeout", LATE)
    assert make(hooks, timeout="20s").status == 201


@pytest.mark.parametrize(("timeout", "why"), [("soon", 'time: invalid duration "soon"'), ("5", 'time: missing unit in duration "5"')])
def test_what_is_no_time_is_refused(hooks: Hooks, timeout: str, why: str) -> None:
    answer = make(hooks, timeout=timeout)
    assert (answer.status, answer.message) == (400, f"invalid timeout specified in the request URL - {why}")
