"""What a CustomResourceDefinition defines, as kinds like any others: one for each version.

The accepted names, not those that are wished for, are what a kind is called. The kind of the stored version comes first; the others are
converted to it. Versions that aren't served are known all the same, because objects may be stored in them from before. A definition that
hasn't been established defines nothing yet; while one is being deleted its stored version is served, so that its objects can be deleted.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from svcsim.dialect import Dialect
from svcsim.kinds.apiextensions.custom_rules import Rules
from svcsim.kinds.apiextensions.custom_scale import custom_scale
from svcsim.kinds.apiextensions.defined import NOTHING, Changed, ConverterOf, Defined
from svcsim.kinds.apiextensions.printer_columns import columns
from svcsim.meta.first_use import at_first_use
from svcsim.meta.objects import condition_is, copy_json, is_terminating, name_of
from svcsim.meta.types import Key, Object
from svcsim.registry.kind import (
    Context,
    Conversion,
    Converter,
    Definition,
    ForeignConversion,
    Group,
    Kind,
    Selectable,
    Status,
    Strategy,
    Subresource,
)
from svcsim.registry.kind_entry import KindEntry
from svcsim.schema.common import object_struct
from svcsim.schema.compile import Compiled, compile_struct
from svcsim.schema.structural import as_struct, parse

_TERMINATING_VERBS = ("delete", "deletecollection", "get", "list", "patch", "update", "watch")


def defined_by(definition: Object, dialect: Dialect, converter_of: ConverterOf, changed: Changed) -> Defined:
    """The kinds that a definition defines as it is now."""
    if not condition_is(definition, "Established"):
        return NOTHING
    versions = definition["spec"]["versions"]
    stored = next(version for version in versions if version.get("storage"))
    converter = converter_of(definition) if (definition["spec"].get("conversion") or {}).get("strategy") == "Webhook" else None
    source = Definition(key_of_definition(definition, dialect), *changed, abroad=converter is not None)
    storage_kind = _kind(definition, stored, dialect, source)
    served: list[Kind | KindEntry] = []
    known: list[Kind | KindEntry] = []
    (served if stored.get("served") else known).append(storage_kind)
    for version in versions:
        if version is not stored:
            load = partial(_converted, definition, version, dialect, source, storage_kind, converter)
            (served if version.get("served") else known).append(_entry(version["name"], load, storage_kind))
    defined = Defined(tuple(served), tuple(known))
    return terminating(defined) if is_terminating(definition) else defined


def terminating(defined: Defined) -> Defined:
    """The kinds of a terminating definition: nothing can be created. The stored version is served, so that objects can be deleted."""
    stored = next((kind for kind in (*defined.served, *defined.known) if isinstance(kind, Kind)), None)
    if stored is None:
        return defined
    going = replace(stored, verbs=_TERMINATING_VERBS)
    served, known = [
        tuple(_entry(kind.group.version, partial(_going, kind, going), going) for kind in kinds if isinstance(kind, KindEntry))
        for kinds in defined
    ]
    return Defined((going, *served), known)


def _going(version: KindEntry, stored: Kind) -> Kind:
    kind = version.load()
    assert kind.conversion is not None
    return replace(kind, verbs=_TERMINATING_VERBS, conversion=kind.conversion._replace(stored_as=stored))


def _entry(version: str, load: Callable[[], Kind], stored: Kind) -> KindEntry:
    """A version that isn't the stored one: made at the first use, for a definition may have hundreds that nobody uses."""
    group = stored.group._replace(version=version)
    return KindEntry(group, stored.plural, stored.name, at_first_use(load), stored.namespaced, stored_as=stored)


def key_of_definition(definition: Object, dialect: Dialect) -> Key:
    """Where the store has it."""
    return Key(f"customresourcedefinitions.{dialect.group('apiextensions')}", "", name_of(definition))


def _kind(
    definition: Object, version: Object, dialect: Dialect, source: Definition, conversion: Conversion | ForeignConversion | None = None
) -> Kind:
    """One version of the kind."""
    spec, names = definition["spec"], definition["status"]["acceptedNames"]
    root = parse((version.get("schema") or {}).get("openAPIV3Schema") or {}, dialect.extension_prefix)
    rules = Rules(root, dialect.extension_prefix)
    parts = version.get("subresources") or {}
    changes = (rules.of_change,)
    status = Subresource("status", writes=("status",), update_rules=changes, generation=False) if "status" in parts else None
    return Kind(
        Group(spec["group"], version["name"]),
        names["plural"],
        as_struct(names["kind"], root),
        short=tuple(names.get("shortNames") or ()),
        singular=names.get("singular") or "",
        list_name=names.get("listKind") or "",
        categories=tuple(names.get("categories") or ()),
        namespaced=spec["scope"] == "Namespaced",
        columns=columns(version),
        selectable=tuple(_selectable(version.get("selectableFields") or ())),
        status=None if status is None else Status(subresource=status),
        subresources=(custom_scale(parts["scale"]),) if parts.get("scale") else (),
        strategy=Strategy(create_rules=(rules.of_new,), update_rules=changes),
        generation=True,
        unconditional_update=False,
        conversion=conversion,
        deprecated=_deprecation(definition, version),
        definition=source,
    )


def _converted(
    definition: Object, version: Object, dialect: Dialect, source: Definition, stored: Kind, converter: Converter | None
) -> Kind:
    """A version that isn't the stored one."""
    if converter is not None:
        return _kind(definition, version, dialect, source, ForeignConversion(stored, converter))

    @at_first_use  # not before the first object is converted: a definition may have hundreds of versions
    def here() -> Compiled:
        return compile_struct(object_struct(as_struct(stored.name, parse(_schema(version), dialect.extension_prefix))))

    @at_first_use
    def there() -> Compiled:
        return compile_struct(object_struct(stored.schema))

    def to_stored(obj: Object, _context: Context) -> Object:
        return there().decode(obj)[0]

    def from_stored(obj: Object, _context: Context) -> Object:
        return here().decode(copy_json(obj))[0]

    return _kind(definition, version, dialect, source, Conversion(stored, to_stored, from_stored, from_any=True))


def _schema(version: Object) -> Object:
    schema: Object = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    return schema


def _selectable(declared: Iterable[Object]) -> Iterable[Selectable]:
    return (Selectable(field["jsonPath"].lstrip(".")) for field in declared)


def _deprecation(definition: Object, version: Object) -> str:
    if not version.get("deprecated"):
        return ""
    names = definition["status"]["acceptedNames"]
    told: str = version.get("deprecationWarning") or f"{definition['spec']['group']}/{version['name']} {names['kind']} is deprecated"
    return told
