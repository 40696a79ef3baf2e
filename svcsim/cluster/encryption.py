"""Which of a cluster's objects stand on its disk encrypted, by the file that says so.

A store in which anything ever was encrypted is marked: without the file such objects are known for what they are, and not served. All other
clusters know nothing of this.
"""

import hashlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.clock import Clock
from svcsim.cluster.encryption_spec import EncryptionSpec
from svcsim.dialect import Dialect
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.private_files import read_private
from svcsim.storage.store import LmdbStore

if TYPE_CHECKING:
    from svcsim.auth.at_rest.at_rest import Rule

_OPTION = "--encryption-provider-config"
_MARK = "encrypted"
"""Under this name the store says that something in it may be encrypted."""

logger = logging.getLogger(__name__)


async def encrypt(store: LmdbStore, spec: EncryptionSpec, dialect: Dialect) -> "Encryption | None":
    """Have a store keep objects as the file says; None where there is no file. Raises `ConfigurationError`."""
    if spec.provider_config is None:
        if store.get_meta(_MARK) is not None:
            from svcsim.auth.at_rest.at_rest import AtRest

            store.transform(AtRest(()))
        return None
    encryption = Encryption(spec.provider_config, dialect)
    store.transform(encryption.at_rest)
    await store.put_meta(_MARK, b"1")
    return encryption


class Encryption:
    """A file of rules, and what is made of it."""

    def __init__(self, file: Path, dialect: Dialect) -> None:
        """Raises `ConfigurationError`."""
        from svcsim.auth.at_rest.at_rest import AtRest

        self._file = file
        self._api_version = f"{dialect.group('apiserver.config')}/v1"
        content = self._content()
        self._digest = _digest(content)
        self.at_rest = AtRest(self._rules(content))

    async def follow(self, clock: Clock) -> None:
        """Go by the file when it changes. One that is no good is told of, and what was there before stays."""
        while True:
            await clock.sleep(limits.ENCRYPTION_LOOKED_AT_S)
            self.look()

    def look(self) -> None:
        """Go by the file, if it has changed."""
        try:
            content = self._content()
            digest = _digest(content)
            if digest == self._digest:
                return
            self._digest = digest
            self.at_rest.replace(self._rules(content))
        except ConfigurationError as error:
            logger.error("%s; objects are stored as before", error)  # noqa: TRY400 - the line says all there is, and a trace might say more
        else:
            logger.warning("%s has changed, and objects are stored as it says now", self._file)

    def _content(self) -> bytes:
        return read_private(_OPTION, self._file)

    def _rules(self, content: bytes) -> "tuple[Rule, ...]":
        from svcsim.auth.at_rest.configuration import EncryptionConfigurationError, read_rules

        try:
            return read_rules(content, self._api_version)
        except EncryptionConfigurationError as error:
            raise ConfigurationError(f"{_OPTION}: {self._file}: {error}") from None


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
