"""What a file says of the plugin ImagePolicyWebhook: who is asked about images, how often, for how long an answer holds."""

from typing import Final, NamedTuple

from svcsim import limits
from svcsim.admission.image_policy_webhook import ImagePolicy
from svcsim.auth.webhook.reviewer import Reviewer
from svcsim.cluster.admission_config import OPTION, AdmissionConfig
from svcsim.cluster.plugin_fields import MalformedError, block, check_fields, text
from svcsim.dialect import Dialect
from svcsim.meta.types import Json, Object
from svcsim.outbound.client_configuration import remote_in_file
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import Remote

_PLUGIN: Final = "ImagePolicyWebhook"
_FIELD: Final = "imagePolicy"
_TTL_S: Final = {"allowTTL": 300.0, "denyTTL": 30.0}
_LONGEST_TTL_S: Final = 30 * 60.0
_LONGEST_BACKOFF_MS: Final = 5 * 60 * 1000
_BACKOFF_FACTOR: Final = 1.5
_NONE: Final = -1
"""Stands for no time at all."""


class ImageReview(NamedTuple):
    """Who is asked about images, how often, for how long an answer holds, and what holds where there is none."""

    remote: Remote
    pauses_s: tuple[float, ...]
    allow_ttl_s: float
    deny_ttl_s: float
    allowed: bool


def image_policy(config: AdmissionConfig, outbound: Outbound, dialect: Dialect) -> ImagePolicy | None:
    """How images are asked about; None where nothing says who is to be asked. Raises `ConfigurationError`."""
    asked = image_review(config, dialect)
    if asked is None:
        return None
    version = f"{dialect.group('imagepolicy')}/v1alpha1"
    reviewer = Reviewer(outbound, asked.remote, version, "ImageReview", pauses_s=asked.pauses_s)
    return ImagePolicy(reviewer, asked.allow_ttl_s, asked.deny_ttl_s, asked.allowed)


def image_review(config: AdmissionConfig, dialect: Dialect) -> ImageReview | None:
    """What the file says of that. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return None
    with found.named():
        check_fields(found.content, (_FIELD,))
        if found.content.get(_FIELD) is None:
            raise MalformedError(f"{_FIELD} is missing, which says what server to ask")
        policy = block(found.content, _FIELD, (dialect.webhook_config_field, *_TTL_S, "retryBackoff", "defaultAllow"))
        name = text(policy, dialect.webhook_config_field, _FIELD)
        if not name:
            raise MalformedError(f"{_FIELD}.{dialect.webhook_config_field} is missing")
        allowed: Json = policy.get("defaultAllow")
        if not isinstance(allowed, bool | None):
            raise MalformedError(f"{_FIELD}.defaultAllow is neither true nor false")
        pauses_s, (allow_ttl_s, deny_ttl_s) = _pauses(policy), (_seconds(policy, field) for field in _TTL_S)
    return ImageReview(remote_in_file(OPTION, found.path.parent / name, "image-policy"), pauses_s, allow_ttl_s, deny_ttl_s, bool(allowed))


def _seconds(policy: Object, field: str) -> float:
    """A lifetime: seconds, or -1 for none at all."""
    value = _number(policy, field)
    if not value:
        return _TTL_S[field]
    if value != _NONE and not 1 <= value <= _LONGEST_TTL_S:
        raise MalformedError(f"{_FIELD}.{field} is not between 1 and {_LONGEST_TTL_S:g} seconds, nor -1 for none")
    return max(value, 0.0)


def _pauses(policy: Object) -> tuple[float, ...]:
    """How long it is waited before each time a server in trouble is asked again: at first as long as is said, then longer each time."""
    value = _number(policy, "retryBackoff")
    if not value:
        return limits.WEBHOOK_REVIEW_PAUSES_S
    if value != _NONE and not (value.is_integer() and 1 <= value <= _LONGEST_BACKOFF_MS):
        raise MalformedError(f"{_FIELD}.retryBackoff is not between 1 and {_LONGEST_BACKOFF_MS} milliseconds, nor -1 for no pause")
    return tuple(max(value, 0.0) / 1000 * _BACKOFF_FACTOR**step for step in range(len(limits.WEBHOOK_REVIEW_PAUSES_S)))


def _number(policy: Object, field: str) -> float:
    """0 where there is none."""
    value: Json = policy.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float | None):
        raise MalformedError(f"{_FIELD}.{field} is no number")
    return float(value or 0)
