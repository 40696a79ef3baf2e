"""What a table shows of a CertificateSigningRequest: for how long, and how far it has come."""

from svcsim.kinds.certificates.certificate_signing_request_rules import APPROVED, DENIED, FAILED
from svcsim.kinds.shared.columns import NONE
from svcsim.meta.objects import get_path
from svcsim.meta.times import human_duration
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def requested_duration(obj: Object, context: Context) -> Json:
    seconds = get_path(obj, "spec.expirationSeconds")
    return NONE if seconds is None else human_duration(seconds)


def condition(obj: Object, context: Context) -> Json:
    """The decision first; a request can be approved and have failed."""
    types = [one.get("type") for one in get_path(obj, "status.conditions") or ()]
    words = [next((word for word in (DENIED, APPROVED) if word in types), "Pending")]
    if FAILED in types:
        words.append(FAILED)
    if get_path(obj, "status.certificate"):
        words.append("Issued")
    return ",".join(words)
