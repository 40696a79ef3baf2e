"""An EncryptionConfiguration, read: strictly, since a slip in it leaves secrets lying open, or locks them away.

What is wrong is one line that says where, and never shows a key.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping

from svcsim.auth.at_rest.at_rest import MARK, Provider, Rule, takes_in
from svcsim.auth.at_rest.providers import AesCbc, AesGcm, Cipher, SecretBox, UnavailableError
from svcsim.meta.documents import decode_documents
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object

KIND = "EncryptionConfiguration"
_AES_BYTES = (16, 24, 32)
_IDENTITY = "identity"
_CIPHERS: Mapping[str, tuple[Callable[[bytes], Cipher], tuple[int, ...]]] = {
    "aescbc": (AesCbc, _AES_BYTES),
    "aesgcm": (AesGcm, _AES_BYTES),
    "secretbox": (SecretBox, (32,)),
}
"""What makes each of them, and how long its keys are."""
_RESOURCE = re.compile(r"(?:\*|[a-z0-9-]+)(?:\.[a-z0-9.-]*)?")


class EncryptionConfigurationError(Exception):
    """It is no good. The message says where, and why."""


def read_rules(content: bytes, api_version: str) -> tuple[Rule, ...]:
    """The rules of a configuration of that version. Raises `EncryptionConfigurationError`."""
    try:
        documents = list(decode_documents(content))
    except StatusError as error:
        raise EncryptionConfigurationError(error.message.splitlines()[0]) from None  # what it came of may show a key
    if len(documents) != 1:
        raise EncryptionConfigurationError(f"one {KIND} is needed, there are {len(documents)}")
    given = _fields(documents[0], "the configuration", ("apiVersion", "kind", "metadata", "resources"))
    said = (given.get("apiVersion"), given.get("kind"))
    if said != (api_version, KIND):
        raise EncryptionConfigurationError(f"it has to be apiVersion: {api_version}, kind: {KIND}, not {said[0]}, {said[1]}")
    blocks = _items(given.get("resources"), "resources")
    rules = tuple(_rule(block, f"resources[{index}]") for index, block in enumerate(blocks))
    _check_reached([resource for rule in rules for resource in rule.resources])
    return rules


def _rule(given: Json, where: str) -> Rule:
    block = _fields(given, where, ("resources", "providers"))
    resources = _items(block.get("resources"), f"{where}.resources")
    for index, resource in enumerate(resources):
        _check_resource(resource, f"{where}.resources[{index}]")
    providers = _items(block.get("providers"), f"{where}.providers")
    found = [one for index, provider in enumerate(providers) for one in _providers(provider, f"{where}.providers[{index}]")]
    return Rule(tuple(resources), tuple(found))


def _check_resource(resource: Json, where: str) -> None:
    if not isinstance(resource, str) or not resource:
        raise EncryptionConfigurationError(f"{where}: a resource is needed, such as secrets, deployments.apps, *.apps or *.*")
    if resource == "*":
        raise EncryptionConfigurationError(f"{where}: use *. for all resources of the core group, or *.* for all there are")
    if "/" in resource:
        raise EncryptionConfigurationError(f"{where}: {resource} is a subresource, which is stored with its resource")
    if resource != resource.lower():
        raise EncryptionConfigurationError(f"{where}: {resource} is no resource: they are in lower case")
    if resource != "*.*" and not _RESOURCE.fullmatch(resource):
        raise EncryptionConfigurationError(f"{where}: {resource} is no resource: such as secrets, deployments.apps, *.apps or *.*")


def _check_reached(resources: list[str]) -> None:
    """The first that takes a resource in counts: one that can never count is a slip."""
    for index, resource in enumerate(resources):
        for earlier in resources[:index]:
            if earlier == resource:
                raise EncryptionConfigurationError(f"{resource} stands there more than once, and only the first counts")
            group = resource.removeprefix("*.") if resource.startswith("*.") else None
            masked = takes_in(earlier, resource) if group is None else earlier == "*.*"
            if masked:
                raise EncryptionConfigurationError(f"{resource} never counts: {earlier} takes it in and stands before it")


def _providers(given: Json, where: str) -> Iterator[Provider]:
    """A provider for each key that stands there, or the one that leaves things as they are."""
    if not isinstance(given, dict) or len(given) != 1:
        raise EncryptionConfigurationError(f"{where}: one provider is needed: {', '.join(_CIPHERS)} or {_IDENTITY}")
    (name, block), *_ = given.items()
    where = f"{where}.{name}"
    if name == _IDENTITY:
        if block:
            raise EncryptionConfigurationError(f"{where}: it takes no settings: {{}}")
        yield Provider()
        return
    if name == "kms":
        raise EncryptionConfigurationError(f"{where}: svcsim asks no key management service; there are {', '.join(_CIPHERS)}")
    if name not in _CIPHERS:
        raise EncryptionConfigurationError(f"{where}: no such provider; there are {', '.join(_CIPHERS)} and {_IDENTITY}")
    keys = _items(_fields(block, where, ("keys",)).get("keys"), f"{where}.keys")
    for index, key in enumerate(keys):
        yield _provider(name, key, f"{where}.keys[{index}]")


def _provider(cipher: str, given: Json, where: str) -> Provider:
    key = _fields(given, where, ("name", "secret"))
    name = key.get("name")
    if not isinstance(name, str) or not name or ":" in name or not name.isprintable():
        raise EncryptionConfigurationError(f"{where}.name: a name is needed, without a colon")
    make, lengths = _CIPHERS[cipher]
    secret = _secret(key.get("secret"), f"{where}.secret")
    if len(secret) not in lengths:
        wanted = ", ".join(map(str, lengths[:-1])) + (" or " if lengths[:-1] else "") + str(lengths[-1])
        raise EncryptionConfigurationError(f"{where}.secret: {cipher} takes a key of {wanted} bytes, this one has {len(secret)}")
    try:
        return Provider(MARK + f"{cipher}:v1:{name}:".encode(), make(secret))
    except UnavailableError as error:
        raise EncryptionConfigurationError(f"{where}: {error}") from error


def _secret(given: Json, where: str) -> bytes:
    try:
        return base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise EncryptionConfigurationError(f"{where}: the key is needed, in base64") from None


def _fields(given: Json, where: str, known: tuple[str, ...]) -> Object:
    if not isinstance(given, dict):
        raise EncryptionConfigurationError(f"{where}: a map is needed, with {', '.join(known)}")
    unknown = [name for name in given if name not in known]
    if unknown:
        raise EncryptionConfigurationError(f"{where}: unknown field {unknown[0]}; there are {', '.join(known)}")
    return given


def _items(given: Json, where: str) -> list[Json]:
    if not isinstance(given, list) or not given:
        raise EncryptionConfigurationError(f"{where}: a list with something in it is needed")
    return given
