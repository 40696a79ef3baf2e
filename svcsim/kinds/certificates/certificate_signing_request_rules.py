"""What makes a CertificateSigningRequest right, and how it may come to its certificate.

Approval and issuing are two rights: the approval subresource writes conditions, the status subresource the certificate and conditions that
don't approve or deny. Neither takes back what was decided.
"""

import base64
from collections.abc import Iterator

from svcsim import limits
from svcsim.auth.pem import check_certificates, check_signing_request
from svcsim.kinds.shared.checks import one_of, repeated
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, too_long, unsupported
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.objects import get_path
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

USAGES = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only"),
    *("digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement"),
    *("key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"),
)
APPROVED, DENIED, FAILED = "Approved", "Denied", "Failed"
_MIN_SECONDS = 600
_SIGNER_DOMAIN_CHARS = limits.DNS_SUBDOMAIN_CHARS
_SIGNER_CHARS = 2 * limits.DNS_SUBDOMAIN_CHARS + limits.DNS_LABEL_CHARS + 2


def takes_long(_obj: Object) -> bool:
    """Each holds a request that has to be read, and the first brings in the whole cryptography."""
    return True


def signing_request(value: Json, path: str) -> Iterator[FieldError]:
    """PEM of a request that is signed by its own key."""
    try:
        check_signing_request(base64.b64decode(value))
    except ValueError as error:
        yield invalid_value(path, value, str(error))


def usages(spec: Json, path: str) -> Iterator[FieldError]:
    """At least one, each known and once."""
    found = spec.get("usages") or ()
    if not found:
        yield required(f"{path}.usages")
    for index, usage in enumerate(found):
        yield from one_of(*USAGES)(usage, f"{path}.usages[{index}]")
    yield from (duplicate(f"{path}.usages[{index}]", usage) for index, usage in repeated(found))


def long_enough(value: Json, path: str) -> Iterator[FieldError]:
    if value < _MIN_SECONDS:
        yield invalid_value(path, value, f"may not specify a duration less than {_MIN_SECONDS} seconds (10 minutes)")


def request_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """What depends on the dialect, and the status."""
    signer = get_path(obj, "spec.signerName") or ""
    if signer == context.dialect.signer_legacy:
        yield invalid_value("spec.signerName", signer, "the legacy signerName is not allowed via this API version")
    else:
        yield from signer_name(signer, "spec.signerName")
    yield from _condition_rules(get_path(obj, "status.conditions") or [])
    if certificate := get_path(obj, "status.certificate"):
        try:
            check_certificates(base64.b64decode(certificate))
        except ValueError as error:
            yield invalid_value("status.certificate", "<certificate data>", str(error))


def signer_name(value: str, path: str) -> Iterator[FieldError]:
    """``example.com/signer``: a domain, and a name in it."""
    if not value:
        yield required(path)
        return
    domain, slash, name = value.partition("/")
    if not slash or "/" in name:
        yield invalid_value(path, value, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
        return
    if len(domain) > _SIGNER_DOMAIN_CHARS:
        yield too_long(path, _SIGNER_DOMAIN_CHARS)
    parts = domain.split(".")
    wrong = next(((part, findings) for part in parts if (findings := dns_label(part))), ("", []))
    yield from (invalid_value(path, domain, f"validating label {quoted(wrong[0])}: {finding}") for finding in wrong[1])
    if len(parts) < 2:
        yield invalid_value(path, domain, "should be a domain with at least two segments separated by dots")
    wrong = next(((part, findings) for part in name.split(".") if (findings := dns_subdomain(part))), ("", []))
    yield from (invalid_value(path, name, f"validating label {quoted(wrong[0])}: {finding}") for finding in wrong[1])
    if len(value) > _SIGNER_CHARS:
        yield too_long(path, _SIGNER_CHARS)


def _condition_rules(conditions: list[Object]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        kind, status, where = condition["type"], condition["status"], f"status.conditions[{index}]"
        allowed = ("True",) if kind in (APPROVED, DENIED, FAILED) else ("False", "True", "Unknown")
        if not kind:
            yield required(f"{where}.type")
        if not status:
            yield required(f"{where}.status")
        elif status not in allowed:
            yield unsupported(f"{where}.status", status, allowed)
        if (kind, True) in ((APPROVED, DENIED in seen), (DENIED, APPROVED in seen)):
            yield invalid_value(f"{where}.type", kind, "Approved and Denied conditions are mutually exclusive")
        if kind in seen:
            yield duplicate(f"{where}.type", kind)
        seen.add(kind)


def approval_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What was decided stays."""
    for kind in (APPROVED, DENIED, FAILED):
        if len(_of_type(new, kind)) < len(_of_type(old, kind)):
            yield forbidden_field("status.conditions", f"updates may not remove a condition of type {quoted(kind)}")


def status_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Signers don't approve, and what was issued stays."""
    yield from approval_changes(new, old, context)
    for kind in (APPROVED, DENIED):
        if len(_of_type(new, kind)) > len(_of_type(old, kind)):
            yield forbidden_field("status.conditions", f"updates may not add a condition of type {quoted(kind)}")
    issued = get_path(old, "status.certificate")
    if issued and get_path(new, "status.certificate") != issued:
        yield forbidden_field("status.certificate", "updates may not modify existing certificate content")


def _of_type(obj: Object, kind: str) -> list[Object]:
    return [condition for condition in get_path(obj, "status.conditions") or () if condition["type"] == kind]
