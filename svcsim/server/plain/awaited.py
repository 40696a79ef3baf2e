"""The condition until which a clock advances: it is about some objects, which are followed while time moves from moment to moment.

The objects are followed by a watch in the name of the client, so that it learns nothing here that it may not read, and in the version that
it names. A watch shows every state, so that a condition that holds for less than a moment is noticed as well; and all results of a moment
have been seen before time moves on (`svcsim.rest`).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client, Collection
from svcsim.client.reflector import Reflector
from svcsim.clock import Clock
from svcsim.meta import errors
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.types import Json, Object
from svcsim.meta.wait_condition import DELETE, ConditionError, WaitCondition, read_condition


class Named(NamedTuple):
    """One object that is meant."""

    api_version: str
    plural: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """``deployments.apps/web``."""
        group = self.api_version.rpartition("/")[0]
        return f"{self.plural}{'.' if group else ''}{group}/{self.name}"


class AwaitedError(Exception):
    """Why it is of no use to go on; the message says it."""


class Awaited:
    """The objects that are named, and whether the condition has come to hold for all of them at once."""

    def __init__(self, condition: WaitCondition, named: Iterable[Named]) -> None:
        self.condition = condition
        self.is_met = False
        self.failure: AwaitedError | None = None
        self._states: dict[Named, Object | None] = dict.fromkeys(named)
        self._uids: dict[Named, str] = {}
        """What they were when they were first seen: one of the same name that came later is another."""

    @property
    def is_over(self) -> bool:
        """Whether there is a reason not to go on."""
        return self.is_met or self.failure is not None

    def check(self) -> None:
        """Raises `AwaitedError` where it is of no use to go on."""
        if self.failure is not None:
            raise self.failure

    def left(self) -> list[str]:
        """How those stand that it doesn't hold for; of many, the first few."""
        standing = [f"{one} {told}" for one, obj in self._states.items() if (told := self._standing(one, obj))]
        more = len(standing) - limits.AWAITED_TOLD
        return standing if more <= 0 else [*standing[: limits.AWAITED_TOLD], f"and {more} more"]

    def _standing(self, one: Named, obj: Object | None) -> str:
        """What keeps it from holding for one; nothing where it does."""
        try:
            return "" if self._holds(one, obj) else self.condition.standing(obj)
        except ConditionError as error:
            return str(error)

    def take(self, changed: dict[Named, Object | None]) -> None:
        """Learn how some of them are now, None where they aren't there; see whether it holds."""
        self._states.update(changed)
        if self.is_over:
            return
        for one, obj in changed.items():
            if obj is not None:
                self._uids.setdefault(one, uid_of(obj))
            elif not self.condition.word:
                self.failure = AwaitedError(f"{one} isn't there{' any more' if one in self._uids else ''}")
                return
        try:
            self.is_met = all(self._holds(one, obj) for one, obj in self._states.items())
        except ConditionError as error:
            self.failure = AwaitedError(str(error))

    def _holds(self, one: Named, obj: Object | None) -> bool:
        is_another = obj is not None and self._uids.get(one, uid_of(obj)) != uid_of(obj)
        return self.condition.holds(None if is_another and self.condition.word == DELETE else obj)

    @asynccontextmanager
    async def followed(self, client: Client, clock: Clock) -> AsyncIterator[None]:
        """Learn of every change for as long as the context lasts, and of all there is before it begins. Raises `AwaitedError`."""
        collections: dict[tuple[str, str, str], dict[str, Named]] = {}
        for named in self._states:
            collections.setdefault(named[:3], {})[named.name] = named
        followers = [
            _Follower(self.take, client.resource(*where), clock, Chance(f"awaited {where}"), of_interest)
            for where, of_interest in collections.items()
        ]
        tasks = [asyncio.create_task(follower.run(), name="what the clock goes on until") for follower in followers]
        try:
            for follower in followers:
                await follower.read
            yield
        finally:
            under_way = [*tasks, *(follower.read for follower in followers)]
            for one in under_way:
                one.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


class _Follower:
    """Follows those of one collection that are of interest. See `svcsim.client.reflector.Sink`."""

    def __init__(
        self, take: Callable[[dict[Named, Object | None]], None], where: Collection, clock: Clock, chance: Chance, named: dict[str, Named]
    ) -> None:
        self.read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once all there is has been read, or that has been refused."""
        self._take = take
        self._named = named
        only = next(iter(named)) if len(named) == 1 else ""
        self._reflector = Reflector(where, clock, chance, self, field_selector=f"metadata.name={only}" if only else "")
        self._reflector.on_problem = self._refused
        self.run = self._reflector.run

    def _refused(self, problem: str) -> None:
        if problem and not self.read.done():
            self.read.set_exception(AwaitedError(problem))

    def replace(self, items: list[Object]) -> None:
        found = {name_of(obj): obj for obj in items}
        self._take({one: found.get(name) for name, one in self._named.items()})
        if not self.read.done():
            self.read.set_result(None)

    def apply(self, change: str, obj: Object) -> None:
        one = self._named.get(name_of(obj))
        if one is not None:
            self._take({one: None if change == "DELETED" else obj})


def read_awaited(wish: Json) -> Awaited:
    """From ``{"for": condition, "objects": [{"apiVersion", "resource", "namespace", "name"}, …]}``. Raises `StatusError`."""
    if not isinstance(wish, dict) or not isinstance(wish.get("for"), str):
        raise errors.bad_request("what the clock is to go on until must be a JSON object with for, a condition, and objects")
    objects = wish.get("objects")
    if not isinstance(objects, list) or not 0 < len(objects) <= limits.AWAITED_OBJECTS:
        raise errors.bad_request(f"a clock can go on until something holds for 1 to {limits.AWAITED_OBJECTS} objects")
    try:
        condition = read_condition(wish["for"])
    except ConditionError as error:
        raise errors.bad_request(str(error)) from error
    return Awaited(condition, [_named(one) for one in objects])


def _named(one: Json) -> Named:
    parts = [one.get(field, "") if isinstance(one, dict) else "" for field in ("apiVersion", "resource", "namespace", "name")]
    if not all(isinstance(part, str) for part in parts) or not (parts[0] and parts[1] and parts[3]):
        raise errors.bad_request("each object must have an apiVersion, a resource, a name, and a namespace where there are any")
    return Named(*parts)
