"""The registration controller: what the server serves itself has an APIService each, as definitions come and go.

As in Kubernetes, those of custom groups are kept in the right state all the time. The others are created and repaired once, when the server
starts: a later change by a client stays until the next start.
"""

from collections.abc import Callable, Mapping, Sequence

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.controllers.api_services.priorities import OF_CUSTOM_GROUPS, priority_of
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.types import GroupVersion, Object

_GROUP = "apiregistration"
_ON_START = "onstart"


def registration(group_version: GroupVersion, dialect: Dialect) -> Object:
    """The APIService of a version that the server serves itself, in the form in which it is stored."""
    group, version = group_version
    priority = priority_of(group_version, dialect)
    managed = "true" if priority == OF_CUSTOM_GROUPS else _ON_START
    spec: Object = {"group": group} if group else {}
    spec |= {"version": version, "groupPriorityMinimum": priority.group, "versionPriority": priority.version}
    return {
        "kind": "APIService",
        "apiVersion": f"{dialect.group(_GROUP)}/v1",
        "metadata": {"name": f"{version}.{group}", "labels": {_label(dialect): managed}},
        "spec": spec,
    }


def registered(served: Mapping[str, Sequence[str]], dialect: Dialect) -> dict[str, GroupVersion]:
    """What is to have one, by its name: all versions. The group of APIServices has none itself."""
    own = dialect.group(_GROUP)
    return {f"{version}.{group}": GroupVersion(group, version) for group, all_ in served.items() if group != own for version in all_}


def _label(dialect: Dialect) -> str:
    return dialect.key("automanaged", "kube-aggregator")


Served = Callable[[], Mapping[str, Sequence[str]]]
"""Versions by group, as the server has them at the moment: the very same mapping while these are the same."""


class LocalApiServices(Controller):
    """Creates and repairs them, and deletes those of versions that are no longer served. Those made by others are left alone."""

    def __init__(self, context: ControllerContext, *, served: Served, on_change: Callable[[Callable[[], None]], None]) -> None:
        self._dialect = context.dialect
        self._served = served
        self._looked_at: Mapping[str, Sequence[str]] | None = None
        api_version = f"{context.dialect.group(_GROUP)}/v1"
        self._api = context.client.resource(api_version, "apiservices")
        self._known = context.informers.cache(api_version, "apiservices")
        self._at_start: dict[str, None] | None = None
        """The APIServices that existed when the controller began; None until then."""
        self._seen_to: dict[str, None] = {}
        """Names that it has seen to since."""
        self._registered: dict[str, GroupVersion] = {}
        """What is to have one now."""
        super().__init__("APIService registration", context.clock, (Source(self._known, itself),))
        on_change(self._look)

    async def prepare(self) -> None:
        if self._at_start is None:
            self._at_start = dict.fromkeys(map(name_of, self._known.all()))
        self._look()
        for name in dict.fromkeys((*self._registered, *(name_of(one) for one in self._known.all()))):
            self.queue.add(ObjectKey("", name))

    def _look(self) -> None:
        """See to what is served now and wasn't, or was and isn't; what is there is seen to as it changes."""
        served = self._served()
        if served is self._looked_at:
            return
        self._looked_at = served
        before, self._registered = self._registered, registered(served, self._dialect)
        for name in (*self._registered, *before):
            if not (name in before and name in self._registered):
                self.queue.add(ObjectKey("", name))

    async def reconcile(self, key: ObjectKey) -> None:
        group_version, present = self._registered.get(key.name), self._known.get(key.name)
        wanted = None if group_version is None else registration(group_version, self._dialect)
        if not self._is_over(key.name, wanted, present):
            await self._see_to(key, wanted, present)
            self._seen_to[key.name] = None

    def _is_over(self, name: str, wanted: Object | None, present: Object | None) -> bool:
        """Whether it is seen to once, and was. One that says so of itself, and came later than the start, is let be."""
        if name in self._seen_to:
            return self._once(wanted) or self._once(present)
        return self._once(present) and name not in (self._at_start or ())

    def _once(self, one: Object | None) -> bool:
        return one is not None and labels_of(one).get(_label(self._dialect)) == _ON_START

    async def _see_to(self, key: ObjectKey, wanted: Object | None, present: Object | None) -> None:
        if present is None:
            if wanted is not None:
                await self._create(wanted)
        elif _label(self._dialect) not in labels_of(present):
            return
        elif wanted is None:
            await self._api.delete(key.name)
        elif not _says(present, wanted):
            await self._api.update({**present, "spec": wanted["spec"]})

    async def _create(self, wanted: Object) -> None:
        try:
            await self._api.create(wanted)
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise


def _says(present: Object, wanted: Object) -> bool:
    return bool(present.get("spec") == wanted["spec"])
