"""Explaining an object: the objects that its explainer wants are read, and those that caused its state are explained in turn.

Objects are read with the user's rights; those that the user may not read are named.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.dialect import plain_group
from svcsim.meta.errors import StatusError
from svcsim.meta.events import in_order, last_seen
from svcsim.meta.names import FOREGROUND
from svcsim.meta.objects import (
    finalizers_of,
    get_path,
    gvk_of,
    is_terminating,
    metadata_of,
    name_of,
    namespace_of,
    owner_references,
    uid_of,
)
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_query
from svcsim.printing.describe.reader import Reader
from svcsim.printing.why.attended import with_switched_off
from svcsim.printing.why.deletion import explain_deletion
from svcsim.printing.why.finalizers import LEFT, wanted_for
from svcsim.printing.why.kinds import explainer_of
from svcsim.printing.why.known import KNOWN, with_stages
from svcsim.printing.why.places import explain_lost_node
from svcsim.printing.why.verdict import Facts, Verdict, Wanted, sentence


class Explained(NamedTuple):
    """One object, with those below it that it is as it is because of."""

    obj: Object
    verdict: Verdict
    events: list[Object]
    below: "tuple[Explained, ...]"
    unread: tuple[str, ...]
    """What would have had to be read besides, and might not."""
    alike: int = 0
    """So many others are as they are for the same reasons."""
    more: int = 0
    """So many others below have not been looked at."""


class Surroundings(Protocol):
    """The cluster that the object is in."""

    @property
    def reader(self) -> Reader:
        """Reads from it."""
        ...

    @property
    def way(self) -> str:
        """The flags by which svcsim's commands find it, with a space before each."""
        ...

    def now(self) -> float:
        """Its time."""
        ...

    def known(self, obj: Object) -> Object:
        """What it knows of an object beyond all objects, as simulated clusters do. Raises `StatusError` where it won't say."""
        ...

    def collections(self, namespace: str) -> Iterable[str]:
        """The paths of all collections that there are in a namespace; without one, of all that there are."""
        ...


class Why:
    """Explains the objects of one cluster."""

    def __init__(self, around: Surroundings, *, in_passing: bool = False) -> None:
        """``in_passing``: several objects are explained at once, so that those that are fine get one line."""
        self._around = around
        self._in_passing = in_passing
        self._reader = around.reader
        self._answers: dict[tuple[str, tuple[tuple[str, str | int], ...]], list[Object]] = {}
        """What was read already: much of it matters to several."""

    def explain(self, obj: Object, depth: int = limits.WHY_LEVELS, above: tuple[str, ...] = ()) -> Explained:
        """An object, and those below it so many levels down, but for those ``above`` it, by their UIDs. Raises `ConnectionError`."""
        found, unread = self._read(self._wanted(obj))
        events, events_unread = self._events(obj)
        if is_terminating(obj):
            found[LEFT] = self._left(obj)
        known_unread = self._know(obj, found)
        facts = Facts(self._around.now(), self._reader.dialect, events, found, self._around.way)
        verdict = with_stages(self._explainer(obj)(obj, facts), obj, facts, in_passing=self._in_passing)
        verdict = with_switched_off(verdict, obj, facts)
        path = (*above, uid_of(obj))
        causes = [one for uid, one in {uid_of(one): one for one in verdict.below}.items() if uid not in path]
        looked_at = causes[: limits.WHY_BELOW] if depth > 1 else []
        below = _merged([self.explain(one, depth - 1, path) for one in looked_at])
        missed = (*unread, *events_unread, *(() if verdict.fine else known_unread))
        return Explained(obj, verdict, events, below, missed, more=len(causes) - len(looked_at))

    def explain_gone(self, api_version: str, kind: str, namespace: str, name: str) -> Explained | None:
        """An object that isn't there, by what is still told of the last one of its name; None where that is nothing."""
        obj: Object = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace}}
        found, unread = self._read([Wanted("events", *events_query(obj, None))])
        events = _of_the_last(obj, in_order(found.get("events", ())))
        if kind == "Node":
            self._know(obj, found)
        facts = Facts(self._around.now(), self._reader.dialect, events, found, self._around.way)
        verdict, last = explain_lost_node(obj, facts), facts.event("Preempted")
        if not events and not verdict.because:
            return None
        if last:
            verdict = verdict._replace(because=(sentence(f"A pod of higher priority took its place: {last}"),))
        by = self._preemptor(namespace, last)
        return Explained(obj, verdict, events, (self.explain(by, 1),) if by else (), unread)

    def _preemptor(self, namespace: str, told: str) -> Object | None:
        """The pod that made another go, where it is one of the same namespace."""
        if not told:
            return None
        path = f"/api/v1/namespaces/{namespace}/pods"
        found, _ = self._read([Wanted("pods", path, {"limit": limits.WHY_LISTED})])
        return next((pod for pod in found.get("pods", ()) if uid_of(pod) in told.split()), None)

    @staticmethod
    def _explainer(obj: Object) -> Callable[[Object, Facts], Verdict]:
        if is_terminating(obj):
            return explain_deletion
        return explainer_of(plain_group(gvk_of(obj).group), gvk_of(obj).kind).explain

    def _wanted(self, obj: Object) -> Iterable[Wanted]:
        dialect = self._reader.dialect
        own = explainer_of(plain_group(gvk_of(obj).group), gvk_of(obj).kind).wanted(obj, dialect)
        return (*own, *wanted_for(obj, dialect)) if is_terminating(obj) else own

    def _read(self, wanted: Iterable[Wanted]) -> tuple[dict[str, list[Object]], tuple[str, ...]]:
        found: dict[str, list[Object]] = {}
        unread: list[str] = []
        for one in wanted:
            try:
                found[one.name] = self._objects(one.path, one.query)
            except StatusError as error:
                if error.code == 404:
                    found[one.name] = []
                else:
                    unread.append(error.message)
        return found, tuple(unread)

    def _objects(self, path: str, query: Mapping[str, str | int]) -> list[Object]:
        """The object at a path, or those of a collection, which say their kinds as objects by themselves do."""
        asked = (path, tuple(query.items()))
        if asked not in self._answers:
            answer = self._reader.get(path, query)
            kind = {"kind": str(answer.get("kind", "")).removesuffix("List"), "apiVersion": answer.get("apiVersion", "")}
            self._answers[asked] = [{**kind, **item} for item in answer["items"] or ()] if "items" in answer else [answer]
        return self._answers[asked]

    def _events(self, obj: Object) -> tuple[list[Object], tuple[str, ...]]:
        """The events about an object; for a node also those of its agent, which only knows the node's name."""
        uids = (uid_of(obj), *_known_by_name(obj))
        found, unread = self._read(Wanted(uid, *events_query(obj, uid)) for uid in uids)
        by_name = (event for name in uids[1:] for event in found.get(name, ()) if _is_since(obj, event))
        return in_order((*found.get(uid_of(obj), ()), *by_name)), unread

    def _know(self, obj: Object, found: dict[str, list[Object]]) -> tuple[str, ...]:
        """Put what the cluster knows of an object with what was found; gives what it won't say."""
        try:
            found[KNOWN] = [self._around.known(obj)]
        except StatusError as error:
            return () if error.code == 404 else (error.message,)
        return ()

    def _left(self, obj: Object) -> list[Object]:
        """What an object that is being deleted waits for, of all kinds that may be read: what it owns and what is left in a namespace."""
        if obj.get("kind") == "Namespace":
            return [one for one in self._all_in(name_of(obj)) if is_terminating(one)]
        if FOREGROUND not in finalizers_of(obj):
            return []
        uid = uid_of(obj)
        return [one for one in self._all_in(namespace_of(obj)) if any(_blocks(ref, uid) for ref in owner_references(one))]

    def _all_in(self, namespace: str) -> list[Object]:
        collections = list(self._around.collections(namespace))
        found, _ = self._read(Wanted(path, path, {"limit": limits.WHY_LISTED}) for path in collections)
        return list({uid_of(one): one for path in collections for one in found.get(path, ())}.values())


def _known_by_name(obj: Object) -> tuple[str, ...]:
    """What stands in an object's events in place of its UID, where who tells of it knows it by its name alone."""
    return (name_of(obj),) if obj.get("kind") == "Node" else ()


def _is_since(obj: Object, event: Object) -> bool:
    """Whether an event is of a time at which an object was there already, and not of an earlier one of its name."""
    created, seen = metadata_of(obj).get("creationTimestamp"), last_seen(event)
    return not created or not seen or parse_time(seen) >= parse_time(created)


def _of_the_last(obj: Object, events: list[Object]) -> list[Object]:
    """The events about the last object of a name, of those about all objects that had it; in order."""
    names = _known_by_name(obj)
    about = [get_path(event, "involvedObject.uid") for event in events]
    last = next((uid for uid in reversed(about) if uid not in names), None)
    before = max((at for at, uid in enumerate(about) if uid not in (*names, last)), default=-1)  # where those of earlier ones end
    return [event for at, event in enumerate(events) if about[at] == last or (about[at] in names and at > before)]


def _blocks(reference: Object, uid: str) -> bool:
    """Whether an owner that is deleted in the foreground waits for what names it so."""
    return reference.get("uid") == uid and bool(reference.get("blockOwnerDeletion"))


def _merged(several: list[Explained]) -> tuple[Explained, ...]:
    """The explanations with those that have the same reasons merged into one."""
    found: dict[tuple[object, ...], Explained] = {}
    for one in several:
        verdict = one.verdict
        below = tuple((uid_of(deeper.obj), deeper.alike) for deeper in one.below)
        likeness = (one.obj.get("kind"), verdict.state, verdict.because, below)
        first = found.get(likeness)
        found[likeness] = one if first is None else first._replace(alike=first.alike + 1)
    return tuple(found.values())
