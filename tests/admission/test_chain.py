"""The chain: every plugin in its order, and only where it is concerned."""

import pytest

from svcsim.admission.chain import Chain
from svcsim.admission.plugin import Quiet
from svcsim.dialect import DIALECTS
from svcsim.kinds.core.secret import CONFIG_MAP, SECRET
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object, User
from svcsim.registry.options import Caller, Target
from svcsim.registry.scheme import Scheme

CALLER = Caller(User("admin"))
MAPS, SECRETS = (Target(resource, "default", "a") for resource in Scheme(DIALECTS["svcapi"], (CONFIG_MAP, SECRET)).resources)


class Noting(Quiet):
    """Writes its name on what it sees."""

    def __init__(
        self, name: str, resources: tuple[str, ...] = (), operations: tuple[str, ...] = ("CREATE", "UPDATE"), refuses: bool = False
    ):
        self.name, self.resources, self.operations, self.refuses = name, resources, operations, refuses
        self.asked = 0

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        self.asked += 1
        new["seen"] = [*new.get("seen", []), self.name]

    async def validate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        if self.refuses:
            raise StatusError(403, "Forbidden", f"{self.name} objects")


async def test_plugins_see_what_those_before_them_made():
    obj: Object = {}
    await Chain((Noting("a"), Noting("b"), Noting("c"))).mutate("CREATE", MAPS, obj, None, CALLER)
    assert obj == {"seen": ["a", "b", "c"]}


async def test_a_plugin_is_asked_about_its_resources_and_operations_alone():
    maps, updates, everything = Noting("maps", ("configmaps",)), Noting("updates", (), ("UPDATE",)), Noting("everything")
    chain = Chain((maps, updates, everything))
    for operation, target in (("CREATE", MAPS), ("CREATE", SECRETS), ("UPDATE", SECRETS), ("CREATE", MAPS)):
        await chain.mutate(operation, target, {}, None, CALLER)
    assert (maps.asked, updates.asked, everything.asked) == (2, 1, 4)


async def test_the_first_refusal_ends_it():
    chain = Chain((Noting("a"), Noting("b", refuses=True), Noting("c", refuses=True)))
    with pytest.raises(StatusError, match="b objects"):
        await chain.validate("CREATE", MAPS, {}, None, CALLER)
