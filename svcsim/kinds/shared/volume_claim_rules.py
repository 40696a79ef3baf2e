"""What makes a request for storage right, what is filled in, and what it warns of."""

from collections.abc import Iterator

from svcsim.dialect import DIALECTS
from svcsim.kinds.shared.checks import named
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_label, dns_subdomain, validate_annotations, validate_labels
from svcsim.meta.objects import get_path
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object

_CLAIM = "PersistentVolumeClaim"
_SNAPSHOTS = tuple((dialect.group("snapshot.storage"), "VolumeSnapshot") for dialect in DIALECTS.values())
_PLAIN_SOURCES = (("", _CLAIM), *_SNAPSHOTS)
"""Groups and kinds that ``dataSource`` can be of."""


def claim_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if not spec.get("accessModes"):
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    where = f"{path}.resources[storage]"
    if size is None:
        yield required(where)
    elif parse(size).number <= 0:
        yield invalid_value(where, size, "must be greater than zero")
    yield from _sources(spec, path)


def _sources(spec: Object, path: str) -> Iterator[FieldError]:
    plain, general = spec.get("dataSource"), spec.get("dataSourceRef")
    for name, source in (("dataSource", plain), ("dataSourceRef", general)):
        if source is not None:
            yield from _source(source, f"{path}.{name}")
    if plain is None or general is None:
        return
    if general.get("namespace"):
        yield invalid_value(path, f"{path}.dataSource", "may not be specified when dataSourceRef.namespace is specified")
    elif any((plain.get(name) or "") != (general.get(name) or "") for name in ("apiGroup", "kind", "name")):
        yield invalid_value(path, f"{path}.dataSource", "must match dataSourceRef")


def _source(source: Object, path: str) -> Iterator[FieldError]:
    """The rules of a data source: in the core group, only a claim can be one. The schema reports missing fields."""
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not group and kind != _CLAIM:
        yield invalid_value(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
    yield from named(dns_subdomain)(group, f"{path}.apiGroup")
    yield from named(dns_label)(source.get("namespace"), f"{path}.namespace")


def fill_claim(spec: Object) -> None:
    """Fill the two fields for the data source from each other; the older one only holds kinds that it could always hold."""
    plain, general = spec.get("dataSource"), spec.get("dataSourceRef")
    if plain and (plain.get("apiGroup") or "", plain.get("kind")) not in _PLAIN_SOURCES:
        del spec["dataSource"]
        plain = None
    if plain and not general:
        spec["dataSourceRef"] = dict(plain)
    elif general and not plain and not general.get("namespace"):
        spec["dataSource"] = {name: value for name, value in general.items() if name != "namespace"}


def alone_on_one_pod(modes: Json, path: str) -> Iterator[FieldError]:
    """``ReadWriteOncePod`` allows no other access mode."""
    if "ReadWriteOncePod" in modes and any(mode != "ReadWriteOncePod" for mode in modes):
        yield forbidden_field(path, "may not use ReadWriteOncePod with other access modes")


def template_metadata(value: Json, path: str) -> Iterator[FieldError]:
    """The rules of a template's metadata: only labels and annotations may be set."""
    yield from validate_annotations(value.get("annotations") or {}, f"{path}.annotations")
    yield from validate_labels(value.get("labels") or {}, f"{path}.labels")
    yield from (forbidden_field(f"{path}.{name}", "cannot be set") for name in value if name not in ("annotations", "labels"))


def claim_warnings(spec: Object, path: str) -> Iterator[str]:
    """Half a byte can't be stored."""
    size = get_path(spec, "resources.requests.storage")
    if size is not None and parse(size).millis() % 1000:
        yield f'{path}.resources.requests[storage]: fractional byte value "{size}" is invalid, must be an integer'
