"""Which machines there are: as many as the cluster is started with, without those that were removed, and those that were added.

It is kept beside the cluster's objects, since a machine is there whether or not a Node object says so, and so is what has become of it: one
that has failed is still down when the server starts again. Removals are of the nodes a cluster was started with; started with another
number of them, it has all of these.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_json, encode
from svcsim.nodes.machines.node import node_name
from svcsim.nodes.machines.template import USUAL, Template, read_template

if TYPE_CHECKING:
    from svcsim.meta.types import Object


class Member(NamedTuple):
    """A machine that is to be there."""

    name: str
    number: int
    """What its address follows from."""
    template: Template = USUAL
    added: bool = False


@dataclass(slots=True)
class Roster:
    """What is remembered of the machines."""

    count: int
    """Of the nodes that the cluster is started with."""
    removed: list[str] = field(default_factory=list)
    added: dict[str, Member] = field(default_factory=dict)
    failed: dict[str, float | None] = field(default_factory=dict)
    """Those that are down, and until when, if that is known."""

    def members(self) -> Iterator[Member]:
        """All machines, in order."""
        for number in range(1, self.count + 1):
            name = node_name(number)
            if name not in self.removed and name not in self.added:
                yield Member(name, number)
        yield from self.added.values()

    def remove(self, name: str) -> None:
        """One is there no more, also where one that was added has the name of one that the cluster is started with."""
        self.added.pop(name, None)
        if name not in self.removed and any(name == node_name(number) for number in range(1, self.count + 1)):
            self.removed.append(name)

    def next_number(self) -> int:
        """For the next that is added; no node that a cluster is started with has it."""
        return max((member.number for member in self.added.values()), default=limits.NODES) + 1

    def to_bytes(self) -> bytes:
        added: list[Object] = []
        seen: list[Template] = []
        for member in self.added.values():
            if not seen or seen[-1] != member.template:
                seen.append(member.template)
            added.append({"name": member.name, "number": member.number, "template": len(seen) - 1})
        known = {"count": self.count, "removed": self.removed, "added": added, "failed": self.failed}
        return encode({**known, "templates": [template.to_json() for template in seen]})


def read_roster(kept: bytes | None, count: int, dialect: Dialect) -> Roster:
    """What was remembered, for a cluster that is started with so many nodes."""
    if kept is None:
        return Roster(count)
    known: Object = decode_json(kept)
    templates = [read_template(one, dialect) for one in known["templates"]]
    added = {one["name"]: Member(one["name"], one["number"], templates[one["template"]], added=True) for one in known["added"]}
    roster = Roster(count, known["removed"] if known["count"] == count else [], added)
    names = [member.name for member in roster.members()]
    roster.failed = {name: until for name, until in known["failed"].items() if name in names}
    return roster
