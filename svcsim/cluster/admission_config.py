"""The configuration of admission plugins: a file (``--admission-control-config-file``), which may name one more for each of them.

All of it is read when the cluster is put together, so that a mistake doesn't wait for the first request to show.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from svcsim.cluster.plugin_fields import KIND, MalformedError, check_fields, objects, text
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_yaml_strict
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.configured_file import configured_file
from svcsim.meta.errors import StatusError
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
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
_ENTRY = ("name", "path", "configuration")


class Given(NamedTuple):
    """What a file says of one plugin. Paths in it are relative to its directory."""

    content: Object
    path: Path

    @contextmanager
    def named(self) -> Iterator[None]:
        """While this lasts, whatever is malformed is a `ConfigurationError` that names the file."""
        with _named(self.path):
            yield


class AdmissionConfig(NamedTuple):
    """What is said of the plugins."""

    plugins: Mapping[str, Given]

    def webhook_credentials(self, plugin: str, dialect: Dialect) -> Callable[[Remote], Remote]:
        """Makes the server known to the webhooks of a plugin."""
        found = self.plugins.get(plugin)
        if found is None:
            return _anonymous
        content, path = found
        with found.named():
            check_kind(content, _WEBHOOK_KINDS, dialect)
            check_fields(content, (*KIND, dialect.webhook_config_field))
            name = text(content, dialect.webhook_config_field)
        return WebhookCredentials.read(OPTION, path.parent / name).known_to if name else _anonymous


def read_admission_config(path: Path | None, dialect: Dialect) -> AdmissionConfig:
    """What the file says, if there is one. Raises `ConfigurationError`."""
    if path is None:
        return AdmissionConfig({})
    config = _read(path)
    with _named(path):
        check_kind(config, _KINDS, dialect)
        check_fields(config, (*KIND, "plugins"))
        found: dict[str, Given] = {}
        for index, one in enumerate(objects(config, "plugins", _ENTRY)):
            name = text(one, "name", f"plugins[{index}]")
            if name not in _CONFIGURABLE:
                known = ", ".join(_CONFIGURABLE)
                raise MalformedError(f"there is nothing to configure of a plugin {quoted(name)}; there is of {known}")
            if name in found:
                raise MalformedError(f'the plugin "{name}" is configured twice')
            found[name] = _of_plugin(one, f"plugins[{index}]", path)
    return AdmissionConfig(found)


def _of_plugin(entry: Object, where: str, path: Path) -> Given:
    """In place, or in a file of its own."""
    name = text(entry, "path", where)
    content: Json = entry.get("configuration")
    if content is not None:
        if not isinstance(content, dict):
            raise MalformedError(f"the configuration of {entry['name']} is no object")
        return Given(content, path)
    return Given(_read(path.parent / name), path.parent / name) if name else Given({}, path)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except MalformedError as error:
        raise ConfigurationError(f"{OPTION}: {path}: {error}") from error


def _read(path: Path) -> Object:
    try:
        value, _ = decode_yaml_strict(configured_file(OPTION, path))
    except StatusError as error:
        raise ConfigurationError(f"{OPTION}: {path}: {error.message}") from error
    if not isinstance(value, dict):
        raise ConfigurationError(f"{OPTION}: {path}: it is no object")
    found: Object = value
    return found


def check_kind(content: Object, kinds: tuple[tuple[str, str, str], ...], dialect: Dialect) -> None:
    """Each of the kinds that it may be, with its group and version; the first is today's. Raises `MalformedError`."""
    known = [(f"{dialect.group(group)}/{version}", kind) for group, version, kind in kinds]
    said = text(content, "apiVersion"), text(content, "kind")
    if said not in known:
        (version, kind), (said_version, said_kind) = known[0], said
        what = f"{_a(said_kind)} of {said_version}" if any(said) and "".join(said).isprintable() else "something else"
        raise MalformedError(f"it must be {_a(kind)} of {version}, and is {what}")


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in _VOWELS else 'a'} {kind}"


def _anonymous(remote: Remote) -> Remote:
    return remote
