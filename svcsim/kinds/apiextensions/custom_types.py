"""Custom types: the kinds that definitions define are served as long as the definitions say so.

Definitions are followed as they are committed, before whoever wrote is answered: who sees one established can use what it defines. Whether
it may be established is for a controller to say (`svcsim.controllers.custom_resources`).
"""

import logging
from typing import NamedTuple

from svcsim.kinds.apiextensions.defined import NOTHING, ConverterOf, Defined
from svcsim.meta.codec import decode_json
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.registry.scheme import Scheme, SchemeError
from svcsim.storage.contract import CompactedError, Damage, Event, EventType, Store

logger = logging.getLogger(__name__)

_NOT_AS_DEFINITIONS_ARE = (LookupError, TypeError, AttributeError, StopIteration)
"""What comes of reading an object that no rule has looked at: what was stored before there was the rule, or past all rules."""


class _Known(NamedTuple):
    """A definition whose kinds are served, as far as they depend on it."""

    basis: tuple[Object, Object, tuple[Object, ...]]
    defined: Defined


class CustomTypes:
    """Keeps a scheme as the definitions in a store say."""

    def __init__(self, scheme: Scheme, store: Store, converter_of: ConverterOf) -> None:
        self._scheme = scheme
        self._store = store
        self._converter_of = converter_of
        self._resource = f"customresourcedefinitions.{scheme.dialect.group('apiextensions')}"
        self._known: dict[str, _Known] = {}
        store.on_commit(self._resource, self._follow)

    async def start(self) -> None:
        """Serve what is defined already. A damaged definition serves nothing, and is named in the log."""
        damage: list[Damage] = []
        while True:
            try:
                async for _, bodies in self._store.bodies(self._resource, on_damage=damage.append):
                    for body in bodies:
                        definition = decode_json(body)
                        if name_of(definition) not in self._known:
                            self._take(definition)
                break
            except CompactedError:
                continue
        for _, _, error in damage:
            logger.error("a damaged definition defines nothing: %s", error)

    def _follow(self, event: Event) -> None:
        definition: Object = decode_json(event.record.body)
        if event.type is EventType.DELETED:
            self._put(name_of(definition), NOTHING)
            self._known.pop(name_of(definition), None)
        else:
            self._take(definition)

    def _take(self, definition: Object) -> None:
        from svcsim.kinds.apiextensions.custom_kinds import defined_by  # noqa: PLC0415 - brings CEL, which most clusters never need

        name = name_of(definition)
        known = self._known.get(name)
        # Whatever stands in the store, a cluster can be started, and the definition mended.
        try:
            basis = _basis(definition)
            if known is not None and known.basis == basis:
                return
            defined = defined_by(definition, self._scheme.dialect, self._converter_of)
        except ValueError as error:
            logger.error("%s defines nothing that can be served: %s", name, error)  # noqa: TRY400 - the message says it all
            return
        except _NOT_AS_DEFINITIONS_ARE as error:
            logger.error("%s defines nothing that can be served: it isn't built as definitions are (%r)", name, error)  # noqa: TRY400 - as above
            return
        if self._put(name, defined):
            self._known[name] = _Known(basis, defined)

    def _put(self, name: str, defined: Defined) -> bool:
        """Serve these kinds in the place of those a definition defined before; whether that was possible."""
        before = self._known.get(name)
        old = () if before is None else (*before.defined.served, *before.defined.known)
        if not old and not defined.served and not defined.known:
            return True
        try:
            self._scheme.replace(old, defined.served, defined.known)
        except SchemeError as error:
            logger.error("%s can't be served: %s", name, error)  # noqa: TRY400 - the message says it all
            return False
        return True


def _basis(definition: Object) -> tuple[Object, Object, tuple[Object, ...]]:
    """What the kinds of a definition depend on: what it says, its accepted names, and two of its conditions."""
    status = definition.get("status") or {}
    conditions = tuple(
        {"type": condition["type"], "status": condition.get("status")}
        for condition in status.get("conditions") or ()
        if condition.get("type") in {"Established", "Terminating"}
    )
    return definition["spec"], status.get("acceptedNames") or {}, conditions
