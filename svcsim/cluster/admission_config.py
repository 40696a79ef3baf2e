"""The configuration of admission plugins: a file (``--admission-control-config-file``), which may name one more for each of them.

All of it is read when the cluster is put together, so that a mistake doesn't wait for the first request to show.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from svcsim import limits
from svcsim.admission.image_policy_webhook import ImagePolicy
from svcsim.auth.webhook.reviewer import Reviewer
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_yaml_strict
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.configured_file import configured_file
from svcsim.meta.errors import FieldError, StatusError, invalid_value
from svcsim.meta.types import Json, Object
from svcsim.outbound.client_configuration import remote_in_file
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import Remote
from svcsim.outbound.webhook_credentials import WebhookCredentials

OPTION = "--admission-control-config-file"
WEBHOOKS = ("MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")
_IMAGE_POLICY = "ImagePolicyWebhook"
_OTHERS = ("EventRateLimit", "PodNodeSelector", "PodSecurity", "PodTolerationRestriction", "ResourceQuota")
_CONFIGURABLE = (*WEBHOOKS, _IMAGE_POLICY, *_OTHERS)
_KINDS = (("apiserver.config", "v1", "AdmissionConfiguration"), ("apiserver", "v1alpha1", "AdmissionConfiguration"))
_WEBHOOK_KINDS = (("apiserver.config", "v1", "WebhookAdmissionConfiguration"), ("apiserver.config", "v1alpha1", "WebhookAdmission"))
_VOWELS = tuple("AEIOU")
_FIELDS = ("apiVersion", "kind", "plugins")
_TTL_S = {"allowTTL": 300.0, "denyTTL": 30.0}
_LONGEST_TTL_S = 30 * 60.0
_LONGEST_BACKOFF_MS = 5 * 60 * 1000
_BACKOFF_FACTOR = 1.5


class MalformedError(Exception):
    """Names the field of a plugin's configuration, and says what is wrong with it."""


class Given(NamedTuple):
    """What a file says of one plugin. Paths in it are relative to its directory."""

    content: Object
    path: Path

    @contextmanager
    def named(self) -> Iterator[None]:
        """While this lasts, whatever is malformed is a `ConfigurationError` that names the file."""
        try:
            yield
        except MalformedError as error:
            raise ConfigurationError(f"{OPTION}: {self.path}: {error}") from error


def malformed(finding: FieldError) -> MalformedError:
    return MalformedError(f"{finding.path}: {finding.message}")


def objects(content: Object, field: str) -> list[Object]:
    """A list of objects. Raises `MalformedError`."""
    listed: Json = content.get(field) or []
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise MalformedError(f"{field}: it is no list of objects")
    return listed


def texts(content: Object, field: str, path: str) -> tuple[str, ...]:
    """A list of texts. Raises `MalformedError`."""
    listed: Json = content.get(field) or []
    if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
        raise MalformedError(f"{path}.{field}: it is no list of texts")
    return tuple(listed)


def whole_number(content: Object, field: str, path: str, least: int) -> int:
    """A number; 0 where there is none. Raises `MalformedError`."""
    value: Json = content.get(field) or 0
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise malformed(invalid_value(f"{path}.{field}", value, f"must be a whole number of at least {least}"))
    return value


class ImageReview(NamedTuple):
    """Who is asked about images, how often, for how long an answer holds, and what holds where there is none."""

    remote: Remote
    pauses_s: tuple[float, ...]
    allow_ttl_s: float
    deny_ttl_s: float
    allowed: bool


class AdmissionConfig(NamedTuple):
    """What is said of the plugins."""

    plugins: Mapping[str, Given]

    def webhook_credentials(self, plugin: str, dialect: Dialect) -> Callable[[Remote], Remote]:
        """Makes the server known to the webhooks of a plugin."""
        found = self.plugins.get(plugin)
        if found is None:
            return _anonymous
        content, path = found
        check_kind(path, content, _WEBHOOK_KINDS, dialect)
        name = _text(content, dialect.webhook_config_field, path)
        return WebhookCredentials.read(OPTION, path.parent / name).known_to if name else _anonymous

    def image_policy(self, outbound: Outbound, dialect: Dialect) -> ImagePolicy | None:
        """How images are asked about; None where nothing says who is to be asked. Raises `ConfigurationError`."""
        asked = self.image_review(dialect)
        if asked is None:
            return None
        version = f"{dialect.group('imagepolicy')}/v1alpha1"
        reviewer = Reviewer(outbound, asked.remote, version, "ImageReview", pauses_s=asked.pauses_s)
        return ImagePolicy(reviewer, asked.allow_ttl_s, asked.deny_ttl_s, asked.allowed)

    def image_review(self, dialect: Dialect) -> ImageReview | None:
        """What the file says of that. Raises `ConfigurationError`."""
        found = self.plugins.get(_IMAGE_POLICY)
        if found is None:
            return None
        policy: Json = found.content.get("imagePolicy")
        if not isinstance(policy, dict):
            raise ConfigurationError(f"{OPTION}: {found.path}: imagePolicy is missing, which says what server to ask")
        name = _text(policy, dialect.webhook_config_field, found.path)
        if not name:
            raise ConfigurationError(f"{OPTION}: {found.path}: imagePolicy.{dialect.webhook_config_field} is missing")
        remote = remote_in_file(OPTION, found.path.parent / name, "image-policy")
        pauses_s = _pauses(policy, found.path)
        allow_ttl_s, deny_ttl_s = (_seconds(policy, field, found.path) for field in _TTL_S)
        allowed: Json = policy.get("defaultAllow", False)
        if not isinstance(allowed, bool):
            raise ConfigurationError(f"{OPTION}: {found.path}: imagePolicy.defaultAllow is neither true nor false")
        return ImageReview(remote, pauses_s, allow_ttl_s, deny_ttl_s, allowed)


def read_admission_config(path: Path | None, dialect: Dialect) -> AdmissionConfig:
    """What the file says, if there is one. Raises `ConfigurationError`."""
    if path is None:
        return AdmissionConfig({})
    config = _read(path)
    check_kind(path, config, _KINDS, dialect)
    for field in config:
        if field not in _FIELDS:
            raise ConfigurationError(f'{OPTION}: {path}: it has no field "{field}"; it has {", ".join(_FIELDS)}')
    found: dict[str, Given] = {}
    listed: Json = config.get("plugins") or []
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise ConfigurationError(f"{OPTION}: {path}: plugins is no list of plugins")
    for one in listed:
        name = _text(one, "name", path)
        if name not in _CONFIGURABLE:
            known = ", ".join(_CONFIGURABLE)
            raise ConfigurationError(f'{OPTION}: {path}: there is nothing to configure of a plugin "{name}"; there is of {known}')
        if name in found:
            raise ConfigurationError(f'{OPTION}: {path}: the plugin "{name}" is configured twice')
        found[name] = _of_plugin(one, path)
    return AdmissionConfig(found)


def _of_plugin(entry: Object, path: Path) -> Given:
    """In place, or in a file of its own."""
    content: Json = entry.get("configuration")
    if content is not None:
        if not isinstance(content, dict):
            raise ConfigurationError(f"{OPTION}: {path}: the configuration of {entry['name']} is no object")
        return Given(content, path)
    name = _text(entry, "path", path)
    return Given(_read(path.parent / name), path.parent / name) if name else Given({}, path)


def _read(path: Path) -> Object:
    try:
        value, _ = decode_yaml_strict(configured_file(OPTION, path))
    except StatusError as error:
        raise ConfigurationError(f"{OPTION}: {path}: {error.message}") from error
    if not isinstance(value, dict):
        raise ConfigurationError(f"{OPTION}: {path}: it is no object")
    found: Object = value
    return found


def check_kind(path: Path, content: Object, kinds: tuple[tuple[str, str, str], ...], dialect: Dialect) -> None:
    """Each of the kinds that it may be, with its group and version; the first is today's. Raises `ConfigurationError`."""
    known = [(f"{dialect.group(group)}/{version}", kind) for group, version, kind in kinds]
    said = content.get("apiVersion") or "", content.get("kind") or ""
    if said not in known:
        (version, kind), (said_version, said_kind) = known[0], said
        what = f"{_a(said_kind)} of {said_version}" if any(said) else "something else"
        raise ConfigurationError(f"{OPTION}: {path}: it must be {_a(kind)} of {version}, and is {what}")


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in _VOWELS else 'a'} {kind}"


def _text(block: Object, field: str, path: Path) -> str:
    value: Json = block.get(field)
    if value is not None and not isinstance(value, str):
        raise ConfigurationError(f"{OPTION}: {path}: {field} is not a string")
    return value or ""


def _seconds(policy: Object, field: str, path: Path) -> float:
    """A lifetime: seconds, or -1 for none at all."""
    value: Json = policy.get(field)
    if not value:
        return _TTL_S[field]
    if isinstance(value, bool) or not isinstance(value, int | float) or (value < 1 and value != -1) or value > _LONGEST_TTL_S:
        raise ConfigurationError(f"{OPTION}: {path}: imagePolicy.{field} is not between 1 and {_LONGEST_TTL_S:g} seconds, nor -1 for none")
    return max(float(value), 0.0)


def _pauses(policy: Object, path: Path) -> tuple[float, ...]:
    """How long it is waited before each time a server in trouble is asked again: at first as long as is said, then longer each time."""
    value: Json = policy.get("retryBackoff")
    if not value:
        return limits.WEBHOOK_REVIEW_PAUSES_S
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LONGEST_BACKOFF_MS:
        raise ConfigurationError(f"{OPTION}: {path}: imagePolicy.retryBackoff is not between 1 and {_LONGEST_BACKOFF_MS} milliseconds")
    return tuple(value / 1000 * _BACKOFF_FACTOR**step for step in range(len(limits.WEBHOOK_REVIEW_PAUSES_S)))


def _anonymous(remote: Remote) -> Remote:
    return remote
