"""Which rule of a policy a request meets."""

import pytest

from svcsim.meta.types import User
from svcsim.server.audit.policy import GroupResources, Level, Policy, Recording, Rule
from svcsim.server.requests.request_info import read_request_info

JANE = User("jane", ("dev", "system:authenticated"))
HIT = Recording(Level.REQUEST)
POD, LOG, STATUS = ("/api/v1/namespaces/a/pods/p" + rest for rest in ("", "/log", "/status"))
PODS, NODE, SCALE = "/api/v1/namespaces/a/pods", "/api/v1/nodes/n/status", "/apis/apps/v1/namespaces/a/deployments/d/scale"


def resources(*names: str, group: str = "", only: tuple[str, ...] = ()) -> Rule:
    return Rule(HIT, resources=(GroupResources(group, names, only),))


@pytest.mark.parametrize(
    ("rule", "met", "missed"),
    [
        (Rule(HIT), (POD, NODE, "/healthz"), ()),
        (Rule(HIT, users=("jane",)), (POD, "/healthz"), ()),
        (Rule(HIT, users=("joe",)), (), (POD,)),
        (Rule(HIT, groups=("ops", "dev")), (POD,), ()),
        (Rule(HIT, groups=("ops",)), (), (POD,)),
        (Rule(HIT, users=("jane",), groups=("ops",)), (), (POD,)),
        (Rule(HIT, verbs=("get",)), (POD, "/healthz"), (PODS,)),
        (Rule(HIT, verbs=("list", "watch")), (PODS, f"{PODS}?watch=1"), (POD,)),
        (resources(), (POD, LOG, NODE), (SCALE, "/healthz")),
        (resources("pods"), (POD, PODS), (LOG, NODE, "/healthz")),
        (resources("pods/log"), (LOG,), (POD, STATUS)),
        (resources("pods/*"), (POD, LOG, STATUS), (NODE,)),
        (resources("*/status"), (STATUS, NODE), (POD, LOG)),
        (resources("*"), (POD, LOG, NODE), (SCALE,)),
        (resources("deployments/scale", group="apps"), (SCALE,), (POD,)),
        (resources("pods", only=("p",)), (POD, f"{PODS}?fieldSelector=metadata.name%3Dp"), (PODS,)),
        (resources("pods", only=("q",)), (), (POD, PODS)),
        (Rule(HIT, namespaces=("a",)), (POD, SCALE), (NODE, "/healthz", "/api/v1/pods")),
        (Rule(HIT, namespaces=("",)), (NODE, "/api/v1/pods"), (POD, "/healthz")),
        (Rule(HIT, namespaces=("b",), resources=(GroupResources(""),)), (), (POD,)),
        (Rule(HIT, paths=("/healthz",)), ("/healthz",), ("/healthz/ping", POD)),
        (Rule(HIT, paths=("/healthz*",)), ("/healthz", "/healthz/ping"), ("/livez", POD)),
        (Rule(HIT, paths=("*",)), ("/healthz", "/"), (POD,)),
    ],
    ids=str,
)
async def test_a_rule_meets_what_it_says(rule: Rule, met: tuple[str, ...], missed: tuple[str, ...]) -> None:
    assert {uri: await meets(rule, uri) for uri in (*met, *missed)} == dict.fromkeys(met, True) | dict.fromkeys(missed, False)


async def meets(rule: Rule, uri: str, user: User | None = JANE) -> bool:
    from svcsim.server.filters.authorization import selected_name

    path, _, query = uri.partition("?")
    info = read_request_info("GET", path, query)
    return Policy((rule,)).recording(user, info, await selected_name(info)) is HIT


async def test_nobody_is_no_user_and_in_no_group() -> None:
    assert await meets(Rule(HIT), POD, None)
    assert not await meets(Rule(HIT, users=("jane",)), POD, None)
    assert not await meets(Rule(HIT, groups=("dev",)), POD, None)


def test_the_first_rule_decides_and_what_none_meets_is_not_recorded() -> None:
    never, everything = Recording(Level.NONE), Recording(Level.METADATA)
    policy = Policy((Rule(never, verbs=("get",)), Rule(everything, verbs=("get", "list"))))
    info = [read_request_info(method, POD, "") for method in ("GET", "DELETE")]
    assert policy.recording(JANE, info[0], "p") is never
    assert policy.recording(JANE, read_request_info("GET", PODS, ""), "") is everything
    assert policy.recording(JANE, info[1], "p").level is Level.NONE
