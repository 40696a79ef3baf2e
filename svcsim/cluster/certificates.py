"""Who signs certificates for a cluster: its own authority, or one that it was given."""

from svcsim import limits
from svcsim.auth.certificates import Credentials
from svcsim.auth.key_pairs import check_authority, check_key_pair
from svcsim.auth.signing import Authority, SigningRequest, sign
from svcsim.clock import Clock
from svcsim.cluster.certificates_spec import CertificatesSpec
from svcsim.controllers.certificates.signing import Sign
from svcsim.dialect import Dialect
from svcsim.meta.aside import aside
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.files import read_file
from svcsim.meta.private_files import check_private

_FILES = "--cluster-signing-cert-file and --cluster-signing-key-file"


def signer(spec: CertificatesSpec, credentials: Credentials | None, clock: Clock, dialect: Dialect) -> Sign | None:
    """What signs; None for a cluster without an authority. Raises `ConfigurationError` for files that are none."""
    certificate, key = spec.cert_file, spec.key_file
    if not spec.duration_s:
        raise ConfigurationError("--cluster-signing-duration: certificates end some time; it takes a duration such as 24h")
    if (certificate is None) != (key is None):
        raise ConfigurationError(f"{_FILES} go together: give both, or none")
    if certificate is not None and key is not None:
        check_private("--cluster-signing-key-file", key)
        try:
            content = read_file(certificate)
            check_key_pair(content, read_file(key))
            check_authority(content)
        except OSError as error:
            raise ConfigurationError(f"{_FILES}: can't read {error.filename}: {(error.strerror or str(error)).lower()}") from error
        except ValueError as error:
            raise ConfigurationError(f"{_FILES}: {error}") from error
    elif credentials is not None:
        certificate, key = credentials.ca_certificate, credentials.ca_key
    if certificate is None or key is None:
        return None
    authority = Authority(certificate.read_bytes, key.read_bytes, spec.duration_s)

    async def signed(name: str, request: SigningRequest) -> bytes:
        return await aside(limits.ASIDE_BYTES + 1, sign, name, request, authority, clock.now(), dialect)

    return signed
