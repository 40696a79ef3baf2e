"""Who may do what, as long as administrators may do all and others next to nothing."""

import pytest

from svcsim.auth.always import AlwaysAllow, AlwaysDeny
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import (
    ALLOWED,
    NO_OPINION,
    NO_OPINION_EVER,
    AuthorizerUnion,
    Decision,
    Masters,
    NonResourceRule,
    ResourceRule,
    Rules,
    Verdict,
)
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.premise import UntilChanged
from svcsim.chance import Chance
from svcsim.meta.errors import StatusError
from svcsim.meta.incidents import Incidents
from svcsim.meta.types import User
from svcsim.server.filters.authorization import authorize
from svcsim.server.requests.request_info import read_request_info
from svcsim.server.requests.way import Way

ROOT = User("root", ("system:masters", "system:authenticated"))
JANE = User("jane", ("system:authenticated",))
NOBODY = User("system:anonymous", ("system:unauthenticated",))
OPEN = OpenPaths(("/healthz", "/livez", "/livez/*"))


async def test_masters_may_do_all():
    assert await Masters().authorize(Attributes(ROOT, "delete", resource="nodes")) == ALLOWED
    assert await Masters().authorize(Attributes(ROOT, "get", path="/metrics")) == ALLOWED
    assert await Masters().authorize(Attributes(JANE, "get", resource="nodes")) == NO_OPINION


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/healthz", True),
        ("/healthz/ping", False),
        ("/healthzz", False),
        ("/livez", True),
        ("/livez/ping", True),
        ("/livezz", False),
        ("/", False),
    ],
)
@pytest.mark.parametrize("user", [NOBODY, JANE])
async def test_open_paths(user: User, path: str, allowed: bool):
    decision = await OPEN.authorize(Attributes(user, "get", path=path))
    assert (decision.verdict is Verdict.ALLOW) == allowed


async def test_resources_are_no_paths():
    assert await OPEN.authorize(Attributes(JANE, "get", resource="healthz", path="/healthz")) == NO_OPINION


INCIDENTS = Incidents(Chance(1))


class Saying:
    """An authorizer of one word, and of one list of rules."""

    def __init__(self, decision: Decision, rules: Rules | None = None) -> None:
        self.decision = decision
        self.rules = rules or Rules()

    async def authorize(self, attributes: Attributes) -> Decision:
        return self.decision

    async def rules_for(self, user: User, namespace: str) -> Rules:
        return self.rules


YES, NO, NEVER = Decision(Verdict.ALLOW, "yes"), Decision(Verdict.NO_OPINION, "no"), Decision(Verdict.DENY, "never")


@pytest.mark.parametrize(
    ("decisions", "decided"),
    [
        ((), NO_OPINION),
        ((NO_OPINION, NO_OPINION), NO_OPINION),
        ((YES, NEVER), YES),
        ((NEVER, YES), NEVER),
        ((NO, YES), YES),
        ((NO, NEVER, YES), NEVER),
        ((NO, NO_OPINION, Decision(Verdict.NO_OPINION, "not by me")), Decision(Verdict.NO_OPINION, "no, not by me")),
    ],
)
async def test_the_first_to_allow_or_deny_decides_and_reasons_add_up(decisions: tuple[Decision, ...], decided: Decision):
    anything = Attributes(JANE, "get", resource="pods")
    assert await AuthorizerUnion(*map(Saying, decisions), incidents=INCIDENTS).authorize(anything) == decided
    assert (decided.verdict is Verdict.ALLOW) == (decided == YES)


LASTING = Decision(Verdict.ALLOW, premise=UntilChanged())


@pytest.mark.parametrize(
    ("decisions", "lasts"),
    [
        ((LASTING,), True),
        ((NO_OPINION_EVER, NO_OPINION_EVER, LASTING), True),
        ((NO_OPINION, LASTING), False),
        ((NO_OPINION_EVER, NO, LASTING), False),
        ((Decision(Verdict.NO_OPINION, premise=UntilChanged()), LASTING), False),
        ((YES, LASTING), False),
    ],
)
async def test_a_decision_lasts_where_nobody_before_could_come_to_another(decisions: tuple[Decision, ...], lasts: bool):
    anything = Attributes(JANE, "get", resource="pods")
    decided = await AuthorizerUnion(*map(Saying, decisions), incidents=INCIDENTS).authorize(anything)
    assert (decided.verdict, decided.premise is not None) == (Verdict.ALLOW, lasts)


async def test_a_decision_does_not_last_where_somebody_before_failed(caplog: pytest.LogCaptureFixture):
    decided = await AuthorizerUnion(Failing(), Saying(LASTING), incidents=INCIDENTS).authorize(Attributes(JANE, "get", resource="pods"))
    assert (decided.verdict, decided.premise) == (Verdict.ALLOW, None)
    assert len(caplog.records) == 1


EVERYTHING = Rules((ResourceRule(("*",), ("*",), ("*",)),), (NonResourceRule(("*",), ("*",)),))


async def test_some_authorizers_dont_look_at_what_is_asked():
    asked = Attributes(NOBODY, "delete", resource="nodes")
    assert await AuthorizerUnion(AlwaysAllow(), incidents=INCIDENTS).authorize(asked) == ALLOWED
    assert await AuthorizerUnion(AlwaysDeny(), incidents=INCIDENTS).authorize(asked) == Decision(
        Verdict.NO_OPINION, "Everything is forbidden."
    )
    assert (await AlwaysAllow().rules_for(NOBODY, "default"), await AlwaysDeny().rules_for(ROOT, "default")) == (EVERYTHING, Rules())


async def test_the_rules_of_all_add_up_and_one_that_cannot_list_its_own_makes_them_incomplete():
    reading, writing = ResourceRule(("get",), ("",), ("pods",), ("a",)), ResourceRule(("create",), ("apps",), ("*",))
    union = AuthorizerUnion(
        Saying(NO_OPINION, Rules((reading,))),
        Saying(NO_OPINION, Rules(incomplete=True, error="a webhook has no rules")),
        Saying(NO_OPINION, Rules((writing,), error="a role is gone")),
        incidents=INCIDENTS,
    )
    assert await union.rules_for(JANE, "default") == Rules(
        (reading, writing), (), incomplete=True, error="a webhook has no rules, a role is gone"
    )


class Failing:
    """An authorizer that can't do its work."""

    async def authorize(self, attributes: Attributes) -> Decision:
        raise ConnectionRefusedError

    async def rules_for(self, user: User, namespace: str) -> Rules:
        raise ConnectionRefusedError


@pytest.mark.parametrize(("decision", "verdict"), [(YES, Verdict.ALLOW), (NEVER, Verdict.DENY), (NO, Verdict.NO_OPINION)])
async def test_one_that_fails_leaves_it_to_the_others_and_allows_nothing(decision: Decision, verdict: Verdict):
    for authorizers in ((Failing(), Saying(decision)), (Saying(decision), Failing())):
        union = AuthorizerUnion(*authorizers, incidents=INCIDENTS)
        decided = await union.authorize(Attributes(JANE, "get", resource="pods"))
        assert (decided.verdict, decided.reason) == (verdict, decision.reason)
        assert bool(decided.incident) == (verdict is Verdict.NO_OPINION)


@pytest.mark.parametrize(("decision", "code"), [(YES, 200), (NEVER, 403), (NO, 500)])
async def test_where_nobody_decides_and_one_failed_the_request_fails_under_its_id(
    decision: Decision, code: int, caplog: pytest.LogCaptureFixture
):
    union = AuthorizerUnion(Failing(), Saying(decision), incidents=INCIDENTS)
    info = read_request_info("GET", "/api/v1/nodes", "")
    if code == 200:
        await authorize(union, JANE, info, Way())
    else:
        with pytest.raises(StatusError) as refused:
            await authorize(union, JANE, info, Way())
        assert refused.value.code == code
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    incident = record.message.split()[1].rstrip(":")
    assert code != 500 or f"incident {incident}" in refused.value.message


async def test_the_rules_of_one_that_fails_are_missing():
    reading = ResourceRule(("get",), ("",), ("pods",))
    rules = await AuthorizerUnion(Failing(), Saying(NO_OPINION, Rules((reading,))), incidents=INCIDENTS).rules_for(JANE, "default")
    assert (rules.resources, rules.incomplete) == ((reading,), True)
    assert rules.error.startswith("incident ")
