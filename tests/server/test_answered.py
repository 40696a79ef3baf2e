"""Kinds that are answered and never stored, and subresources whose create answers: reviews, tokens."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from svcsim.admission.chain import Chain
from svcsim.admission.plugin import ANY, Rule
from svcsim.client.discovery import read_resources
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import FieldError, conflict, forbidden_field
from svcsim.meta.http import Response
from svcsim.meta.types import GroupResource, Object, User
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.kind import Context, Group, Kind, Strategy, Subresource
from svcsim.schema.common import object_struct
from svcsim.schema.protobuf import decode_envelope, decode_message, encode_envelope, encode_message
from svcsim.schema.types import Bool, Field, Int, Str, Struct
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.server.small_kinds import CONFIG_MAP, CORE, NAMESPACE

REVIEWS = "/apis/authorization.{}/v1/doorreviews"
LOCAL_REVIEWS = "/apis/authorization.{}/v1/namespaces/default/localdoorreviews"
ROBOTS = "/api/v1/namespaces/default/robots"
OPS = User("ops", ("system:masters", "system:authenticated"))

_SPEC = Struct(
    "DoorReviewSpec",
    Field(1, "door", Str(), "Which door", required=True),
    Field(2, "hour", Int(minimum=0), "When"),
    Field(3, "key", Str(), "With which key", default="none"),
)
_STATUS = Struct("DoorReviewStatus", Field(1, "allowed", Bool(), "Whether it opens"), Field(2, "user", Str(), "To whom"))
_REVIEW = (Field(2, "spec", _SPEC, "What is asked", required=True), Field(3, "status", _STATUS, "The answer"))


async def _review(obj: Object, context: Context) -> Object:
    if obj["spec"].get("hour", 12) > 22:
        context.warn("it is late")
    return {**obj, "status": {"allowed": obj["spec"]["key"] != "none", "user": context.user.name}}


def _rules(obj: Object, context: Context) -> Iterator[FieldError]:
    if obj["spec"].get("door") == "cellar" and context.user.name != "admin":
        yield forbidden_field("spec.door", "is nobody's business")


AUTHORIZATION = Group("authorization", "v1", suffixed=True)
REVIEW = Kind(
    AUTHORIZATION,
    "doorreviews",
    Struct("DoorReview", *_REVIEW, doc="Asks whether a door opens"),
    namespaced=False,
    strategy=Strategy(rules=(_rules,)),
    answer=_review,
)
LOCAL_REVIEW = Kind(
    AUTHORIZATION,
    "localdoorreviews",
    Struct("LocalDoorReview", *_REVIEW),
    answer=_review,
)

_TOKEN = Struct(
    "TokenRequest",
    Field(2, "spec", Struct("TokenRequestSpec", Field(1, "seconds", Int(minimum=10), "How long", default=3600))),
    Field(3, "status", Struct("TokenRequestStatus", Field(1, "token", Str(), "The token"))),
)


async def _token(robot: Object, request: Object, context: Context) -> Object:
    if robot.get("retired"):
        raise conflict(GroupResource("", "robots"), robot["metadata"]["name"], "it is retired")
    seconds = request["spec"]["seconds"]
    return {**request, "status": {"token": f"{robot['metadata']['uid']}/{context.user.name}/{seconds}"}}


def _hired(robot: Object, sent: Object, context: Context) -> Object:
    return {**robot, "hiredBy": context.user.name}


ROBOT = Kind(
    CORE,
    "robots",
    Struct("Robot", Field(2, "retired", Bool(), "Whether it is done"), Field(3, "hiredBy", Str(), "Who hired it")),
    subresources=(
        Subresource(
            "token",
            ("create",),
            kind="TokenRequest",
            group=Group("authentication", "v1", suffixed=True),
            body=_TOKEN,
            answer=_token,
        ),
        Subresource("hire", ("create",), kind="Hire", body=Struct("Hire"), merge=_hired, answers="object"),
    ),
)


class Spy:
    """What admission is asked."""

    name = "Spy"
    rules = (Rule(("CREATE", "UPDATE", "DELETE", "CONNECT"), ("*/*",), ANY),)

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str, str]] = []

    async def admit(self, request: AdmissionRequest) -> None:
        self.seen.append((request.operation, request.kind.kind, request.resource.kind.plural, request.subresource))
        if (request.obj or {}).get("spec", {}).get("door") == "side":
            request.obj["spec"]["key"] = "spare"


@pytest.fixture(params=list(DIALECTS))
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Server]:
    store = LmdbStore.open(tmp_path / "store", dialect=request.param, durability="none")
    made = Server(store, request.param, (NAMESPACE, CONFIG_MAP, REVIEW, LOCAL_REVIEW, ROBOT))
    await made.create("/api/v1/namespaces", "default")
    await made.create(ROBOTS, "r2")
    yield made
    await store.close()


async def ask(server: Server, path: str, body: object, **options: object) -> Response:
    return await server.ask("POST", path.format(server.dialect.group_suffix), body, **options)


async def test_a_review_is_answered_and_nothing_is_stored(server: Server):
    revision = server.core.store.revision
    response = await ask(server, REVIEWS, {"spec": {"door": "front", "key": "k"}}, user=OPS)
    assert response.status == 201
    assert json.loads(response.body) == {
        "kind": "DoorReview",
        "apiVersion": f"authorization.{server.dialect.group_suffix}/v1",
        "metadata": {},
        "spec": {"door": "front", "key": "k"},
        "status": {"allowed": True, "user": "ops"},
    }
    assert server.core.store.revision == revision


async def test_a_dry_run_is_answered_the_same(server: Server):
    body = {"spec": {"door": "front"}}
    assert (await ask(server, f"{REVIEWS}?dryRun=All", body)).body == (await ask(server, REVIEWS, body)).body


async def test_a_namespaced_review_is_of_its_paths_namespace(server: Server):
    response = await ask(server, LOCAL_REVIEWS, {"spec": {"door": "front"}})
    assert json.loads(response.body)["metadata"] == {"namespace": "default"}
    elsewhere = {"metadata": {"namespace": "other"}, "spec": {"door": "front"}}
    assert (await ask(server, LOCAL_REVIEWS, elsewhere)).status == 400


async def test_an_answer_can_warn(server: Server):
    response = await ask(server, REVIEWS, {"spec": {"door": "front", "hour": 23}})
    assert response.headers["Warning"] == '299 - "it is late"'


@pytest.mark.parametrize(
    ("spec", "field"),
    [({}, "spec.door"), ({"door": "front", "hour": -1}, "spec.hour"), ({"door": "cellar"}, "spec.door")],
)
async def test_what_is_wrong_with_it_is_told(server: Server, spec: Object, field: str):
    response = await ask(server, REVIEWS, {"spec": spec}, user=OPS)
    assert response.status == 422
    assert [cause["field"] for cause in json.loads(response.body)["details"]["causes"]] == [field]


async def test_a_rule_knows_who_asks(server: Server):
    assert (await ask(server, REVIEWS, {"spec": {"door": "cellar"}})).status == 201


async def test_unknown_fields_are_refused_or_warned_of(server: Server):
    body = {"spec": {"door": "front", "colour": "red"}}
    assert (await ask(server, f"{REVIEWS}?fieldValidation=Strict", body)).status == 400
    assert (await ask(server, REVIEWS, body)).headers["Warning"] == '299 - "unknown field \\"spec.colour\\""'


async def test_admission_is_asked_and_may_change_it(server: Server):
    spy = Spy()
    server.core.admission = Chain((spy,))
    response = await ask(server, REVIEWS, {"spec": {"door": "side"}})
    assert json.loads(response.body)["status"]["allowed"] is True
    await ask(server, f"{ROBOTS}/r2/token", {})
    assert spy.seen == [("CREATE", "DoorReview", "doorreviews", ""), ("CREATE", "TokenRequest", "robots", "token")]


@pytest.mark.parametrize(("method", "below"), [("GET", ""), ("GET", "?watch=1"), ("DELETE", ""), ("PUT", "/x"), ("GET", "/x")])
async def test_there_is_nothing_to_list_watch_get_or_delete(server: Server, method: str, below: str):
    path = REVIEWS.format(server.dialect.group_suffix)
    assert (await server.ask(method, path + below)).status == 405


async def test_discovery_and_openapi_tell_that_it_can_be_created_and_no_more(server: Server):
    group = f"/apis/authorization.{server.dialect.group_suffix}/v1"
    found = read_resources(await server.get(group))
    assert [(resource.kind, resource.verbs) for resource in found] == [("DoorReview", ("create",)), ("LocalDoorReview", ("create",))]
    robots = {r["name"]: r for r in (await server.get("/api/v1"))["resources"]}
    token = robots["robots/token"]
    assert (token["kind"], token["group"], token["verbs"]) == (
        "TokenRequest",
        f"authentication.{server.dialect.group_suffix}",
        ["create"],
    )
    document = await server.get(f"/openapi/v3{group}")
    assert [verb for verb in document["paths"][f"{group}/doorreviews"] if verb != "parameters"] == ["post"]
    assert f"{group}/doorreviews/{{name}}" not in document["paths"]


async def test_reviews_are_spoken_in_protobuf(server: Server):
    media, schema = server.dialect.protobuf_media_type, object_struct(REVIEW.schema)
    api_version = f"authorization.{server.dialect.group_suffix}/v1"
    body = encode_envelope(api_version, "DoorReview", encode_message({"spec": {"door": "front", "key": "k"}}, schema))
    response = await ask(server, REVIEWS, body, content_type=media, accept=media)
    assert response.status == 201
    answer = decode_message(decode_envelope(response.body).raw, schema)
    assert answer["status"] == {"allowed": True, "user": "admin"}


async def test_a_token_is_answered_in_its_request(server: Server):
    robot = await server.get(f"{ROBOTS}/r2")
    response = await ask(server, f"{ROBOTS}/r2/token", {"spec": {"seconds": 60}}, user=None, authorization="Bearer admin-token")
    assert response.status == 201
    assert json.loads(response.body) == {
        "kind": "TokenRequest",
        "apiVersion": f"authentication.{server.dialect.group_suffix}/v1",
        "metadata": {"namespace": "default"},
        "spec": {"seconds": 60},
        "status": {"token": f"{robot['metadata']['uid']}/admin/60"},
    }
    assert await server.get(f"{ROBOTS}/r2") == robot


async def test_a_token_is_spoken_in_protobuf(server: Server):
    media, schema = server.dialect.protobuf_media_type, object_struct(_TOKEN)
    api_version = f"authentication.{server.dialect.group_suffix}/v1"
    body = encode_envelope(api_version, "TokenRequest", encode_message({"spec": {"seconds": 60}}, schema))
    response = await ask(server, f"{ROBOTS}/r2/token", body, content_type=media, accept=media)
    assert decode_envelope(response.body)[:2] == (api_version, "TokenRequest")
    assert decode_message(decode_envelope(response.body).raw, schema)["status"]["token"].endswith("/admin/60")


async def test_a_token_is_refused_for_a_reason_of_its_own(server: Server):
    assert (await ask(server, f"{ROBOTS}/none/token", {})).status == 404
    too_short = await ask(server, f"{ROBOTS}/r2/token", {"spec": {"seconds": 1}})
    assert too_short.status == 422
    assert "TokenRequest.authentication." in json.loads(too_short.body)["message"]
    await server.create(ROBOTS, "old", retired=True)
    assert (await ask(server, f"{ROBOTS}/old/token", {})).status == 409


async def test_a_create_that_changes_its_object_may_answer_with_that(server: Server):
    response = await ask(server, f"{ROBOTS}/r2/hire", {})
    assert response.status == 201
    hired = json.loads(response.body)
    assert (hired["kind"], hired["hiredBy"]) == ("Robot", "admin")
    assert await server.get(f"{ROBOTS}/r2") == hired
