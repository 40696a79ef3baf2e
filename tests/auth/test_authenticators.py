"""From what a request carries to who is asking."""

import pytest

from svcsim.auth.authenticators import ANONYMOUS, AUTHENTICATED, BearerTokens, Chain, Transport, user_of_certificate
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.types import User

JANE, ROOT = User("jane"), User("root", ("system:masters",))
CHAIN = Chain(Transport(), BearerTokens({"janes": JANE}))


def request(authorization: str | None = None, user: User | None = None) -> Request:
    return Request("GET", "/", "", {} if authorization is None else {"authorization": authorization}, user=user)


def test_without_credentials_it_is_anonymous():
    assert CHAIN.authenticate(request()) == ANONYMOUS
    assert User("system:anonymous", ("system:unauthenticated",)) == ANONYMOUS


@pytest.mark.parametrize("header", ["Bearer janes", "bearer janes", "Bearer  janes "])
def test_a_known_token_is_its_users(header: str):
    assert CHAIN.authenticate(request(header)) == JANE


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Bearer ", "Basic janes", "janes", "", "Bearer \udcff", "Bearer janesx"])
def test_wrong_credentials_are_refused_and_never_anonymous(header: str):
    with pytest.raises(StatusError, match="Unauthorized") as refused:
        CHAIN.authenticate(request(header))
    assert (refused.value.code, refused.value.reason) == (401, "Unauthorized")


def test_whom_the_transport_vouches_for_comes_first():
    assert CHAIN.authenticate(request("Bearer janes", ROOT)) == ROOT
    assert CHAIN.authenticate(request("Bearer wrong", ROOT)) == ROOT


def test_tokens_can_be_added_and_are_not_kept():
    tokens = BearerTokens({})
    tokens.add("new-token", JANE)
    assert tokens.authenticate(request("Bearer new-token")) == JANE
    assert "new-token" not in repr(vars(tokens)), "only their digests are"


@pytest.mark.parametrize(
    ("subject", "user"),
    [
        (((("commonName", "jane"),),), User("jane", (AUTHENTICATED,))),
        (
            ((("organizationName", "a"),), (("organizationName", "b"),), (("commonName", "jane"),)),
            User("jane", ("a", "b", AUTHENTICATED)),
        ),
        (((("organizationName", "a"),),), None),
        ((), None),
        (None, None),
    ],
)
def test_a_certificates_names_are_user_and_groups(subject: object, user: User | None):
    assert user_of_certificate({"subject": subject}) == user
