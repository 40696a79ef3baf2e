"""Whether a certificate and a key belong together, and what is said of those that don't."""

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from svcsim.auth import certificates
from svcsim.auth.key_pairs import check_key_pair

OTHER = b"-----BEGIN OTHER-----\nAAAA\n-----END OTHER-----\n"
BROKEN = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


@pytest.fixture(scope="module")
def pems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Certificates and keys of a cluster, an RSA key, and what is neither."""
    made = certificates.ensure(tmp_path_factory.mktemp("pki")).directory
    rsa = generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    found = {path.name: path.read_bytes() for path in made.iterdir()}
    return {
        **found,
        "chain": found["server.crt"] + found["ca.crt"],
        "rsa.key": rsa,
        "nothing": b"nothing",
        "other": OTHER,
        "broken": BROKEN,
        "broken.key": BROKEN.replace(b"CERTIFICATE", b"PRIVATE KEY"),
    }


@pytest.mark.parametrize(
    ("certificate", "key", "told"),
    [
        ("server.crt", "server.key", ""),
        ("chain", "server.key", ""),
        ("server.crt", "admin.key", "tls: private key does not match public key"),
        ("server.crt", "rsa.key", "tls: private key type does not match public key type"),
        ("nothing", "server.key", "tls: failed to find any PEM data in certificate input"),
        ("server.crt", "nothing", "tls: failed to find any PEM data in key input"),
        (
            "server.key",
            "server.crt",
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
        ),
        ("server.crt", "server.crt", "tls: found a certificate rather than a key in the PEM for the private key"),
        (
            "other",
            "server.key",
            'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [OTHER]',
        ),
        (
            "server.crt",
            "other",
            (
                'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input '
                "after skipping PEM blocks of the following types: [OTHER]"
            ),
        ),
        ("broken", "server.key", "x509: malformed certificate"),
        ("server.crt", "broken.key", "tls: failed to parse private key"),
    ],
)
def test_what_is_said_of_a_pair(pems: dict[str, bytes], certificate: str, key: str, told: str):
    if not told:
        check_key_pair(pems[certificate], pems[key])
        return
    with pytest.raises(ValueError, match=r"^(tls|x509): ") as raised:
        check_key_pair(pems[certificate], pems[key])
    assert str(raised.value) == told
