"""Versions of kinds from before they were stable, which had the same fields: for programs that know no other. Served where asked for."""

from dataclasses import replace

from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Conversion, Deprecation, Group, Kind, Strategy


def earlier_version(kind: Kind, group: Group, *, deprecated: str, gone: str) -> Kind:
    """The kind in another version of its group, deprecated since one release and gone with another."""
    return replace(
        kind,
        group=group,
        strategy=Strategy(),  # what the stored version demands is enough
        conversion=Conversion(kind, to_stored=_same, from_stored=_same),
        deprecated=Deprecation(deprecated, kind.group, kind.name, gone),
    )


def _same(obj: Object, _: Context) -> Object:
    return obj
