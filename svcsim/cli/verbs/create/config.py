"""``create configmap`` and ``create secret``."""

import base64
import hashlib
import ssl
import tempfile
from pathlib import Path

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, switch, words
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.verbs.create.from_flags import creator, new, ordered_json
from svcsim.cli.verbs.create.sources import SOURCE_FLAGS, entries, from_file, split_source
from svcsim.meta.types import Object
from svcsim.printing.values import compact_json, quote

_HASH_FLAG = switch("append-hash", "Append a hash of the content to the name.")
_DOCKER_KEY = ".dockerconfigjson"
_SUFFIX = str.maketrans("013ae", "ghkmt")


def configmap(call: Call, name: str) -> Object:
    """A config map; values that aren't text go where bytes do."""
    data: Object = {}
    binary: Object = {}
    for key, value in entries(call, lambda key, wrong: f"{key} is not a valid key name for a ConfigMap: {wrong}"):
        for field, known in (("Data", data), ("BinaryData", binary)):
            if key in known:
                raise CommandError(
                    f'cannot add key {quote(key)}, another key by that name already exists in {field} for ConfigMap "{name}"'
                )
        try:
            data[key] = value.decode()
        except UnicodeDecodeError:
            binary[key] = base64.b64encode(value).decode()
    obj = new("v1", "ConfigMap", name)
    if data:
        obj["data"] = dict(sorted(data.items()))
    if binary:
        obj["binaryData"] = dict(sorted(binary.items()))
    return _hashed(call, obj, {"data": data or None, **({"binaryData": binary} if binary else {})})


def generic(call: Call, name: str) -> Object:
    """A secret of any type."""
    data: dict[str, bytes] = {}
    for key, value in entries(call, lambda key, wrong: f"{key} is not valid key name for a Secret {wrong}"):
        _put(data, key, value)
    return _secret(call, name, call.options.text("type"), data)


def _put(data: dict[str, bytes], key: str, value: bytes) -> None:
    if key in data:
        raise CommandError(f"cannot add key {key}, another key by that name already exists")
    data[key] = value


def docker_registry(call: Call, name: str) -> Object:
    """A secret to log in to an image registry with."""
    options = call.options
    user, password, server = (options.text(f"docker-{part}") for part in ("username", "password", "server"))
    files = options.items("from-file")
    if not files and not (user and password and server):
        raise CommandError("either --from-file or the combination of --docker-username, --docker-password and --docker-server is required")
    data: dict[str, bytes] = {}
    for source in files:
        key, _ = split_source(source)
        for entry in from_file(source):
            _put(data, key if "=" in source else _DOCKER_KEY, entry.value)
    if not files:
        login: Object = {"username": user, "password": password}
        if options.text("docker-email"):
            login["email"] = options.text("docker-email")
        login["auth"] = base64.b64encode(f"{user}:{password}".encode()).decode()
        data[_DOCKER_KEY] = ordered_json({"auths": {server: login}}).encode()
    return _secret(call, name, call.session.dialect.key("dockerconfigjson"), data)


def tls(call: Call, name: str) -> Object:
    """A secret that holds a certificate and its key."""
    paths = call.options.text("cert"), call.options.text("key")
    if not all(paths):
        raise CommandError("key and cert must be specified")
    cert, key = (_read(path) for path in paths)
    _check_pair(cert, key)
    return _secret(call, name, call.session.dialect.key("tls"), {"tls.crt": cert, "tls.key": key})


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"Cannot read file {path}, open {path}: {(error.strerror or str(error)).lower()}") from error


def _check_pair(cert: bytes, key: bytes) -> None:
    if b"-----BEGIN " not in cert:
        raise CommandError("tls: failed to find any PEM data in certificate input")
    if b"-----BEGIN CERTIFICATE-----" not in cert:
        raise CommandError(
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
        )
    if b"-----BEGIN " not in key:
        raise CommandError("tls: failed to find any PEM data in key input")
    if b"PRIVATE KEY-----" not in key:
        raise CommandError("tls: found a certificate rather than a key in the PEM for the private key")
    with tempfile.TemporaryDirectory(prefix="svcsim-tls-") as directory:
        files = [Path(directory) / part for part in ("cert", "key")]
        for file, content in zip(files, (cert, key), strict=True):
            file.write_bytes(content)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(files[0], files[1])
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                raise CommandError("tls: private key does not match public key") from error
            raise CommandError(f"tls: certificate or key can't be read: {error.reason or error}") from error


def _secret(call: Call, name: str, kind: str, data: dict[str, bytes]) -> Object:
    encoded = {key: base64.b64encode(value).decode() for key, value in sorted(data.items())}
    obj = new("v1", "Secret", name)
    if encoded:
        obj["data"] = encoded
    if kind:
        obj["type"] = kind
    return _hashed(call, obj, {"type": kind, "data": encoded or None})


def _hashed(call: Call, obj: Object, content: Object) -> Object:
    """With a hash of its content behind its name, if that is asked for: another content then has another name."""
    if not call.options.on("append-hash"):
        return obj
    metadata = obj["metadata"]
    digest = hashlib.sha256(compact_json({"kind": obj["kind"], "name": metadata["name"], **content}).encode()).hexdigest()
    return {**obj, "metadata": {**metadata, "name": f"{metadata['name']}-{digest[:10].translate(_SUFFIX)}"}}


CONFIGMAP = creator(
    "configmap NAME [--from-file=[KEY=]FILE] [--from-literal=KEY=VALUE] [flags]",
    "Create a config map from literals, files and directories.",
    (*SOURCE_FLAGS, _HASH_FLAG),
    configmap,
    failed="failed to create configmap:",
    aliases=("cm",),
)
SECRET = Command(
    "secret",
    "secret (docker-registry | generic | tls) [flags]",
    "Create a secret of one of several types.",
    subcommands=(
        creator(
            "docker-registry NAME --docker-username=USER --docker-password=PASSWORD [flags]",
            "Create a secret with the credentials of an image registry.",
            (
                Flag("docker-username", doc="The user to log in as."),
                Flag("docker-password", doc="The password to log in with."),
                Flag("docker-email", doc="The user's e-mail address."),
                Flag("docker-server", default="https://index.docker.io/v1/", doc="The address of the registry."),
                words("from-file", "A file with the configuration of a registry client.", metavar="file"),
                _HASH_FLAG,
            ),
            docker_registry,
            failed="failed to create secret",
            parent="create secret",
        ),
        creator(
            "generic NAME [--type=TYPE] [--from-file=[KEY=]FILE] [--from-literal=KEY=VALUE] [flags]",
            "Create a secret from literals, files and directories.",
            (*SOURCE_FLAGS, _HASH_FLAG, Flag("type", doc="The secret's type.")),
            generic,
            failed="failed to create secret",
            parent="create secret",
        ),
        creator(
            "tls NAME --cert=FILE --key=FILE [flags]",
            "Create a secret with a certificate and its key.",
            (
                Flag("cert", doc="The PEM file of the certificate.", metavar="file"),
                Flag("key", doc="The PEM file of its private key.", metavar="file"),
                _HASH_FLAG,
            ),
            tls,
            failed="failed to create secret",
            parent="create secret",
        ),
    ),
)
