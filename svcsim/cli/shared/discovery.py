"""The types a server serves, and how users call them: plural, singular, kind, short name, ``type.version.group``.

Asking costs two requests, so the answer is kept in a file for the next command; a type that isn't in it makes us ask again.
"""

from pathlib import Path
from typing import NamedTuple, Protocol

import orjson

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.shared.kept_answers import keep, kept
from svcsim.client.paths import resource_path
from svcsim.client.preferred_versions import first_of_each, versions
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import StatusError
from svcsim.meta.resource_lists import are_texts, read_entries
from svcsim.meta.types import GroupVersion, Json, Object

_AGGREGATED = ",".join(
    f"application/json;g={dialect.group('apidiscovery')};v={version};as=APIGroupDiscoveryList"
    for version in ("v2", "v2beta1")
    for dialect in DIALECTS.values()
)
_ACCEPT = f"{_AGGREGATED},application/json"
_FORMAT = 1
"""The version of the file's format; another one is not read."""


class Resource(NamedTuple):
    """A resource type in one version of its group."""

    group: str
    version: str
    plural: str
    singular: str
    kind: str
    namespaced: bool
    preferred: bool
    """Whether the version is the one its group prefers, or the first that has the type."""
    short_names: list[str]
    verbs: list[str]
    categories: list[str]
    subresources: list[str]

    @property
    def api_version(self) -> str:
        """As ``apiVersion`` spells it."""
        return str(GroupVersion(self.group, self.version))

    @property
    def full_name(self) -> str:
        """``pods``, ``deployments.apps``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def print_kind(self) -> str:
        """As messages and ``-o name`` spell it: ``pod``, ``deployment.apps``."""
        return f"{self.kind.lower()}.{self.group}" if self.group else self.kind.lower()

    @property
    def group_kind(self) -> str:
        """As messages about kinds spell it: ``Pod``, ``Deployment.apps``."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Where the collection, the object or its subresource is; ``namespace`` is ignored for cluster-wide types."""
        return resource_path(self.api_version, self.plural, namespace if self.namespaced else "", name, subresource)


class Server(Protocol):
    """What is asked, and where its answer is kept."""

    @property
    def cache_file(self) -> Path: ...

    def get(self, path: str, *, accept: str = "application/json") -> Object:
        """The JSON map at a path."""
        ...

    def warn(self, text: str) -> None:
        """Tell the user."""
        ...


class Discovery:
    """What one server serves, in the order it tells it: the core group first, preferred versions first within a group."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._fresh = False
        self._told: list[str] = []
        self._resources: list[Resource] | None = None

    @property
    def resources(self) -> list[Resource]:
        """Every type in every version."""
        if self._resources is None:
            self._resources = self._read_cache() or self._ask()
        return self._resources

    def fresh(self) -> list[Resource]:
        """Every type, asked for now."""
        if not self._fresh or self._resources is None:
            self._resources = self._ask()
        return self._resources

    def find(self, name: str) -> Resource:
        """The type a user means. Raises `CommandError` in kubectl's words, with a guess."""
        found = lookup(self.resources, name) or (None if self._fresh else lookup(self.fresh(), name))
        if found is None:
            raise CommandError(self._unknown(name))
        self._warn_of_others(name, found)
        return found

    def _warn_of_others(self, name: str, found: Resource) -> None:
        """Tell once which types a short name stands for in other groups."""
        word, _, group = split_type(name)
        if group or word not in found.short_names or word in self._told:
            return
        self._told.append(word)
        for other in dict.fromkeys(r.full_name for r in self.resources if word in r.short_names and r.full_name != found.full_name):
            self._server.warn(f'short name "{word}" could also match lower priority resource {other}')

    def of_kind(self, api_version: str, kind: str) -> Resource | None:
        """The type an object belongs to."""
        group, version = GroupVersion.parse(api_version)
        found = _by_kind(self.resources, group, version, kind)
        return found if found or self._fresh else _by_kind(self.fresh(), group, version, kind)

    def in_category(self, name: str) -> list[Resource]:
        """The types a word such as ``all`` stands for."""
        return [resource for resource in self.resources if name in resource.categories and resource.preferred and "list" in resource.verbs]

    def _unknown(self, name: str) -> str:
        import difflib

        plural = split_type(name)[0]
        text = f'the server doesn\'t have a resource type "{plural}"'
        plurals = {r.singular: r.plural for r in self.resources}
        words = {word: None for r in self.resources for word in (r.plural, r.singular, *r.short_names)}
        near = next(iter(difflib.get_close_matches(plural.lower(), list(words), n=1, cutoff=0.65)), "")
        if len(plurals.get(near, plural + "s")) <= len(plural):
            near = plurals[near]  # as close, but for the last letter, which matching counts for nothing
        return f'{text}\nDid you mean "{near}"?' if near not in ("", plural) else text

    # --- asking and keeping ---

    def _read_cache(self) -> list[Resource] | None:
        answer = kept(self._server.cache_file)
        if answer is None or answer.get("format") != _FORMAT:
            return None
        try:
            return [Resource(*row) for row in answer["resources"]]
        except (TypeError, KeyError):
            return None

    def _ask(self) -> list[Resource]:
        resources = _with_preferences([resource for path in ("/api", "/apis") for resource in self._ask_one(path)])
        self._fresh = True
        keep(self._server.cache_file, orjson.dumps({"format": _FORMAT, "resources": [tuple(r) for r in resources]}))
        return resources

    def _ask_one(self, path: str) -> list[Resource]:
        answer = self._server.get(path, accept=_ACCEPT)
        if answer.get("kind") == "APIGroupDiscoveryList":
            return _from_aggregated(answer)
        if path == "/api":
            return [r for version in answer.get("versions") or [] for r in self._from_list("", version, "/api")]
        groups = answer.get("groups") or []
        return [
            r for group in groups for version in versions(group) for r in self._from_list(group["name"], version, f"/apis/{group['name']}")
        ]

    def _from_list(self, group: str, version: str, path: str) -> list[Resource]:
        try:
            answer = self._server.get(f"{path}/{version}")
        except StatusError:
            return []  # a group that is down doesn't take the others with it
        entries = read_entries(answer)
        items = entries.good if entries is not None else []
        if entries is not None and entries.more:
            told = f"of the resource types of {group}/{version} no more than the first {len(items)} are known here"
            self._server.warn(f"{told}: its list is longer than {limits.DISCOVERED_TYPES} entries")
        subresources: dict[str, list[str]] = {}
        for item in items:
            plural, slash, sub = item["name"].partition("/")
            if slash:
                subresources.setdefault(plural, []).append(sub)
        return [
            Resource(
                item.get("group") or group,
                item.get("version") or version,
                item["name"],
                item.get("singularName") or item["kind"].lower(),
                item["kind"],
                bool(item.get("namespaced")),
                False,
                item.get("shortNames") or [],
                item.get("verbs") or [],
                item.get("categories") or [],
                subresources.get(item["name"], []),
            )
            for item in items
            if "/" not in item["name"]
        ]


def _from_aggregated(answer: Object) -> list[Resource]:
    """What stands in the answer as it has to; other servers' lists come as they are, and must not hide what the rest is."""
    return [
        resource
        for group in _maps(answer.get("items"))
        for version in _maps(group.get("versions"))
        for item in _maps(version.get("resources"))
        if (resource := _aggregated(group, version, item)) is not None
    ]


def _aggregated(group: Object, version: Object, item: Object) -> Resource | None:
    metadata, kind = _map(group.get("metadata")), _map(item.get("responseKind"))
    texts = [metadata.get("name") or "", version.get("version"), item.get("resource"), kind.get("kind") or ""]
    texts.append(item.get("singularResource") or str(texts[-1]).lower())
    lists = [item.get(key) or [] for key in ("shortNames", "verbs", "categories")]
    lists.append([sub.get("subresource") for sub in _maps(item.get("subresources"))])
    if not are_texts(texts) or not texts[1] or not texts[2] or not all(map(are_texts, lists)):
        return None
    group_name, named, plural, kind_name, singular = texts
    short, verbs, categories, subresources = lists
    namespaced = item.get("scope") == "Namespaced"
    return Resource(group_name, named, plural, singular, kind_name, namespaced, False, short, verbs, categories, subresources)


def _map(value: Json) -> Object:
    return value if isinstance(value, dict) else {}


def _maps(value: Json) -> list[Object]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _with_preferences(resources: list[Resource]) -> list[Resource]:
    """The resources, each type preferred in one version."""
    first = first_of_each(resources)
    return [r._replace(preferred=True) if first[r.group, r.plural] is r else r for r in resources]


def _by_kind(resources: list[Resource], group: str, version: str, kind: str) -> Resource | None:
    return next((r for r in resources if (r.group, r.version, r.kind) == (group, version, kind)), None)


def split_type(name: str) -> tuple[str, str, str]:
    """``deployments.v1.apps`` → type, version, group; without a version it is empty. In ``pods.v1.`` it is the group that is."""
    plural, _, rest = name.partition(".")
    version, dot, group = rest.partition(".")
    if dot and version[:1] == "v" and version[1:2].isdigit():
        return plural, version, group
    return plural, "", rest


def lookup(resources: list[Resource], name: str) -> Resource | None:
    """The type a user means by ``name``: exact groups before groups that begin so, preferred versions before others."""
    plural, version, group = split_type(name)
    word = plural.lower()
    named = [r for r in resources if word in (r.plural, r.singular, r.kind.lower())]
    if not named:
        return _by_short_name([r for r in resources if plural in r.short_names], version, group)
    if version:
        return next((r for r in named if r.version == version and group in ("", r.group)), None)
    if group:
        named = [r for r in named if r.group == group] or [r for r in named if r.group.startswith(group)]
    return _first(named)


def _by_short_name(named: list[Resource], version: str, group: str) -> Resource | None:
    """By a short name. A version tells only where the group isn't named in full: kubectl drops it otherwise."""
    if exact := [r for r in named if r.group == group]:
        return _first(exact)
    return _first([r for r in named if r.group.startswith(group) and version in ("", r.version)])


def _first(named: list[Resource]) -> Resource | None:
    """The preferred version, or the first there is."""
    return next((r for r in named if r.preferred), named[0] if named else None)
