"""What is remembered of a sender is remembered by what was asked."""

from svcsim.auth.authentication import Identity
from svcsim.auth.authorization import ALLOWED, ALLOWED_FOR_GOOD, Decision, Verdict
from svcsim.auth.premise import ALWAYS, UntilChanged
from svcsim.meta.types import User
from svcsim.server.filters.familiar import Familiar
from svcsim.server.requests.request_info import RequestInfo, RequestInfos
from svcsim.server.requests.way import Way

PATH = "/api/v1/namespaces/default/events"


def familiar() -> Familiar:
    return Familiar(Identity(User("jane")), ALWAYS)


def asked(method: str = "POST", path: str = PATH) -> RequestInfo:
    """A request, taken apart anew."""
    return RequestInfos().read(method, path, "")


def test_who_asks_the_same_again_may_even_if_it_is_taken_apart_anew():
    known, way = familiar(), Way()
    known.learn(asked(), ALLOWED_FOR_GOOD)
    assert known.may(asked(), way)
    assert way.decision is ALLOWED_FOR_GOOD
    assert not known.may(asked("DELETE"), way)
    assert not known.may(asked(path=f"{PATH}/other"), way)


def test_a_decision_counts_for_as_long_as_its_premise_holds():
    known, premise = familiar(), UntilChanged()
    known.learn(asked(), Decision(Verdict.ALLOW, premise=premise))
    assert known.may(asked(), Way())
    premise.fall()
    assert not known.may(asked(), Way())


def test_one_without_a_premise_and_one_of_a_long_line_are_not_remembered():
    known, long = familiar(), asked(path=f"{PATH}/{'x' * 1000}")
    known.learn(asked(), ALLOWED)
    known.learn(long, ALLOWED_FOR_GOOD)
    assert not known.may(asked(), Way())
    assert not known.may(long, Way())
