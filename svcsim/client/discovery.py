"""The resource types that a cluster serves, by its discovery: for components that act on all of them, or on what a user names.

`discover` asks once. `ServedTypes` keeps the answer, and reads it again when it is notified of a change, or else every few minutes;
components that act on all types subscribe to it.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.backoff import Backoff
from svcsim.client.paths import group_path
from svcsim.client.preferred_versions import first_of_each, versions
from svcsim.clock import Clock, turn
from svcsim.meta.aside import aside
from svcsim.meta.errors import StatusError
from svcsim.meta.resource_lists import ReadEntries, decode_entries, read_entries
from svcsim.meta.types import GroupVersion, Object

logger = logging.getLogger(__name__)


class ApiResource(NamedTuple):
    """One resource type in one version."""

    api_version: str
    plural: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]
    singular: str
    short: tuple[str, ...]
    categories: tuple[str, ...]

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        return group_of(self.api_version)


def group_of(api_version: str) -> str:
    """The group in the name of a version of it; empty for the core group."""
    return api_version.rpartition("/")[0]


class Discovery(NamedTuple):
    """What was found, and which group-versions did not answer, with their errors."""

    resources: list[ApiResource]
    failures: dict[str, str]
    left_out: Mapping[str, str] = MappingProxyType({})
    """What of a group-version's list isn't followed, in words."""


def read_resources(body: Object) -> list[ApiResource]:
    """The resource types of an ``APIResourceList``, subresources left out."""
    entries = read_entries(body)
    return _types(body["groupVersion"], entries) if entries is not None else []


def _types(group_version: str, entries: ReadEntries) -> list[ApiResource]:
    return [
        ApiResource(
            api_version=group_version,
            plural=entry["name"],
            kind=entry["kind"],
            namespaced=bool(entry.get("namespaced")),
            verbs=tuple(entry.get("verbs") or ()),
            singular=entry.get("singularName") or "",
            short=tuple(entry.get("shortNames") or ()),
            categories=tuple(entry.get("categories") or ()),
        )
        for entry in entries.good
        if "/" not in entry["name"]
    ]


class _ReadList(NamedTuple):
    """The list of a version of a group, as it was answered and as it was read."""

    body: bytes
    entries: ReadEntries | None


_ReadLists: TypeAlias = dict[str, _ReadList]
"""By the names of the versions. There are as many as are served, so nothing else limits them."""


async def discover(client: Client, known: _ReadLists | None = None) -> Discovery:
    """All resource types, each in its group's preferred version, or in the first that has it.

    ``known`` are lists that have been read before, of which those aren't read again that are answered as they were then; it is brought up
    to date.
    """
    groups = await client.get_json("/apis")
    served = dict.fromkeys(["v1"] + [group_version for group in groups.get("groups") or [] for group_version in _spelled(group)])
    known = {} if known is None else known
    for gone in [group_version for group_version in known if group_version not in served]:
        del known[gone]
    return await _types_of(client, served, known)


async def _discover_group(client: Client, name: str, known: _ReadLists) -> Discovery:
    """The resource types of one group; none if it is no longer served."""
    try:
        group_versions = _spelled(await client.get_json(f"/apis/{name}")) if name else ["v1"]
    except StatusError as error:
        if error.code != 404:
            raise
        return Discovery([], {})
    return await _types_of(client, group_versions, known)


def _spelled(group: Object) -> list[str]:
    return [f"{group['name']}/{version}" for version in versions(group)]


async def _types_of(client: Client, group_versions: Iterable[str], known: _ReadLists) -> Discovery:
    found: list[ApiResource] = []
    failures: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for number, group_version in enumerate(group_versions):
        if number % limits.DISCOVERED_A_TURN == 0:
            await turn()  # nothing is waited for where the server is in the same process
        try:
            entries = await _entries_of(client, group_version, known)
        except StatusError as error:
            failures[group_version] = error.message
            continue
        if entries is None:
            failures[group_version] = "the server's answer is no list of resource types"
            continue
        found += _types(group_version, entries)
        if told := _told(entries):
            left_out[group_version] = told
    return Discovery(list(first_of_each(found).values()), failures, left_out)


async def _entries_of(client: Client, group_version: str, known: _ReadLists) -> ReadEntries | None:
    """What the list of a version of a group lists; None where the answer is none."""
    body = await client.get_body(group_path(group_version))
    before = known.get(group_version)
    if before is not None and before.body == body:
        return before.entries
    entries = await aside(len(body), decode_entries, body)
    known[group_version] = _ReadList(body, entries)
    return entries


class ServedTypes:
    """The resource types that are served now.

    `poke` makes a change known at once, and only the groups that have changed are read again: there may be hundreds. Nothing is read while
    nobody says that something has changed, but for groups that didn't answer.
    """

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self.known = asyncio.Event()
        """Set once it has been read for the first time."""
        self._found: Discovery | None = None
        self._read_lists: _ReadLists = {}
        self._pokes = 1
        self._pokes_heeded = 0
        self._changed: dict[str, int] = {}
        """The last poke about each group that has changed since it was read."""
        self._all_changed = 1
        """The last poke about all of them."""
        self._poked = asyncio.Event()
        self._reading = asyncio.Lock()
        self._subscribers: list[Callable[[Discovery], None]] = []

    def subscribe(self, subscriber: Callable[[Discovery], None]) -> None:
        """Call ``subscriber`` with what is served whenever that changes, and now if it is known."""
        self._subscribers.append(subscriber)
        if self._found is not None:
            subscriber(self._found)

    def poke(self, changed: Iterable[GroupVersion] | None = None) -> None:
        """What is served may have changed, in these versions of groups or in any: read it again."""
        self._pokes += 1
        if changed is None:
            self._all_changed = self._pokes
        else:
            self._changed |= {group_version.group: self._pokes for group_version in changed}
        self._poked.set()

    async def current(self) -> Discovery:
        """What is served. Raises `StatusError` and `ConnectionError` where that has to be read and can't be."""
        while self._found is None or self._pokes_heeded != self._pokes:
            await self._read()
        return self._found

    async def run(self) -> None:
        """Keep it up to date until cancelled."""
        backoff = Backoff(limits.RECONNECT_FIRST_S, limits.RECONNECT_LONGEST_S)
        failing = False
        while True:
            self._poked.clear()
            try:
                found = await self.current()
            except (StatusError, ConnectionError) as error:
                if not failing:
                    logger.warning("which types are served can't be read, and is asked again: %s", str(error) or "the connection broke off")
                failing = True
                delay_s = backoff.next()
            else:
                failing = False
                delay_s = limits.SILENT_GROUPS_ASKED_AGAIN_S if found.failures else math.inf
                backoff.reset()
            timer = self._clock.call_later(delay_s, self.poke) if delay_s < math.inf else None
            await self._poked.wait()
            if timer is not None:
                timer.cancel()

    async def _read(self) -> None:
        async with self._reading:
            pokes = self._pokes
            if pokes == self._pokes_heeded:
                return
            found = self._with_those_of_silent_groups(await self._read_changed())
            self._pokes_heeded = pokes
            self._changed = {group: poke for group, poke in self._changed.items() if poke > pokes}
            if found != self._found:
                _warn(found.left_out, self._found.left_out if self._found is not None else {})
                self._found = found
                self.known.set()
                for subscriber in self._subscribers:
                    subscriber(found)

    async def _read_changed(self) -> Discovery:
        """What is known, with the groups as they are now that have changed; all of it anew, where it may be any."""
        known = self._found
        if known is None or self._all_changed > self._pokes_heeded:
            return await discover(self._client, self._read_lists)
        again = {group: await _discover_group(self._client, group, self._read_lists) for group in tuple(self._changed)}
        resources = [resource for resource in known.resources if resource.group not in again]
        failures = {one: why for one, why in known.failures.items() if group_of(one) not in again}
        left_out = {one: told for one, told in known.left_out.items() if group_of(one) not in again}
        for found in again.values():
            resources += found.resources
            failures |= found.failures
            left_out |= found.left_out
        return Discovery(resources, failures, left_out)

    def _with_those_of_silent_groups(self, found: Discovery) -> Discovery:
        """A group that doesn't answer has not withdrawn its types: what is known of them stays."""
        known = self._found.resources if self._found is not None and found.failures else []
        missed = (resource for resource in known if resource.api_version in found.failures)
        return found._replace(resources=list(dict.fromkeys((*found.resources, *missed))) if known else found.resources)


def _told(entries: ReadEntries) -> str:
    """What is left out of a list; empty if nothing is."""
    told = [f"{entries.left_out} entries of its list of resource types can't be used, and are left out"] if entries.left_out else []
    if entries.more:
        told.append(
            f"its list of resource types is longer than {limits.DISCOVERED_TYPES} entries, which is as far as it is followed: objects of "
            "types behind them are not deleted with their owners or their namespace. Serve fewer types in one version"
        )
    return "; ".join(told)


def _warn(left_out: Mapping[str, str], before: Mapping[str, str]) -> None:
    for group_version, told in left_out.items():
        if before.get(group_version) != told:
            logger.warning("%s: %s", group_version, told)
