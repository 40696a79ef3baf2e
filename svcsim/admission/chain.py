"""The admission chain: plugins in one explicit order, each asked only about what it handles.

Which plugins a kind of request concerns is found out once; a request that concerns none costs one look into a table.
"""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from svcsim import limits
from svcsim.admission.plugin import MutatingPlugin, Plugin, ValidatingPlugin
from svcsim.registry.admission import AdmissionRequest

P = TypeVar("P", bound=Plugin)
Concerned: TypeAlias = dict[tuple[str, str, str], tuple[P, ...]]
"""Plugins by operation, resource type and sub-resource."""


class UnknownPluginError(ValueError):
    """A plugin that was asked for by a name nobody has, or both ways."""


class Chain:
    """The plugins of a cluster; mutating and validating run in the order they are given."""

    def __init__(self, plugins: tuple[Plugin, ...]) -> None:
        self._mutating = tuple(plugin for plugin in plugins if isinstance(plugin, MutatingPlugin))
        self._validating = tuple(plugin for plugin in plugins if isinstance(plugin, ValidatingPlugin))
        self._mutators: Concerned[MutatingPlugin] = {}
        self._validators: Concerned[ValidatingPlugin] = {}

    async def mutate(self, request: AdmissionRequest) -> None:
        """Let every plugin concerned change the object; all of them once more, if one of them wants that."""
        plugins = _concerned(self._mutators, self._mutating, request)
        for plugin in plugins:
            await plugin.admit(request)
        if request.wants_reinvocation:
            request.is_reinvocation = True
            for plugin in plugins:
                await plugin.admit(request)

    async def validate(self, request: AdmissionRequest) -> None:
        """Let every plugin concerned object."""
        for plugin in _concerned(self._validators, self._validating, request):
            await plugin.validate(request)


def _concerned(known: Concerned[P], plugins: tuple[P, ...], request: AdmissionRequest) -> tuple[P, ...]:
    target, window = request.target, request.target.window
    key = (request.operation, target.resource.store_name, "" if window is None else window.name)
    found = known.get(key)
    if found is None:
        if len(known) >= limits.ADMISSION_MATCHES:
            known.clear()
        found = known[key] = tuple(plugin for plugin in plugins if any(rule.matches(request.operation, target) for rule in plugin.rules))
    return found


def selected(
    plugins: tuple[Plugin, ...], *, enable: Iterable[str] = (), disable: Iterable[str] = (), off: Iterable[str] = ()
) -> tuple[Plugin, ...]:
    """Those of the plugins that are on, in the same order: all but ``off``, and as ``enable`` and ``disable`` say.

    Raises `UnknownPluginError` for a name that none has, and for one that stands on both lists.
    """
    enabled, disabled = list(enable), list(disable)
    names = [plugin.name for plugin in plugins]
    for option, listed in (("enable-admission-plugins", enabled), ("disable-admission-plugins", disabled)):
        for name in listed:
            if name not in names:
                raise UnknownPluginError(f'--{option}: there is no admission plugin "{name}"; there are {", ".join(names)}')
    for name in enabled:
        if name in disabled:
            raise UnknownPluginError(f'"{name}" stands in --enable-admission-plugins and in --disable-admission-plugins')
    without = [name for name in (*off, *disabled) if name not in enabled]
    return tuple(plugin for plugin in plugins if plugin.name not in without)
