"""What makes volumes right: one source each, with names and paths that can be."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative_amount
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.types import Json
from svcsim.schema.types import Rule

_TOKEN_MIN_S = 600
_TOKEN_MAX_S = 2**32
_CERTIFICATE_S = (3600, 91 * 86400)
_PROJECTIONS = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle", "podCertificate")


def needs(name: str) -> Rule:
    """A struct in which a text must stand that the API calls optional."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        if not value.get(name):
            yield required(f"{path}.{name}")

    return check


def no_backsteps(value: Json, path: str) -> Iterator[FieldError]:
    """A path that doesn't climb."""
    if ".." in value.split("/"):
        yield invalid_value(path, value, "must not contain '..'")


def absolute(value: Json, path: str) -> Iterator[FieldError]:
    """A path from the root."""
    if not value.startswith("/"):
        yield invalid_value(path, value, "must be an absolute path")


def empty_dir_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Not less than nothing fits in."""
    limit = value.get("sizeLimit")
    if limit is not None and any(not_negative_amount(limit, path)):
        yield forbidden_field(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def token_lifetime(value: Json, path: str) -> Iterator[FieldError]:
    """Long enough to be renewed in time."""
    if value < _TOKEN_MIN_S:
        yield invalid_value(path, value, "may not specify a duration less than 10 minutes")
    if value > _TOKEN_MAX_S:
        yield invalid_value(path, value, "may not specify a duration larger than 2^32 seconds")


def certificate_lifetime(value: Json, path: str) -> Iterator[FieldError]:
    """From an hour to three months."""
    low, high = _CERTIFICATE_S
    if value < low:
        yield invalid_value(path, value, f"if provided, maxExpirationSeconds must be greater than or equal to {low}")
    if value > high:
        yield invalid_value(path, value, f"if provided, maxExpirationSeconds must be less than or equal to {high}")


def projection_rules(value: Json, path: str) -> Iterator[FieldError]:
    """One source in each item of a projected volume."""
    given = [name for name in _PROJECTIONS if value.get(name) is not None]
    if not given:
        yield required(path, "at least one source must be specified")
    for name in given[1:]:
        yield forbidden_field(f"{path}.{name}", "may not specify more than 1 volume type")
