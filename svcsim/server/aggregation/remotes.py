"""Which versions of groups are answered by servers behind this one, as the APIServices stand.

Asked for every request, so it is one look into a map, which is empty where there are none of others. There is an APIService for each
version of each group that this server answers for itself, so a change of one looks at that one alone.
"""

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import condition_is, name_of
from svcsim.meta.types import GroupVersion, Object
from svcsim.outbound.remote import Remote, ServiceReference, Trust
from svcsim.registry.lister import Lister

_DESCRIBED = "/openapi/v3"


class RemoteVersion(NamedTuple):
    """A version of a group, and the server that answers for it."""

    group_version: GroupVersion
    remote: Remote
    available: bool


class Description(NamedTuple):
    """An OpenAPI document, and the tag by which its server knows it."""

    document: Object
    etag: str


@dataclass(frozen=True, slots=True)
class FrontProxy:
    """By what servers behind this one know that it is this one that asks."""

    certificate_pem: bytes | None = None
    key_pem: bytes | None = field(default=None, repr=False)
    names_before: tuple[str, ...] = ()
    """The headers in which proxies before this server say who asks, in lower case: none of them goes on."""
    prefixes_before: tuple[str, ...] = ()
    """Likewise, what the names of such headers begin with."""


_AMBIGUOUS = ("", ".", "..")


class Remotes:
    """The versions of groups that others answer for, and what these have said they serve."""

    def __init__(self, api_services: Lister, front_proxy: FrontProxy) -> None:
        self.generation = 0
        """Counts the changes of what clients can discover."""
        self.versions: dict[GroupVersion, RemoteVersion] = {}
        self.priorities: dict[GroupVersion, tuple[int, int]] = {}
        """The priorities of groups and versions, also of those that this server answers for."""
        self._lister = api_services
        self._front_proxy = front_proxy
        self._resources: dict[GroupVersion, list[Object]] = {}
        self.descriptions: dict[GroupVersion, Description] = {}
        """What they have said of themselves, as OpenAPI documents of version 2."""
        self.documented: set[GroupVersion] = set()
        """Versions that have an OpenAPI document of version 3, which is requested and passed on like any other path of theirs."""
        self._listeners: list[Callable[[tuple[GroupVersion, ...]], None]] = []
        api_services.on_change(self._follow)

    def on_change(self, listener: Callable[[tuple[GroupVersion, ...]], None]) -> None:
        """Have a function called when what clients can discover has changed, with the versions of groups that it is about.

        It must not raise.
        """
        self._listeners.append(listener)

    def find(self, path: str) -> RemoteVersion | None:
        """Who else answers a path: ``/apis/GROUP/VERSION`` and all below it, and the document that describes that.

        Nobody answers one that others could take for another path than the one that was decided on: with empty parts, or with dots alone.
        """
        if not self.versions:
            return None
        parts = path.removeprefix(_DESCRIBED).removesuffix("/").split("/")
        found = self.versions.get(GroupVersion(parts[2], parts[3])) if len(parts) > 3 and parts[1] == "apis" else None
        return None if found is None or any(part in _AMBIGUOUS for part in parts[1:]) else found

    def resources_of(self, group_version: GroupVersion) -> list[Object]:
        """What a remote one has said it serves, as an ``APIResourceList`` has it; nothing where it hasn't been asked yet."""
        return self._resources.get(group_version, [])

    def learn(self, group_version: GroupVersion, resources: list[Object]) -> None:
        """A remote one has said what it serves."""
        if self._resources.get(group_version) != resources:
            self._resources[group_version] = resources
            self._changed(group_version)

    def describe(self, group_version: GroupVersion, description: Description) -> None:
        """A remote one has described itself."""
        self.descriptions[group_version] = description
        self._changed(group_version)

    def document(self, group_version: GroupVersion, *, there: bool) -> None:
        """Whether a remote one has a document of version 3."""
        if there and group_version in self.versions:
            self.documented.add(group_version)
        else:
            self.documented.discard(group_version)

    def of_group(self, group: str) -> list[GroupVersion]:
        """The versions of a group that others answer for."""
        return [one for one in self.versions if one.group == group]

    def remote_of(self, api_service: Object) -> RemoteVersion | None:
        """Who answers, as an APIService says it; None for this server."""
        spec = api_service["spec"]
        service = spec.get("service")
        if service is None:
            return None
        bundle = spec.get("caBundle")
        trust = Trust(
            base64.b64decode(bundle) if bundle else None,
            self._front_proxy.certificate_pem,
            self._front_proxy.key_pem,
            verify=not spec.get("insecureSkipTLSVerify"),
        )
        reference = ServiceReference(service["namespace"], service["name"], service.get("port") or ServiceReference("", "").port)
        remote = Remote(f"apiservice/{name_of(api_service)}", service=reference, trust=trust)
        return RemoteVersion(GroupVersion(spec.get("group", ""), spec["version"]), remote, condition_is(api_service, "Available"))

    def _follow(self, keys: Iterable[ObjectKey]) -> None:
        """These APIServices have changed. New tables stand in the place of the old ones: who has one reads on in it."""
        versions, priorities = dict(self.versions), dict(self.priorities)
        changed: list[GroupVersion] = []
        for key in keys:
            version, _, group = key.name.partition(".")  # no APIService is called otherwise
            one = GroupVersion(group, version)
            api_service = self._lister.get("", key.name)
            remote = None if api_service is None else self.remote_of(api_service)
            priority = None if api_service is None else _priority(api_service)
            if (remote, priority) != (versions.get(one), priorities.get(one)):
                changed.append(one)
                _put(versions, one, remote)
                _put(priorities, one, priority)
        if not changed:
            return
        self.versions, self.priorities = versions, priorities
        for one in changed:
            if one not in versions:
                self._resources.pop(one, None)
                self.descriptions.pop(one, None)
                self.documented.discard(one)
        self._changed(*changed)

    def _changed(self, *group_versions: GroupVersion) -> None:
        self.generation += 1
        for listener in self._listeners:
            listener(group_versions)


_T = TypeVar("_T")


def _put(table: dict[GroupVersion, _T], one: GroupVersion, value: _T | None) -> None:
    if value is None:
        table.pop(one, None)
    else:
        table[one] = value


def _priority(api_service: Object) -> tuple[int, int]:
    spec = api_service["spec"]
    return spec["groupPriorityMinimum"], spec["versionPriority"]
