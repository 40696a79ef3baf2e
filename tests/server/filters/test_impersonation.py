"""Which permissions asking as somebody else takes, of an authorizer that has only some."""

from dataclasses import dataclass, field

import pytest

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALLOWED, NO_OPINION, Decision, Verdict
from svcsim.dialect import DIALECTS, Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.types import User
from svcsim.server.filters.impersonation import impersonated

CALLER = User("joe", ("system:masters-not", "dev"), "9", {"own": ("secret",)})


@dataclass
class Allows:
    """Allows what is listed, as ``resource[/subresource] [namespace/]name``, in the groups they belong to."""

    listed: tuple[str, ...]
    dialect: Dialect
    asked: list[Attributes] = field(default_factory=list)

    async def authorize(self, attributes: Attributes) -> Decision:
        self.asked.append(attributes)
        assert (attributes.user, attributes.verb) == (CALLER, "impersonate")
        of_authentication = attributes.resource in ("userextras", "uids")
        assert attributes.group == (self.dialect.group("authentication") if of_authentication else "")
        resource = "/".join(filter(None, (attributes.resource, attributes.subresource)))
        return ALLOWED if f"{resource} {'/'.join(filter(None, (attributes.namespace, attributes.name)))}" in self.listed else NO_OPINION


ALL = {
    "impersonate-user": ("jane",),
    "impersonate-group": ("a", "system:masters"),
    "impersonate-uid": ("7",),
    "impersonate-extra-scopes": ("view", "edit"),
}
NEEDED = ("users jane", "groups a", "groups system:masters", "uids 7", "userextras/scopes view", "userextras/scopes edit")


def request(headers: dict[str, tuple[str, ...]]) -> Request:
    joined = {name: ", ".join(values) for name, values in headers.items()}
    return Request("GET", "/", "", {"accept": "*/*", **joined}, repeated={name: v for name, v in headers.items() if len(v) > 1})


@pytest.fixture(params=list(DIALECTS))
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return DIALECTS[request.param]


async def test_who_may_be_all_of_it_is(dialect: Dialect):
    asked = request(ALL)
    user = await impersonated(Allows(NEEDED, dialect), CALLER, asked, dialect)
    assert user == User("jane", ("a", "system:masters", "system:authenticated"), "7", {"scopes": ("view", "edit")})
    assert (asked.headers, asked.repeated) == ({"accept": "*/*"}, {}), "nobody reads them again"


@pytest.mark.parametrize("missing", NEEDED)
async def test_each_part_takes_a_permission(dialect: Dialect, missing: str):
    allows = Allows(tuple(one for one in NEEDED if one != missing), dialect)
    with pytest.raises(StatusError) as refused:
        await impersonated(allows, CALLER, request(ALL), dialect)
    assert refused.value.code == 403
    assert f'cannot impersonate resource "{missing.partition(" ")[0]}"' in refused.value.message
    assert f'"{missing.partition(" ")[2]}"' in refused.value.message, "it names the value"


async def test_a_service_account_is_one_in_a_namespace_with_its_groups(dialect: Dialect):
    name = "system:serviceaccount:kube:robot"
    user = await impersonated(Allows(("serviceaccounts kube/robot",), dialect), CALLER, request({"impersonate-user": (name,)}), dialect)
    assert user == User(name, ("system:serviceaccounts", "system:serviceaccounts:kube", "system:authenticated"))
    with pytest.raises(StatusError):
        await impersonated(Allows((f"users {name}",), dialect), CALLER, request({"impersonate-user": (name,)}), dialect)
    named = request({"impersonate-user": (name,), "impersonate-group": ("a",)})
    user = await impersonated(Allows(("serviceaccounts kube/robot", "groups a"), dialect), CALLER, named, dialect)
    assert user.groups == ("a", "system:authenticated"), "groups that are named are all there are"


@pytest.mark.parametrize(
    "name", ["system:serviceaccount:", "system:serviceaccount:a", "system:serviceaccount:a:b:c", "System:serviceaccount:a:b"]
)
async def test_what_is_no_account_is_a_user(dialect: Dialect, name: str):
    allows = Allows((f"users {name}",), dialect)
    user = await impersonated(allows, CALLER, request({"impersonate-user": (name,)}), dialect)
    assert user == User(name, ("system:authenticated",))


async def test_a_failure_of_who_might_have_allowed_it_is_no_permission(dialect: Dialect):
    class Fails:
        async def authorize(self, attributes: Attributes) -> Decision:
            return Decision(Verdict.NO_OPINION, "", "abc")

    with pytest.raises(StatusError) as failed:
        await impersonated(Fails(), CALLER, request({"impersonate-user": ("jane",)}), dialect)
    assert (failed.value.code, "abc" in failed.value.message) == (500, True)


async def test_other_headers_ask_for_nothing(dialect: Dialect):
    asked = request({"impersonate-userx": ("a",), "x-impersonate-user": ("b",), "impersonate-": ("c",)})
    assert await impersonated(Allows((), dialect), CALLER, asked, dialect) is CALLER
    assert len(asked.headers) == 4
