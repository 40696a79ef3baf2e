"""What makes volumes right: one source each, with names and paths that can be."""

from collections.abc import Iterable, Iterator

from svcsim.kinds.shared.checks import not_negative_amount, one_of
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.objects import name_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Rule

_TOKEN_MIN_S = 600
_TOKEN_MAX_S = 2**32
_CERTIFICATE_S = (3600, 91 * 86400)
ISCSI_SESSION_CHARS = 64
ISCSI_SESSION_TOO_LONG = (
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
)
_CERTIFICATE_FILES = ("credentialBundlePath", "keyPath", "certificateChainPath")
_KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_PROJECTIONS = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle", "podCertificate")


def needs(name: str) -> Rule:
    """A struct in which a text must stand that the API calls optional."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        if not value.get(name):
            yield required(f"{path}.{name}")

    return check


def no_backsteps(value: Json, path: str) -> Iterator[FieldError]:
    """A path that doesn't climb."""
    if ".." in value.split("/"):
        yield invalid_value(path, value, "must not contain '..'")


def absolute(value: Json, path: str) -> Iterator[FieldError]:
    """A path from the root."""
    if not value.startswith("/"):
        yield invalid_value(path, value, "must be an absolute path")


def empty_dir_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Not less than nothing fits in."""
    limit = value.get("sizeLimit")
    if limit is not None and any(not_negative_amount(limit, path)):
        yield forbidden_field(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def token_lifetime(value: Json, path: str) -> Iterator[FieldError]:
    """Long enough to be renewed in time."""
    if value < _TOKEN_MIN_S:
        yield invalid_value(path, value, "may not specify a duration less than 10 minutes")
    if value > _TOKEN_MAX_S:
        yield invalid_value(path, value, "may not specify a duration larger than 2^32 seconds")


def certificate_lifetime(value: Json, path: str) -> Iterator[FieldError]:
    """From an hour to three months."""
    low, high = _CERTIFICATE_S
    if value < low:
        yield invalid_value(path, value, f"if provided, maxExpirationSeconds must be greater than or equal to {low}")
    if value > high:
        yield invalid_value(path, value, f"if provided, maxExpirationSeconds must be less than or equal to {high}")


def one_source(given: list[str], path: str) -> Iterable[FieldError]:
    """A volume comes from one place: the first of those that are given counts."""
    return [forbidden_field(f"{path}.{name}", "may not specify more than 1 volume type") for name in given[1:]]


def projection_rules(value: Json, path: str) -> Iterator[FieldError]:
    """One source in each item of a projected volume."""
    given = [name for name in _PROJECTIONS if value.get(name) is not None]
    if not given:
        yield required(path, "at least one source must be specified")
    if len(given) > 1:
        yield forbidden_field(path, "may not specify more than 1 volume type per source")


def projected_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Each file of a projected volume comes from one of its sources."""
    seen: set[str] = set()
    for source in value.get("sources") or ():
        for told, place in _files(source):
            if place in seen:
                yield invalid_value(path, told or place, "conflicting duplicate paths")
            seen.add(place)


def _files(source: Object) -> Iterator[tuple[str, str]]:
    """The files of a source that say where they are, each with the name by which a conflict is told."""
    for part in ("secret", "configMap", "downwardAPI"):
        projection = source.get(part) or {}
        yield from ((projection.get("name") or "", item["path"]) for item in projection.get("items") or () if item.get("path"))
    if place := (source.get("clusterTrustBundle") or {}).get("path"):
        yield "", place
    certificate = source.get("podCertificate") or {}
    yield from (("", certificate[name]) for name in _CERTIFICATE_FILES if certificate.get(name))


def trust_bundle_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Either one bundle, or those of a signer."""
    name, signer = value.get("name"), value.get("signerName")
    if name is not None and signer is not None:
        yield invalid_value(path, value, "only one of name and signerName may be used")
    elif name is not None:
        yield from _bundle_named(name, f"{path}.name")
        if (selector := value.get("labelSelector")) is not None:
            yield invalid_value(f"{path}.labelSelector", selector, "labelSelector must be unset if name is specified")
    elif signer is not None:
        yield from signer_name(signer, f"{path}.signerName", "must be a valid signer name")
    else:
        yield required(path, "either name or signerName must be specified")


def _bundle_named(name: str, path: str) -> Iterator[FieldError]:
    """The name of a bundle is that of its signer, with colons for slashes, and one of its own; or a plain name."""
    if not name:
        yield required(path, "must be a valid object name")
    findings = dns_subdomain(name.rpartition(":")[2])
    yield from (invalid_value(path, name, f"not a valid clustertrustbundlename: {finding}") for finding in findings)


def signer_name(value: str, path: str, detail: str = "") -> Iterator[FieldError]:
    """The name of a signer: a domain, a slash, and a path without further ones."""
    if not value:
        yield required(path, detail)
        return
    domain, slash, name = value.partition("/")
    if not slash or "/" in name:
        yield invalid_value(path, value, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
        return
    if "." not in domain:
        yield invalid_value(path, domain, "should be a domain with at least two segments separated by dots")
    for rule, part in ((dns_label, domain), (dns_subdomain, name)):
        for text in part.split(".") if rule is dns_label else (part,):
            yield from (invalid_value(path, part, f"validating label {quoted(text)}: {finding}") for finding in rule(text))


def certificate_rules(value: Json, path: str) -> Iterator[FieldError]:
    """A key of a known type, from a signer, that goes into some file."""
    if value.get("signerName"):
        yield from signer_name(value["signerName"], f"{path}.signerName")
    if value.get("keyType"):
        yield from one_of(*_KEY_TYPES)(value["keyType"], f"{path}.keyType")
    if not any(value.get(name) for name in _CERTIFICATE_FILES):
        yield required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")


def claim_template_needed(value: Json, path: str) -> Iterator[FieldError]:
    """An ephemeral volume is what its template says."""
    if value.get("volumeClaimTemplate") is None:
        yield required(f"{path}.volumeClaimTemplate")


def initiator_rules(volume: Json, path: str) -> Iterator[FieldError]:
    """A node tells an iSCSI session of an initiator's own by a name that has little room."""
    iscsi, name = volume.get("iscsi") or {}, volume.get("name") or ""
    if iscsi.get("initiatorName") is not None and len(f"{name}:{iscsi.get('targetPortal') or ''}".encode()) > ISCSI_SESSION_CHARS:
        yield invalid_value(f"{path}.name", name, ISCSI_SESSION_TOO_LONG)


def ephemeral_claim_names(pod: Object) -> Iterator[FieldError]:
    """The claim of an ephemeral volume has a name that follows from those of the pod and the volume."""
    for index, volume in enumerate((pod.get("spec") or {}).get("volumes") or ()):
        name = volume.get("name")
        if volume.get("ephemeral") is not None and name and name_of(pod):
            claim = f"{name_of(pod)}-{name}"
            why = [f"PVC name {quoted(claim)}: {finding}" for finding in dns_subdomain(claim)]
            yield from (invalid_value(f"spec.volumes[{index}].name", name, one) for one in why)
