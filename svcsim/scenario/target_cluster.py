"""What a scenario runs on: a cluster, seen as a scenario sees it. It makes no difference whether it was booted for the run or is up."""

from collections.abc import Callable
from dataclasses import dataclass, field

from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.client.discovery import ApiResource, discover, read_resources
from svcsim.clock import Clock
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.types import User
from svcsim.scenario.answers import TargetClusterError
from svcsim.scenario.cluster_clock import ClusterClock
from svcsim.scenario.sparing import Others
from svcsim.scenario.suggestions import suggest


class UnknownKindError(TargetClusterError):
    """The cluster has no such kind."""


EVENT = "Event"
"""Served by two groups; what becomes of events is told in the older one."""


@dataclass(slots=True)
class TargetCluster:
    """A cluster under a scenario."""

    client: Client
    client_for: Callable[[User], Client]
    """A client for a user; ``client`` is an administrator's."""
    clock: Clock
    """The cluster's time; for a cluster elsewhere, one that runs alike."""
    dialect: Dialect
    elsewhere: ClusterClock | None = None
    """What keeps ``clock`` where the time of a cluster elsewhere is; `advance` moves on one that stands."""
    running: ClusterSpec | None = None
    """What a cluster that was up before says it is; None of one that was put together for the run."""
    others: Others | None = None
    """Keeps apart what belongs to others in a cluster that was up."""
    hold: str = ""
    """What faults are bound to in a cluster that goes on after the run; with a throwaway cluster they end anyway."""
    _types: list[ApiResource] | None = None
    _other_versions: dict[str, list[ApiResource]] = field(default_factory=dict)
    """The types of versions that aren't their groups' preferred ones, of those that a scenario names."""

    async def find_type(self, kind: str, api_version: str = "") -> ApiResource:
        """The resource type of a kind, in the version its group prefers, as what happens is told in it. Raises `TargetClusterError`."""
        for again in (False, True):
            found = [one for one in await self.types(again=again) if one.kind == kind and api_version in ("", one.api_version)]
            if found:
                return found[0]
        version = f" in {api_version}" if api_version else ""
        elsewhere = [one.api_version for one in await self.types() if one.kind == kind]
        meant = f", but in {' and '.join(elsewhere)}" if elsewhere else suggest(kind, dict.fromkeys(one.kind for one in await self.types()))
        error = TargetClusterError if elsewhere else UnknownKindError
        raise error(f"the cluster has no kind {kind!r}{version}{meant}")

    async def find_served(self, kind: str, api_version: str = "") -> ApiResource:
        """The resource type of a kind to ask for, in whatever version is named and served. Raises `TargetClusterError`."""
        if api_version and all((one.kind, one.api_version) != (kind, api_version) for one in await self.types()):
            for again in (False, True):
                found = [one for one in await self._types_in(api_version, again=again) if one.kind == kind]
                if found:
                    return found[0]
        return await self.find_type(kind, api_version)

    async def find_told(self, kind: str, api_version: str = "", namespace: str = "") -> ApiResource:
        """The resource type of a kind that is looked at, as it is looked at. Raises `TargetClusterError`.

        What happens to an object is told in one version alone, and in no namespace where it has none: what asks for another would wait for
        nothing, and never see what it forbids.
        """
        found = await self.find_served(kind, api_version)
        if namespace and not found.namespaced:
            raise TargetClusterError(f"no {kind} is in a namespace: leave out {namespace!r}")
        if api_version and (told := await self._told_in(found)) != api_version:
            raise TargetClusterError(f"what becomes of {kind} objects is told in {told}: name that version, or none")
        return found

    async def _told_in(self, found: ApiResource) -> str:
        """The version in which the journal tells of a type: of a custom resource the one that is stored, else the one its group prefers."""
        if found.kind == EVENT and found.group:
            return "v1"
        definitions = self.client.resource(f"{self.dialect.group('apiextensions')}/v1", "customresourcedefinitions")
        try:
            definition = await definitions.get(f"{found.plural}.{found.group}") if found.group else None
        except StatusError as error:
            if error.code != 404:
                raise
            definition = None
        if definition is None:
            return next(one.api_version for one in await self.types() if (one.kind, one.group) == (found.kind, found.group))
        return f"{found.group}/{next(one['name'] for one in definition['spec']['versions'] if one['storage'])}"

    async def types(self, *, again: bool = False) -> list[ApiResource]:
        """All resource types, as they were when they were first asked for, or ``again`` now."""
        if self._types is None or again:
            self._types = (await discover(self.client)).resources
        return self._types

    async def _types_in(self, api_version: str, *, again: bool) -> list[ApiResource]:
        if again or api_version not in self._other_versions:
            try:
                self._other_versions[api_version] = read_resources(await self.client.get_json(paths.group_path(api_version)))
            except StatusError as error:
                if error.code != 404:
                    raise
                self._other_versions[api_version] = []
        return self._other_versions[api_version]

    async def revision(self) -> int:
        """The newest revision."""
        return int((await self.client.get_json(paths.STATUS))["revision"])

    async def advance(self, seconds: float) -> None:
        """Let so much cluster time pass."""
        if self.elsewhere is not None and self.elsewhere.stands:
            await self.elsewhere.step(seconds)
        else:
            await self.clock.sleep(seconds)
