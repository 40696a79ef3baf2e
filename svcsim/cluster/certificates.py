"""Who signs certificates for a cluster: its own authority, or one that it was given."""

from svcsim import limits
from svcsim.auth.certificates import Credentials
from svcsim.auth.key_pairs import check_key_pair
from svcsim.auth.signing import Authority, SigningRequest, sign
from svcsim.clock import Clock
from svcsim.cluster.certificates_spec import CertificatesSpec
from svcsim.controllers.certificates.signing import Sign
from svcsim.dialect import Dialect
from svcsim.meta.aside import aside
from svcsim.meta.configuration_error import ConfigurationError


def signer(spec: CertificatesSpec, credentials: Credentials | None, clock: Clock, dialect: Dialect) -> Sign | None:
    """What signs; None for a cluster without an authority. Raises `ConfigurationError` for files that are none."""
    certificate, key = spec.cert_file, spec.key_file
    if certificate is not None and key is not None:
        try:
            check_key_pair(certificate.read_bytes(), key.read_bytes())
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"--cluster-signing-cert-file and --cluster-signing-key-file: {error}") from error
    elif credentials is not None:
        certificate, key = credentials.ca_certificate, credentials.ca_key
    if certificate is None or key is None:
        return None
    authority = Authority(certificate.read_bytes, key.read_bytes, spec.duration_s or limits.SIGNING_S)

    async def signed(name: str, request: SigningRequest) -> bytes:
        return await aside(limits.ASIDE_BYTES + 1, sign, name, request, authority, clock.now(), dialect)

    return signed
