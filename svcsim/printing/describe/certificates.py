"""CertificateSigningRequests: the requester, the usages, and the content of the request itself."""

import base64

from svcsim.auth.pem import Asked, asked
from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.times import human_duration
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.writer import DescribeContext, Writer
from svcsim.printing.texts import pairs, rfc1123

_SUBJECT = (
    ("Organization", "2.5.4.10"),
    ("Organizational Unit", "2.5.4.11"),
    ("Country", "2.5.4.6"),
    ("Locality", "2.5.4.7"),
    ("Province", "2.5.4.8"),
    ("StreetAddress", "2.5.4.9"),
    ("PostalCode", "2.5.4.17"),
)
"""Parts of a subject that may be there several times, and the object identifiers of their types."""
_COMMON_NAME, _SERIAL_NUMBER = "2.5.4.3", "2.5.4.5"


def describe_signing_request(request: Object, context: DescribeContext) -> None:
    writer, spec = context.writer, request.get("spec") or {}
    writer.field("Name", name_of(request))
    writer.field("Labels", pairs(metadata_of(request).get("labels")))
    writer.field("Annotations", pairs(metadata_of(request).get("annotations")))
    writer.field("CreationTimestamp", rfc1123(metadata_of(request).get("creationTimestamp")))
    writer.field("Requesting User", spec.get("username", ""))
    if spec.get("signerName"):
        writer.field("Signer", spec["signerName"])
    if "expirationSeconds" in spec:
        writer.field("Requested Duration", human_duration(spec["expirationSeconds"]))
    writer.field("Status", _state(request.get("status") or {}))
    try:
        _content(writer, asked(base64.b64decode(spec.get("request", ""))))
    except ValueError as error:
        writer.line(f"Subject:\t<unreadable: {error}>")
    events_section(request, context)


def _state(status: Object) -> str:
    types = [condition.get("type") for condition in status.get("conditions") or []]
    decided = next((word for word in ("Denied", "Approved") if word in types), "Pending")
    failed = ",Failed" if "Failed" in types else ""
    return decided + failed + (",Issued" if status.get("certificate") else "")


def _content(writer: Writer, content: Asked) -> None:
    """The subject, and the other names it is to have."""
    writer.line("Subject:")
    for title, oid in (("Common Name", _COMMON_NAME), ("Serial Number", _SERIAL_NUMBER)):
        writer.line(f"\t{title}:\t{content.subject.get(oid, [''])[-1]}")
    for title, oid in _SUBJECT:
        _list(writer, title, content.subject.get(oid, []))
    if content.dns_names or content.email_addresses or content.uris or content.addresses:
        writer.line("Subject Alternative Names:")
    _list(writer, "DNS Names", content.dns_names)
    _list(writer, "Email Addresses", content.email_addresses)
    _list(writer, "URIs", content.uris)
    _list(writer, "IP Addresses", content.addresses)


def _list(writer: Writer, title: str, values: list[str]) -> None:
    if values:
        writer.line(f"\t{title}:\t" + "\n\t\t".join(values))
