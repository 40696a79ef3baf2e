"""The keys that sign the tokens of service accounts, as files beside the cluster's certificates.

They are made when one of them is missing or damaged. Certificates may be made anew without them, so that tokens outlive those; tokens that
were signed by a key that is lost are worth nothing.
"""

import logging
from pathlib import Path

from svcsim.auth.pem import Block, blocks

logger = logging.getLogger(__name__)

SERVICE_ACCOUNT_KEY = "sa.key"
SERVICE_ACCOUNT_PUBLIC_KEY = "sa.pub"
_POINT_BYTES = 65
"""The length of an uncompressed point on P-256. It ends both files: a private key is stored with its public half."""
_PRIVATE_BYTES = 138
_PUBLIC_BYTES = 91


def renewed_account_keys(directory: Path) -> dict[str, bytes]:
    """New files by their names where those that are there can't be used; nothing where they can. Raises `OSError`."""
    flaw = _flaw(directory)
    if flaw is None:
        return {}
    if (directory / SERVICE_ACCOUNT_KEY).exists() or (directory / SERVICE_ACCOUNT_PUBLIC_KEY).exists():
        what = "the keys of service accounts in %s are made anew, because %s; their tokens have to be requested anew"
        logger.warning(what, directory, flaw)
    return _make()


def _flaw(directory: Path) -> str | None:
    """Why the keys can't be used. This doesn't need the cryptography library, whose import takes longer than everything else."""
    found: list[Block] = []
    for name, kind, size in (
        (SERVICE_ACCOUNT_KEY, "PRIVATE KEY", _PRIVATE_BYTES),
        (SERVICE_ACCOUNT_PUBLIC_KEY, "PUBLIC KEY", _PUBLIC_BYTES),
    ):
        try:
            block = next(blocks((directory / name).read_bytes()), None)
        except (FileNotFoundError, NotADirectoryError):
            return f"{name} is not there"
        if block is None or block.kind != kind or len(block.der) != size:
            return f"{name} is damaged"
        found.append(block)
    private, public = found
    return None if private.der[-_POINT_BYTES:] == public.der[-_POINT_BYTES:] else f"{SERVICE_ACCOUNT_PUBLIC_KEY} is another key's"


def _make() -> dict[str, bytes]:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = ec.generate_private_key(ec.SECP256R1())
    return {
        SERVICE_ACCOUNT_KEY: key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        SERVICE_ACCOUNT_PUBLIC_KEY: key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    }
