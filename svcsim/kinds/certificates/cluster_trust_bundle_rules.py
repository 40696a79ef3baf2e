"""What makes a ClusterTrustBundle right: certificates that can be read, each once, under a name that tells the signer."""

from collections.abc import Iterator

from svcsim import limits
from svcsim.auth.pem import distinct_certificates
from svcsim.kinds.certificates.certificate_signing_request_rules import signer_name
from svcsim.kinds.shared.checks import unchanged
from svcsim.meta.errors import FieldError, invalid_value, required, too_long
from svcsim.meta.names import dns_subdomain
from svcsim.meta.objects import get_path, name_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_OMITTED = "<value omitted>"


def bundle_name(name: str) -> list[str]:
    """What follows the signer's part of it."""
    return dns_subdomain(name.rpartition(":")[2])


def trust_anchors(value: Json, path: str) -> Iterator[FieldError]:
    """At least one certificate, nothing but certificates, and none of them twice."""
    if not value:
        yield required(path)
    elif len(value.encode()) > limits.TRUST_BUNDLE_BYTES:
        yield too_long(path, limits.TRUST_BUNDLE_BYTES)
    else:
        try:
            distinct_certificates(value.encode())
        except ValueError as error:
            yield invalid_value(path, _OMITTED, str(error))


def bundle_rules(bundle: Object, context: Context) -> Iterator[FieldError]:
    """A bundle of a signer begins with the signer's name, which a bundle of nobody's doesn't look like."""
    name, signer = name_of(bundle), get_path(bundle, "spec.signerName") or ""
    if not signer:
        if ":" in name:
            yield invalid_value("metadata.name", name, 'ClusterTrustBundle without signer name must not have ":" in its name')
        return
    yield from signer_name(signer, "spec.signerName")
    prefix = f"{signer.replace('/', ':')}:"
    if not name.startswith(prefix) or ":" in name.removeprefix(prefix):
        yield invalid_value("metadata.name", name, f"ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}")


def signer_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Whose certificates they are stays as it is."""
    yield from unchanged(new, old, "signerName")
