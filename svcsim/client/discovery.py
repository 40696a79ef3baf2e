"""Which resource types a cluster serves, as it tells itself: for those who act on all of them, or on what a user names."""

from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.paths import group_path
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object


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
        return self.api_version.rpartition("/")[0]


class Discovery(NamedTuple):
    """What was found, and which group-versions did not answer, with their errors."""

    resources: list[ApiResource]
    failures: dict[str, str]


def read_resources(body: Object) -> list[ApiResource]:
    """The resource types of an ``APIResourceList``, sub-resources left out."""
    return [
        ApiResource(
            api_version=body["groupVersion"],
            plural=entry["name"],
            kind=entry["kind"],
            namespaced=bool(entry.get("namespaced")),
            verbs=tuple(entry.get("verbs") or ()),
            singular=entry.get("singularName", ""),
            short=tuple(entry.get("shortNames") or ()),
            categories=tuple(entry.get("categories") or ()),
        )
        for entry in body.get("resources") or []
        if "/" not in entry["name"]
    ]


async def discover(client: Client) -> Discovery:
    """All resource types, each in its group's preferred version."""
    groups = await client.get_json("/apis")
    versions = ["v1"] + [group["preferredVersion"]["groupVersion"] for group in groups.get("groups") or []]
    found = Discovery([], {})
    for version in versions:
        try:
            found.resources.extend(read_resources(await client.get_json(group_path(version))))
        except StatusError as error:
            found.failures[version] = error.message
    return found
