"""From what a request carries to who is asking."""

from dataclasses import dataclass

import pytest

from svcsim.auth.authentication import ANONYMOUS, AUTHENTICATED, Answer, AuthenticatorUnion, Identity, InProcess, Rejected
from svcsim.auth.bearer_token import BearerToken, StaticTokens
from svcsim.auth.premise import ALWAYS
from svcsim.auth.validity import Validity
from svcsim.auth.x509 import X509
from svcsim.chance import Chance
from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.incidents import Incidents
from svcsim.meta.peer import Names, Peer, read_peer
from svcsim.meta.types import User
from svcsim.wall import wall_time

JANE, JOE, ROOT = User("jane"), User("joe"), User("root", ("system:masters",))
INCIDENTS = Incidents(Chance(1))
AUTHORITY, ISSUED = ("authority",), ("itself", "in between", "authority")
"""The digest of the authority that names users, and those of a certificate that comes of it over another."""
CHAIN = AuthenticatorUnion(
    InProcess(),
    X509(SVCAPI, AUTHORITY, Validity(wall_time)),
    BearerToken(StaticTokens({"janes": JANE}), incidents=INCIDENTS),
    incidents=INCIDENTS,
)
CERTIFICATE = Peer((("commonName", "cert"),), (("commonName", "ca"),), b"der", ISSUED)


def request(authorization: str | None = None, user: User | None = None, peer: Peer | None = None) -> Request:
    return Request("GET", "/", "", {} if authorization is None else {"authorization": authorization}, user=user, peer=peer)


async def user_of(asked: Request, chain: AuthenticatorUnion = CHAIN) -> User:
    return (await chain.authenticate(asked)).user


async def test_without_credentials_it_is_anonymous():
    assert await CHAIN.authenticate(request()) == ANONYMOUS
    assert User("system:anonymous", ("system:unauthenticated",)) == ANONYMOUS.user


@pytest.mark.parametrize("header", ["Bearer janes", "bearer janes", "Bearer  janes "])
async def test_a_known_token_is_its_users(header: str):
    assert await user_of(request(header)) == JANE


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Bearer ", "Basic janes", "janes", "", "Bearer \udcff", "Bearer janesx"])
async def test_wrong_credentials_are_refused_and_never_anonymous(header: str):
    with pytest.raises(StatusError, match="Unauthorized") as refused:
        await CHAIN.authenticate(request(header))
    assert (refused.value.code, refused.value.reason) == (401, "Unauthorized")


async def test_whom_the_transport_vouches_for_comes_first():
    assert await user_of(request("Bearer janes", ROOT)) == ROOT
    assert await user_of(request("Bearer wrong", ROOT)) == ROOT


async def test_tokens_are_not_kept():
    tokens = StaticTokens({"new-token": JANE})
    assert await tokens.authenticate_token("new-token", ()) == AS_JANE
    assert "new-token" not in repr(vars(tokens)), "only their digests are"


@dataclass
class Says:
    """An authenticator, of requests and of tokens, with one answer; it notes that it was asked."""

    answer: Answer
    asked: int = 0

    async def authenticate(self, request: Request) -> Answer:
        self.asked += 1
        return self.answer

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Answer:
        self.asked += 1
        return self.answer


NO_OPINION, REJECTED, AS_JANE, AS_JOE = None, Rejected("no good"), Identity(JANE, method="static token"), Identity(JOE)


@pytest.mark.parametrize(
    ("answers", "identity", "asked"),
    [
        ((), ANONYMOUS, 0),
        ((NO_OPINION, NO_OPINION), ANONYMOUS, 2),
        ((AS_JANE, AS_JOE), AS_JANE, 1),
        ((NO_OPINION, AS_JOE), AS_JOE, 2),
        ((REJECTED, AS_JOE), AS_JOE, 2),
        ((REJECTED, NO_OPINION, AS_JOE, REJECTED), AS_JOE, 3),
        ((AS_JANE, REJECTED), AS_JANE, 1),
        ((REJECTED,), None, 1),
        ((REJECTED, NO_OPINION), None, 2),
        ((NO_OPINION, REJECTED), None, 2),
    ],
)
async def test_the_first_identity_wins_and_a_rejection_counts_where_there_is_none(
    answers: tuple[Answer, ...], identity: Identity | None, asked: int
):
    authenticators = [Says(answer) for answer in answers]
    chain = AuthenticatorUnion(*authenticators, incidents=INCIDENTS)
    if identity is None:
        with pytest.raises(StatusError, match="Unauthorized"):
            await chain.authenticate(request())
    else:
        assert await chain.authenticate(request()) == identity
    assert sum(authenticator.asked for authenticator in authenticators) == asked


LASTING = Identity(JANE, premise=ALWAYS)


@pytest.mark.parametrize(
    ("answers", "lasts"), [((LASTING,), True), ((NO_OPINION, LASTING), True), ((REJECTED, LASTING), False), ((AS_JANE, LASTING), False)]
)
async def test_an_identity_lasts_unless_somebody_before_found_fault(answers: tuple[Answer, ...], lasts: bool):
    """Who rejected a credential for its time, say, might accept it later, as somebody else."""
    found = await AuthenticatorUnion(*map(Says, answers), incidents=INCIDENTS).authenticate(request())
    assert (found.user, found.premise is ALWAYS) == (JANE, lasts)


async def test_where_nobody_may_be_anonymous_a_request_without_credentials_is_refused():
    chain = AuthenticatorUnion(
        BearerToken(StaticTokens({"janes": JANE}), incidents=INCIDENTS), incidents=INCIDENTS, without_credentials=None
    )
    assert await user_of(request("Bearer janes"), chain) == JANE
    with pytest.raises(StatusError, match="Unauthorized"):
        await chain.authenticate(request())


async def test_any_number_of_token_authenticators_stand_in_one_chain():
    kinds = (StaticTokens({"one": JANE}), Says(None), StaticTokens({"two": JOE}), Says(Rejected("expired")), StaticTokens({"three": ROOT}))
    apart = [BearerToken(kind, incidents=INCIDENTS) for kind in kinds]
    for authenticators in ([BearerToken(*kinds, incidents=INCIDENTS)], apart):
        chain = AuthenticatorUnion(*authenticators, incidents=INCIDENTS)
        assert [await user_of(request(f"Bearer {token}"), chain) for token in ("one", "two", "three")] == [JANE, JOE, ROOT]
        with pytest.raises(StatusError, match="Unauthorized"):
            await chain.authenticate(request("Bearer four"))


async def test_a_token_can_be_judged_without_a_request():
    tokens = BearerToken(Says(Rejected("expired")), StaticTokens({"janes": JANE}), Says(Rejected("no such account")), incidents=INCIDENTS)
    assert await tokens.authenticate_token("janes", ()) == AS_JANE
    assert await tokens.authenticate_token("joes", ()) == Rejected("[invalid bearer token, expired; no such account]")
    assert isinstance(await BearerToken(incidents=INCIDENTS).authenticate_token("janes", ()), Rejected)


async def test_a_header_without_a_token_is_no_token():
    asked = Says(AS_JANE)
    for header in (None, "", "Bearer", "Bearer  ", "Basic janes"):
        assert await BearerToken(asked, incidents=INCIDENTS).authenticate(request(header)) is None
    assert asked.asked == 0


async def test_why_credentials_were_rejected_is_logged_and_not_answered(caplog: pytest.LogCaptureFixture):
    with caplog.at_level("INFO", "svcsim.auth"), pytest.raises(StatusError) as refused:
        await AuthenticatorUnion(Says(Rejected("it has expired")), Says(Rejected("unknown")), incidents=INCIDENTS).authenticate(request())
    assert caplog.messages == ["credentials were rejected: it has expired; unknown"]
    assert refused.value.message == "Unauthorized"


@pytest.mark.parametrize("token", ["wrong", "janes"])
async def test_a_certificates_identity_wins_over_any_token(token: str):
    assert (await user_of(request(f"Bearer {token}", peer=CERTIFICATE))).name == "cert"


@pytest.mark.parametrize(
    ("subject", "user"),
    [
        ((("commonName", "jane"),), User("jane", (AUTHENTICATED,))),
        (
            (("organizationName", "a"), ("organizationName", "b"), ("commonName", "jane")),
            User("jane", ("a", "b", AUTHENTICATED)),
        ),
        ((("organizationName", "a"),), None),
        ((), None),
    ],
)
async def test_a_certificates_names_are_user_and_groups(subject: Names, user: User | None):
    identity = await X509(SVCAPI, AUTHORITY, Validity(wall_time)).authenticate(request(peer=Peer(subject, (), b"der", ISSUED)))
    found = identity.user if isinstance(identity, Identity) else None
    assert (found and (found.name, found.groups)) == (user and (user.name, user.groups))


async def test_a_certificate_that_names_nobody_leaves_it_to_others():
    nameless = Peer((("organizationName", "a"),), (), b"der", ISSUED)
    assert await user_of(request("Bearer janes", peer=nameless)) == JANE
    assert await CHAIN.authenticate(request(peer=nameless)) == ANONYMOUS


async def test_a_certificate_of_another_authority_leaves_it_to_others():
    """Whatever names it bears: a front proxy's is for the front proxy's authenticator."""
    other = Peer(CERTIFICATE.subject, CERTIFICATE.issuer, b"der", ("itself", "another"))
    assert await user_of(request("Bearer janes", peer=other)) == JANE
    assert await CHAIN.authenticate(request(peer=other)) == ANONYMOUS


async def test_a_certificate_of_nobody_knows_whom_is_refused():
    unknown = Peer(CERTIFICATE.subject, CERTIFICATE.issuer, b"der")
    with pytest.raises(StatusError, match="Unauthorized"):
        await CHAIN.authenticate(request(peer=unknown))


async def test_a_user_knows_the_certificate_by_its_digest():
    digest = "5050d80d22ecd471ea55df7034042c1e041341ff4066e7f6ff38e20b720df8ea"
    for dialect in (KUBERNETES, SVCAPI):
        identity = await X509(dialect, AUTHORITY, Validity(wall_time)).authenticate(request(peer=CERTIFICATE))
        assert isinstance(identity, Identity)
        assert identity.user.extra == {f"authentication.{dialect.domain}/credential-id": (f"X509SHA256={digest}",)}


def test_a_certificate_is_read_as_tls_shows_it():
    shown = {
        "subject": ((("organizationName", "a"),), (("commonName", "x"), ("commonName", "jane"))),
        "issuer": ((("commonName", "ca"),),),
        "serialNumber": "01",
    }
    peer = read_peer(shown, b"der", ISSUED)
    assert peer.chain == ISSUED
    assert (peer.common_name, peer.organizations) == ("jane", ("a",))
    assert peer.issuer == (("commonName", "ca"),)
    assert read_peer({}, b"der") == Peer((), (), b"der")


class Failing:
    """An authenticator, of requests and of tokens, that can't do its work."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    async def authenticate(self, request: Request) -> Answer:
        raise self._failure

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Answer:
        raise self._failure


FAILURES = (ConnectionRefusedError("no route"), TimeoutError(), StatusError(503, "ServiceUnavailable", "later"), KeyError("sub"))


@pytest.mark.parametrize("failure", FAILURES, ids=repr)
async def test_one_that_fails_keeps_out_nobody_whom_another_knows(failure: Exception, caplog: pytest.LogCaptureFixture):
    failing = Failing(failure)
    tokens = BearerToken(failing, StaticTokens({"janes": JANE}), incidents=INCIDENTS)
    for chain in (AuthenticatorUnion(tokens, incidents=INCIDENTS), AuthenticatorUnion(failing, tokens, incidents=INCIDENTS)):
        assert await user_of(request("Bearer janes"), chain) == JANE
        with pytest.raises(StatusError, match="Unauthorized") as refused:
            await chain.authenticate(request("Bearer wrong"))
        assert (refused.value.code, refused.value.message) == (401, "Unauthorized")
    assert await tokens.authenticate_token("janes", ()) == AS_JANE
    logged = [record for record in caplog.records if record.levelname == "ERROR"]
    assert all(record.message.endswith(": an authenticator failed") and record.exc_info for record in logged)
    assert len({record.message for record in logged}) == len(logged) > 0, "each under an id of its own"


async def test_where_one_failed_nobody_is_anonymous():
    with pytest.raises(StatusError, match="Unauthorized"):
        await AuthenticatorUnion(Failing(OSError()), incidents=INCIDENTS).authenticate(request())
