"""An Ingress that names no class has the one that is marked as the default."""

import pytest

from svcsim.meta.types import Object
from tests.registry.asking import Asking, asking

BACKEND: Object = {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}


class Classes:
    """The Ingresses of a namespace, and all classes."""

    def __init__(self, asked: Asking) -> None:
        client, words = asked.cluster.client("test"), asked.cluster.dialect
        version = f"{words.group('networking')}/v1"
        self._marked = words.key("is-default-class", "ingressclass")
        self._named = words.key("ingress.class")
        self._classes = client.resource(version, "ingressclasses")
        self._ingresses = client.resource(version, "ingresses", "default")

    async def add(self, name: str, marked: str | None = "true") -> None:
        annotations = {} if marked is None else {self._marked: marked}
        await self._classes.create({"metadata": {"name": name, "annotations": annotations}, "spec": {"controller": "example.com/c"}})

    async def given(self, name: str, *, annotation: str | None = None, **spec: str) -> str | None:
        """The class that a new Ingress gets."""
        annotations = {} if annotation is None else {self._named: annotation}
        made = await self._ingresses.create({"metadata": {"name": name, "annotations": annotations}, "spec": {**BACKEND, **spec}})
        found: str | None = made["spec"].get("ingressClassName")
        return found

    async def replaced(self, name: str) -> str | None:
        """The class that one has which is updated and says none."""
        stored = await self._ingresses.update({"metadata": {"name": name}, "spec": BACKEND})
        found: str | None = stored["spec"].get("ingressClassName")
        return found


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
async def test_an_ingress_without_a_class_gets_the_default_one(dialect: str):
    async with asking(dialect=dialect) as asked:
        classes = Classes(asked)
        await classes.add("plain", None)
        await classes.add("off", "false")
        assert await classes.given("before") is None
        await classes.add("usual")
        assert await classes.given("after") == "usual"
        assert await classes.given("named", ingressClassName="plain") == "plain"
        assert await classes.given("annotated", annotation="plain") is None
        assert await classes.replaced("before") is None


@pytest.mark.virtual_time
async def test_of_several_defaults_the_newest_counts_and_then_the_first_by_name():
    async with asking() as asked:
        classes = Classes(asked)
        await classes.add("a")
        await asked.cluster.clock.sleep(10)
        await classes.add("c")
        await classes.add("b")
        assert await classes.given("one") == "b"
