"""The groups that a bootstrap token may bring: each that it names has to begin with ``system:bootstrappers:``."""

import base64

import pytest

from svcsim.auth.authentication import Identity, Rejected
from svcsim.auth.bootstrap_tokens import BootstrapTokens
from svcsim.clock import Clock
from svcsim.dialect import KUBERNETES

SECRET = "0123456789abcdef"


async def judged(groups: str | None) -> Identity | Rejected | None:
    data = {"token-id": "abcdef", "token-secret": SECRET, "usage-bootstrap-authentication": "true"}
    if groups is not None:
        data["auth-extra-groups"] = groups
    encoded = {name: base64.b64encode(value.encode()).decode() for name, value in data.items()}
    secret = {"metadata": {"name": "bootstrap-token-abcdef"}, "type": "bootstrap.kubernetes.io/token", "data": encoded}
    return await BootstrapTokens(lambda _namespace, _name: secret, Clock(), KUBERNETES).authenticate_token(f"abcdef.{SECRET}", ())


@pytest.mark.parametrize(
    ("groups", "brought"),
    [
        (None, ()),
        ("", ()),
        ("system:bootstrappers:a", ("system:bootstrappers:a",)),
        ("system:bootstrappers:b,system:bootstrappers:a", ("system:bootstrappers:a", "system:bootstrappers:b")),
    ],
)
async def test_groups_that_may_be_brought(groups: str | None, brought: tuple[str, ...]):
    found = await judged(groups)
    assert isinstance(found, Identity)
    assert found.user.groups == ("system:bootstrappers", *brought, "system:authenticated")


@pytest.mark.parametrize(
    "groups",
    [
        "system:masters",
        "system:bootstrappers",
        "system:bootstrappers:",
        "system:bootstrappers:a,",
        ",system:bootstrappers:a",
        "system:bootstrappers:a,,system:bootstrappers:b",
        "system:bootstrappers:a, system:bootstrappers:b",
        "system:bootstrappers:A",
        "system:bootstrappers:a,system:masters",
        "system:bootstrappers:a\n",
    ],
)
async def test_a_token_that_names_another_is_none(groups: str):
    assert isinstance(await judged(groups), Rejected)
