"""Adding, removing, failing and recovering simulated nodes while a cluster runs.

What there is to do is said in JSON (`Fleet.handle`), and checked as a whole before anything is done. A machine that is added gets its Node
object first, from somebody who may give it any label, as from whoever installs a machine; then it reports as all do. One that is removed is
simply gone: its Node object is taken out by who looks after nodes without machines, and its pods go where those of a vanished node go.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import Cache
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.names import dns_subdomain
from svcsim.meta.types import Json, Object
from svcsim.nodes.machines.node import node_name
from svcsim.nodes.machines.outages import Outages
from svcsim.nodes.machines.roster import Member, Roster
from svcsim.nodes.machines.template import USUAL, Template, not_taken, read_template

Keep = Callable[[bytes], Awaitable[None]]
"""Keeps the roster for the next start. Raises `StatusError` where it can't."""


class Machines(Protocol):
    """Where machines come to life and go."""

    def __contains__(self, name: object) -> bool: ...
    def bring(self, member: Member) -> Object:
        """Have a machine, which does nothing yet; gives the Node it is to have."""
        ...

    async def begin(self, names: list[str]) -> None:
        """Have machines report, and live pods."""
        ...

    def take_away(self, names: list[str]) -> None:
        """Machines are gone, as if somebody had pulled their plugs."""
        ...


class Fleet:
    """Does what is wished of the simulated nodes."""

    def __init__(self, *, roster: Roster, machines: Machines, outages: Outages, installer: Client, nodes: Cache, keep: Keep) -> None:
        """``installer`` creates Node objects, ``nodes`` are those there are."""
        self._roster = roster
        self._machines = machines
        self._outages = outages
        self._installer = installer.resource("v1", "nodes")
        self._dialect = installer.dialect
        self._nodes = nodes
        self._keep = keep
        self._one_by_one = asyncio.Lock()

    async def handle(self, wish: Object | None) -> Object:
        """Do what a wish says, or, without one, tell of the machines. Raises `StatusError`."""
        if wish is None:
            return self._told()
        known = {"add": self._add, "remove": self._remove, "fail": self._fail, "recover": self._recover}
        asked = [name for name in known if name in wish]
        if len(asked) != 1:
            raise bad_request(f"a wish about nodes has one of {', '.join(known)}")
        async with self._one_by_one:
            names = await known[asked[0]](wish)
        template = (wish.get("add") or {}).get("template")
        unused = not_taken(template, self._dialect) if template else []
        return {"nodes": names, **({"notTaken": unused} if unused else {})}

    def _told(self) -> Object:
        return {"nodes": [self._state(member) for member in sorted(self._roster.members(), key=lambda member: member.name)]}

    def _state(self, member: Member) -> Object:
        """``failed`` says whether somebody had the machine fail, ``down`` whether it is silent, be it by a scenario's fault."""
        name = member.name
        failed = self._outages.told(name)
        return {"name": name, "added": member.added, "failed": failed is not None, "down": self._outages.is_down(name), **(failed or {})}

    async def _add(self, wish: Object) -> list[str]:
        how = wish["add"]
        if not isinstance(how, dict):
            raise bad_request("add takes an object: names, or count and prefix")
        names = self._names(how)
        template = await self._template(how["template"], names[0]) if "template" in how else USUAL
        number = self._roster.next_number()
        members = [Member(name, number + index, template, added=True) for index, name in enumerate(names)]
        wanted = [self._machines.bring(member) for member in members]
        try:
            await self._install(wanted)
            before = dict(self._roster.added)
            self._roster.added.update((member.name, member) for member in members)
            try:
                await self._save()
            except StatusError:
                self._roster.added = before
                raise
        except BaseException:
            self._machines.take_away(names)
            raise
        await self._machines.begin(names)
        return names

    async def _template(self, manifest: Json, name: str) -> Template:
        """What a manifest says that would do for a Node. Raises `StatusError`."""
        if not isinstance(manifest, dict) or manifest.get("kind", "Node") != "Node":
            kind = manifest.get("kind") if isinstance(manifest, dict) else "no object"
            raise bad_request(f"a template is a Node manifest, not {kind}")
        metadata = manifest.get("metadata") or {}
        if isinstance(metadata, dict):
            metadata = {**metadata, "name": name}
            metadata.pop("resourceVersion", None)
        await self._installer.create({"apiVersion": "v1", "kind": "Node", **manifest, "metadata": metadata}, dry_run=True, strict=True)
        return read_template(manifest, self._dialect)

    def _names(self, how: Object) -> list[str]:
        """Of the machines that are to come. Raises a 400 or 409."""
        if "names" in how:
            names = list(dict.fromkeys(_strings("add.names", how["names"])))
        else:
            count, prefix = how.get("count", 1), how.get("prefix", "node")
            if not isinstance(count, int) or isinstance(count, bool) or count < 1:
                raise bad_request("the count of nodes must be a number from 1 on")
            if not isinstance(prefix, str) or not prefix:
                raise bad_request("the prefix of the names must be a text, and not an empty one")
            self._check_room(count)
            names = self._free_names(prefix, count)
        self._check_room(len(names))
        for name in names:
            if findings := dns_subdomain(name):
                raise bad_request(f'"{name}" is no name for a node: {findings[0]}')
            if name in self._machines and self._nodes.get(name) is None:
                told = f'node "{name}" is simulated already, and its Node is gone, or yet to come: svcsim why node/{name} tells more'
                raise StatusError(409, "AlreadyExists", told)
            if name in self._machines or self._nodes.get(name) is not None:
                raise StatusError(409, "AlreadyExists", f'nodes "{name}" already exists')
        return names

    def _check_room(self, count: int) -> None:
        there = sum(1 for _ in self._roster.members())
        if there + count > limits.NODES:
            raise bad_request(f"there would be {there + count} simulated nodes; a cluster has at most {limits.NODES}")

    def _free_names(self, prefix: str, count: int) -> list[str]:
        """``prefix-1``, ``prefix-2`` and so on, without those that are taken. What the cluster is started with counts as taken."""
        names: list[str] = []
        number = self._roster.count if f"{prefix}-1" == node_name(1) else 0
        while len(names) < count:
            number += 1
            name = f"{prefix}-{number}"
            if name not in self._machines and self._nodes.get(name) is None:
                names.append(name)
        return names

    async def _install(self, wanted: list[Object]) -> None:
        """Create the Node objects; the first alone, since what is wrong with it is wrong with all."""
        await self._installer.create(wanted[0])
        for first in range(1, len(wanted), limits.NODES_INSTALLED_AT_ONCE):
            some = wanted[first : first + limits.NODES_INSTALLED_AT_ONCE]
            results = await asyncio.gather(*map(self._installer.create, some), return_exceptions=True)
            for result in results:
                if isinstance(result, BaseException):
                    raise result

    async def _remove(self, wish: Object) -> list[str]:
        names = self._known("remove", wish)
        roster = self._roster
        for name in names:
            roster.remove(name)
            self._outages.recover(name)
        self._machines.take_away(names)
        await self._save()
        return names

    async def _fail(self, wish: Object) -> list[str]:
        names = self._known("fail", wish)
        for_s = _span(wish.get("forSeconds"))
        for name in names:
            self._outages.fail(name, for_s)
        await self._save()
        return names

    async def _recover(self, wish: Object) -> list[str]:
        recovered = [name for name in self._known("recover", wish) if self._outages.recover(name)]
        await self._save()
        return recovered

    def _known(self, what: str, wish: Object) -> list[str]:
        """The machines that are named. Raises a 404 where one isn't there."""
        names = list(dict.fromkeys(_strings(what, wish[what])))
        for name in names:
            if name not in self._machines:
                why = "is none of the simulated nodes" if self._nodes.get(name) is not None else "not found"
                raise StatusError(404, "NotFound", f'nodes "{name}" {why}')
        return names

    async def _save(self) -> None:
        await self._keep(self._roster.to_bytes())


def _strings(what: str, value: Json) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
        raise bad_request(f"{what} must be a list of names")
    return value


def _span(seconds: Json) -> float | None:
    if seconds is None:
        return None
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds <= limits.OUTAGE_LONGEST_S:
        raise bad_request(f"forSeconds must be a number of seconds, more than zero and at most {limits.OUTAGE_LONGEST_S:g}")
    return float(seconds)
