"""What makes the properties of a persistent volume right, wherever they stand: one storage behind it, and what goes with that."""

from collections.abc import Iterator
from posixpath import normpath

from svcsim.kinds.shared.checks import named
from svcsim.kinds.shared.persistent_volume_sources import SOURCES
from svcsim.kinds.shared.pod_spec.volume_rules import one_source
from svcsim.meta.errors import FieldError, forbidden_field, required
from svcsim.meta.names import dns_subdomain
from svcsim.meta.types import Json, Object

_ORDER = ("hostPath", *(field.name for field in SOURCES.fields if field.name != "hostPath"))


def persistent_volume_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if not spec.get("accessModes"):
        yield required(f"{path}.accessModes")
    given = [name for name in _ORDER if spec.get(name) is not None]
    if not given:
        yield required(path, "must specify a volume type")
    yield from one_source(given, path)
    yield from _recycled(spec, path)
    yield from _attributes_class(spec, path)


def _recycled(spec: Object, path: str) -> Iterator[FieldError]:
    """Nobody empties the root of a node."""
    place = (spec.get("hostPath") or {}).get("path")
    if place and normpath(place) in ("/", "//") and spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield forbidden_field(f"{path}.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")


def _attributes_class(spec: Object, path: str) -> Iterator[FieldError]:
    name, where = spec.get("volumeAttributesClassName"), f"{path}.volumeAttributesClassName"
    if name is None:
        return
    if not name:
        yield required(where, "an empty string is disallowed")
    yield from named(dns_subdomain)(name, where)
    if spec.get("csi") is None:
        yield required(f"{path}.csi", "has to be specified when using volumeAttributesClassName")


def node_affinity_rules(value: Json, path: str) -> Iterator[FieldError]:
    if value.get("required") is None:
        yield required(f"{path}.required", "must specify required node constraints")
