"""What every request passes: who, may they, is there room, is there such a thing; and what goes wrong on the way."""

import asyncio
import json
import logging

import pytest

from svcsim import limits
from svcsim.auth.authentication import ANONYMOUS
from svcsim.client.precedence import Precedence
from svcsim.clock import turn
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.rest import Work
from svcsim.server.filters.in_flight import InFlight, Seat
from svcsim.server.requests.request_info import RequestInfo, read_request_info
from tests.server.conftest import ADMIN, JANE, Server

PODS = "/api/v1/namespaces/default/pods"


async def test_a_token_says_who_asks(server: Server) -> None:
    assert (await server.ask("GET", PODS, user=None, authorization="Bearer admin-token")).status == 200


async def test_a_wrong_token_is_401_and_not_anonymous(server: Server) -> None:
    response = await server.ask("GET", "/version", user=None, authorization="Bearer wrong")
    assert response.status == 401
    assert json.loads(response.body)["reason"] == "Unauthorized"


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        (
            "GET",
            PODS,
            'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
        ),
        (
            "GET",
            f"{PODS}/p/log",
            'pods "p" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
        ),
        ("GET", "/api/v1/pods?watch=1", 'pods is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope'),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/a/deployments/d",
            'deployments.apps "d" is forbidden: User "jane" cannot delete resource "deployments" in API group "apps" in the namespace "a"',
        ),
        (
            "GET",
            f"{PODS}?fieldSelector=metadata.name%3Dp",
            'pods "p" is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
        ),
        ("GET", "/metrics", 'forbidden: User "jane" cannot get path "/metrics"'),
        ("POST", "/nothing", 'forbidden: User "jane" cannot post path "/nothing"'),
    ],
)
async def test_the_403_says_who_may_not_do_what_where(server: Server, method: str, path: str, message: str) -> None:
    response = await server.ask(method, path, user=JANE)
    assert response.status == 403
    seen = json.loads(response.body)
    assert (seen["reason"], seen["message"]) == ("Forbidden", message)


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version"])
async def test_health_and_version_are_open(server: Server, path: str) -> None:
    assert (await server.ask("GET", path, user=None)).status == 200


async def test_others_know_as_little_as_anonymous(server: Server) -> None:
    response = await server.ask("GET", "/foo", user=None)
    assert json.loads(response.body)["message"] == f'forbidden: User "{ANONYMOUS.user.name}" cannot get path "/foo"'


async def test_an_unknown_plain_path_is_404_in_text(server: Server) -> None:
    response = await server.ask("GET", "/nothing")
    assert (response.status, response.body, response.content_type) == (404, b"404 page not found\n", "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothings",
        "/apis/apps/v2/deployments",
        "/apis/apps/v2",
        "/api/v2",
        "/api/v2/pods",
        "/api/v1/pods/p",
        "/api/v1/namespaces/default/namespaces",
        "/api/v1/namespaces/default/pods/p/nothing",
        "/api/v1/namespaces/default/configmaps/c/status",
        "/api/v1//pods",
        "/api/v1/namespaces//pods",
        "/api/v1/namespaces//pods/p",
        "/api/v1/namespaces/default/pods/p/log/more",
    ],
)
async def test_an_unknown_resource_is_a_404_status(server: Server, path: str) -> None:
    response = await server.ask("GET", path)
    status = json.loads(response.body)
    assert (response.status, status["details"]) == (404, {})
    assert status["message"] == "the server could not find the requested resource"


@pytest.mark.parametrize("path", ["/apis/none.example.com/v1/things", "/apis/none.example.com/v1", "/apis//v1/pods", "/nothing"])
async def test_a_path_of_no_group_is_a_404_text(server: Server, path: str) -> None:
    response = await server.ask("GET", path)
    assert (response.status, response.body) == (404, b"404 page not found\n")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/namespaces/default"),
        ("POST", "/api/v1/pods"),
        ("DELETE", "/api/v1/pods"),
        ("PUT", PODS),
        ("PATCH", PODS),
        ("OPTIONS", PODS),
        ("DELETE", "/api/v1/namespaces/default/status"),
        ("DELETE", "/apis/coordination.{suffix}/v1/namespaces/default/leases/l"),
        ("POST", "/version"),
        ("DELETE", "/apis"),
    ],
)
async def test_a_method_that_does_not_fit_is_405(server: Server, method: str, path: str) -> None:
    response = await server.ask(method, path.format(suffix=server.dialect.group_suffix), {})
    assert response.status == 405
    assert json.loads(response.body)["reason"] == "MethodNotAllowed"


def taken(flight: InFlight, info: RequestInfo) -> Seat:
    seat = flight.enter(info)
    assert seat is not None
    return seat


async def test_too_many_at_once_are_429(server: Server) -> None:
    flight = server.pipeline._in_flight
    read = read_request_info("GET", PODS, "")
    seats = [taken(flight, read) for _ in range(limits.READS_IN_FLIGHT)]
    response = await server.ask("GET", PODS)
    assert response.status == 429
    assert response.headers["Retry-After"] == "1"
    assert json.loads(response.body)["details"] == {"retryAfterSeconds": 1}
    for seat in seats:
        seat.leave()
    assert (await server.ask("GET", PODS)).status == 200


def test_reads_and_writes_are_counted_apart_and_long_ones_not_at_all() -> None:
    flight = InFlight(reads=1, writes=1)
    for method, path, query in (
        ("GET", PODS, ""),
        ("POST", PODS, ""),
        ("GET", PODS, "watch=1"),
        ("GET", f"{PODS}/p/log", ""),
        ("GET", "/", ""),
    ):
        flight.enter(read_request_info(method, path, query))
    assert flight.counts == [1, 1]


def test_what_waits_for_others_takes_nobodys_place_as_long_as_there_is_room() -> None:
    flight, write = InFlight(reads=1, writes=2, waiting=1), read_request_info("POST", PODS, "")
    one, other = taken(flight, write), taken(flight, write)
    one.begin()
    one.begin()
    other.begin()
    assert flight.counts == [0, 1], "there is room for one that waits"
    third = taken(flight, write)
    with pytest.raises(StatusError):
        flight.enter(write)
    one.end()
    assert flight.counts == [0, 2], "it still waits for one"
    one.end()
    assert flight.counts == [0, 3], "it goes on, whoever else is there"
    third.begin()
    for seat in (one, other, third):
        seat.leave()
    other.end()
    third.end()
    other.begin()
    assert (flight.counts, flight.waits_left) == ([0, 0], 1), "what goes on after a request is no part of it"


async def test_seats_are_given_back_whatever_happens(server: Server) -> None:
    for path in (PODS, f"{PODS}/none", "/api/v1/nothings", f"{PODS}?limit=x"):
        await server.ask("GET", path)
        await server.ask("POST", path, b"{")
    assert server.pipeline._in_flight.counts == [0, 0]


class Arriving:
    """A body of which the rest comes once that is said."""

    declared_bytes = None

    def __init__(self, body: bytes) -> None:
        self.rest = asyncio.Event()
        self._body = body

    async def read(self, limit_bytes: int) -> bytes:
        await self.rest.wait()
        return self._body


async def test_who_has_not_sent_the_rest_of_what_he_asks_keeps_nobody_waiting(server: Server) -> None:
    work = Work()
    precedence = Precedence(work)
    body = Arriving(b'{"kind": "Nothing"}')
    request = Request(
        "POST", "/api/v1/namespaces/default/configmaps", headers={"content-type": "application/json"}, user=ADMIN, unread=body
    )
    asked = asyncio.create_task(precedence.first(precedence.counted(server.pipeline.handle))(request))
    await turn()
    await turn()
    assert not asked.done()
    assert (bool(work), precedence.under_way) == (False, 0)
    body.rest.set()
    assert (await asked).status == 400
    assert (bool(work), precedence.under_way) == (False, 0)


async def test_the_unforeseen_is_a_500_with_a_number_that_stands_in_the_log(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(request: Request) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(server.pipeline._deciders.authenticator, "authenticate", explode)
    with caplog.at_level(logging.ERROR):
        response = await server.ask("GET", PODS)
    assert response.status == 500
    seen = json.loads(response.body)
    assert seen["reason"] == "InternalError"
    assert b"secret" not in response.body
    incident = seen["details"]["causes"][0]["message"].removeprefix("incident ")
    assert incident in caplog.text
    assert "secret detail" in caplog.text


async def test_a_watch_that_breaks_says_so_in_its_last_event(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await server.create(PODS, "p")
    response = await server.ask("GET", f"{PODS}?watch=1", accept=f"application/json;as=Table;v=v1;g={server.dialect.group('meta')}")
    monkeypatch.setattr("svcsim.server.verbs.watching.decode_json", lambda body: 1 / 0)
    last = [piece async for piece in response.stream][-1]
    assert json.loads(last)["type"] == "ERROR"
    assert json.loads(last)["object"]["code"] == 500
    assert "ZeroDivisionError" in caplog.text


async def test_errors_are_yaml_only_for_who_reads_nothing_else(server: Server) -> None:
    response = await server.ask("GET", f"{PODS}/none", accept="application/yaml")
    assert response.content_type == "application/yaml"
    assert b"reason: NotFound" in response.body


async def test_requests_are_counted(server: Server) -> None:
    await server.ask("GET", PODS)
    await server.ask("GET", f"{PODS}/none")
    page = (await server.ask("GET", "/metrics")).body.decode()
    assert 'apiserver_request_total{verb="list",group="",resource="pods",code="200"} 1\n' in page
    assert 'apiserver_request_total{verb="get",group="",resource="pods",code="404"} 1\n' in page
    assert 'apiserver_request_duration_seconds_bucket{verb="list",group="",resource="pods",le="+Inf"} 1\n' in page
    assert 'apiserver_request_duration_seconds_count{verb="list",group="",resource="pods"} 1\n' in page


async def test_what_is_not_there_is_counted_without_the_names_somebody_gave_it(server: Server) -> None:
    for number in range(5):
        await server.ask("GET", f"/apis/g{number}/v1/{'x' * 10_000}{number}")
        await server.ask("GET", f"/apis/apps/v1/nothings{number}")
    page = (await server.ask("GET", "/metrics")).body.decode()
    assert 'apiserver_request_total{verb="list",group="",resource="",code="404"} 10\n' in page
    assert "xxx" not in page
    assert "nothings" not in page
