"""The shapes everything is made of.

An object is a plain JSON map from the wire to the store. Types belong to the machinery, not to the objects: `Any` in this project
means a JSON value, and nothing else.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict of them."""

Object: TypeAlias = dict[str, Any]
"""A whole API object, or any JSON map."""


class GroupVersion(NamedTuple):
    """An API group and one of its versions; the core group's name is empty."""

    group: str
    version: str

    def __str__(self) -> str:
        """As ``apiVersion`` spells it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @classmethod
    def parse(cls, text: str) -> "GroupVersion":
        """Take ``apiVersion`` apart; what has no slash is a version of the core group."""
        group, _, version = text.rpartition("/")
        return cls(group, version)


class GroupVersionKind(NamedTuple):
    """A kind in one version of its group."""

    group: str
    version: str
    kind: str

    @property
    def group_version(self) -> GroupVersion:
        """Without the kind."""
        return GroupVersion(self.group, self.version)

    @property
    def group_kind(self) -> "GroupKind":
        return GroupKind(self.group, self.kind)


class GroupKind(NamedTuple):
    """A kind by its group, whatever the version."""

    group: str
    kind: str

    def __str__(self) -> str:
        """As error messages spell it: ``Deployment.apps``."""
        return f"{self.kind}.{self.group}" if self.group else self.kind


class GroupResource(NamedTuple):
    """A resource type by its group, whatever the version."""

    group: str
    resource: str

    def __str__(self) -> str:
        """As error messages spell it: ``deployments.apps``."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


class Key(NamedTuple):
    """Where an object lives. ``resource`` is ``pods`` or ``deployments.apps``; ``namespace`` is empty for cluster-wide ones."""

    resource: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """As error messages tell it: ``pods default/web``."""
        return f"{self.resource} {self.namespace}/{self.name}" if self.namespace else f"{self.resource} {self.name}"


class User(NamedTuple):
    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = MappingProxyType({})
