"""Keys, and requests for certificates of them: how a user comes to credentials that nobody else has ever held."""

from typing import NamedTuple

from svcsim.auth.certificates import subject_name


class KeyAndRequest(NamedTuple):
    """A private key, and the PKCS#10 request that it has signed, both in PEM."""

    key_pem: bytes
    request_pem: bytes


def new_key_and_request(name: str, groups: tuple[str, ...]) -> KeyAndRequest:
    """For a user in groups. Raises `ValueError` for names that no certificate can bear."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(subject_name(name, *groups)).sign(key, hashes.SHA256())
    encoded = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return KeyAndRequest(encoded, request.public_bytes(serialization.Encoding.PEM))


def groups_in(certificate_pem: bytes) -> list[str]:
    """The groups that a user's certificate names. Raises `ValueError` for what is none."""
    from cryptography import x509

    subject = x509.load_pem_x509_certificate(certificate_pem).subject
    return [str(one.value) for one in subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)]
