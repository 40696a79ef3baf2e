"""CertificateSigningRequest: a client requests a certificate, an approver approves it, a signer issues it."""

from svcsim.kinds.certificates.certificate_signing_request_columns import condition, requested_duration
from svcsim.kinds.certificates.certificate_signing_request_rules import (
    approval_changes,
    long_enough,
    request_rules,
    signing_request,
    status_changes,
    takes_long,
    usages,
)
from svcsim.kinds.certificates.certificate_signing_request_strategy import create, update, update_approval, update_status
from svcsim.kinds.groups import CERTIFICATES_V1
from svcsim.kinds.shared.columns import AGE, NONE, text_at
from svcsim.kinds.shared.types import STRINGS
from svcsim.meta.names import path_segment
from svcsim.registry.kind import Column, Kind, Selectable, Status, Strategy, Subresource, status_subresource
from svcsim.schema.types import Bytes, Field, Int, List, Map, Str, Struct, Time

_SPEC = Struct(
    "CertificateSigningRequestSpec",
    Field(1, "request", Bytes(), "PEM of a PKCS#10 certificate request", required=True, default="", rules=(signing_request,)),
    Field(7, "signerName", Str(), "Who is to sign, such as example.com/signer", required=True, default=""),
    Field(
        8, "expirationSeconds", Int(), "For how long the certificate should be valid; signers may choose otherwise", rules=(long_enough,)
    ),
    Field(5, "usages", STRINGS, "What the key is to be used for, such as client auth"),
    Field(2, "username", Str(), "Name of the user who asks; set by the server"),
    Field(3, "uid", Str(), "UID of the user who asks; set by the server"),
    Field(4, "groups", STRINGS, "Groups of the user who asks; set by the server"),
    Field(6, "extra", Map(List(Str())), "What else is known of the user who asks; set by the server"),
    rules=(usages,),
    doc="The request, which can't be changed, and who made it",
)
_CONDITION = Struct(
    "CertificateSigningRequestCondition",
    Field(1, "type", Str(), "Type of the condition: Approved, Denied, Failed or a signer's own", required=True, default=""),
    Field(6, "status", Str(), "True, False or Unknown; Approved, Denied and Failed are only ever True", required=True, default=""),
    Field(2, "reason", Str(), "Machine-readable reason, one CamelCase word"),
    Field(3, "message", Str(), "Explanation for people to read"),
    Field(4, "lastUpdateTime", Time(), "When the condition was last set"),
    Field(5, "lastTransitionTime", Time(), "When the condition last changed from one status to another"),
    doc="A decision about the request, or its failure",
)
_STATUS = Struct(
    "CertificateSigningRequestStatus",
    Field(1, "conditions", List(_CONDITION, list_type="map", keys=("type",), unique=False), "Decisions about the request, and failures"),
    Field(2, "certificate", Bytes(), "PEM of what was issued: the certificate, and others that it is verified by"),
    doc="How far the request has come",
)
CERTIFICATE_SIGNING_REQUEST = Kind(
    CERTIFICATES_V1,
    "certificatesigningrequests",
    Struct(
        "CertificateSigningRequest",
        Field(2, "spec", _SPEC, "The request", required=True, default={}),
        Field(3, "status", _STATUS, "How far the request has come", default={}),
        doc="Asks for a certificate, which a signer issues once the request is approved",
    ),
    short=("csr",),
    namespaced=False,
    name_rule=path_segment,
    columns=(
        AGE,
        Column("SignerName", text_at("spec.signerName", NONE), doc="Who is to sign"),
        Column("Requestor", text_at("spec.username"), doc="Name of the user who asks"),
        Column("RequestedDuration", requested_duration, doc="For how long the certificate should be valid"),
        Column("Condition", condition, doc="How far the request has come"),
    ),
    selectable=(Selectable("spec.signerName"),),
    status=Status(subresource=status_subresource(update_rules=(status_changes,), update=update_status)),
    subresources=(
        Subresource("approval", resets=("spec", "status.certificate"), update_rules=(approval_changes,), update=update_approval),
    ),
    strategy=Strategy(create=create, update=update, rules=(request_rules,)),
    generation=False,
    slow=takes_long,
)
