"""The chain: every plugin in its order, and only where it is concerned."""

import pytest

from svcsim.admission.chain import Chain, UnknownPluginError, selected
from svcsim.admission.plugin import ANY, Rule
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import StatusError
from svcsim.meta.types import GroupVersion, Object, User
from svcsim.registry.admission import AdmissionRequest, Operation
from svcsim.registry.options import Caller, Target
from svcsim.registry.scheme import Scheme
from tests.kinds.helpers import KINDS

EVERYTHING = (Rule(("CREATE", "UPDATE"), ("*",), ANY),)


def target(path: str, dialect: str = "svcapi") -> Target:
    """From ``group/version/resource/subresource``; the core group has no name."""
    group, version, plural, *below = path.split("/")
    words = DIALECTS[dialect]
    scheme = Scheme(words, KINDS)
    resource = scheme.find(GroupVersion(group.replace("SUFFIX", words.group_suffix), version), plural)
    assert resource is not None
    return Target(resource, "default", "a", resource.windows[below[0]] if below else None)


def asked(operation: Operation = "CREATE", path: str = "/v1/configmaps", obj: Object | None = None) -> AdmissionRequest:
    return AdmissionRequest(operation, target(path), {} if obj is None else obj, None, Caller(User("admin")), "CreateOptions", {})


class Noting:
    """Writes its name on what it sees."""

    def __init__(self, name: str, rules: tuple[Rule, ...] = EVERYTHING):
        self.name, self.rules = name, rules
        self.asked = 0

    async def admit(self, request: AdmissionRequest) -> None:
        self.asked += 1
        request.obj["seen"] = [*request.obj.get("seen", []), self.name]


class Checking:
    """Refuses what somebody else saw before."""

    name, rules = "Checking", EVERYTHING

    async def check(self, request: AdmissionRequest) -> None:
        if "seen" in request.obj:
            raise StatusError(403, "Forbidden", f"seen by {request.obj['seen']}")


class Refusing:
    def __init__(self, name: str):
        self.name, self.rules = name, EVERYTHING

    async def validate(self, request: AdmissionRequest) -> None:
        raise StatusError(403, "Forbidden", f"{self.name} objects")


async def mutate(chain: Chain, request: AdmissionRequest) -> None:
    await chain.concerned(request.operation, request.target).mutate(request)


async def test_plugins_see_what_those_before_them_made():
    request = asked()
    await mutate(Chain((Noting("a"), Noting("b"), Noting("c"))), request)
    assert request.obj == {"seen": ["a", "b", "c"]}


async def test_a_plugin_that_only_checks_has_its_place_among_those_that_change():
    request = asked()
    await mutate(Chain((Checking(), Noting("a"))), request)
    assert request.obj == {"seen": ["a"]}
    with pytest.raises(StatusError, match=r"seen by \['a'\]"):
        await mutate(Chain((Noting("a"), Checking(), Noting("b"))), asked())


def test_who_may_change_an_object_is_known_beforehand():
    chain = Chain((Checking(), Noting("a", (Rule(("UPDATE",), ("*",), ANY),)), Refusing("b")))
    maps = target("/v1/configmaps")
    created, updated = chain.concerned("CREATE", maps), chain.concerned("UPDATE", maps)
    assert (created.names, created.changing) == (("Checking", "b"), ())
    assert (updated.names, updated.changing) == (("Checking", "a", "b"), ("a",))


async def test_a_plugin_is_asked_about_its_resources_and_operations_alone():
    maps = Noting("maps", (Rule(("CREATE", "UPDATE"), ("configmaps",)),))
    updates = Noting("updates", (Rule(("UPDATE",), ("*",), ANY),))
    everything = Noting("everything")
    chain = Chain((maps, updates, everything))
    for operation, plural in (("CREATE", "configmaps"), ("CREATE", "secrets"), ("UPDATE", "secrets"), ("CREATE", "configmaps")):
        await mutate(chain, asked(operation, f"/v1/{plural}"))
    assert (maps.asked, updates.asked, everything.asked) == (2, 1, 4)


@pytest.mark.parametrize("first", ["/v1/events", "events.SUFFIX/v1/events"])
async def test_whichever_group_of_one_stored_type_is_asked_first_a_rule_is_about_its_own(first: str):
    core = Noting("core", (Rule(("CREATE",), ("events",)),))
    suffixed = Noting("suffixed", (Rule(("CREATE",), ("events",), "events", suffixed=True),))
    chain = Chain((core, suffixed))
    for path in (first, "/v1/events", "/v1/events", "events.SUFFIX/v1/events"):
        await mutate(chain, asked("CREATE", path))
    assert (core.asked, suffixed.asked) == ((3, 1) if first == "/v1/events" else (2, 2))


async def test_the_first_refusal_ends_it():
    chain = Chain((Noting("a"), Refusing("b"), Refusing("c")))
    with pytest.raises(StatusError, match="b objects"):
        await chain.concerned("CREATE", target("/v1/configmaps")).validate(asked())


@pytest.mark.parametrize(
    ("rule", "matched", "others"),
    [
        (Rule(("CREATE",), ("pods",)), ["/v1/pods"], ["/v1/pods/binding", "/v1/services"]),
        (Rule(("CREATE",), ("pods/binding", "pods/eviction")), ["/v1/pods/binding", "/v1/pods/eviction"], ["/v1/pods", "/v1/pods/status"]),
        (Rule(("CREATE",), ("pods/*",)), ["/v1/pods/binding", "/v1/pods/exec"], ["/v1/pods", "/v1/nodes/status"]),
        (Rule(("CREATE",), ("*/scale",), "apps"), ["apps/v1/deployments/scale", "apps/v1/replicasets/scale"], ["apps/v1/deployments"]),
        (Rule(("CREATE",), ("*",)), ["/v1/pods", "/v1/nodes"], ["/v1/pods/binding", "apps/v1/deployments"]),
        (Rule(("CREATE",), ("*/*",), ANY), ["/v1/pods", "/v1/pods/binding", "apps/v1/deployments/scale"], []),
        (Rule(("UPDATE",), ("*/*",), ANY), [], ["/v1/pods"]),
        (Rule(("CREATE",), ("events",)), ["/v1/events"], ["events.SUFFIX/v1/events"]),
    ],
)
def test_a_rule_names_resources_as_webhook_configurations_do(rule: Rule, matched: list[str], others: list[str]):
    assert [path for path in (*matched, *others) if rule.matches("CREATE", target(path))] == matched


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_one_rule_names_a_group_with_a_suffix_in_every_dialect(dialect: str):
    leases = target("coordination.SUFFIX/v1/leases", dialect)
    assert Rule(("CREATE",), ("leases",), "coordination", suffixed=True).matches("CREATE", leases)
    assert not Rule(("CREATE",), ("leases",), "coordination").matches("CREATE", leases)


class Reinvoking:
    """Adds a sidecar once, and wants those before it to see that."""

    name, rules = "Reinvoking", EVERYTHING

    async def admit(self, request: AdmissionRequest) -> None:
        if not request.is_reinvocation:
            request.obj = {**request.obj, "sidecar": True}
            request.reinvoke()


async def test_a_plugin_that_changed_the_object_can_have_those_before_it_asked_again_once():
    first, last = Noting("first"), Noting("last")
    request = asked()
    await mutate(Chain((first, Reinvoking(), last)), request)
    assert request.obj == {"sidecar": True, "seen": ["first", "last", "first", "last"]}
    assert (first.asked, last.asked) == (2, 2)


def names(*plugins: str, **lists: tuple[str, ...]) -> list[str]:
    return [plugin.name for plugin in selected(tuple(Noting(name) for name in plugins), **lists)]


def test_plugins_are_switched_on_and_off_and_keep_their_order():
    assert names("a", "b", "c") == ["a", "b", "c"]
    assert names("a", "b", "c", disable=("b",)) == ["a", "c"]
    assert names("a", "b", "c", off=("a", "c")) == ["b"]
    assert names("a", "b", "c", off=("a", "c"), enable=("c",)) == ["b", "c"]


def test_an_unknown_plugin_or_one_on_both_lists_is_refused():
    with pytest.raises(UnknownPluginError, match='--enable-admission-plugins: there is no admission plugin "x"; there are a, b'):
        names("a", "b", enable=("x",))
    with pytest.raises(UnknownPluginError, match='--disable-admission-plugins: there is no admission plugin "x"'):
        names("a", "b", disable=("x",))
    with pytest.raises(UnknownPluginError, match='"a" stands in --enable-admission-plugins and in --disable-admission-plugins'):
        names("a", "b", enable=("a",), disable=("a",))
