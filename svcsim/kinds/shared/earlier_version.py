"""Versions of kinds from before they were stable, which had the same fields: for programs that know no other."""

from dataclasses import replace

from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Conversion, Deprecation, Group, Kind, Strategy


def earlier_version(kind: Kind, group: Group, *, deprecated: str = "", gone: str = "", served: bool = False) -> Kind:
    """The kind in another version of its group: deprecated since one release, if it is yet, and gone with another.

    Served where it is asked for, or by itself.
    """
    return replace(
        kind,
        group=group,
        schema=kind.schema.once_more(),  # a type is described as that of one version, by one name
        strategy=Strategy(),  # what the stored version demands is enough
        conversion=Conversion(kind, to_stored=_same, from_stored=_same),
        deprecated=Deprecation(deprecated, kind.group, kind.name, gone) if deprecated else None,
        served=served,
    )


def _same(obj: Object, _: Context) -> Object:
    return obj
