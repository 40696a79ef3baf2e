"""What an admission plugin is: a name, the requests it wants to see, and any of `check`, `admit`, `complete` and `validate`.

Rules name resources as webhook configurations do, and groups as kinds do, so that one rule is good in both dialects.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol, TypeGuard

from svcsim.registry.admission import AdmissionRequest, Operation
from svcsim.registry.options import Target

ANY = "*"


class Rule(NamedTuple):
    """Some operations on some resources of a group."""

    operations: tuple[Operation, ...]
    resources: tuple[str, ...]
    """``pods`` itself, ``pods/binding``, ``pods/*`` (its subresources), ``*/scale``, ``*`` (all resources themselves), ``*/*`` (all)."""
    group: str = ""
    """``*`` stands for all."""
    suffixed: bool = False
    """Whether the dialect's suffix follows the group's name: ``Rule(…, ("leases",), "coordination", suffixed=True)``."""

    def matches(self, operation: Operation, target: Target) -> bool:
        """Whether a request with this target is one of them."""
        if operation not in self.operations:
            return False
        kind = target.resource.kind
        if self.group != ANY and (self.group, self.suffixed) != (kind.group.base, kind.group.suffixed):
            return False
        return any(_names(pattern, kind.plural, target.subresource) for pattern in self.resources)


def _names(pattern: str, plural: str, subresource: str) -> bool:
    if pattern == "*/*":
        return True
    resource, slash, below = pattern.partition("/")
    if resource not in (ANY, plural):
        return False
    return below in (ANY, subresource) and bool(subresource) if slash else not subresource


class RequestRule(Protocol):
    """Tells by the operation, the resource and the subresource alone whether a plugin is asked."""

    def matches(self, operation: Operation, target: Target) -> bool:
        """Whether such a request concerns it."""
        ...


class Plugin(Protocol):
    """One admission plugin, whichever of the two passes it takes part in."""

    @property
    def name(self) -> str:
        """By which it is switched on and off."""
        ...

    @property
    def rules(self) -> "tuple[RequestRule, ...]":
        """The requests it is asked about: those that match any of these."""
        ...


class ConfiguredPlugin(Plugin, Protocol):
    """One whose rules are others at times, since objects of the cluster say what it is asked about."""

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever its rules are others."""
        ...


class CheckingPlugin(Plugin, Protocol):
    """One that may refuse what is sent before more is done for it, in its place among the mutating plugins, and changes nothing."""

    async def check(self, request: AdmissionRequest) -> None:
        """Raise `StatusError` if this may not be. Being asked twice about one request must do no harm."""
        ...


class MutatingPlugin(Plugin, Protocol):
    """One that may change what is sent, to what its kind's schema knows, in the form it's stored in: what it puts in lacks no default."""

    async def admit(self, request: AdmissionRequest) -> None:
        """Change ``request.obj``, or raise `StatusError`. Being asked twice about one request must do no harm."""
        ...


class AskingPlugin(MutatingPlugin, Protocol):
    """One that has others change what is sent: what they leave may be anything, and is read and completed as what a client sends."""

    asks_others: Literal[True]


class CompletingPlugin(Plugin, Protocol):
    """One that gives an object what no other may have, once the object has its name: what Kubernetes does in a kind's own storage."""

    async def complete(self, request: AdmissionRequest) -> None:
        """Change ``request.obj`` in place, to what is valid, or raise `StatusError`."""
        ...


class ValidatingPlugin(Plugin, Protocol):
    """One that may refuse what comes of it."""

    async def validate(self, request: AdmissionRequest) -> None:
        """Raise `StatusError` if this may not be."""
        ...


# What a plugin is, is asked of each for every kind of request. A protocol that could be asked itself would gather its members each time
# (Python 3.11), which took a twentieth of a start.


def is_configured(plugin: Plugin) -> TypeGuard[ConfiguredPlugin]:
    return hasattr(plugin, "on_change")


def checks(plugin: Plugin) -> TypeGuard[CheckingPlugin]:
    return hasattr(plugin, "check")


def mutates(plugin: Plugin) -> TypeGuard[MutatingPlugin]:
    return hasattr(plugin, "admit")


def asks(plugin: Plugin) -> TypeGuard[AskingPlugin]:
    return mutates(plugin) and hasattr(plugin, "asks_others")


def completes(plugin: Plugin) -> TypeGuard[CompletingPlugin]:
    return hasattr(plugin, "complete")


def validates(plugin: Plugin) -> TypeGuard[ValidatingPlugin]:
    return hasattr(plugin, "validate")
