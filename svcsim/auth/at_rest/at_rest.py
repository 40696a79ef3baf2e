"""Which objects are encrypted on the disk, and with what: the store's `Transformer`.

What is written so begins with the cipher and the name of the key, ``enc:aesgcm:v1:key1:``, which tells nobody anything and spares trying
all keys. A list of providers belongs to some resources; the first of them writes, any of them reads. ``identity``, which leaves objects as
they are, is one of them: without it, what isn't encrypted can't be read either, as in Kubernetes.

Encrypted is the object as it is served, all of it. What the store has to find objects by stands beside it and is not: their names, labels,
owners, and the fields that they can be selected by, which for a Secret is its type.
"""

from typing import NamedTuple

from svcsim.auth.at_rest.providers import Cipher, DecryptionError
from svcsim.meta.types import Key
from svcsim.storage.contract import CorruptError

MARK = b"enc:"
OPTION = "--encryption-provider-config"
_EVERY = "*"


class Provider(NamedTuple):
    """A cipher with a key, or, without one, objects as they are."""

    prefix: bytes = b""
    """What its objects begin with."""
    cipher: Cipher | None = None


class Rule(NamedTuple):
    """What some resources are stored with."""

    resources: tuple[str, ...]
    """``secrets``, ``deployments.apps``, ``*.apps`` for all of a group, ``*.`` for all of the core group, ``*.*`` for all."""
    providers: tuple[Provider, ...]


def takes_in(pattern: str, resource: str) -> bool:
    """Whether a resource, by its name in the store, is meant by a pattern of a rule."""
    if pattern == "*.*":
        return True
    plural, _, group = pattern.partition(".")
    return resource.partition(".")[2] == group if plural == _EVERY else pattern == resource


class AtRest:
    """The rules of a cluster. `replace` puts others in their place."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        self._found: dict[str, tuple[Provider, ...]] = {}
        """What the rules say of each resource that was ever asked about: there are as many as the cluster has."""

    def replace(self, rules: tuple[Rule, ...]) -> None:
        """Go by others from now on."""
        self._rules = rules
        self._found = {}

    def _providers(self, resource: str) -> tuple[Provider, ...]:
        """The providers of a resource, by the first rule that contains it; none if it isn't encrypted."""
        found = self._found.get(resource)
        if found is None:
            rules = (rule for rule in self._rules if any(takes_in(pattern, resource) for pattern in rule.resources))
            found = self._found[resource] = next((rule.providers for rule in rules), ())
        return found

    def concerns(self, resource: str) -> bool:
        """Whether there is a rule for it."""
        return bool(self._providers(resource))

    def to_disk(self, key: Key, body: bytes) -> bytes:
        """As the first provider writes it."""
        first = self._providers(key.resource)[0]
        return body if first.cipher is None else first.prefix + first.cipher.encrypted(key, body)

    def is_foreign(self, stored: bytes) -> bool:
        """Whether it was encrypted."""
        return stored.startswith(MARK)

    def from_disk(self, key: Key, stored: bytes) -> bytes:
        """The body, by whichever provider wrote it. Raises `CorruptError`."""
        encrypted = stored.startswith(MARK)
        tried = False
        for provider in self._providers(key.resource):
            if provider.cipher is None and not encrypted:
                return stored
            if provider.cipher is not None and stored.startswith(provider.prefix):
                tried = True
                try:
                    return provider.cipher.decrypted(key, stored[len(provider.prefix) :])
                except DecryptionError:
                    continue  # two may have the same name
        if not encrypted:
            raise CorruptError(f"it isn't encrypted, and {OPTION} has no provider identity for {key.resource}")
        cipher, _, name = (part.decode(errors="replace") for part in stored[len(MARK) :].split(b":", 3)[:3])
        if tried:
            raise CorruptError(f'it can\'t be decrypted with the {cipher} key "{name}" that {OPTION} has for {key.resource}')
        raise CorruptError(f'it is encrypted with the {cipher} key "{name}", which {OPTION} doesn\'t have for {key.resource}')

    def is_stale(self, key: Key, stored: bytes) -> bool:
        """Whether another provider wrote it than would today."""
        first = self._providers(key.resource)[0]
        return self.is_foreign(stored) if first.cipher is None else not stored.startswith(first.prefix)
