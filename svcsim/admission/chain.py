"""The admission chain: plugins in one explicit order, each asked only about what it handles.

Which plugins a kind of request concerns is found out once; a request that concerns none costs one look into a table.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from svcsim import limits
from svcsim.admission.counted import AdmissionCounted
from svcsim.admission.plugin import Plugin, asks, checks, completes, is_configured, mutates, validates
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.quoting import quoted
from svcsim.registry.admission import AdmissionRequest, Operation
from svcsim.registry.options import Target
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from svcsim.meta.types import GroupResource


_TAKES_BACK = "none"
"""As options say it that take one value."""

Ask: TypeAlias = Callable[[AdmissionRequest], Awaitable[None]]


class Concerned(NamedTuple):
    """The plugins that are asked about one kind of request, in their order."""

    names: tuple[str, ...]
    changing: tuple[str, ...]
    """The names of those that may change what is sent."""
    asking: tuple[str, ...]
    """Those of them that let external code change it."""
    first_pass: tuple[Ask, ...]
    """What checks and what changes, in one order."""
    completing: tuple[Ask, ...]
    """What completes an object that has its name."""
    second_pass: tuple[Ask, ...]
    first_names: tuple[str, ...]
    completing_names: tuple[str, ...]
    second_names: tuple[str, ...]
    """Whose they are."""
    counted: AdmissionCounted

    async def mutate(self, request: AdmissionRequest) -> None:
        """Let every plugin change or refuse the object; all of them once more, if one of them wants that."""
        asked, trace = self.first_pass, request.caller.trace
        if trace is not None:
            trace.plan((*self.first_names, *self.completing_names), self.second_names)
            asked = _traced(self.first_names, asked)
        started, rejected = stopwatch(), True
        try:
            for ask in asked:
                await ask(request)
            if request.wants_reinvocation:
                request.is_reinvocation = True
                if trace is not None:
                    trace.enter("mutating", 1)
                for ask in asked:
                    await ask(request)
            rejected = False
        finally:
            self.counted.passed("admit", request.operation, stopwatch() - started, rejected=rejected)

    async def complete(self, request: AdmissionRequest) -> None:
        """Let them give the object what is its alone."""
        asked = self.completing
        for ask in asked if request.caller.trace is None else _traced(self.completing_names, asked):
            await ask(request)

    async def validate(self, request: AdmissionRequest) -> None:
        """Let every plugin object."""
        asked, trace = self.second_pass, request.caller.trace
        if trace is not None:
            trace.enter("validating")
            asked = _traced(self.second_names, asked)
        started, rejected = stopwatch(), True
        try:
            for ask in asked:
                await ask(request)
            rejected = False
        finally:
            self.counted.passed("validate", request.operation, stopwatch() - started, rejected=rejected)


class UnknownPluginError(ConfigurationError):
    """A plugin that was asked for by a name nobody has, or both ways."""


class Chain:
    """The plugins of a cluster; mutating and validating run in the order they are given."""

    def __init__(self, plugins: tuple[Plugin, ...], counted: AdmissionCounted | None = None) -> None:
        self._plugins = plugins
        self._counted = counted or AdmissionCounted()
        self._concerned: dict[tuple[Operation, GroupResource, str], Concerned] = {}
        """By operation, group and resource, and subresource: all that rules ask about."""
        for plugin in plugins:
            if is_configured(plugin):
                plugin.on_change(self._concerned.clear)

    def concerned(self, operation: Operation, target: Target) -> Concerned:
        """Who is asked about such a request."""
        key = (operation, target.resource.group_resource, target.subresource)
        found = self._concerned.get(key)
        if found is None:
            if len(self._concerned) >= limits.ADMISSION_MATCHES:
                self._concerned.clear()
            plugins = [plugin for plugin in self._plugins if any(rule.matches(operation, target) for rule in plugin.rules)]
            found = self._concerned[key] = _concerned(plugins, self._counted)
        return found


def _concerned(plugins: list[Plugin], counted: AdmissionCounted) -> Concerned:
    first = [(plugin.name, ask) for plugin in plugins for ask in _first_pass(plugin)]
    completing = [(plugin.name, plugin.complete) for plugin in plugins if completes(plugin)]
    second = [(plugin.name, plugin.validate) for plugin in plugins if validates(plugin)]
    return Concerned(
        tuple(plugin.name for plugin in plugins),
        tuple(plugin.name for plugin in plugins if mutates(plugin)),
        tuple(plugin.name for plugin in plugins if asks(plugin)),
        first_pass=tuple(ask for _, ask in first),
        completing=tuple(ask for _, ask in completing),
        second_pass=tuple(ask for _, ask in second),
        first_names=tuple(name for name, _ in first),
        completing_names=tuple(name for name, _ in completing),
        second_names=tuple(name for name, _ in second),
        counted=counted,
    )


def _first_pass(plugin: Plugin) -> Iterator[Ask]:
    if checks(plugin):
        yield plugin.check
    if mutates(plugin):
        yield plugin.admit


def _traced(names: tuple[str, ...], asked: tuple[Ask, ...]) -> tuple[Ask, ...]:
    """The plugins' calls, each recorded as a step of the request's trace."""

    async def traced(name: str, ask: Ask, request: AdmissionRequest) -> None:
        async with request.step("plugin", name):
            await ask(request)

    return tuple(partial(traced, name, ask) for name, ask in zip(names, asked, strict=True))


def _meant(option: str, name: str, names: list[str], useful: list[str]) -> str:
    """What somebody may have wanted that named ``name``. ``useful``: those of the names that the option changes anything about."""
    if name == _TAKES_BACK:
        return f"to take back what was said before, give no name: --{option}="
    spelled = {one.lower(): one for one in names}
    close = get_close_matches(name.lower(), spelled, n=1)
    return f'did you mean "{spelled[close[0]]}"?' if close else f"there are {', '.join(useful or names)}"


def selected(
    plugins: tuple[Plugin, ...], *, enable: Iterable[str] = (), disable: Iterable[str] = (), off: Collection[str] = ()
) -> tuple[Plugin, ...]:
    """The plugins that are on, in the same order: all but ``off``, and as ``enable`` and ``disable`` say.

    Raises `UnknownPluginError` for a name that none has, and for one that stands on both lists.
    """
    enabled, disabled = list(enable), list(disable)
    names = [plugin.name for plugin in plugins]
    switched_on = [name for name in names if name not in off]
    for option, listed, useful in (
        ("enable-admission-plugins", enabled, [name for name in names if name in off]),
        ("disable-admission-plugins", disabled, switched_on),
    ):
        for name in listed:
            if name not in names:
                meant = _meant(option, name, names, useful)
                raise UnknownPluginError(f"--{option}: there is no admission plugin {quoted(name)}; {meant}")
    for name in enabled:
        if name in disabled:
            raise UnknownPluginError(f'"{name}" stands in --enable-admission-plugins and in --disable-admission-plugins')
    without = [name for name in (*off, *disabled) if name not in enabled]
    return tuple(plugin for plugin in plugins if plugin.name not in without)
