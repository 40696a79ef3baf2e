"""The server that a client configuration names: how webhooks of the server itself are configured."""

import base64
import binascii
from pathlib import Path

from svcsim.meta.codec import decode_yaml
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.outbound.remote import OutboundError, Remote, Trust, address_of_url


def remote_in_file(option: str, path: Path, name: str) -> Remote:
    """The server that the file's current context leads to. ``name`` is on whose behalf it is called.

    Raises `ConfigurationError`, for a file that can't be used.
    """
    try:
        config = decode_yaml(path.read_bytes())
        context = _entry(config, "contexts", "context", _text(config, "current-context"))
        cluster = _entry(config, "clusters", "cluster", _text(context, "cluster"))
        user = _entry(config, "users", "user", _text(context, "user")) if context.get("user") else {}
        address_of_url(_text(cluster, "server"))
        trust = Trust(
            _content(path, cluster, "certificate-authority"),
            _content(path, user, "client-certificate"),
            _content(path, user, "client-key"),
            verify=cluster.get("insecure-skip-tls-verify") is not True,
        )
    except OSError as error:
        raise ConfigurationError(f"{option}: can't read {error.filename or path}: {(error.strerror or str(error)).lower()}") from error
    except StatusError as error:
        raise ConfigurationError(f"{option}: {path}: {error.message}") from error
    except (OutboundError, ValueError) as error:
        raise ConfigurationError(f"{option}: {path}: {error}") from error
    headers = (("authorization", f"Bearer {user['token']}"),) if user.get("token") else ()
    return Remote(name, cluster["server"], trust=trust, headers=headers)


def _text(found: Json, field: str) -> str:
    value = found.get(field) if isinstance(found, dict) else None
    if not isinstance(value, str) or not value:
        raise ValueError(f"it has no {field}")
    return value


def _entry(config: Json, section: str, inner: str, name: str) -> Object:
    for entry in config.get(section) or ():
        if isinstance(entry, dict) and entry.get("name") == name and isinstance(entry.get(inner), dict):
            found: Object = entry[inner]
            return found
    raise ValueError(f'"{name}" is not among its {section}')


def _content(path: Path, entry: Object, field: str) -> bytes | None:
    data, file = entry.get(f"{field}-data"), entry.get(field)
    if data:
        try:
            return base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise ValueError(f"{field}-data is not base64") from error
    return (path.parent / file).read_bytes() if file else None
