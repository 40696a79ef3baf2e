"""A server made of real parts: pipeline, registry and store, without controllers."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from svcsim.admission.chain import Chain as AdmissionChain
from svcsim.auth.authentication import AuthenticatorUnion, InProcess
from svcsim.auth.authorization import AuthorizerUnion, Masters
from svcsim.auth.bearer_token import BearerToken, StaticTokens
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.reviews import Reviews
from svcsim.auth.token_requests import Claim, Lifetimes, TokenRequests
from svcsim.auth.validity import Validity
from svcsim.auth.x509 import X509
from svcsim.chance import Chance
from svcsim.clock import Clock
from svcsim.dialect import DIALECTS
from svcsim.meta.http import Request, Response
from svcsim.meta.incidents import Incidents
from svcsim.meta.objects import name_of
from svcsim.meta.types import Json, Object, User
from svcsim.registry.core import Core
from svcsim.registry.kind import Answers, Context, Kind
from svcsim.registry.options import Target
from svcsim.registry.registry import Registry
from svcsim.registry.scheme import Scheme
from svcsim.server.pipeline import Deciders, Pipeline
from svcsim.storage.store import LmdbStore
from tests.server.small_kinds import KINDS

ADMIN = User("admin", ("system:masters", "system:authenticated"))
JANE = User("jane", ("system:authenticated",))
TOKENS = {"admin-token": ADMIN, "jane-token": JANE}


async def _log(target: Target, request: Request, options: Object) -> Response:
    return Response(200, f"log of {target.name}".encode(), "text/plain")


async def _find(plural: str, namespace: str, name: str) -> Object | None:
    return None


class Signer:
    """Issues tokens that say what they were made of."""

    async def sign(self, claim: Claim, context: Context) -> str:
        return f"{name_of(claim.account)} for {','.join(claim.audiences)}"


OPEN = ("/healthz*", "/livez*", "/readyz*", "/version")
"""What everybody may ask."""


class Server:
    """A pipeline, and short ways to ask it."""

    def __init__(
        self,
        store: LmdbStore,
        dialect: str,
        kinds: tuple[Kind, ...] = KINDS,
        runtime_config: str = "",
        client_authorities: tuple[str, ...] = (),
    ) -> None:
        self.dialect = DIALECTS[dialect]
        self.clock, chance = Clock(speed=50.0), Chance(1)
        self.executed: list[Object] = []
        """The options of connections to ``pods/exec``."""
        self.scheme = Scheme(self.dialect, kinds, (runtime_config,))
        self.core = Core(self.scheme, store, self.clock, chance, AdmissionChain(()), b"k" * 32)
        incidents = Incidents(chance)
        tokens = BearerToken(StaticTokens(TOKENS), incidents=incidents, audiences=("api",))
        x509 = X509(self.dialect, client_authorities, Validity(self.clock.now))
        authenticator = AuthenticatorUnion(InProcess(), x509, tokens, incidents=incidents)
        authorizer = AuthorizerUnion(Masters(), OpenPaths(OPEN), incidents=incidents)
        token_requests = {"serviceaccounts/token": TokenRequests(_find, ("api",), Signer(), Lifetimes()).answer}
        answers = Answers(Reviews(tokens, authorizer, ("api",)).answers(), token_requests)
        self.pipeline = Pipeline(
            Registry(self.core, answers),
            self.clock,
            incidents,
            Deciders(authenticator, authorizer, authorizer),
            connect={("pods", "log"): _log, ("pods", "exec"): self._exec},
        )

    async def _exec(self, target: Target, request: Request, options: Object) -> Response:
        self.executed.append(options)
        return Response(200)

    async def ask(self, method: str, path: str, body: Json = None, *, user: User | None = ADMIN, **headers: str) -> Response:
        """One request; header names with underscores for dashes."""
        path, _, query = path.partition("?")
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return await self.pipeline.handle(
            Request(method, path, query, {name.replace("_", "-"): value for name, value in headers.items()}, sent, user)
        )

    async def get(self, path: str, **headers: str) -> Object:
        """What a GET that succeeds shows."""
        response = await self.ask("GET", path, **headers)
        assert response.status == 200, response.body
        return await whole(response)

    async def create(self, path: str, name: str, **fields: Json) -> Object:
        """A new object."""
        labels = fields.pop("labels", None)
        metadata = {"name": name} if labels is None else {"name": name, "labels": labels}
        response = await self.ask("POST", path, {"metadata": metadata, **fields})
        assert response.status == 201, response.body
        return json.loads(response.body)


async def whole(response: Response) -> Json:
    """The JSON value of an answer, streamed or not."""
    body = response.body if response.stream is None else b"".join([piece async for piece in response.stream])
    return json.loads(body)


@pytest.fixture(params=list(DIALECTS))
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Server]:
    """A server with the namespace ``default``, once in each dialect."""
    store = LmdbStore.open(tmp_path / "store", dialect=request.param, durability="none")
    made = Server(store, request.param)
    await made.create("/api/v1/namespaces", "default")
    yield made
    await store.close()
