"""Who may do what, as long as administrators may do all and others next to nothing."""

import pytest

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorizers import ALLOWED, NO_OPINION, Decision, Masters, OpenPaths, Union
from svcsim.meta.types import User

ROOT = User("root", ("system:masters", "system:authenticated"))
JANE = User("jane", ("system:authenticated",))
NOBODY = User("system:anonymous", ("system:unauthenticated",))


def test_masters_may_do_all():
    assert Masters().authorize(Attributes(ROOT, "delete", resource="nodes")) == ALLOWED
    assert Masters().authorize(Attributes(ROOT, "get", path="/metrics")) == ALLOWED
    assert Masters().authorize(Attributes(JANE, "get", resource="nodes")) == NO_OPINION


@pytest.mark.parametrize(
    ("user", "verb", "path", "allowed"),
    [
        (NOBODY, "get", "/healthz", True),
        (NOBODY, "get", "/livez/ping", True),
        (NOBODY, "head", "/readyz", True),
        (NOBODY, "get", "/version", True),
        (NOBODY, "post", "/version", False),
        (NOBODY, "get", "/versions", False),
        (NOBODY, "get", "/healthzz", False),
        (NOBODY, "get", "/apis", False),
        (NOBODY, "get", "/metrics", False),
        (NOBODY, "get", "/", False),
        (JANE, "get", "/apis", True),
        (JANE, "get", "/api/v1", True),
        (JANE, "get", "/openapi/v3", True),
        (JANE, "get", "/metrics", False),
        (JANE, "get", "/svcsim/v1/status", False),
    ],
)
def test_open_paths(user: User, verb: str, path: str, allowed: bool):
    assert OpenPaths().authorize(Attributes(user, verb, path=path)).allowed == allowed


def test_resources_are_no_paths():
    assert OpenPaths().authorize(Attributes(JANE, "get", resource="version", path="/version")) == NO_OPINION


class Saying:
    """An authorizer of one word."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def authorize(self, attributes: Attributes) -> Decision:
        return self.decision


def test_the_first_to_allow_decides_and_reasons_add_up():
    anything = Attributes(JANE, "get", resource="pods")
    no, yes = Saying(Decision(allowed=False, reason="no")), Saying(ALLOWED)
    assert Union(no, yes).authorize(anything).allowed
    assert Union(no, Saying(NO_OPINION), Saying(Decision(allowed=False, reason="never"))).authorize(anything) == Decision(
        allowed=False, reason="no, never"
    )
    assert not Union().authorize(anything).allowed
