"""What a file says of the plugin EventRateLimit: how many events are stored."""

from collections.abc import Iterator
from typing import Final

from svcsim import limits
from svcsim.admission.event_rate_limit import EVENT_LIMITS, EventLimit
from svcsim.cluster.admission_config import AdmissionConfig, check_kind
from svcsim.cluster.plugin_fields import KIND, MalformedError, check_fields, malformed, objects, text, whole_number
from svcsim.dialect import Dialect
from svcsim.meta.errors import unsupported
from svcsim.meta.token_bucket import Allowance
from svcsim.meta.types import Object

_PLUGIN: Final = "EventRateLimit"
_KINDS: Final = (("eventratelimit.admission", "v1alpha1", "Configuration"),)
_FIELDS: Final = ("type", "qps", "burst", "cacheSize")


def event_limits(config: AdmissionConfig, dialect: Dialect) -> tuple[EventLimit, ...]:
    """The limits; none where there is no file. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return ()
    with found.named():
        check_kind(found.content, _KINDS, dialect)
        check_fields(found.content, (*KIND, "limits"))
        return tuple(_limits(found.content))


def _limits(content: Object) -> Iterator[EventLimit]:
    listed = objects(content, "limits", _FIELDS)
    if not listed:
        raise MalformedError("limits: there is none, and there has to be one at least")
    for index, one in enumerate(listed):
        path = f"limits[{index}]"
        type_ = text(one, "type", path)
        if type_ not in EVENT_LIMITS:
            raise malformed(unsupported(f"{path}.type", type_, tuple(EVENT_LIMITS)))
        allowed = Allowance(float(whole_number(one, "qps", path, 1)), whole_number(one, "burst", path, 1))
        yield EventLimit(type_, allowed, whole_number(one, "cacheSize", path, 0) or limits.EVENT_RATE_BUCKETS)
