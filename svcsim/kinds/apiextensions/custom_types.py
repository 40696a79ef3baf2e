"""Custom types: the kinds that definitions define are served as long as the definitions say so.

Definitions are followed as they are committed, before the write is answered: a client that sees one established can use its kind. A
controller decides whether it is established (`svcsim.controllers.custom_resources`).
"""

import logging
from typing import NamedTuple

from svcsim.kinds.apiextensions.defined import NOTHING, Changed, ConverterOf, Defined
from svcsim.meta.codec import decode_json
from svcsim.meta.objects import condition_is, is_terminating, name_of, revision_of
from svcsim.meta.types import Json, Object
from svcsim.registry.scheme import Scheme, SchemeError
from svcsim.schema.structural_form import along, reading
from svcsim.storage.contract import CompactedError, Damage, Event, EventType, Store

logger = logging.getLogger(__name__)

_NOT_AS_DEFINITIONS_ARE = (LookupError, TypeError, AttributeError, StopIteration)
"""What comes of reading an object that no rule has looked at: what was stored before there was the rule, or past all rules."""


class _Basis(NamedTuple):
    """What the kinds of a definition depend on."""

    spec: Object
    names: Object
    """The accepted names."""
    established: bool
    going: bool


class _Known(NamedTuple):
    """A definition whose kinds are served, as far as they depend on it."""

    basis: _Basis
    defined: Defined
    changed: Changed


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
        from svcsim.kinds.apiextensions.custom_kinds import defined_by, terminating  # noqa: PLC0415 - brings CEL, which most clusters never need

        name = name_of(definition)
        known = self._known.get(name)
        # Whatever stands in the store, a cluster can be started, and the definition mended.
        try:
            basis = _basis(definition)
            if known is not None and known.basis == basis:
                return
            changed = self._changed(definition, basis, known)
            if known is not None and known.basis == basis._replace(going=False):
                defined = terminating(known.defined)
            else:
                defined = defined_by(definition, self._scheme.dialect, self._converter_of, changed)
        except ValueError as error:
            logger.error("%s defines nothing that can be served: %s", name, error)  # noqa: TRY400 - the message says it all
            return
        except _NOT_AS_DEFINITIONS_ARE as error:
            logger.error("%s defines nothing that can be served: it isn't built as definitions are (%r)", name, error)  # noqa: TRY400 - as above
            return
        if self._put(name, defined):
            self._known[name] = _Known(basis, defined, changed)

    def _changed(self, definition: Object, basis: _Basis, known: _Known | None) -> Changed:
        """When a definition last changed what it says of objects that are stored: the latest it can have been, if nobody saw that."""
        now = revision_of(definition)
        if known is None:
            return Changed(now, now) if (definition["metadata"].get("generation") or 1) > 1 else Changed(0, 0)
        prefix = self._scheme.dialect.extension_prefix
        revised = _stored_form(known.basis, prefix) != _stored_form(basis, prefix)
        reselected = _selectable(known.basis, prefix) != _selectable(basis, prefix)
        return Changed(now if revised else known.changed.revised, now if reselected else known.changed.reselected)

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


def _basis(definition: Object) -> _Basis:
    names = (definition.get("status") or {}).get("acceptedNames") or {}
    return _Basis(definition["spec"], names, condition_is(definition, "Established"), is_terminating(definition))


def _stored_form(basis: _Basis, prefix: str) -> tuple[Json, list[tuple[str, Object]]]:
    """What decides in which form objects are stored: where it is the same, the same is stored, and read alike."""
    return basis.names.get("kind"), [(version["name"], _reading(version, prefix)) for version in _stored_versions(basis)]


def _selectable(basis: _Basis, prefix: str) -> list[Json]:
    """What objects can be selected by, and what decides which values they have there: all of it goes by what is stored."""
    versions: list[Object] = basis.spec["versions"]
    declared = {version["name"]: [field["jsonPath"] for field in version.get("selectableFields") or ()] for version in versions}
    anywhere = list(dict.fromkeys(path for paths in declared.values() for path in paths))
    asked = [(version, anywhere if version.get("storage") else declared[version["name"]]) for version in versions]
    return [
        [version["name"], declared[version["name"]], [along(_reading(version, prefix), path.lstrip(".").split(".")) for path in paths]]
        for version, paths in asked
        if paths
    ]


def _stored_versions(basis: _Basis) -> list[Object]:
    return [version for version in basis.spec["versions"] if version.get("storage")]


def _reading(version: Object, prefix: str) -> Object:
    return reading((version.get("schema") or {}).get("openAPIV3Schema") or {}, prefix)
