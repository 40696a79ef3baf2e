"""Whole objects within custom resources: what they have in common with all objects is kept and checked as it is of those.

Metadata that can't be read is kept as it is, so that an object in the store can always be read; a write is told what is wrong with it.
"""

from svcsim.meta.errors import FieldError, StatusError, invalid_value, required
from svcsim.meta.first_use import at_first_use
from svcsim.meta.names import dns_1035_label, path_segment, validate_metadata
from svcsim.meta.types import Json, Object
from svcsim.schema.common import OBJECT_META
from svcsim.schema.compile import compile_struct

_NAME_TO_COME = "unnamed"
"""What is embedded needs no name yet."""
_metadata = at_first_use(lambda: compile_struct(OBJECT_META))


def embedded_findings(value: Object, way: str) -> list[FieldError]:
    """What is wrong with an embedded object's version, kind and metadata; ``way`` is the path of its fields."""
    found: list[FieldError] = []
    for name, wrong_with in (("apiVersion", _wrong_version), ("kind", _wrong_kind)):
        said = value.get(name)
        if said is None:
            found.append(required(way + name, "must not be empty"))
        else:
            found += [invalid_value(way + name, said, why) for why in (wrong_with(said) if isinstance(said, str) else ["must be a string"])]
    if value.get("metadata") is not None:
        found += _metadata_findings(value["metadata"], f"{way}metadata")
    return found


def _wrong_version(said: str) -> list[str]:
    if not said:
        return ["must not be empty"]
    return [f"unexpected GroupVersion string: {said}"] if said.count("/") > 1 else []


def _wrong_kind(said: str) -> list[str]:
    if not said:
        return ["must not be empty"]
    findings = dns_1035_label(said.lower())
    return [f"may have mixed case, but should otherwise match: {','.join(findings)}"] if findings else []


def _metadata_findings(value: Json, path: str) -> list[FieldError]:
    if not isinstance(value, dict):
        return [invalid_value(path, value, "must be an object")]
    compiled = _metadata()
    try:
        metadata, _ = compiled.decode(value)
    except StatusError as error:
        return [invalid_value(path, value, error.message)]
    named = metadata if metadata.get("name") else {**metadata, "name": _NAME_TO_COME}
    findings = validate_metadata(named, path, namespaced="namespace" in metadata, name_rule=path_segment)
    return [*findings, *(finding._replace(path=f"{path}.{finding.path}") for finding in compiled.validate(metadata))]
